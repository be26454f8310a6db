"""Studies that cannot be completed, with fake programs: invalid input, and signals."""

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
    (["--bin", "nowhere"], 2, "nowhere/mees_master (no such program)"),
    (["--cores", "-3"], 2, "invalid --cores -3"),
    (["--cores", "many"], 2, "argument --cores"),
    (["--runs", "toy.toml/runs"], 3, "toy.toml is not a folder"),
    (["--keep", "toy.toml"], 3, "toy.toml is not a folder"),
    (["--keep", "runs"], 2, "cannot keep the study in "),
    (["--keep", "runs/toy"], 2, "cannot keep the study in "),
    (["--keep", "other"], 3, "other/toy (it is not a kept study"),
    (["--nonsense"], 2, "unrecognized arguments: --nonsense"),
]


@pytest.mark.parametrize(
    "options, status, text",
    BAD,
    ids=lambda value: "".join(value) if isinstance(value, list) else "",
)
def test_invalid_input_prints_one_line_and_writes_nothing(place, capsys, options, status, text):
    (place / "other" / "toy").mkdir(parents=True)
    (place / "other" / "toy" / "thesis.tex").touch()
    before = files(place)
    assert run(*options) == status
    shown = capsys.readouterr().err
    assert shown.startswith("mees.study: error: ") and shown.count("\n") == 1 and text in shown
    assert files(place) == before and not (place / "runs").exists()


def test_missing_prerequisites_are_reported_before_anything_runs(place, monkeypatch, capsys):
    assert main(["typo"]) == 2
    assert "unknown study 'typo' (known studies: point_maze, " in capsys.readouterr().err
    with monkeypatch.context() as changed:
        changed.setitem(sys.modules, "matplotlib", None)
        assert run() == 2
    assert "a study needs the package matplotlib" in capsys.readouterr().err
    (place / "toy.toml").unlink()
    assert run() == 3
    assert "toy.toml (the study's preset is missing)" in capsys.readouterr().err
    assert not (place / "runs").exists() and not calls(place / "bin")


@pytest.mark.parametrize("arguments", [[], ["--help"]])
def test_help_lists_the_studies(capsys, arguments):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 0
    assert "\n  point_maze  " in capsys.readouterr().out


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signals_are_forwarded_to_the_program(place, number):
    (place / "bin" / "waits").write_text("yes")
    script = (
        "import sys, study_programs as t; from mees.study import running; "
        "running.SHOW_SECONDS = 0; "
        f"t.STUDIES['toy'] = t.toy({str(place / 'toy.toml')!r}); sys.exit(t.run())"
    )
    path = os.pathsep.join([os.path.dirname(__file__), str(ROOT / "python")])
    started = subprocess.Popen(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": path},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    table = place / "runs" / "toy" / "a-seed1" / "metrics.csv"
    deadline = time.monotonic() + 60
    while not table.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(1.2)  # some progress is shown
    started.send_signal(number)
    shown, said = started.communicate(timeout=60)
    assert said == "mees.study: stopped; run the same command again to resume\n"
    assert started.returncode == 75
    assert (table.parent / "saved").exists()
    assert "    generation 1 of 3, about " in shown
