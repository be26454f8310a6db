"""Ranks that freeze or die: the state of the last generation is saved, the run ends within a bound,
and resumes to the same bits."""

import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import h5py
import pytest
from harness.configs import settings, write_config
from harness.faults import kill, launch, processes_of, stopwatch, wait_for
from harness.programs import run, same_map

SLOW = settings(run={"generations": 12},
                domain={"name": "sleep", "sleep_seconds": 0.15},
                policy={"hidden": [4]}, es={"population": 6},
                algorithm={"n_optim_gens": 5, "n_eval": 2},
                checkpoint={"every_seconds": 300, "every_generations": 0})


def rows(out):
    path = out / "metrics.csv"
    return len(path.read_text().splitlines()) - 1 if path.exists() else 0


def saved_rows(out):
    with h5py.File(out / "map.h5") as file:
        return len(file["/history/generation"])


def begin(config, out, *options):
    """Starts three ranks and waits for some generations."""
    process = launch(config, out, 3, *options)
    wait_for(lambda: rows(out) >= 4, 60, "it trains")
    return process


def freeze(out):
    """Stops rank 2; returns once no generation can be completed any more."""
    kill(processes_of(out)[2], signal.SIGSTOP)
    time.sleep(1.5)


def ended(process, seconds=30):
    try:
        output, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        kill(process.pid)  # its ranks end with it
        raise
    return process.returncode, output


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """A finished, undisturbed run and its configuration."""
    folder = tmp_path_factory.mktemp("reference")
    config = write_config(folder, SLOW)
    assert run("mees_master", config, "--out", folder / "run", "--threads", 8).returncode == 0
    return config, folder / "run"


def together(check, cases):
    """Tries all cases at once: they mostly wait."""
    with ThreadPoolExecutor(len(cases)) as pool:
        for future in [pool.submit(check, case) for case in cases]:
            future.result()


def test_stop_with_a_frozen_worker(tmp_path, reference):
    """No stop waits for it: everything is saved, 75, and the silent rank is named."""
    config, finished = reference

    def check(how):
        out = tmp_path / how
        options = ["--time-limit", "10s"] if how == "time-limit" else []
        process = begin(config, out, *options)
        freeze(out)
        elapsed = stopwatch()
        if how == "file":
            (out / "STOP").touch()
        elif how.startswith("SIG"):
            kill(processes_of(out)[0], getattr(signal, how))
        code, output = ended(process)
        assert code == 75, output
        assert elapsed() < 10, output
        assert saved_rows(out) == rows(out) >= 4
        assert "rank 2 on host" in (out / "mees.log").read_text()
        assert not processes_of(out)
        assert not (out / "FINISHED").exists()
        assert run("mees_master", config, "--out", out, "--threads", 8).returncode == 0
        assert same_map(finished / "map.h5", out / "map.h5")[0]

    together(check, ["SIGUSR1", "SIGTERM", "file", "time-limit"])


def test_a_checkpoint_that_is_due_does_not_wait(tmp_path, reference):
    config, _ = reference
    out = tmp_path / "run"
    process = begin(config, out, "--set", "checkpoint.every_seconds=3", "--generations", 100)
    freeze(out)
    wait_for(lambda: saved_rows(out) == rows(out) >= 4, 8, "the checkpoint is written")
    kill(processes_of(out)[2], signal.SIGCONT)
    kill(processes_of(out)[0], signal.SIGUSR1)
    code, output = ended(process)
    assert code == 75, output


def test_silence_ends_the_run(tmp_path, reference):
    config, finished = reference
    out = tmp_path / "run"
    process = begin(config, out, "--set", "cluster.silence_seconds=3")
    freeze(out)
    code, output = ended(process)
    assert code == 1, output
    assert "mees_master: error: rank 2 on host " in output
    assert "has not answered for 3 s (" in output
    assert saved_rows(out) == rows(out) >= 4
    assert not processes_of(out)
    # Without a limit, the same silence is only waited for.
    process = launch(config, out, 3, "--set", "cluster.silence_seconds=0")
    wait_for(lambda: rows(out) > saved_rows(out), 30, "it trains")
    freeze(out)
    time.sleep(3)
    assert process.poll() is None
    kill(processes_of(out)[2], signal.SIGCONT)
    kill(processes_of(out)[0], signal.SIGUSR1)
    code, output = ended(process)
    assert code == 75, output
    assert run("mees_master", config, "--out", out, "--threads", 8).returncode == 0
    assert same_map(finished / "map.h5", out / "map.h5")[0]


@pytest.mark.parametrize("launcher", ["waits", "stops rank 0 at once", "lets rank 0 live"])
def test_an_episode_that_ends_two_workers_ends_the_run(tmp_path, launcher):
    """The first death costs a restart; the second of the same episode names it. There is one
    worker: which of several runs an episode depends on their speed. mpirun sends SIGTERM some
    seconds later, or, with --enable-recovery, never; other launchers before rank 0 has noticed."""
    config = write_config(tmp_path, settings(SLOW, domain={"sleep_seconds": 60.0}))
    out = tmp_path / "run"
    # As in slurm/: mpirun leaves rank 0 some seconds to save.
    env = {"OMPI_MCA_odls_base_sigkill_timeout": "3"}
    if launcher == "lets rank 0 live":
        env["OMPI_MCA_orte_enable_recovery"] = "1"
    log = out / "mees.log"
    for attempt in range(2):
        process = launch(config, out, 2, env=env)
        wait_for(lambda: len(processes_of(out)) == 2 and log.exists(), 30, "the ranks are there")
        wait_for(lambda attempt=attempt: log.read_text().count(" starts ") > attempt, 30,
                 "the run has begun")
        time.sleep(3)
        master = processes_of(out)[0]
        kill(processes_of(out)[1])
        if launcher == "stops rank 0 at once":
            kill(master, signal.SIGTERM)
        _, output = ended(process)
        lost = (out / "lost_episodes.csv").read_text().splitlines()
        assert len(lost) == 2 + attempt, output
        assert not processes_of(out)
    assert lost[0] == "seed,generation,episode,worker"
    assert lost[1] == lost[2]
    assert lost[1].startswith("1,0,0,rank 1 on host ")
    assert "error: episode 0 of generation 0 (seed 1) has ended two workers (" in output


def test_no_rank_outlives_rank_0(tmp_path, reference):
    """Also where the launcher lets the others live; tests/cluster has the same for nodes."""
    config, finished = reference
    out = tmp_path / "run"
    process = launch(config, out, 3, "--set", "checkpoint.every_generations=2",
                     env={"OMPI_MCA_orte_enable_recovery": "1"})
    wait_for(lambda: rows(out) >= 4, 60, "it trains")
    kill(processes_of(out)[0])
    wait_for(lambda: not processes_of(out), 15, "all ranks end")
    kill(process.pid)
    process.communicate()
    assert run("mees_master", config, "--out", out, "--threads", 8).returncode == 0
    assert same_map(finished / "map.h5", out / "map.h5")[0]


def test_the_mark_of_a_finished_run(tmp_path):
    """FINISHED exists exactly when the last generation was reached and saved."""
    config = write_config(tmp_path)
    out = tmp_path / "run"
    mark = out / "FINISHED"

    def train(*options):
        return run("mees_master", config, "--out", out, "--threads", 2, *options).returncode

    assert train("--generations", 3) == 0
    assert mark.exists()
    written = mark.stat().st_mtime_ns
    assert train("--generations", 3, "--set", "es.population=22") == 3
    assert mark.stat().st_mtime_ns == written
    mark.unlink()
    assert train("--generations", 3) == 0, "nothing is left to do"
    assert mark.exists()
    process = launch(config, out, 1, "--generations", 100000)
    wait_for(lambda: rows(out) > 6, 30, "it trains on")
    assert not mark.exists()
    kill(process.pid, signal.SIGUSR1)
    assert ended(process)[0] == 75
    assert not mark.exists()
    assert train("--generations", 100000, "--time-limit", "1s") == 75
    assert not mark.exists()
    assert train("--generations", 3, "--resume", "never") == 0
    assert mark.exists()
    assert not (out / "old-1" / "FINISHED").exists()
