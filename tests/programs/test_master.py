"""mees_master: options, exit codes and guarantees."""

import json
import re
import signal

import h5py
import numpy as np
import pytest
from harness.configs import SMALL, settings, toml, write_config
from harness.faults import wait_for
from harness.programs import refused as refused_by
from harness.programs import run, same_map, start


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """An uninterrupted run on one thread."""
    folder = tmp_path_factory.mktemp("reference")
    result = run("mees_master", write_config(folder), "--out", folder / "run", "--threads", 1)
    assert result.returncode == 0, result.stderr
    return folder / "run" / "map.h5"


def refused(result, code, *words):
    refused_by(result, "mees_master", code, *words)


def test_help_and_version():
    text = run("mees_master", "--help")
    assert text.returncode == 0
    for option in ("--out", "--resume", "--set", "--seed", "--generations", "--time-limit",
                   "--threads", "--show-config", "--dry-run", "--version"):
        assert option in text.stdout
    assert max(len(line) for line in text.stdout.splitlines()) <= 100
    text = run("mees_master", "--version")
    assert text.returncode == 0
    for word in ("mees_master", "commit", "MuJoCo", "MPI", "HDF5", "Eigen", "build"):
        assert word in text.stdout


@pytest.mark.parametrize("change, words", [
    (("population = 20", "populaton = 20"),
     ("line 10", "es.populaton", "Did you mean population?")),
    (("population = 20", "population = 21"), ("population", "even")),
    (("population = 20", 'population = "many"'), ("line 10", "population", "must be an integer")),
    (('name = "point_maze"', 'name = "point_mase"'), ("point_mase", "point_maze")),
    (("table_size = 100000", "table_size = 20"), ("noise.table_size", "twice")),
    (("n_eval = 4", "n_eval = 4\nnovelty_k = 0"), ("novelty_k",)),
    (("n_eval = 4", 'n_eval = 4\nobjectives = ["speed"]'), ("speed", "fitness")),
    (("[es]", "[ess]"), ("ess", "es")),
    (("[es]", "[es"), ("line 9",)),
])
def test_invalid_configuration_writes_nothing(tmp_path, change, words):
    config = write_config(tmp_path, toml(SMALL).replace(*change))
    for ranks in (0, 2):
        result = run("mees_master", config, "--out", tmp_path / "run", ranks=ranks)
        refused(result, 2, *words)
        assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("arguments", [
    ["--resume", "sometimes"], ["--time-limit", "soon"], ["--unknown"], ["--set", "es.sigma"],
    ["--set", "es.sigma=wide"], ["--seed", "-3"], ["--threads", "-1"],
])
def test_invalid_command_line(tmp_path, arguments):
    result = run("mees_master", write_config(tmp_path), "--out", tmp_path / "run", *arguments)
    refused(result, 2)
    assert not (tmp_path / "run").exists()


def test_missing_file(tmp_path):
    refused(run("mees_master", tmp_path / "none.toml"), 2, "none.toml")


def test_model_that_does_not_compile(tmp_path):
    (tmp_path / "robot.xml").write_text("<mujoco><worldbody><body></worldbody></mujoco>")
    config = write_config(tmp_path, settings(domain={"name": "mjcf", "model": "robot.xml"}))
    refused(run("mees_master", config, "--out", tmp_path / "run"), 3, "robot.xml")
    assert not (tmp_path / "run").exists()


def test_show_config_is_complete_and_stable(tmp_path):
    config = write_config(tmp_path)
    shown = run("mees_master", config, "--seed", 7, "--show-config")
    assert shown.returncode == 0
    assert "seed = 7" in shown.stdout and "learning_rate = 0.01" in shown.stdout
    again = run("mees_master", write_config(tmp_path, shown.stdout, "again.toml"), "--show-config")
    assert again.stdout == shown.stdout


def test_dry_run_writes_nothing(tmp_path):
    result = run("mees_master", write_config(tmp_path), "--dry-run", cwd=tmp_path)
    assert result.returncode == 0
    for word in ("cells", "parameters", "episodes per generation", "memory", "disk"):
        assert word in result.stdout
    lines = dict(line.split("  ", 1) for line in result.stdout.splitlines())
    seconds, steps = re.search(r"(\S+) s for (\d+) steps", lines["one episode"]).groups()
    whole = int(re.search(r"(\d+) steps", lines["domain"])[1])
    hours = float(seconds) / int(steps) * whole * int(lines["total episodes"]) / 3600
    shown = float(re.search(r"up to (\S+);", lines["core-hours"])[1])
    assert shown == pytest.approx(hours, rel=0.05)
    assert "core" in lines["time here"]
    assert [p.name for p in tmp_path.iterdir()] == ["small.toml"]


def test_default_folder(tmp_path):
    result = run("mees_master", write_config(tmp_path), "--seed", 3, "--generations", 1,
                 cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    names = {p.name for p in (tmp_path / "runs" / "small-seed3").iterdir()}
    assert {"config.toml", "map.h5", "metrics.csv", "mees.log"} <= names


def summary_of(out):
    """summary.json, after a check that it has the figures of the map's last row."""
    summary = json.loads((out / "summary.json").read_text())
    with h5py.File(out / "map.h5") as file:
        for name in ("generation", "best", "coverage", "qd_score", "episodes", "steps"):
            assert summary[name] == file["history"][name][-1], name
        assert summary["best_bc"] == list(file["map/bc"][np.argmax(file["map/fitness"])])
        assert summary["seconds"] == file.attrs["wall_seconds"]
    assert (out / "FINISHED").exists() == summary["finished"]
    return summary


def test_summary_for_other_programs(tmp_path):
    out, config = tmp_path / "run", write_config(tmp_path)
    assert run("mees_master", config, "--out", out).returncode == 0
    summary = summary_of(out)
    assert summary["finished"] and summary["stopped_by"] is None and summary["generation"] == 6
    assert summary["domain"] == "point_maze" and summary["bc_names"] == ["x", "y"]
    process = start("mees_master", config, "--out", out, "--generations", 1000000)
    wait_for(lambda: not (out / "summary.json").exists(), 60, "an old summary is removed")
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert process.returncode == 75
    summary = summary_of(out)
    assert not summary["finished"] and "SIGTERM" in summary["stopped_by"]


@pytest.mark.parametrize("ranks, threads", [(0, 2), (0, 5), (1, 2), (2, 1), (3, 1), (17, 1)])
def test_same_bits_on_any_number_of_ranks_and_threads(tmp_path, reference, ranks, threads):
    result = run("mees_master", write_config(tmp_path), "--out", tmp_path / "run",
                 "--threads", threads, ranks=ranks)
    assert result.returncode == 0, result.stderr
    same, text = same_map(reference, tmp_path / "run" / "map.h5")
    assert same, text


def test_same_command_resumes_to_the_same_bits(tmp_path, reference):
    config = write_config(tmp_path)
    for generations, ranks in ((2, 0), (4, 3), (6, 2), (6, 0)):
        result = run("mees_master", config, "--out", tmp_path / "run", "--generations", generations,
                     ranks=ranks)
        assert result.returncode == 0, result.stderr
    same, text = same_map(reference, tmp_path / "run" / "map.h5")
    assert same, text
    with h5py.File(tmp_path / "run" / "map.h5") as file:
        assert file.attrs["restarts"] == 2
    lines = (tmp_path / "run" / "metrics.csv").read_text().splitlines()
    assert len(lines) == 1 + 7


def test_stop_file_and_time_limit(tmp_path, reference):
    config = write_config(tmp_path)
    run_folder = tmp_path / "run"
    slow = start("mees_master", config, "--out", run_folder, "--generations", 100000, ranks=2)
    wait_for((run_folder / "map.h5").exists, 60, "the first checkpoint")
    (run_folder / "STOP").touch()
    assert slow.wait(timeout=10) == 75
    stopped = run("mees_master", config, "--out", run_folder, "--generations", 200000,
                  "--time-limit", "3s")
    assert stopped.returncode == 75, stopped.stderr
    with h5py.File(run_folder / "map.h5") as file:
        reached = int(file.attrs["generation"])
    assert reached >= 1


def test_folder_in_use_is_refused(tmp_path):
    config = write_config(tmp_path)
    first = start("mees_master", config, "--out", tmp_path / "run", "--generations", 1000000)
    wait_for((tmp_path / "run" / "map.h5").exists, 60, "the first checkpoint")
    refused(run("mees_master", config, "--out", tmp_path / "run"), 3, "in use")
    (tmp_path / "run" / "STOP").touch()
    assert first.wait(timeout=10) == 75


def test_the_qd_offset_may_change_on_resume(tmp_path):
    config, folder = write_config(tmp_path), tmp_path / "run"
    assert run("mees_master", config, "--out", folder, "--generations", 2).returncode == 0
    with h5py.File(folder / "map.h5") as file:
        before = file["history/qd_score"][:], file["history/coverage"][:]
        old = file["map"].attrs["qd_offset"]
    result = run("mees_master", config, "--out", folder, "--generations", 3, "--set",
                 "map.qd_offset=-50")
    assert result.returncode == 0, result.stderr
    with h5py.File(folder / "map.h5") as file:
        assert file["map"].attrs["qd_offset"] == -50
        scores, fitness = file["history/qd_score"][:], file["map/fitness"][:]
    # A sum over the filled cells of fitness - offset.
    assert np.allclose(scores[:3], before[0] + before[1] * (old + 50))
    assert scores[-1] == pytest.approx(np.sum(fitness + 50))
    rows = (folder / "metrics.csv").read_text().splitlines()
    column = rows[0].split(",").index("qd_offset")
    assert {row.split(",")[column] for row in rows[1:]} == {"-50"}
    # Also of a run that has nothing else to do.
    result = run("mees_master", config, "--out", folder, "--generations", 3, "--set",
                 "map.qd_offset=0")
    assert result.returncode == 0, result.stderr
    with h5py.File(folder / "map.h5") as file:
        assert file["map"].attrs["qd_offset"] == 0 and b"qd_offset = 0.0" in file.attrs["config"]
        assert file["history/qd_score"][-1] == pytest.approx(np.sum(fitness))


def test_end_of_run_and_summary_agree(tmp_path):
    config, folder = write_config(tmp_path), tmp_path / "run"
    child = start("mees_master", config, "--out", folder, "--generations", 100000)
    wait_for(lambda: (folder / "metrics.csv").exists()
             and len((folder / "metrics.csv").read_text().splitlines()) > 14, 60, "14 generations")
    (folder / "STOP").touch()
    text = child.communicate(timeout=60)[0]
    assert child.returncode == 75
    shown = run("mees_inspect", "summary", folder).stdout
    end = re.search(r"episodes +(\S+) \(\S+ diverged\), (\S+) steps", text).groups()
    assert re.search(r"episodes +(\S+) \((\S+) steps\)", shown).groups() == end
    assert re.search(r"time +([\d:]+)", text)[1] == re.search(r"wall time +([\d:]+)", shown)[1]


def test_resume_modes(tmp_path):
    config = write_config(tmp_path)
    folder = tmp_path / "run"
    refused(run("mees_master", config, "--out", folder, "--resume", "require"), 3, "no checkpoint")
    assert not folder.exists()
    assert run("mees_master", config, "--out", folder, "--generations", 2).returncode == 0
    refused(run("mees_master", config, "--out", folder, "--set", "es.sigma=0.5"), 3, "es.sigma",
            "0.02", "0.5")
    with h5py.File(folder / "map.h5") as file:
        assert file.attrs["generation"] == 2
    assert run("mees_master", config, "--out", folder, "--resume", "never",
               "--set", "es.sigma=0.5", "--generations", 1).returncode == 0
    with h5py.File(folder / "old-1" / "map.h5") as file:
        assert file.attrs["generation"] == 2


def test_singletons_are_refused(tmp_path):
    result = run("mees_master", write_config(tmp_path), "--out", tmp_path / "run",
                 env={"SLURM_STEP_NUM_TASKS": "512", "SLURM_JOB_ID": "1", "SLURM_PROCID": "0",
                      "SLURM_STEP_ID": "0", "SLURM_NTASKS": "512"})
    refused(result, 1, "512", "--mpi=pmix")
    assert not (tmp_path / "run").exists()


def test_the_qd_score_has_the_offset_of_the_domain(tmp_path):
    """Fitness is at least that of the farthest corner, so that the score grows with the map."""
    config = write_config(tmp_path)
    assert run("mees_master", config, "--out", tmp_path / "run").returncode == 0
    with h5py.File(tmp_path / "run" / "map.h5") as file:
        assert file["map"].attrs["qd_offset"] == -10.8
        score, coverage = file["history/qd_score"][:], file["history/coverage"][:]
        assert score[-1] == pytest.approx((file["map/fitness"][:] + 10.8).sum())
        assert score[-1] > score[0] > 0 and coverage[-1] > coverage[0]
    shown = run("mees_master", config, "--show-config").stdout
    assert "qd_offset = -10.8" in shown
    assert "qd_offset = 3.0" in run("mees_master", config, "--set", "map.qd_offset=3",
                                    "--show-config").stdout


def test_an_existing_run_keeps_its_offset(tmp_path):
    config = write_config(tmp_path)
    out = ["--out", tmp_path / "run"]
    assert run("mees_master", config, *out, "--set", "map.qd_offset=0").returncode == 0
    result = run("mees_master", config, *out, "--generations", 8)
    assert result.returncode == 0, result.stderr
    with h5py.File(tmp_path / "run" / "map.h5") as file:
        assert file["map"].attrs["qd_offset"] == 0 and file.attrs["generation"] == 8
        assert b"qd_offset = 0.0" in file.attrs["config"]
        assert file["history/qd_score"][-1] == pytest.approx(file["map/fitness"][:].sum())
