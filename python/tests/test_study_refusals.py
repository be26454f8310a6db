"""What keeps a study from its end, with stand-ins for the programs: bad input, and signals."""

import os
import signal
import subprocess
import sys
import time

import pytest
from study_programs import calls, files, run

from mees.study.__main__ import main
from mees.study.results import ROOT

BAD = [
    (["--bin", "nowhere"], 2, "nowhere/mees_master: no such program"),
    (["--cores", "-3"], 2, "--cores -3 cannot be"),
    (["--cores", "many"], 2, "argument --cores"),
    (["--runs", "toy.toml/runs"], 3, "toy.toml is not a folder"),
    (["--keep", "toy.toml"], 3, "toy.toml is not a folder"),
    (["--keep", "runs"], 2, "runs/toy: cannot keep the study there"),
    (["--keep", "runs/toy"], 2, "cannot keep the study there"),
    (["--keep", "other"], 3, "other/toy: is not a study that was kept"),
    (["--nonsense"], 2, "unrecognized arguments: --nonsense"),
]


@pytest.mark.parametrize("options, status, text", BAD, ids=lambda value: "".join(value) if isinstance(value, list) else "")
def test_bad_input_is_one_line_and_leaves_nothing(place, capsys, options, status, text):
    (place / "other" / "toy").mkdir(parents=True)
    (place / "other" / "toy" / "thesis.tex").touch()
    before = files(place)
    assert run(*options) == status
    shown = capsys.readouterr().err
    assert shown.startswith("mees.study: error: ") and shown.count("\n") == 1 and text in shown
    assert files(place) == before and not (place / "runs").exists()


def test_what_is_missing_is_said_before_anything_runs(place, monkeypatch, capsys):
    assert main(["typo"]) == 2
    assert "there is no study 'typo' (there are point_maze, " in capsys.readouterr().err
    with monkeypatch.context() as changed:
        changed.setitem(sys.modules, "matplotlib", None)
        assert run() == 2
    assert "a study needs the package matplotlib" in capsys.readouterr().err
    (place / "toy.toml").unlink()
    assert run() == 3
    assert "toy.toml: the study's preset is missing" in capsys.readouterr().err
    assert not (place / "runs").exists() and not calls(place / "bin")


@pytest.mark.parametrize("arguments", [[], ["--help"]])
def test_help_lists_the_studies(capsys, arguments):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 0
    assert "\n  point_maze  " in capsys.readouterr().out


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signals_are_passed_on_and_waited_for(place, number):
    (place / "bin" / "waits").write_text("yes")
    script = (f"import sys, study_programs as t; t.STUDIES['toy'] = t.toy({str(place / 'toy.toml')!r}); "
              "t.jobs.SHOW_SECONDS = 0; sys.exit(t.run())")
    path = os.pathsep.join([os.path.dirname(__file__), str(ROOT / "python")])
    started = subprocess.Popen([sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": path}, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    table = place / "runs" / "toy" / "a-seed1" / "metrics.csv"
    deadline = time.monotonic() + 60
    while not table.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(1.2)  # some progress is shown
    started.send_signal(number)
    shown, said = started.communicate(timeout=60)
    assert said == "mees.study: stopped; run the same command again to go on\n"
    assert started.returncode == 75
    assert (table.parent / "saved").exists()
    assert "    generation 1 of 3, about " in shown
