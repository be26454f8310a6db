"""mees_refine: an ES towards each of some cells of a map fills or improves them."""

import hashlib
import shutil
import signal
import time

import h5py
import numpy as np
import pytest
from harness.configs import settings
from harness.maps import LARGE_STEPS, maze, train_map
from harness.programs import ROOT, refused, run, same_map, start

QUICK = ["--steps", 12, "--population", 24, "--sigma", 0.05, "--learning-rate", 0.05,
         "--evaluate-every", 4, "--episodes", 3]
GOAL = np.array([4.5, 0])  # fitness is the negative distance of the BC from it


def refine(out, *arguments, source=None, **options):
    result = run("mees_refine", source or maze(), "--out", out, *arguments, **options)
    assert result.returncode == 0, result.stderr
    return result


def cells_of(path):
    with h5py.File(path) as file:
        return dict(zip(file["map/cell"][:].tolist(), file["map/fitness"][:].tolist()))


def targets_of(path):
    """The filled cell whose elite is farthest below the best of its cell, and the two empty cells
    nearest to filled ones."""
    filled = cells_of(path)

    def room(cell):
        lower = np.array([cell // 10, cell % 10]) - 5.0
        nearest = np.clip(GOAL, lower, lower + 1)
        return -np.linalg.norm(GOAL - nearest) - filled[cell]

    def distance(cell):
        return min(max(abs(cell // 10 - at // 10), abs(cell % 10 - at % 10)) for at in filled)

    empty = [cell for cell in range(100) if cell not in filled]
    nearest = sorted(empty, key=lambda cell: (distance(cell), cell))[:2]
    return max(filled, key=room), nearest


@pytest.fixture(scope="module")
def cells():
    poor, empty = targets_of(maze())
    return ",".join(map(str, [poor, *empty]))


@pytest.fixture(scope="module")
def refined(tmp_path_factory, cells):
    path = tmp_path_factory.mktemp("refined") / "new.h5"
    before = maze().read_bytes()
    result = refine(path, "--cells", cells, "--cells-at-once", 2, *QUICK, "--threads", 1)
    assert maze().read_bytes() == before
    return path, result


def test_cells_are_filled_and_improved_and_none_is_worse(tmp_path):
    poor, empty = targets_of(maze())
    out = tmp_path / "new.h5"
    options = ["--steps", 30, "--population", 40, "--sigma", 0.02, "--learning-rate", 0.02,
               "--evaluate-every", 5]
    result = refine(out, "--cells", ",".join(map(str, [poor, *empty])), *options)
    before, after = cells_of(maze()), cells_of(out)
    assert after[poor] > before[poor]
    assert set(empty) <= set(after)
    assert all(after[cell] >= fitness for cell, fitness in before.items())
    assert "3 of 3 cells done" in result.stdout and "2 filled, 1 improved" in result.stdout
    assert result.stderr.count(": reached") == 3
    for program, arguments in (("mees_inspect", ["verify", out]),
                               ("mees_inspect", ["summary", out]),
                               ("mees_replay", [out, "--cell", empty[0], "--episodes", 1]),
                               ("mees_evaluate", [out, "--episodes", 1, "--out",
                                                  tmp_path / "again.h5"])):
        assert run(program, *arguments).returncode == 0


def test_the_new_map_says_where_it_comes_from(refined, cells):
    path, result = refined
    digest = hashlib.sha256(maze().read_bytes()).hexdigest()
    with h5py.File(path) as new, h5py.File(maze()) as old:
        group = new["refinement"]
        assert group.attrs["map"].decode() == str(maze())
        assert group.attrs["map_sha256"].decode() == digest
        expected = {"es_steps": 12, "population": 24, "sigma": 0.05, "learning_rate": 0.05,
                    "evaluate_every": 4, "n_eval": 3, "cells_at_once": 2,
                    "seed": old.attrs["seed"], "episodes": 3 * (12 * 24 + 3 * 3)}
        assert {name: group.attrs[name] for name in expected} == expected
        assert sorted(group["cell"][:]) == sorted(map(int, cells.split(",")))
        assert group["done"][:].all() and "pursuer" not in group
        assert (group["start_cell"][:] >= 0).all()
        # The run's own history stays, apart from the figures of the map.
        assert new["history/episodes"][-1] == old["history/episodes"][-1]
        assert new["history/coverage"][-1] == len(new["map/cell"])
        assert new["history/best"][-1] == new["map/fitness"][:].max()
        assert new["history/qd_score"][-1] == pytest.approx((new["map/fitness"][:] + 10.8).sum())
        page = (ROOT / "docs" / "map-format.md").read_text()
        for name in (*group, *group.attrs):
            assert f"`{name}`" in page, name
    summary = run("mees_inspect", "summary", path).stdout
    assert "refined     3 of 3 cells" in summary
    assert path.with_name("new.h5.finished").exists()
    again = run("mees_refine", maze(), "--out", path, "--cells", cells, "--cells-at-once", 2,
                *QUICK)
    assert again.returncode == 0 and again.stdout == result.stdout  # nothing is left to do


@pytest.mark.parametrize("ranks, threads", [(0, 3), (2, 1), (3, 1)])
def test_same_bits_on_any_number_of_ranks_and_threads(tmp_path, refined, cells, ranks, threads):
    refine(tmp_path / "new.h5", "--cells", cells, "--cells-at-once", 2, *QUICK, "--threads",
           threads, ranks=ranks)
    same, text = same_map(refined[0], tmp_path / "new.h5")
    assert same, text


def stop_early(out, cells, number, after, ranks=0):
    """Sends a signal once the file was saved `after` times; the exit code."""
    process = start("mees_refine", maze(), "--out", out, "--cells", cells, "--cells-at-once", 2,
                    *QUICK, "--save-every", 0, "--threads", 1, ranks=ranks)
    seen = set()
    end = time.monotonic() + 120
    while len(seen) < after and time.monotonic() < end and process.poll() is None:
        if out.exists():
            seen.add(out.stat().st_ino)
    process.send_signal(number)
    process.communicate(timeout=120)
    return process.returncode


@pytest.mark.parametrize("number, code", [(signal.SIGKILL, -9), (signal.SIGTERM, 75)])
def test_same_bits_after_a_kill_and_a_stop(tmp_path, refined, cells, number, code):
    out = tmp_path / "new.h5"
    stopped = stop_early(out, cells, number, 3)
    assert stopped in (code, 0)  # a fast machine may have finished
    assert run("mees_inspect", "verify", out).returncode == 0  # a map at any moment
    with h5py.File(out) as file:
        unfinished = "pursuer" in file["refinement"]
    assert unfinished or stopped == 0
    assert out.with_name("new.h5.finished").exists() == (stopped == 0)
    if unfinished:
        assert "of 3 cells, not finished" in run("mees_inspect", "summary", out).stdout
        refused(run("mees_refine", maze(), "--out", out, "--cells", cells, *QUICK, "--seed", 99),
                "mees_refine", 3, "is not this refinement", "--seed was", "--cells-at-once was",
                "--force")
    refine(out, "--cells", cells, "--cells-at-once", 2, *QUICK, ranks=2)
    same, text = same_map(refined[0], out)
    assert same, text


def test_the_time_limit_saves_everything(tmp_path, refined, cells):
    out = tmp_path / "new.h5"
    options = ["--cells", cells, "--cells-at-once", 2, *QUICK]
    result = run("mees_refine", maze(), "--out", out, *options, "--time-limit", "1s")
    assert result.returncode == 75, result.stderr  # the margin before the limit is longer
    assert "stopped by the time limit" in result.stdout
    refine(out, *options)
    same, text = same_map(refined[0], out)
    assert same, text


def test_a_file_in_use_is_refused(tmp_path, cells):
    out = tmp_path / "new.h5"
    first = start("mees_refine", maze(), "--out", out, "--cells", cells, "--steps", 100_000,
                  "--threads", 1)
    try:
        end = time.monotonic() + 60
        while not (tmp_path / ".new.h5.lock").exists() and time.monotonic() < end:
            time.sleep(0.05)
        time.sleep(0.2)
        result = run("mees_refine", maze(), "--out", out, "--cells", cells, "--steps", 100_000)
        refused(result, "mees_refine", 3, "in use")
    finally:
        first.send_signal(signal.SIGTERM)
        first.communicate(timeout=60)
    assert first.returncode == 75


def test_dry_run_prints_cells_and_episodes(tmp_path, cells):
    out = tmp_path / "new.h5"
    result = refine(out, "--cells", cells, "--dry-run", "--episodes", 30)
    text = " ".join(result.stdout.split())
    assert "cells to refine 3 (1 filled, 2 empty), 16 at once" in text
    assert "ES steps per cell 100 with 256 offspring, sigma 0.02, learning rate 0.01" in text
    assert "measurements per cell 10 of 30 episodes" in text
    assert "episodes per cell 25,900" in text and "total episodes 77,700" in text
    assert "core-hours" in text
    published = refine(out, "--cells", cells, "--dry-run", "--population", 4096, "--episodes", 30)
    assert "episodes per cell 409,900" in " ".join(published.stdout.split())
    assert list(tmp_path.iterdir()) == []


def test_elites_keep_the_optimiser_where_the_run_does(tmp_path):
    source = train_map(tmp_path / "run", settings(es={"optimizer_state": "inherit"}))
    out = tmp_path / "new.h5"
    poor = min(cells_of(source), key=cells_of(source).get)
    refine(out, "--cells", poor, *QUICK, source=source)
    with h5py.File(out) as new:
        row = list(new["map/cell"][:]).index(poor)
        if new["map/fitness"][row] > cells_of(source)[poor]:
            assert new["state/elite_optimiser/steps"][row] >= 4
    assert run("mees_inspect", "verify", out).returncode == 0


def test_smaller_steps_than_the_run_decays_to(tmp_path, cells):
    """QUICK's sigma and learning rate hold, whatever the limits of the run's decay are."""
    limited = settings(run={"generations": 20},
                       es={"sigma": 0.5, "sigma_limit": 0.5, "learning_rate": 0.5,
                           "learning_rate_limit": 0.5})
    source = train_map(tmp_path / "limited", limited)
    maps = []
    for name, keys in (("limits", {}), ("none", {"sigma_limit": 0, "learning_rate_limit": 0})):
        changed = tmp_path / f"{name}.h5"
        shutil.copy(source, changed)
        with h5py.File(changed, "r+") as file:
            text = file.attrs["config"].decode()
            for key, value in keys.items():
                assert f"{key} = 0.5" in text
                text = text.replace(f"{key} = 0.5", f"{key} = {float(value)}")
            file.attrs["config"] = np.bytes_(text)
        out = tmp_path / f"{name}-refined.h5"
        refine(out, "--cells", cells, *QUICK, source=changed)
        maps.append(cells_of(out))
    assert maps[0] == maps[1]


def test_cells_of_a_cvt_map(tmp_path):
    source = train_map(tmp_path / "run", settings(
        map={"type": "cvt", "cvt_cells": 40, "cvt_samples": 2000}))
    filled = cells_of(source)
    out = tmp_path / "new.h5"
    refine(out, "--cells", "empty", "--steps", 4, *QUICK[2:], source=source)
    after = cells_of(out)
    assert set(filled) <= set(after)
    with h5py.File(out) as new:
        assert len(new["refinement/cell"]) == 40 - len(filled)
        centroids = new["map/centroids"][:]
        for cell, bc in zip(new["map/cell"][:], new["map/bc"][:]):
            assert np.argmin(((centroids - bc) ** 2).sum(axis=1)) == cell


def test_an_evaluated_map_keeps_its_conditions(tmp_path):
    changed = tmp_path / "changed.h5"
    result = run("mees_evaluate", maze(), "--episodes", 2, "--set", "domain.episode_steps=50",
                 "--out", changed)
    assert result.returncode == 0, result.stderr
    refine(tmp_path / "new.h5", "--cells", "filled", "--steps", 1, "--population", 2,
           source=changed)
    with h5py.File(tmp_path / "new.h5") as new:
        assert new["refinement"].attrs["n_eval"] == 2  # that of the evaluation
        assert list(new["refinement"].attrs["conditions"]) == [b"domain.episode_steps = 50"]
        assert "evaluation" not in new
        assert b"episode_steps = 50" in new.attrs["config"]
    assert "episode_steps = 50 (not the run's)" in run("mees_inspect", "summary",
                                                       tmp_path / "new.h5").stdout


def changed_map(path, change):
    shutil.copy(maze(), path)
    with h5py.File(path, "r+") as file:
        change(file)
    return path


def test_bad_input_writes_nothing(tmp_path):
    home = tmp_path / "out"
    home.mkdir()
    out = home / "new.h5"

    def refuse(code, *words, source=None, cells="0", options=(), ranks=0):
        result = run("mees_refine", source or maze(), "--cells", cells, "--out", out, *options,
                     ranks=ranks)
        refused(result, "mees_refine", code, *words)
        assert list(home.iterdir()) == []

    refuse(3, "cannot refine cell 100 (the map has the cells 0 to 99)", cells="3,100")
    refuse(2, "invalid --cells most", cells="most")
    refuse(2, "invalid --cells 1,,2", cells="1,,2")
    refuse(2, "--population 7", options=["--population", 7])
    refuse(2, "--steps", options=["--steps", 0])
    refuse(2, "--sigma", options=["--sigma", "nan"])
    refuse(2, "--learning-rate", options=["--learning-rate", "fast"])
    refuse(2, "--time-limit", options=["--time-limit", "soon"])
    refuse(3, "absent.h5", source=tmp_path / "absent.h5")
    refuse(3, "/state", source=changed_map(tmp_path / "a.h5", lambda file: file.__delitem__("state")
                                           ))
    refuse(3, "format version is 2.0", source=changed_map(
        tmp_path / "b.h5", lambda file: file.attrs.__setitem__("format_version", [2, 0])))
    cut = tmp_path / "cut.h5"
    cut.write_bytes(maze().read_bytes()[:5000])
    for ranks in (0, 2):
        refuse(3, "cut.h5", source=cut, ranks=ranks)
    (tmp_path / "text.h5").write_text("not a map")
    refuse(3, "text.h5", source=tmp_path / "text.h5")
    full = train_map(tmp_path / "full", settings(map={"bins": [1, 1]}))
    refuse(3, "the map has no empty cells", source=full, cells="empty")
    result = run("mees_refine", maze(), "--cells", 0, "--out", tmp_path / "no" / "new.h5")
    refused(result, "mees_refine", 3, "folder")


def test_a_map_of_an_unknown_domain_is_refused(tmp_path):
    def change(file):
        name = b'name = "point_maze"'
        assert name in file.attrs["config"]
        file.attrs["config"] = np.bytes_(file.attrs["config"].replace(name, b'name = "paint_maze"'))

    source = changed_map(tmp_path / "map.h5", change)
    result = run("mees_refine", source, "--cells", "filled", "--out", tmp_path / "new.h5")
    refused(result, "mees_refine", 3, "unknown domain paint_maze")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["map.h5"]


def test_a_map_with_chains_is_refused(tmp_path):
    source = train_map(tmp_path / "run", settings(
        LARGE_STEPS, run={"generations": 12},
        algorithm={"chain_links": 2, "chain_steps": 50, "chain_append": 1.0}))
    with h5py.File(source) as file:
        assert file["map/links"][:].max() == 2
    result = run("mees_refine", source, "--cells", "filled", "--out", tmp_path / "new.h5")
    refused(result, "mees_refine", 3, "its controllers are chains")
    assert not (tmp_path / "new.h5").exists()
