"""Signals, the time limit and the STOP file: everything saved, 75, within 10 s, even when an
episode takes 30 s (and each of its steps a third of a second, tens of times a real one)."""

import re
import shutil
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

import h5py
import pytest
from harness.configs import settings, write_config
from harness.faults import kill, launch, one_is_intact, processes_of, stopwatch, wait_for
from harness.programs import ENVIRONMENT, command_line, is_intact, run, same_map

SLEEP = settings(run={"generations": 3},
                 domain={"name": "sleep", "sleep_seconds": 0.02, "episode_steps": 100},
                 policy={"hidden": [4]}, es={"population": 6},
                 algorithm={"n_optim_gens": None, "n_eval": 2}, checkpoint=None)
LONG = settings(SLEEP, domain={"sleep_seconds": 30.0})
WITHIN = 10


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    """A run of one generation whose episodes, from here on, take 30 s each."""
    folder = tmp_path_factory.mktemp("long-episodes")
    config = write_config(folder, SLEEP)
    assert run("mees_master", config, "--out", folder / "run", "--generations", 1).returncode == 0
    path = folder / "run" / "map.h5"
    with h5py.File(path, "r+") as file:
        text = file.attrs["config"].decode().replace("sleep_seconds = 0.02", "sleep_seconds = 30.0")
        assert "30.0" in text
        file.attrs["config"] = text.encode()
    return write_config(folder, LONG), path


def begin(tmp_path, checkpoint, ranks, *options):
    """Resumes the run with the long episodes and waits until all ranks are in one."""
    config, path = checkpoint
    out = tmp_path / "run"
    out.mkdir(parents=True)
    (out / "map.h5").write_bytes(path.read_bytes())
    process = launch(config, out, ranks, *options)
    wait_for(lambda: len(processes_of(out)) == max(ranks, 1), 30, "the ranks are there")
    log = out / "mees.log"
    wait_for(lambda: log.exists() and "resumes" in log.read_text(), 30, "the run has begun")
    return process, out


def ended(process, out, elapsed):
    """Waits for the end; the state must be intact."""
    output, _ = process.communicate(timeout=60)
    assert elapsed() < WITHIN, (elapsed(), output)
    assert is_intact(out / "map.h5"), output
    # mpirun may end a moment before a rank that it kills.
    wait_for(lambda: not processes_of(out), WITHIN - elapsed(), "no rank is left")
    return process.returncode, output


def together(check, cases):
    """Tries all cases at once: they mostly wait. The first failure is the test's."""
    with ThreadPoolExecutor(len(cases)) as pool:
        for future in [pool.submit(check, case) for case in cases]:
            future.result()


@pytest.mark.parametrize("rank, ranks", [(0, 1), (0, 3), (2, 3)])
def test_signal_at_a_rank(tmp_path, checkpoint, rank, ranks):
    def check(name):
        process, out = begin(tmp_path / name, checkpoint, ranks)
        time.sleep(0.5)  # now they are in the midst of an episode
        elapsed = stopwatch()
        kill(processes_of(out)[rank], getattr(signal, "SIG" + name))
        code, output = ended(process, out, elapsed)
        assert code == 75, (name, output)
        assert same_map(checkpoint[1], out / "map.h5")[0]

    together(check, ["USR1", "USR2", "TERM", "INT", "HUP", "XCPU", "PWR"])


def test_signal_at_mpirun(tmp_path, checkpoint):
    """USR1 and USR2 are for all; after TERM and INT a second is enough to tear nothing."""
    def check(name):
        process, out = begin(tmp_path / name, checkpoint, 3)
        elapsed = stopwatch()
        kill(process.pid, getattr(signal, "SIG" + name))
        code, output = ended(process, out, elapsed)
        assert (code == 75) if name in ("USR1", "USR2") else (code != 0), (name, code, output)
        assert same_map(checkpoint[1], out / "map.h5")[0]

    together(check, ["USR1", "USR2", "TERM", "INT"])


def test_stop_file(tmp_path, checkpoint):
    def check(ranks):
        process, out = begin(tmp_path / f"{ranks}", checkpoint, ranks)
        elapsed = stopwatch()
        (out / "STOP").touch()
        code, output = ended(process, out, elapsed)
        assert code == 75, output

    together(check, [1, 3])


def test_time_limit(tmp_path, checkpoint):
    def check(ranks):
        process, out = begin(tmp_path / f"{ranks}", checkpoint, ranks, "--time-limit", "5s")
        code, output = ended(process, out, stopwatch())
        assert code == 75, output

    together(check, [1, 3])


def catches_usr1(pid):
    try:
        with open(f"/proc/{pid}/status") as status:
            mask = next(line.split()[1] for line in status if line.startswith("SigCgt"))
    except (OSError, StopIteration):
        return False
    return bool(int(mask, 16) >> (signal.SIGUSR1 - 1) & 1)


@pytest.mark.parametrize("ranks", [1, 3])
def test_signal_during_start_up(tmp_path, ranks):
    """Handlers are installed before MPI starts: no signal from then on kills a rank, however
    early."""
    config = write_config(tmp_path, LONG)

    def check(attempt):
        out = tmp_path / f"run-{attempt}"
        process = launch(config, out, ranks)
        found = wait_for(lambda: (all_ranks := processes_of(out)) and len(all_ranks) == ranks
                         and all(map(catches_usr1, all_ranks.values())) and all_ranks, 20,
                         "the handlers stand")
        time.sleep(0.1 * attempt)
        elapsed = stopwatch()
        for pid in found.values():
            kill(pid, signal.SIGUSR1)
        output, _ = process.communicate(timeout=60)
        assert elapsed() < WITHIN, output
        assert process.returncode == 75, (attempt, process.returncode, output)
        assert one_is_intact(out)

    together(check, range(4))


@pytest.mark.parametrize("name", ["TERM", "INT", "HUP"])
def test_start_up_obeys_at_once(tmp_path, name):
    """Finding the centroids of this map would take hours."""
    config = write_config(tmp_path, settings(SLEEP, map={"type": "cvt", "cvt_cells": 1000000,
                                                         "cvt_samples": 10000000}))
    process = launch(config, tmp_path / "run", 1)
    wait_for(lambda: catches_usr1(process.pid), 20, "the handlers stand")
    time.sleep(0.5)
    elapsed = stopwatch()
    kill(process.pid, getattr(signal, "SIG" + name))
    output, _ = process.communicate(timeout=60)
    assert elapsed() < 3, output
    assert process.returncode == 75, output


def test_slow_checkpoints(tmp_path):
    """Each fsync takes half a second, a checkpoint three of them: the cadence rests, and
    the run stops early enough for the last one."""
    strace = shutil.which("strace")
    if not strace:
        pytest.skip("needs strace")
    config = write_config(tmp_path, settings(
        SLEEP, run={"generations": 1000}, checkpoint={"every_seconds": 0, "every_generations": 1}))
    out = tmp_path / "run"
    command = command_line("mees_master", [config, "--out", out, "--threads", "4", "--time-limit",
                                           "16s"])
    result = subprocess.run([strace, "-f", "-o", "/dev/null", "-e", "trace=fsync", "-e",
                             "inject=fsync:delay_enter=500000", *command], env=ENVIRONMENT,
                            capture_output=True, text=True, timeout=100, check=False)
    assert result.returncode == 75, result.stderr
    log = (out / "mees.log").read_text()
    times = [datetime.fromisoformat(line[:23]) for line in log.splitlines()]
    assert (times[-1] - times[0]).total_seconds() < 16, log
    assert re.search("the last checkpoint took .* s: the next is written in", log), log
    assert len(re.findall("checkpoint of generation [0-9]+ written", log)) <= 3, log
    assert is_intact(out / "map.h5")
