"""Kills before each call that writing checkpoints makes, and failures of each such call."""

import collections
import errno
import itertools
import os
import random
import re
import shutil
import subprocess

import h5py
import pytest
from harness.configs import settings, write_config
from harness.faults import bad_disk, one_is_intact, train
from harness.programs import is_intact, same_map

SHORT = settings(run={"generations": 3}, es={"population": 4},
                 algorithm={"n_optim_gens": None, "n_eval": 1})
# Change files from the first kilobyte on, of a map whose size is that of its controllers.
CHANGES = settings(SHORT, policy={"hidden": [64, 64]},
                   algorithm={"name": "me-ga", "children": 8},
                   checkpoint={"changes_above_megabytes": 0.001})
SAMPLE = int(os.environ.get("MEES_CRASH_POINTS", "40"))
STATES = int(os.environ.get("MEES_CRASH_STATES", "25"))


def run_on_bad_disk(config, out, path="", calls="", at=0, count=1, action="", report=None):
    """Runs to the end on a failing disk; the exit code and the output."""
    env = bad_disk(path, *([f"{calls}@{at}+{count}={action}"] if at else []), report=report)
    return train(config, out, "--threads", 1, env=env if path else {})


def has_dropped_a_checkpoint(out):
    """Whether the end of the run came while an earlier checkpoint was being written."""
    return "was dropped for a newer one" in (out / "mees.log").read_text()


def undisturbed(folder, configuration):
    """Configuration, map and the calls of an undisturbed run."""
    config = write_config(folder, configuration)
    code, output = run_on_bad_disk(config, folder / "run", path="/.map-", at=0,
                                   report=folder / "calls")
    assert code == 0, output
    return config, folder / "run" / "map.h5", (folder / "calls").read_text().split()


@pytest.fixture(scope="module")
def short(tmp_path_factory):
    return undisturbed(tmp_path_factory.mktemp("short"), SHORT)


@pytest.fixture(scope="module")
def changes(tmp_path_factory):
    return undisturbed(tmp_path_factory.mktemp("changes"), CHANGES)


@pytest.mark.parametrize("kind", ["short", "changes"])
def test_a_kill_before_any_call(tmp_path, request, kind):
    """Everything that touches the folder counts, from the lock to the last rename."""
    config, expected, _ = request.getfixturevalue(kind)
    code, output = run_on_bad_disk(config, tmp_path / "victim", path="/victim", at=0,
                                   report=tmp_path / "calls")
    calls = (tmp_path / "calls").read_text().split()
    assert code == 0 and {"create", "pwrite", "fsync", "close", "rename",
                          "link"} <= set(calls), output
    assert (kind == "changes") == bool(list((tmp_path / "victim").glob("map.changes-*.h5")))
    rare = [i + 1 for i, name in enumerate(calls)
            if name in ("rename", "link", "fsync", "ftruncate")]
    points = sorted(set(rare) | set(random.Random(3).sample(range(1, len(calls) + 1),
                                                            min(SAMPLE, len(calls)))))
    killed = 0
    for point in points:
        out = tmp_path / str(point) / "victim"
        report = tmp_path / f"calls-{point}"
        code, output = run_on_bad_disk(config, out, path="/victim", at=point, action="kill",
                                       report=report)
        # A run that dropped a checkpoint makes fewer calls and may reach its end.
        reached = len(report.read_text().split()) >= point
        assert code == (-9 if reached else 0), (point, output)
        killed += reached
        assert one_is_intact(out), point
        code, output = run_on_bad_disk(config, out)
        assert code == 0, (point, output)
        same, differences = same_map(expected, out / "map.h5")
        assert same, (point, differences)
    print(f"killed before {killed} of {len(calls)} calls")
    assert killed >= 10  # the first and the last checkpoint are never dropped


def attribute(path, group, name):
    """An integer of a checkpoint; None if it cannot be read."""
    try:
        with h5py.File(path) as file:
            return int(file[group].attrs[name])
    except (OSError, KeyError):
        return None


def checkpoints_in(out):
    """{name: generation} of everything that is or was to be a checkpoint."""
    paths = [*out.glob("*.h5"), *out.glob(".map*.tmp"), *out.glob("checkpoints/*.h5")]
    return {str(path.relative_to(out)): attribute(path, "/", "generation") for path in paths}


def newest_in(out):
    """The newest generation that a map, or a map and the changes that continue it, leads to."""
    found = {name: g for name, g in checkpoints_in(out).items() if g is not None}
    links = [(attribute(out / name, "changes", "previous_generation"), g)
             for name, g in found.items() if "map.changes-" in name]
    reached = {g for name, g in found.items() if "map.changes-" not in name}
    for previous, generation in sorted(links):
        if previous in reached:
            reached.add(generation)
    return max(reached, default=-1)


def signature(out):
    """Two folders with the same signature are the same state: temporary files without their
    numbers, and generations counted from the newest (-1: damaged)."""
    newest = newest_in(out)
    return frozenset(
        (re.sub(r"-.*\.tmp|gen_\d+|changes-\d+", "", name),
         -1 if g is None else min(newest - g, 1 if "changes" not in name else 3))
        for name, g in checkpoints_in(out).items())


def drive(out, kill_at=0, disk=None, changes=False):
    """Resumes in the folder and writes a checkpoint (three with `changes`), or is killed before a
    call that changes names or lengths of files; exit code and output."""
    rules = [f"create,ftruncate,link,rename,unlink@{kill_at}=kill"] if kill_at else []
    command = [os.environ["MEES_CRASH_DRIVER"], out, *(["changes"] if changes else [])]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False,
                            env={**os.environ, **(disk or bad_disk("/victim", *rules))})
    return result.returncode, result.stdout + result.stderr


def damage(path):
    content = path.read_bytes()
    path.write_bytes(content[:len(content) // 2])


def starting_folders(folder, changes):
    """A fresh one, and those that hold an intact checkpoint next to damaged ones."""
    made = folder / "made"
    for _ in range(4):
        assert drive(made, changes=changes)[0] == 0
    kept = f"checkpoints/gen_{attribute(made / 'map.h5', '/', 'generation'):06}.h5"
    yield folder / "fresh"
    intact, damaged = True, False
    for number, files in enumerate([
        {"map.h5": damaged, "map.prev.h5": intact},
        {"map.h5": damaged, "map.prev.h5": damaged, ".map-host-1-2-3.tmp": intact},
        {"map.h5": damaged, "map.prev.h5": damaged, kept: intact},
        {"map.h5": damaged, "map.prev.h5": intact, kept: intact},
        {"map.prev.h5": intact, ".map-host-1-2-3.tmp": intact},
    ]):
        out = folder / f"start-{number}"
        (out / "checkpoints").mkdir(parents=True)
        for name, state in files.items():
            shutil.copy(made / ("map.prev.h5" if "prev" in name else "map.h5"), out / name)
            if state is damaged:
                damage(out / name)
        yield out


@pytest.mark.parametrize("changes", [False, True])
def test_a_kill_during_the_recovery_from_a_kill(tmp_path, changes):
    """From every state that kills and damage leave, a kill before any call that changes the folder
    leaves a state whose newest intact checkpoint is not older, and which can be resumed."""
    waiting = collections.deque(starting_folders(tmp_path, changes))
    seen = {signature(state) for state in waiting}
    tried = kills = 0
    states = max(STATES // 3, 7) if changes else STATES  # with changes there are more calls
    while waiting and tried < states:
        state = waiting.popleft()
        known = signature(state)
        tried += 1
        before = newest_in(state)
        for point in itertools.count(1):
            out = tmp_path / f"{tried}-{point}" / "victim"
            out.parent.mkdir()
            if state.exists():
                shutil.copytree(state, out)
            code, output = drive(out, kill_at=point, changes=changes)
            assert newest_in(out) >= before, (known, point, checkpoints_in(out))
            if code != -9:  # there are fewer calls: it came to its end
                assert code == 0, (known, point, output)
                expected = before + (3 if changes else 1)
                assert newest_in(out) == expected, (known, checkpoints_in(out))
                assert attribute(out / "map.h5", "/", "generation") == newest_in(out)
                assert output.strip() == ("-" if before < 0 else str(before)), (known, output)
                break
            kills += 1
            if signature(out) in seen:
                shutil.rmtree(out)
            else:
                seen.add(signature(out))
                waiting.append(out)
    print(f"{kills} kills from {tried} states, {len(waiting)} states left")
    assert tried >= min(states, 15)


@pytest.mark.parametrize("calls", ["rename", "link,rename"])
def test_a_map_that_cannot_be_replaced_leaves_two_states(tmp_path, calls):
    """The state before the newest remains, for the case that the newest is damaged unnoticed."""
    out = tmp_path / "victim"
    for _ in range(3):
        assert drive(out)[0] == 0
    before = checkpoints_in(out)
    assert before == {"map.h5": 2, "map.prev.h5": 1}
    code, output = drive(out, disk=bad_disk("/victim/map.h5", f"{calls}@1+9={errno.EROFS}"))
    assert code == 1 and os.strerror(errno.EROFS) in output, output
    assert checkpoints_in(out) == before
    damage(out / "map.h5")
    assert drive(out) == (0, "1\n")


@pytest.mark.parametrize("damaged", ["map.h5", "map.prev.h5"])
def test_a_kill_of_a_run_that_resumes_next_to_damage(tmp_path, short, damaged):
    """The same with whole runs: the bits are those of an undisturbed one."""
    config, expected, _ = short
    for generations in (2, 3):  # two runs: one alone may write its last checkpoint only
        code, output = train(config, tmp_path / "begun", "--threads", 1,
                             "--generations", generations)
        assert code == 0, output
    damage(tmp_path / "begun" / damaged)
    for point in itertools.count(1):
        out = tmp_path / f"{point}" / "victim"
        shutil.copytree(tmp_path / "begun", out)
        code, output = train(config, out, "--threads", 1, "--generations", 5,
                             env=bad_disk("map", f"link,rename@{point}=kill"))
        assert one_is_intact(out), (point, output)
        if code == 0:
            break
        assert code == -9, (point, output)
        code, output = train(config, out, "--threads", 1, "--generations", 5)
        assert code == 0, (point, output)
    assert point > 2
    undisturbed = tmp_path / "undisturbed"
    assert train(config, undisturbed, "--threads", 1, "--generations", 5)[0] == 0
    for number in range(1, point + 1):
        same, differences = same_map(undisturbed / "map.h5",
                                     tmp_path / f"{number}" / "victim" / "map.h5")
        assert same, (number, differences)


@pytest.mark.parametrize("call, number", [
    ("create", errno.ENOSPC), ("fallocate", errno.ENOSPC), ("fallocate", errno.EDQUOT),
    ("pwrite", errno.ENOSPC), ("pwrite", errno.EIO), ("ftruncate", errno.EIO), ("fsync", errno.EIO),
    ("close", errno.EDQUOT), ("rename", errno.EROFS),
])
def test_a_failing_call_costs_one_checkpoint(tmp_path, short, call, number):
    config, expected, _ = short
    out = tmp_path / "run"
    # A map is written with one create, but two renames; the first is also read back and closed.
    code, output = run_on_bad_disk(config, out,
                                   path="/.map-" if call != "rename" else "/run/map.h5",
                                   calls=call, at=1 if call == "close" else 2, count=1,
                                   action=number)
    # A checkpoint that is dropped because the run has reached its end may fail without a word.
    dropped = has_dropped_a_checkpoint(out)
    assert dropped or ("was not written" in output and os.strerror(number) in output), output
    assert dropped or "the run continues" in output.lower()
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


@pytest.mark.parametrize("kind, at", [("short", 2), ("changes", 2), ("changes", 3)])
def test_a_disk_that_stays_full(tmp_path, request, kind, at):
    config, expected, _ = request.getfixturevalue(kind)
    out = tmp_path / "run"
    code, output = run_on_bad_disk(config, out, path="/.map", calls="fallocate", at=at, count=10**6,
                                   action=errno.ENOSPC)
    assert code == 1, output
    # With change files the last state may be saved, but not as a map.
    assert "cannot write the last checkpoint" in output or at == 3, output
    assert "No space left on device" in output
    assert is_intact(out / "map.h5")
    changes = list(out.glob("map.changes-*.h5"))
    # The change file of a checkpoint that is dropped is not put in place.
    assert len(changes) == at - 2 or (not changes and has_dropped_a_checkpoint(out)), changes
    assert all(map(is_intact, changes))
    code, output = run_on_bad_disk(config, out)
    assert code == 0, output
    assert same_map(expected, out / "map.h5")[0]


def test_a_change_file_that_cannot_be_renamed_becomes_a_map(tmp_path, changes):
    config, expected, _ = changes
    out = tmp_path / "run"
    code, output = run_on_bad_disk(config, out, path="/map.changes-", calls="rename", at=1,
                                   count=10**6, action=errno.EROFS)
    assert code == 0, output
    assert not list(out.glob("map.changes-*.h5")) and is_intact(out / "map.prev.h5")
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
