"""A small study with the real programs: ./mees reproduce's runner from an empty folder to its
table, and on."""

import os
import shutil
import signal
import subprocess
import sys
import time

import h5py
import pytest
from harness.configs import set_options
from harness.faults import wait_for
from harness.programs import BIN, ENVIRONMENT, ROOT, run, same_map

pytest.importorskip("matplotlib")

# Two variants and a seed of the quickstart's puck, three generations long.
TOY = """
import sys
from mees.study.__main__ import main
from mees.study.studies import STUDIES, Claim, Study, more
settings = ("run.generations=%s", "es.population=20", "noise.table_size=100000", "es.sigma=%s")
variants = {"explore": ["algorithm.mode=explore"], "es": ["algorithm.name=es"]}
claims = (Claim("explore covers more", more("explore", "es", "coverage")),)
STUDIES["toy"] = Study("toy", "configs/quickstart.toml", variants, (1,), claims, "toy",
                       settings=settings, judged=("es",))
sys.exit(main())
"""


def start(folder, *options, generations=3, sigma=0.05):
    command = [sys.executable, "-c", TOY % (generations, sigma), "toy", "--bin", str(BIN),
               "--cores", "1",
               "--runs", "runs", *options]
    environment = {**ENVIRONMENT, "PYTHONPATH": str(ROOT / "python")}
    return subprocess.Popen(command, cwd=folder, env=environment, text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)


def study(folder, *options, **settings):
    process = start(folder, *options, **settings)
    shown, said = process.communicate(timeout=240)
    return process.returncode, shown, said


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*")
            if path.is_file() and path.name in ("map.h5", "metrics.csv", "config.toml", "table.md",
                                                "versions.txt")}


def test_a_study_and_the_same_again(tmp_path):
    status, shown, said = study(tmp_path, "--keep", "kept")
    assert (status, said) == (0, "")
    assert "3 of 3 jobs left" in shown and "| explore covers more | **not decided** |" in shown
    versions = tmp_path / "kept" / "toy" / "es-seed1" / "versions.txt"
    assert versions.read_text().startswith("mees_master ")
    judged = (tmp_path / "kept" / "toy" / "es-seed1" / "judged.txt").read_text()
    assert "domain.episode_steps = 1000" in judged and judged.count("completed") == 100
    before = contents(tmp_path / "runs")
    assert len(before) == 2 * 4 + 2
    status, shown, said = study(tmp_path)
    assert (status, said) == (0, "") and "0 of 3 jobs left" in shown
    assert contents(tmp_path / "runs") == before


def test_kept_results_count_on_another_machine(tmp_path):
    """The small files of one run are enough; the other run, and one of another sigma, run again."""
    assert study(tmp_path, "--keep", "kept")[0] == 0
    before = contents(tmp_path / "kept")
    shutil.rmtree(tmp_path / "runs")
    status, shown, said = study(tmp_path, "--keep", "kept")
    assert (status, said) == (0, "")
    assert "kept results: explore-seed1, es-seed1\n0 of 0 jobs left" in shown
    assert contents(tmp_path / "kept") == before
    assert not list((tmp_path / "runs").rglob("map.h5"))
    shutil.rmtree(tmp_path / "runs")
    shutil.rmtree(tmp_path / "kept" / "toy" / "es-seed1")
    status, shown, said = study(tmp_path, "--keep", "kept", sigma=0.1)
    assert (status, said) == (0, "") and "3 of 3 jobs left" in shown
    assert "do not count (es.sigma differs): explore-seed1\n" in shown


def test_metrics_ahead_of_the_map(tmp_path):
    """As after kill -9 between the last generation's row and its checkpoint."""
    assert study(tmp_path)[0] == 0
    for name in ("whole", "cut"):
        result = run("mees_master", ROOT / "configs/quickstart.toml", "--seed", 1, "--threads", 1,
                     "--out", tmp_path / name,
                     *set_options("es.population=20", "noise.table_size=100000", "es.sigma=0.05",
                                  "algorithm.name=es",
                                  f"run.generations={3 if name == 'whole' else 2}"))
        assert result.returncode == 0, result.stderr
    toy = tmp_path / "runs" / "toy" / "es-seed1"
    (tmp_path / "cut" / "map.h5").replace(toy / "map.h5")
    (toy / "map.prev.h5").unlink()
    assert study(tmp_path)[0] == 0
    assert same_map(toy / "map.h5", tmp_path / "whole" / "map.h5")[0]


@pytest.mark.parametrize("settings, text", [
    ({"sigma": 0.1}, "es.sigma is 0.05 in the checkpoint and 0.1 in the configuration"),
    ({"generations": 2}, "ends at generation 3 (the study has 2)"),
])
def test_runs_of_other_settings_are_refused(tmp_path, settings, text):
    assert study(tmp_path)[0] == 0
    status, _, said = study(tmp_path, **settings)
    assert status == 3 and text in said and said.splitlines()[-1].startswith("mees.study: error: ")


def test_stopped_and_resumed(tmp_path):
    process = start(tmp_path, generations=100000)
    folder = tmp_path / "runs" / "toy" / "explore-seed1"
    wait_for((folder / "map.h5").exists, 60, "the first checkpoint")
    os.kill(process.pid, signal.SIGTERM)
    said = process.communicate(timeout=30)[1]
    assert said == "mees.study: stopped; run the same command again to resume\n"
    assert process.returncode == 75
    log = (folder / "mees.log").read_text()
    with h5py.File(folder / "map.h5") as saved:
        reached = int(saved.attrs["generation"])
    assert (folder / "metrics.csv").read_text().splitlines()[-1].startswith(f"{reached},")
    time.sleep(0.5)
    assert (folder / "mees.log").read_text() == log  # no process is left
    assert study(tmp_path, generations=reached + 1)[0] == 0
