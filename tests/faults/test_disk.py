"""A full disk, a read-only one, and a folder that vanishes, on a separate file system."""

import errno
import os
import shutil
import subprocess
import time

import pytest
from harness.configs import settings, write_config
from harness.faults import launch, processes_of, wait_for
from harness.programs import is_intact, run, same_map

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="needs root: mounts a small file system")

# Generations of a few tenths of a second, so that checkpoints come one by one.
SLOW = settings(run={"generations": 12}, domain={"name": "sleep", "sleep_seconds": 0.15},
                policy={"hidden": [64, 64]}, noise={"table_size": 200000}, es={"population": 4},
                algorithm={"n_optim_gens": None, "n_eval": 1})


@pytest.fixture(scope="module")
def slow_reference(tmp_path_factory):
    folder = tmp_path_factory.mktemp("slow")
    config = write_config(folder, SLOW)
    result = run("mees_master", config, "--out", folder / "run")
    assert result.returncode == 0, result.stderr
    return config, folder / "run" / "map.h5"


@pytest.fixture
def small_disk(tmp_path):
    folder = tmp_path / "disk"
    folder.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", folder],
                          capture_output=True,
                          text=True, check=False)
    if made.returncode != 0:
        pytest.skip(f"needs to mount: {made.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "-l", folder], check=False)


def log_of(out):
    log = out / "mees.log"
    return log.read_text() if log.exists() else ""


def fill(disk):
    with open(disk / "filler", "wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError as error:
            assert error.errno == errno.ENOSPC


def begun(config, out):
    process = launch(config, out, 1, "--threads", "4")
    wait_for((out / "map.prev.h5").exists, 30, "two checkpoints")
    return process


def full(disk, _):
    fill(disk)
    return (disk / "filler").unlink


def read_only(_, out):
    # Open files keep a file system from becoming read-only: a read-only mount over it does as well.
    subprocess.run(["mount", "--bind", "-o", "ro", out, out], check=True)
    subprocess.run(["mount", "-o", "remount,ro,bind", out], check=True)
    return lambda: subprocess.run(["umount", out], check=True)


def moved_away(disk, out):
    shutil.move(out, disk / "elsewhere")
    return lambda: shutil.move(disk / "elsewhere", out)


@pytest.mark.parametrize("fault, message", [
    (full, "No space left on device"), (read_only, "Read-only file system"),
    (moved_away, "No such file or directory"),
])
def test_a_fault_that_passes_costs_checkpoints_only(small_disk, slow_reference, fault, message):
    config, expected = slow_reference
    out = small_disk / "run"
    process = begun(config, out)
    repair = fault(small_disk, out)
    time.sleep(1)
    assert not out.exists() or is_intact(out / "map.h5")
    assert process.poll() is None
    repair()
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 0, output
    assert "was not written" in output and message in output, output
    assert same_map(expected, out / "map.h5")[0]


def test_a_disk_that_is_full_at_the_end(small_disk, slow_reference):
    config, expected = slow_reference
    process = begun(config, small_disk / "run")
    fill(small_disk)
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 1, output
    assert "cannot write the last checkpoint" in output and "No space left" in output
    assert is_intact(small_disk / "run" / "map.h5")
    (small_disk / "filler").unlink()
    result = run("mees_master", config, "--out", small_disk / "run")
    assert result.returncode == 0, result.stderr
    assert same_map(expected, small_disk / "run" / "map.h5")[0]


def test_a_disk_that_is_full_from_the_start(small_disk, slow_reference):
    config, _ = slow_reference
    fill(small_disk)
    result = run("mees_master", config, "--out", small_disk / "run")
    assert result.returncode in (1, 3), result.stderr
    assert "No space left on device" in result.stderr


def test_read_only_from_the_start(small_disk, slow_reference):
    config, _ = slow_reference
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    result = run("mees_master", config, "--out", small_disk / "run")
    assert result.returncode == 3, result.stderr
    assert "Read-only file system" in result.stderr


def test_a_folder_that_is_gone_for_good(small_disk, slow_reference):
    config, _ = slow_reference
    out = small_disk / "run"
    process = begun(config, out)
    shutil.rmtree(out)
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 1, output
    assert "cannot continue" in output and ".lock was removed" in output
    assert not processes_of(out)
