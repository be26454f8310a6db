"""Kills before each call that writing checkpoints makes, and failures of each such call."""

import errno
import os
import random
import re

import pytest
from harness.configs import settings, write_config
from harness.faults import bad_disk, one_is_intact, train
from harness.programs import is_intact, same_map

SHORT = settings(run={"generations": 3}, es={"population": 4},
                 algorithm={"n_optim_gens": None, "n_eval": 1})
SAMPLE = int(os.environ.get("MEES_CRASH_POINTS", "40"))


def run_on_bad_disk(config, out, path="", calls="", at=0, count=1, action="", report=None):
    """Runs to the end on a failing disk; the exit code and the output."""
    env = bad_disk(path, *([f"{calls}@{at}+{count}={action}"] if at else []), report=report)
    return train(config, out, "--threads", 1, env=env if path else {})


@pytest.fixture(scope="module")
def short(tmp_path_factory):
    """Configuration, map and the calls of an undisturbed run."""
    folder = tmp_path_factory.mktemp("short")
    config = write_config(folder, SHORT)
    code, output = run_on_bad_disk(config, folder / "run", path="/.map-", at=0,
                                   report=folder / "calls")
    assert code == 0, output
    return config, folder / "run" / "map.h5", (folder / "calls").read_text().split()


def test_a_kill_before_any_call(tmp_path, short):
    """Everything that touches the folder counts, from the lock to the last rename."""
    config, expected, _ = short
    code, output = run_on_bad_disk(config, tmp_path / "victim", path="/victim", at=0,
                                   report=tmp_path / "calls")
    calls = (tmp_path / "calls").read_text().split()
    assert code == 0 and {"create", "pwrite", "fsync", "close", "rename",
                          "link"} <= set(calls), output
    rare = [i + 1 for i, name in enumerate(calls)
            if name in ("rename", "link", "fsync", "ftruncate")]
    points = sorted(set(rare) | set(random.Random(3).sample(range(1, len(calls) + 1),
                                                            min(SAMPLE, len(calls)))))
    killed = 0
    for point in points:
        out = tmp_path / str(point) / "victim"
        code, output = run_on_bad_disk(config, out, path="/victim", at=point, action="kill")
        assert code in (-9, 0), (point, output)  # a run that skipped a checkpoint makes fewer calls
        killed += code == -9
        assert one_is_intact(out), point
        code, output = run_on_bad_disk(config, out)
        assert code == 0, (point, output)
        same, differences = same_map(expected, out / "map.h5")
        assert same, (point, differences)
    print(f"killed before {killed} of {len(calls)} calls")
    assert killed > len(points) / 2


@pytest.mark.parametrize("call, number", [
    ("create", errno.ENOSPC), ("fallocate", errno.ENOSPC), ("fallocate", errno.EDQUOT),
    ("pwrite", errno.ENOSPC), ("pwrite", errno.EIO), ("ftruncate", errno.EIO), ("fsync", errno.EIO),
    ("close", errno.EDQUOT), ("rename", errno.EROFS),
])
def test_a_failing_call_costs_one_checkpoint(tmp_path, short, call, number):
    config, expected, _ = short
    out = tmp_path / "run"
    # A map is written with one create, but two renames.
    code, output = run_on_bad_disk(config, out,
                                   path="/.map-" if call != "rename" else "/run/map.h5",
                                   calls=call, at=2, count=1, action=number)
    assert "was not written" in output and os.strerror(number) in output, output
    assert "the run continues" in output.lower()
    if code == 1:  # it was the last one
        assert "cannot write the last checkpoint" in output
        assert is_intact(out / "map.h5")
        code, output = run_on_bad_disk(config, out)
    assert code == 0, output
    same, differences = same_map(expected, out / "map.h5")
    assert same, differences
    # On a slow machine the run may go on past a checkpoint: then there may be one alone.
    written = re.findall(r"checkpoint of generation \d+ written", (out / "mees.log").read_text())
    assert is_intact(out / "map.prev.h5") or len(written) == 1, written
    assert not [name for name in os.listdir(out) if name.endswith(".tmp")]


@pytest.mark.parametrize("call", ["link", "unlink"])
def test_calls_that_file_systems_may_lack(tmp_path, short, call):
    config, expected, _ = short
    out = tmp_path / "run"
    code, output = run_on_bad_disk(config, out, path="/.map", calls=call, at=1, count=10**6,
                                   action=errno.EPERM)
    assert code == 0, output
    assert same_map(expected, out / "map.h5")[0] and is_intact(out / "map.prev.h5")


def test_a_disk_that_stays_full(tmp_path, short):
    config, expected, _ = short
    out = tmp_path / "run"
    code, output = run_on_bad_disk(config, out, path="/.map-", calls="fallocate", at=2, count=10**6,
                                   action=errno.ENOSPC)
    assert code == 1, output
    assert "cannot write the last checkpoint" in output
    assert "No space left on device" in output
    assert is_intact(out / "map.h5")
    code, output = run_on_bad_disk(config, out)
    assert code == 0, output
    assert same_map(expected, out / "map.h5")[0]


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.ENOSYS])
def test_a_file_system_that_refuses_locks(tmp_path, short, number):
    config, expected, _ = short
    out = tmp_path / "run"
    code, output = run_on_bad_disk(config, out, path="/run/.lock", calls="lock", at=1, count=10,
                                   action=number)
    assert code == 0, output
    assert "does not support locks" in output and os.strerror(number) in output
    assert same_map(expected, out / "map.h5")[0]


@pytest.mark.parametrize("value", ["TRUE", "FALSE", "BEST_EFFORT"])
def test_locks_of_hdf5_are_not_used(tmp_path, short, value):
    config, expected, _ = short
    code, output = train(config, tmp_path / "run", env={"HDF5_USE_FILE_LOCKING": value})
    assert code == 0, output
    assert same_map(expected, tmp_path / "run" / "map.h5")[0]
