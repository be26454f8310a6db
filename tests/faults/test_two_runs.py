"""Two runs on one folder: the second is rejected, also from another host, and nothing is left to
clean."""

import shutil
import subprocess

import h5py
import pytest
from harness.configs import settings, write_config
from harness.faults import TRAINING, kill, launch, processes_of, wait_for
from harness.programs import ENVIRONMENT, command_line, is_intact, run, same_map, start


@pytest.fixture
def running(tmp_path):
    """A run that would last for long, and has begun."""
    config = write_config(tmp_path, TRAINING)
    process = launch(config, tmp_path / "run", 2, "--generations", "100000")
    wait_for((tmp_path / "run" / "map.h5").exists, 30, "the first checkpoint")
    yield config, tmp_path / "run", process
    for pid in processes_of(tmp_path / "run").values():
        kill(pid)
    process.communicate(timeout=30)


def test_the_second_is_refused(running):
    config, out, process = running
    for ranks in (0, 2):
        result = run("mees_master", config, "--out", out, ranks=ranks)
        assert result.returncode == 3, result.stderr
        assert "is in use" in result.stderr and str(processes_of(out)[0]) in result.stderr
    assert process.poll() is None


ELSEWHERE = ["unshare", "--uts", "--pid", "--fork", "--mount-proc", "sh", "-c",
             'hostname elsewhere && exec "$0" "$@"']


def can_be_elsewhere():
    return bool(shutil.which("unshare")) and subprocess.run([*ELSEWHERE, "true"],
                                                            capture_output=True,
                                                            check=False).returncode == 0


@pytest.mark.skipif(not can_be_elsewhere(),
                    reason="needs root and no chroot: another host is played by "
                                                   "another UTS and PID namespace")
def test_also_from_another_host(running):
    config, out, _ = running
    command = [*ELSEWHERE, *command_line("mees_master", [config, "--out", out])]
    result = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=60,
                            check=False)
    assert result.returncode == 3, result.stderr
    assert "is in use" in result.stderr


def test_a_crash_leaves_no_lock(running):
    config, out, process = running
    for pid in [process.pid, *processes_of(out).values()]:
        kill(pid)
    wait_for(lambda: not processes_of(out), 5, "all are dead")
    assert (out / ".lock").exists()
    (out / "STOP").touch()
    result = run("mees_master", config, "--out", out, "--generations", 1)
    assert result.returncode in (0, 75), result.stderr


def test_two_adaptations_of_one_file(tmp_path):
    """The second is refused while the first runs; after a crash of the first there is nothing to
    clean."""
    config = write_config(tmp_path, TRAINING)
    assert run("mees_master", config, "--out", tmp_path / "run", "--generations", 2).returncode == 0
    command = [tmp_path / "run" / "map.h5", "--out", tmp_path / "adapt.h5", "--damage",
               "friction=0.5"]
    first = start("mees_adapt", *command, "--seeds", 4000)
    try:
        wait_for((tmp_path / ".adapt.h5.lock").exists, 30, "the first has begun")
        second = run("mees_adapt", *command, "--seeds", 1)
        assert second.returncode == 3, second.stderr
        assert "adapt.h5 is in use" in second.stderr and str(first.pid) in second.stderr
        assert first.poll() is None
    finally:
        first.kill()
        first.communicate(timeout=30)
    third = run("mees_adapt", *command, "--seeds", 1)
    assert third.returncode == 0, third.stderr


SLOW = settings(run={"generations": 40}, domain={"name": "sleep", "sleep_seconds": 0.1},
                policy={"hidden": [4]}, es={"population": 4},
                algorithm={"n_optim_gens": None, "n_eval": 1})


@pytest.mark.parametrize("removed", [False, True], ids=["moved", "removed"])
def test_a_folder_that_another_run_takes_over(tmp_path, removed):
    """The first run notices and writes nothing more; the second is not disturbed."""
    config = write_config(tmp_path, SLOW)
    out = tmp_path / "run"
    first = launch(config, out, 1, "--seed", "1")
    wait_for((out / "map.prev.h5").exists, 30, "two checkpoints")
    if removed:
        shutil.rmtree(out)
    else:
        out.rename(tmp_path / "moved")
    second = run("mees_master", config, "--out", out, "--seed", 2, "--generations", 6)
    output, _ = first.communicate(timeout=60)
    assert first.returncode == 1, output
    assert "removed" in output if removed else str(tmp_path / "moved") in output, output
    assert second.returncode == 0, second.stderr
    alone = run("mees_master", config, "--out", tmp_path / "alone", "--seed", 2, "--generations", 6)
    assert alone.returncode == 0, alone.stderr
    assert same_map(tmp_path / "alone" / "map.h5", out / "map.h5")[0]
    # Which checkpoint is the one before depends on how long they take.
    with h5py.File(out / "map.prev.h5") as previous:
        assert previous.attrs["seed"] == 2
    assert is_intact(out / "map.prev.h5")
    metrics = [(folder / "metrics.csv").read_text().splitlines()
               for folder in (out, tmp_path / "alone")]
    without_seconds = [[line.rsplit(",", 1)[0] for line in lines] for lines in metrics]
    assert without_seconds[0] == without_seconds[1]
    assert removed or is_intact(tmp_path / "moved" / "map.h5")
