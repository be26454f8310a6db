"""Environments that misbehave end the run with what is needed to find the cause, and leave no
process behind, whoever is killed."""

import os
import shutil
import signal
import time

import pytest
from environments import POINT, PROGRAMS, bad, paths, process, train
from harness.configs import settings, write_config
from harness.programs import same_map, start

FAULTS = [
    ("dies", "ended during a control step", "its exit status is 7", "the motor exploded"),
    ("crashes", "ended during a control step", "signal 11"),
    ("hangs", "no answer for a control step within 1 s", "waiting for Godot"),
    ("garbage", "is not a message of the protocol"),
    ("nan", "observation contains nan"),
    ("size", "has 32 bytes instead of 24"),
]


def processes(name):
    """The ids of the processes whose command contains this text."""
    found = []
    for entry in os.listdir("/proc"):
        try:
            with open(f"/proc/{entry}/cmdline", "rb") as file:
                if entry.isdigit() and name.encode() in file.read():
                    found.append(int(entry))
        except OSError:
            pass
    return found


def none_left(name, seconds=5):
    end = time.monotonic() + seconds
    while processes(name):
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


@pytest.mark.parametrize("ranks", [0, 3])
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault[0])
def test_run_ends_with_the_cause(fault, ranks, tmp_path):
    fault, *words = fault
    result = train(tmp_path, bad(fault, 5), ranks=ranks)
    assert result.returncode == 1, (result.returncode, result.stderr)
    for word in ("rank ", " on host ", "failed in episode ", "bad_environment", *words):
        assert word in result.stderr, result.stderr
    assert none_left(str(PROGRAMS / "bad_environment"))


@pytest.mark.parametrize("ranks", [0, 3])
def test_process_that_dies_once_is_restarted(ranks, tmp_path):
    result = train(tmp_path, bad("dies", 5, tmp_path / "once", restarts=1), ranks=ranks)
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "once").exists()
    assert "repeated in a new process" in result.stderr
    other = train(tmp_path / "other", bad("none"))
    assert other.returncode == 0, other.stderr


def test_prints_do_not_disturb(tmp_path):
    result = train(tmp_path, bad("prints"))
    assert result.returncode == 0, result.stderr


def test_start_that_fails_is_refused(tmp_path):
    result = train(tmp_path, bad("dies-at-start"))
    assert result.returncode == 1
    assert "no licence for the simulator" in result.stderr and "status is 9" in result.stderr
    result = train(tmp_path, process(["no-such-program"]))
    assert result.returncode == 1 and "cannot be started" in result.stderr


@pytest.mark.parametrize("victim", ["program", "outer warden", "inner warden", "both wardens",
                                    "program and outer warden", "program and inner warden",
                                    "environment"])
def test_no_orphans_after_kill(victim, tmp_path):
    """The environment's processes are one in its group, a daemon, and a daemon with no environment
    variables; where both wardens are killed, that last one is not found."""
    fault, each = ("marked-children", 3) if victim == "both wardens" else ("children", 4)
    # A program of its own name: other tests on this machine may run the same environment.
    name = str(shutil.copy(PROGRAMS / "bad_environment", tmp_path / "environment_of_this_test"))
    configuration = settings(process([name, fault], restarts=0), run={"generations": 100000},
                             es={"population": 200})
    config = write_config(tmp_path, configuration)
    child = start("mees_master", config, "--out", tmp_path / "run", "--threads", 2,
                  env=paths(tmp_path))
    try:
        end = time.monotonic() + 20
        while not (tmp_path / "run" / "map.h5").exists() and time.monotonic() < end:
            time.sleep(0.05)
        while len(environments := processes(name)) < 2 * each and time.monotonic() < end:
            time.sleep(0.05)
        assert len(environments) >= 2 * each  # of two threads
        outer, inner = wardens_below([child.pid]), wardens_below(wardens_below([child.pid]))
        assert len(outer) == len(inner) == 2
        victims = [child.pid] if "program" in victim else []
        victims += outer if "outer" in victim or "both" in victim else []
        victims += inner if "inner" in victim or "both" in victim else []
        for pid in victims or [min(environments)]:
            os.kill(pid, signal.SIGKILL)
        child.wait(timeout=30)
        assert child.returncode == (-signal.SIGKILL if "program" in victim else 1)
        assert none_left(name), _details(name)
    finally:
        child.kill()
        child.communicate()
        for pid in processes(name):
            os.kill(pid, signal.SIGKILL)


def wardens_below(parents):
    return [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc")))
            if _parent(pid) in parents and _name(pid) == "mees_warden"]


def _details(name):
    return [_stat(pid) for pid in processes(name)]


def _stat(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read()
    except OSError:
        return "0 (gone) Z 0"


def _parent(pid):
    return int(_stat(pid).rpartition(")")[2].split()[1])


def _name(pid):
    return _stat(pid).partition("(")[2].rpartition(")")[0]


def test_signal_stops_at_once_although_the_environment_hangs(tmp_path):
    config = write_config(tmp_path, bad("hangs", 5, step_timeout_seconds=600))
    child = start("mees_master", config, "--out", tmp_path / "run", "--threads", 1,
                  env=paths(tmp_path))
    time.sleep(3)
    begin = time.monotonic()
    child.send_signal(signal.SIGTERM)
    child.communicate(timeout=30)
    assert child.returncode == 75
    assert time.monotonic() - begin < 10
    assert none_left(str(PROGRAMS / "bad_environment"))


def test_kill_and_resume_give_the_same_bits(tmp_path):
    configuration = settings(process(POINT), run={"generations": 12})
    assert train(tmp_path / "whole", configuration).returncode == 0
    home = tmp_path / "killed"
    home.mkdir()
    config = write_config(home, configuration)
    child = start("mees_master", config, "--out", home / "run", "--threads", 2, env=paths(home))
    while not (home / "run" / "map.h5").exists():
        time.sleep(0.01)
    child.kill()
    child.communicate()
    result = train(home, configuration, ranks=3)
    assert result.returncode == 0, result.stderr
    same, differences = same_map(tmp_path / "whole" / "run" / "map.h5", home / "run" / "map.h5")
    assert same, differences
