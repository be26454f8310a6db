"""Checkpoints that save only what has changed: resuming from them, and mees_inspect merge."""

import shutil
import time
import warnings

import h5py
import pytest
from harness.configs import settings, write_config
from harness.programs import refused, run, same_map, start

import mees

# A map whose size is that of its controllers, and change files from the first kilobyte on.
CHANGES = settings(run={"generations": 40}, policy={"hidden": [128, 128]},
                   algorithm={"name": "me-ga", "children": 6, "n_optim_gens": None, "n_eval": 1},
                   checkpoint={"changes_above_megabytes": 0.001})


def generation_of(path):
    with h5py.File(path) as file:
        return int(file.attrs["generation"])


def changes_in(folder):
    return sorted(folder.glob("map.changes-*.h5"))


def newer_changes(folder):
    """The change files that are newer than map.h5."""
    return [path for path in changes_in(folder)
            if int(path.stem.split("-")[1]) > generation_of(folder / "map.h5")]


def kill_with_changes(config, out):
    """Starts a run and kills it when it has saved changes that no map contains."""
    process = start("mees_master", config, "--out", out, "--threads", 1)
    end = time.monotonic() + 120
    while not ((out / "map.h5").exists() and newer_changes(out)):
        assert process.poll() is None and time.monotonic() < end, process.communicate()
        time.sleep(0.001)
    process.kill()
    process.communicate()


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Configuration, the folder of a run that reached its end, and of one that was killed."""
    folder = tmp_path_factory.mktemp("changes")
    config = write_config(folder, CHANGES)
    result = run("mees_master", config, "--out", folder / "whole", "--threads", 1)
    assert result.returncode == 0, result.stderr
    for attempt in range(20):
        kill_with_changes(config, folder / f"killed-{attempt}")
        if newer_changes(folder / f"killed-{attempt}"):  # it may have merged them meanwhile
            return config, folder / "whole", folder / f"killed-{attempt}"
    raise AssertionError("no run was killed between a change file and a map")


def test_the_end_of_a_run_is_a_complete_map(runs, tmp_path):
    config, whole, _ = runs
    assert generation_of(whole / "map.h5") == 40 and not newer_changes(whole)
    result = run("mees_master", config, "--out", tmp_path / "off", "--set",
                 "checkpoint.changes_above_megabytes=0")
    assert result.returncode == 0, result.stderr
    assert not changes_in(tmp_path / "off")
    same, differences = same_map(whole / "map.h5", tmp_path / "off" / "map.h5")
    assert not same and differences.strip().splitlines() == ["/@config differs"]


def test_a_killed_run_resumes_from_its_changes(runs, tmp_path):
    config, whole, killed = runs
    out = tmp_path / "run"
    shutil.copytree(killed, out)
    newest = generation_of(newer_changes(out)[-1])
    result = run("mees_master", config, "--out", out, "--threads", 1)
    assert result.returncode == 0, result.stderr
    assert f"resuming after generation {newest}\n" in result.stdout
    same, differences = same_map(whole / "map.h5", out / "map.h5")
    assert same, differences


def test_a_run_that_has_nothing_left_to_do_still_merges(runs, tmp_path):
    config, _, killed = runs
    out = tmp_path / "run"
    shutil.copytree(killed, out)
    newest = generation_of(newer_changes(out)[-1])
    result = run("mees_master", config, "--out", out, "--generations", newest)
    assert result.returncode == 0, result.stderr
    assert generation_of(out / "map.h5") == newest and (out / "FINISHED").exists()


def test_starting_over_moves_change_files_away(runs, tmp_path):
    config, _, killed = runs
    out = tmp_path / "run"
    shutil.copytree(killed, out)
    names = {path.name for path in changes_in(out)}
    result = run("mees_master", config, "--out", out, "--resume", "never", "--generations", 0)
    assert result.returncode == 0, result.stderr
    assert not changes_in(out) and {path.name for path in changes_in(out / "old-1")} == names


def test_change_files_without_their_map_are_not_a_new_run(runs, tmp_path):
    config, _, killed = runs
    out = tmp_path / "run"
    out.mkdir()
    shutil.copy(newer_changes(killed)[-1], out)
    before = sorted(path.name for path in out.glob("*.h5"))
    refused(run("mees_master", config, "--out", out), "mees_master", 3, "no map that they continue")
    assert sorted(path.name for path in out.glob("*.h5")) == before


def test_summary_and_verify(runs):
    _, whole, killed = runs
    newest = newer_changes(killed)[-1]
    text = run("mees_inspect", "summary", killed).stdout
    assert f"up to generation {generation_of(newest)} in map.changes-*.h5" in text
    assert "map.changes" not in run("mees_inspect", "summary", killed / "map.h5").stdout
    assert "map.changes" not in run("mees_inspect", "summary", whole).stdout
    assert "is intact" in run("mees_inspect", "verify", newest).stdout
    refused(run("mees_inspect", "summary", newest), "mees_inspect", 3, "filetype")


def test_verify_finds_damage(runs, tmp_path):
    content = bytearray(newer_changes(runs[2])[-1].read_bytes())
    content[len(content) // 2] ^= 1
    (tmp_path / "map.changes-000001.h5").write_bytes(content)
    result = run("mees_inspect", "verify", tmp_path / "map.changes-000001.h5")
    assert result.returncode == 3 and "is damaged" in result.stdout


def test_verify_of_a_folder_checks_the_changes_of_its_map(runs, tmp_path):
    _, whole, killed = runs
    out = tmp_path / "run"
    shutil.copytree(killed, out)
    newest = generation_of(newer_changes(out)[-1])
    result = run("mees_inspect", "verify", out)
    assert result.returncode == 0, result.stdout
    assert f"intact: generation {newest}\n" in result.stdout.splitlines(True)[1]
    assert "change file" not in run("mees_inspect", "verify", out / "map.h5").stdout
    assert "change file" not in "".join(
        run("mees_inspect", "verify", whole).stdout.splitlines()[:2])
    # What a resume ignores is no damage: an older state than that of the map.
    (out / "map.changes-000000.h5").write_bytes(b"not a change file")
    assert run("mees_inspect", "verify", out).returncode == 0
    damaged = newer_changes(out)[-1]
    content = damaged.read_bytes()
    damaged.write_bytes(content[:len(content) // 2])
    result = run("mees_inspect", "verify", out)
    assert result.returncode == 3 and str(damaged) in result.stdout, result.stdout
    assert f"{out} is damaged: its change files lead to generation " in result.stdout
    assert run("mees_inspect", "verify", out / "map.h5").returncode == 0


def damage(path):
    content = path.read_bytes()
    path.write_bytes(content[:len(content) // 2])


def merged(killed, out):
    """A copy of the killed run, merged: the former map.h5 is map.prev.h5, which the change files
    lead to the new one. Its generation, and that of map.h5."""
    shutil.copytree(killed, out)
    before = generation_of(out / "map.h5")
    assert run("mees_inspect", "merge", out).returncode == 0
    assert generation_of(out / "map.prev.h5") == before
    return before, generation_of(out / "map.h5")


def test_verify_says_what_is_left_without_an_intact_map(runs, tmp_path):
    config, whole, killed = runs
    out = tmp_path / "run"
    before, newest = merged(killed, out)
    count = len([path for path in changes_in(out)
                 if int(path.stem.split("-")[1]) > before])
    changes = f"{count} change file{'s' if count > 1 else ''}"
    are = "are" if count > 1 else "is"
    result = run("mees_inspect", "verify", out)
    assert result.returncode == 0, result.stdout
    lines = result.stdout.splitlines()
    assert lines[0].startswith(f"{out}/map.h5 is intact: generation {newest}, ")
    assert lines[1].startswith(f"{out}/map.prev.h5 is intact: generation {before}, ")
    assert lines[2:] == [f"its {changes} {are} intact: generation {newest}"]
    damage(out / "map.h5")
    for state in ("damaged", "missing"):
        result = run("mees_inspect", "verify", out)
        assert result.returncode == 3
        assert f"{out}/map.h5 is {state}" in result.stdout, result.stdout
        assert result.stdout.splitlines()[-3:] == [
            *lines[1:], f"a run resumes from {out}/map.prev.h5 and {changes}: generation {newest}"]
        (out / "map.h5").unlink(missing_ok=True)
    result = run("mees_master", config, "--out", out, "--threads", 1)
    assert f"resuming after generation {newest}\n" in result.stdout
    assert same_map(whole / "map.h5", out / "map.h5")[0]


def test_verify_checks_the_changes_of_the_previous_map(runs, tmp_path):
    out = tmp_path / "run"
    before, newest = merged(runs[2], out)
    first = [path for path in changes_in(out) if int(path.stem.split("-")[1]) > before][0]
    damage(first)
    result = run("mees_inspect", "verify", out)
    assert result.returncode == 3 and str(first) in result.stdout, result.stdout
    assert result.stdout.splitlines()[-2:] == [
        f"{out} is damaged: the change files of map.prev.h5 lead to generation {before} only",
        f"a run resumes from {out}/map.h5: generation {newest}"]
    assert run("mees_inspect", "verify", out / "map.prev.h5").returncode == 0


def test_verify_refuses_a_folder_without_checkpoints(runs, tmp_path):
    refused(run("mees_inspect", "verify", tmp_path), "mees_inspect", 3, "no checkpoint")
    shutil.copy(newer_changes(runs[2])[-1], tmp_path)
    refused(run("mees_inspect", "verify", tmp_path), "mees_inspect", 3, "no map that they continue")


WARNING = "has the state of generation {}, but the change files next to it lead to generation {}: "


def test_programs_that_read_the_map_alone_warn(runs, tmp_path):
    """Of a folder, of its map.h5, and of a map to start from; not of a complete map."""
    config, whole, killed = runs
    own, newest = generation_of(killed / "map.h5"), generation_of(newer_changes(killed)[-1])
    expected = WARNING.format(own, newest)
    assert run("mees_inspect", "merge", killed, "--out", tmp_path / "merged.h5").returncode == 0
    shutil.copy(tmp_path / "merged.h5", killed / "newest.h5")
    map_file = tmp_path / "refined.h5"
    for program, *arguments in [
            ("mees_inspect", "cells", "MAP", "--limit", 1),
            ("mees_inspect", "diff", whole / "map.h5", "MAP"),
            ("mees_replay", "MAP", "--cell", "best", "--episodes", 1),
            ("mees_evaluate", "MAP", "--episodes", 1, "--out", tmp_path / "e.h5", "--force"),
            ("mees_adapt", "MAP", "--ask", "--out", tmp_path / "ask"),
            ("mees_refine", "MAP", "--cells=filled", "--dry-run", "--out", map_file),
            ("mees_master", config, "--out", tmp_path / "warm", "--generations", 0, "--resume",
             "never", "--set", "run.start_from=MAP")]:
        def said(path, program=program, arguments=tuple(arguments)):
            words = [str(word).replace("MAP", str(path)) for word in arguments]
            return run(program, *words).stderr

        given = killed / "map.h5"
        if program in ("mees_replay", "mees_inspect", "mees_evaluate"):
            given = killed
        text = said(given)
        assert text.count(expected) == 1, (program, text)
        assert f"mees_inspect merge {killed} --out newest.h5" in text
        for complete in (whole / "map.h5", tmp_path / "merged.h5", killed / "newest.h5"):
            assert "change files" not in said(complete), program
    (killed / "newest.h5").unlink()


def test_the_python_package_warns(runs, tmp_path):
    _, whole, killed = runs
    own, newest = generation_of(killed / "map.h5"), generation_of(newer_changes(killed)[-1])
    with pytest.warns(UserWarning) as caught, mees.Map(killed) as opened:
        assert opened.generations == own
    assert len(caught) == 1 and caught[0].filename == __file__
    assert WARNING.format(own, newest) in str(caught[0].message)
    assert f"mees_inspect merge {killed} --out newest.h5" in str(caught[0].message)
    damaged = tmp_path / "run"
    shutil.copytree(killed, damaged)
    for path in newer_changes(damaged):
        damage(path)
    for complete in (whole, damaged):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            mees.Map(complete).close()


def test_verify_and_summary_do_not_warn(runs):
    for command in ("summary", "verify"):
        assert run("mees_inspect", command, runs[2]).stderr == ""


def test_merge(runs, tmp_path):
    _, _, killed = runs
    out = tmp_path / "run"
    shutil.copytree(killed, out)
    newest = generation_of(newer_changes(out)[-1])
    before = generation_of(out / "map.h5")
    result = run("mees_inspect", "merge", out, "--out", tmp_path / "merged.h5")
    assert result.returncode == 0 and f"generation {newest}" in result.stdout, result.stderr
    assert generation_of(tmp_path / "merged.h5") == newest
    assert generation_of(out / "map.h5") == before
    refused(run("mees_inspect", "merge", out, "--out", tmp_path / "merged.h5"), "mees_inspect", 3,
            "--force")
    result = run("mees_inspect", "merge", out)
    assert result.returncode == 0, result.stderr
    same, differences = same_map(tmp_path / "merged.h5", out / "map.h5")
    assert same, differences
    assert generation_of(out / "map.prev.h5") == before
    assert "0 change files merged" in run("mees_inspect", "merge", out).stdout
    assert run("mees_inspect", "verify", out).returncode == 0


def test_merge_refuses_what_is_not_a_run(runs, tmp_path):
    refused(run("mees_inspect", "merge", tmp_path / "none"), "mees_inspect", 3, "not a folder")
    refused(run("mees_inspect", "merge", tmp_path), "mees_inspect", 3, "no checkpoint")
    refused(run("mees_inspect", "merge"), "mees_inspect", 2)


def test_merge_refuses_a_folder_in_use(runs, tmp_path):
    config, _, _ = runs
    out = tmp_path / "run"
    process = start("mees_master", config, "--out", out, "--generations", 100000)
    try:
        end = time.monotonic() + 60
        while not (out / "map.h5").exists() and time.monotonic() < end:
            time.sleep(0.01)
        refused(run("mees_inspect", "merge", out), "mees_inspect", 3, "in use")
        result = run("mees_inspect", "merge", out, "--out", tmp_path / "now.h5")
        assert result.returncode == 0, result.stderr
        assert run("mees_inspect", "verify", tmp_path / "now.h5").returncode == 0
    finally:
        process.kill()
        process.communicate()
