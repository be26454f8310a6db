"""map.memory_limit: the same map, whatever is on disk, and nothing left there."""

import contextlib
import errno
import os
import re

import pytest
from harness.configs import set_options, settings, write_config
from harness.faults import bad_disk, kill, launch, processes_of, train, wait_for
from harness.programs import is_intact, run, same_map

# 4,610 parameters, 18 kB an elite.
SEARCH = settings(run={"generations": 80}, policy={"hidden": [64, 64]},
                  algorithm={"name": "me-ga", "children": 8, "n_optim_gens": None, "n_eval": 1},
                  checkpoint={"changes_above_megabytes": 0.001})
SOME = ("--set", "map.memory_limit=0.05")  # two elites in memory
NONE = ("--set", "map.memory_limit=1e-6")
MESSAGE = "elites beyond map.memory_limit are kept on disk"


@pytest.fixture(scope="module")
def unlimited(tmp_path_factory):
    folder = tmp_path_factory.mktemp("unlimited")
    config = write_config(folder, SEARCH)
    code, output = train(config, folder / "run", "--threads", "1")
    assert code == 0, output
    assert MESSAGE not in log_of(folder / "run")
    return config, folder / "run" / "map.h5"


def log_of(out):
    return (out / "mees.log").read_text()


def same_but_for_the_limit(a, b):
    """Whether the stored configuration is the only difference."""
    return same_map(a, b)[1].strip().splitlines() == ["/@config differs"]


def names_in(out):
    """Files of a run, apart from change files: whether some are left depends on how often a
    complete map was written."""
    return {path.name for path in out.iterdir() if not path.name.startswith("map.changes-")}


def scratch_files(pids, out):
    """The files without a name in this folder that rank 0 has open."""
    links = []
    with contextlib.suppress(FileNotFoundError):
        for entry in os.scandir(f"/proc/{pids.get(0)}/fd"):
            with contextlib.suppress(FileNotFoundError):
                links.append(os.readlink(entry.path))
    return [link for link in links if link.startswith(f"{out}/") and link.endswith(" (deleted)")]


@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize("limit", [SOME, NONE])
def test_the_same_map(unlimited, tmp_path, ranks, limit):
    config, expected = unlimited
    process = launch(config, tmp_path / "run", ranks, "--threads", "1", *limit)
    output, _ = process.communicate(timeout=120)
    assert process.returncode == 0, output
    assert MESSAGE in log_of(tmp_path / "run")
    assert same_but_for_the_limit(expected, tmp_path / "run" / "map.h5")
    assert names_in(tmp_path / "run") == names_in(expected.parent)


@pytest.mark.parametrize("algorithm", [
    {"name": "me-es", "chain_links": 3, "chain_steps": 50, "chain_append": 0.6},
    {"name": "memes", "emitters": 2, "confirm_offspring": 2}, {"name": "cma-mae"},
    {"name": "ns", "children": 30, "n_optim_gens": None},
])
def test_other_algorithms_make_the_same_map(tmp_path, algorithm):
    config = write_config(tmp_path, settings(run={"generations": 12}, policy={"hidden": [16]},
                                             algorithm=algorithm))
    for name, limit in [("without", ()), ("with", NONE)]:
        code, output = train(config, tmp_path / name, "--threads", "1", "--generations", "6",
                             *limit)
        assert code == 0, output
        code, output = train(config, tmp_path / name, "--threads", "1", *limit)
        assert code == 0, output
    assert MESSAGE in log_of(tmp_path / "with")
    assert same_but_for_the_limit(tmp_path / "without" / "map.h5", tmp_path / "with" / "map.h5")


@pytest.mark.parametrize("ranks", [1, 3])
def test_killed_and_resumed_with_other_limits(unlimited, tmp_path, ranks):
    config, expected = unlimited
    out = tmp_path / "run"
    kills = 0
    for generation, limit in zip((3, 20, 40), (SOME, NONE, SOME)):
        process = launch(config, out, ranks, "--threads", "1", *limit)
        changes = [out / f"map.changes-{g:06}.h5" for g in range(generation, 80)]

        def at_work(process=process, changes=changes):
            return process.poll() is not None or (any(path.exists() for path in changes)
                                                  and scratch_files(processes_of(out), out))

        wait_for(at_work, 60, "a checkpoint and an elite on disk")
        pids = processes_of(out)
        kills += process.poll() is None
        for pid in [process.pid, *pids.values()]:
            kill(pid)
        process.communicate(timeout=60)
        wait_for(lambda: not processes_of(out), 60, "the end of all ranks")
        assert is_intact(out / "map.h5")
        left = {name for name in names_in(out) if not name.endswith(".tmp")}
        assert left <= names_in(expected.parent), left
        assert not [name for name in names_in(out) if name.startswith("scratch")]
    assert kills
    process = launch(config, out, ranks, "--threads", "1")
    output, _ = process.communicate(timeout=120)
    assert process.returncode == 0, output
    assert same_map(expected, out / "map.h5")[0]
    assert names_in(out) == names_in(expected.parent)


@pytest.mark.parametrize("calls", ["fallocate@1", "fallocate@4", "pwrite@4"])
def test_a_disk_without_space_for_elites(unlimited, tmp_path, calls):
    config, expected = unlimited
    out = tmp_path / "run"
    env = bad_disk(" (deleted)", f"{calls}+1000000={errno.ENOSPC}")
    code, output = train(config, out, "--threads", "1", *NONE, env=env)
    assert code == 0, output
    warnings = [line for line in log_of(out).splitlines() if "No space left on device" in line]
    assert len(warnings) == 1 and "beyond map.memory_limit" in warnings[0]
    assert same_but_for_the_limit(expected, out / "map.h5")


@pytest.mark.parametrize("call", ["tmpfile", "fallocate"])
def test_file_systems_without_this_call(unlimited, tmp_path, call):
    config, expected = unlimited
    out = tmp_path / "run"
    rules = f"{call}@1+1000000={errno.EOPNOTSUPP}"
    report = tmp_path / "calls"
    code, output = train(config, out, "--threads", "1", *NONE,
                         env=bad_disk(tmp_path, rules, report=report))
    assert code == 0, output
    assert call in report.read_text()
    assert "stay in memory" not in log_of(out)
    assert same_but_for_the_limit(expected, out / "map.h5")
    assert names_in(out) == names_in(expected.parent)


def test_the_estimate_states_where_elites_are(unlimited):
    config, _ = unlimited

    def lines(*options):
        result = run("mees_master", config, "--dry-run", *options)
        assert result.returncode == 0, result.stderr
        return dict(re.split(r"\s{2,}", line.strip(), maxsplit=1)
                    for line in result.stdout.splitlines() if re.search(r"\S\s{2,}\S", line))

    large = set_options("policy.hidden=[512, 512]", "noise.table_size=1000000")
    without, limited = lines(*large), lines(*large, "--set", "map.memory_limit=1")
    assert without["memory of the master"] != limited["memory of the master"]
    assert without["disk"] != limited["disk"]
