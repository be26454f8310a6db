"""mees_evaluate: every elite is evaluated again, and the corrected map is written."""

import hashlib
import shutil

import h5py
import numpy as np
import pytest
from harness.configs import set_options, write_config
from harness.maps import ANT, ant, maze
from harness.programs import ROOT, refused, run, same_map
from harness.replay import table


def evaluate(out, *arguments, episodes=5, **options):
    result = run("mees_evaluate", maze(), "--episodes", episodes, "--out", out, *arguments,
                 **options)
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory):
    path = tmp_path_factory.mktemp("evaluated") / "new.h5"
    return path, evaluate(path, "--threads", 1)


def test_help_fits():
    text = run("mees_evaluate", "--help").stdout
    assert "--episodes" in text and "--out" in text
    assert max(map(len, text.splitlines())) <= 100


@pytest.mark.parametrize("ranks, threads", [(0, 3), (1, 2), (2, 1), (4, 1)])
def test_same_bits_on_any_number_of_ranks_and_threads(tmp_path, evaluated, ranks, threads):
    evaluate(tmp_path / "new.h5", "--threads", threads, ranks=ranks)
    same, text = same_map(evaluated[0], tmp_path / "new.h5")
    assert same, text


def test_the_new_map_matches_its_rows(evaluated):
    path, text = evaluated
    assert run("mees_inspect", "verify", path).returncode == 0
    with h5py.File(path) as new, h5py.File(maze()) as old:
        rows = {name: values[:] for name, values in new["evaluation"].items()}
        assert new["evaluation"].attrs["episodes"] == 5
        digest = hashlib.sha256(maze().read_bytes()).hexdigest()
        assert new["evaluation"].attrs["map_sha256"].decode() == digest
        assert np.array_equal(rows["stored_cell"], old["map/cell"][:])
        assert np.array_equal(rows["stored_fitness"], old["map/fitness"][:])
        bins = np.clip(np.floor((rows["bc"] + 5) / 10 * 10), 0, 9).astype(int)
        assert np.array_equal(rows["cell"], bins[:, 0] * 10 + bins[:, 1])
        fittest = {}
        for row, cell in enumerate(rows["cell"]):
            if cell not in fittest or rows["fitness"][row] > rows["fitness"][fittest[cell]]:
                fittest[cell] = row
        assert np.array_equal(np.flatnonzero(rows["kept"]), sorted(fittest.values()))
        assert list(new["map/cell"][:]) == sorted(fittest)
        for place, cell in enumerate(new["map/cell"][:]):
            row = fittest[cell]
            assert new["map/fitness"][place] == rows["fitness"][row]
            assert new["map/fitness_std"][place] == rows["fitness_std"][row]
            assert np.array_equal(new["map/bc"][place], rows["bc"][row])
            assert np.array_equal(new["map/parameters"][place], old["map/parameters"][row])
        assert new["history/coverage"][-1] == len(fittest)
        assert new["history/best"][-1] == new["map/fitness"][:].max()
        assert new["history/qd_score"][-1] == pytest.approx(
            (new["map/fitness"][:] + 10.8).sum())
        stay = np.sum(rows["cell"] == rows["stored_cell"])
        assert f"{stay} of {len(rows['cell'])} elites stay in their cell" in text
        assert f"{np.sum(rows['kept'] == 0)} are replaced by a fitter elite" in text


def test_the_format_page_lists_every_name(evaluated, under_conditions):
    page = (ROOT / "docs" / "map-format.md").read_text()
    with h5py.File(under_conditions[0]) as new:
        assert all(f"`{name}`" in page for name in new["evaluation"].attrs)
    with h5py.File(evaluated[0]) as new:
        assert "conditions" not in new["evaluation"].attrs
        for name in (*new["evaluation"], *new["evaluation"].attrs, *new["novelty_archive"].attrs):
            assert f"`{name}`" in page
        assert list(new.attrs["format_version"]) == [1, 1]


def test_the_new_map_has_the_version_of_its_writer(tmp_path):
    shutil.copy(maze(), tmp_path / "map.h5")
    with h5py.File(tmp_path / "map.h5", "r+") as old:
        written = old.attrs["git_commit"]
        old.attrs.create("git_commit", b"?" * len(written), dtype=f"S{len(written)}")
    assert run("mees_evaluate", tmp_path / "map.h5", "--episodes", 1).returncode == 0
    with h5py.File(tmp_path / "map.evaluated.h5") as new:
        assert new.attrs["git_commit"] == written


def test_agrees_with_replay(evaluated):
    with h5py.File(evaluated[0]) as new:
        rows = new["evaluation"]
        for row in (0, len(rows["cell"]) - 1):
            replayed = run("mees_replay", maze(), "--cell", rows["stored_cell"][row], "--episodes",
                           5)
            mean = table(replayed.stdout)["mean"]
            assert float(mean["fitness"]) == pytest.approx(rows["fitness"][row], rel=2e-3)
            assert float(mean["x"]) == pytest.approx(rows["bc"][row, 0], rel=2e-3)


def test_printed_figures_are_those_of_the_episodes(evaluated):
    """Everything again from the single episodes, as mees_replay prints them."""
    path, text = evaluated
    with h5py.File(path) as new:
        rows = {name: values[:] for name, values in new["evaluation"].items()}
    episodes = np.array([
        [float(replayed[str(episode)]["fitness"]) for episode in range(5)]
        for replayed in (table(run("mees_replay", maze(), "--cell", cell, "--episodes", 5).stdout)
                         for cell in rows["stored_cell"])])
    assert rows["fitness_std"] == pytest.approx(episodes.std(axis=1, ddof=1), rel=0.02, abs=2e-3)

    def printed(words):
        line = next(line for line in text.splitlines() if words in line)
        value, error = line.split(words)[1].split(" +- ")
        return float(value), float(error.split(",")[0])

    best = np.argmax(rows["stored_fitness"])
    again, error = printed(f"the stored best (cell {rows['stored_cell'][best]}) measured again: ")
    assert again == pytest.approx(rows["fitness"][best], rel=1e-3)
    assert error == pytest.approx(rows["fitness_std"][best] / np.sqrt(5), rel=0.02)
    change, error = printed("mean change ")
    assert change == pytest.approx((rows["fitness"] - rows["stored_fitness"]).mean(), rel=1e-3)
    # All elites have the same five initial states, so there are five independent values.
    means = episodes.mean(axis=0)
    assert error == pytest.approx(means.std(ddof=1) / np.sqrt(5), rel=0.03)
    assert "standard error over the 5 episodes, which are the same for all elites" in text
    # The first and the last line have paths.
    assert max(map(len, text.splitlines()[1:-1])) <= 80
    assert f"fitness {rows['fitness_std'].mean():.3f}"[:13] in text


def test_independent_initial_states(tmp_path, evaluated):
    text = evaluate(tmp_path / "a.h5", "--independent", "--threads", 1)
    evaluate(tmp_path / "b.h5", "--independent", "--threads", 3)
    same, difference = same_map(tmp_path / "a.h5", tmp_path / "b.h5")
    assert same, difference
    with h5py.File(tmp_path / "a.h5") as own, h5py.File(evaluated[0]) as shared:
        assert own["evaluation"].attrs["independent"] == 1
        assert "independent" not in shared["evaluation"].attrs
        fitness = own["evaluation/fitness"][:]
        assert np.all(fitness != shared["evaluation/fitness"][:])
        change = fitness - own["evaluation/stored_fitness"][:]
    error = change.std(ddof=1) / np.sqrt(len(change))
    line = next(line for line in text.splitlines() if "mean change" in line)
    assert float(line.split(" +- ")[1].split(",")[0]) == pytest.approx(error, rel=0.01)
    assert "of the mean change over the elites" in text


def test_all_tools_read_it(evaluated):
    for command in ("summary", "cells", "heatmap", "history"):
        assert run("mees_inspect", command, evaluated[0]).returncode == 0
    assert "5 episodes" in run("mees_inspect", "summary", evaluated[0]).stdout
    assert run("mees_replay", evaluated[0], "--episodes", 1).returncode == 0


LONGER = set_options("domain.episode_steps=45", "domain.integrator=euler")


@pytest.fixture(scope="module")
def under_conditions(tmp_path_factory):
    path = tmp_path_factory.mktemp("conditions") / "new.h5"
    result = run("mees_evaluate", ant(), "--episodes", 3, "--out", path, *LONGER, "--threads", 1)
    assert result.returncode == 0, result.stderr
    return path, result.stdout


def test_other_conditions_agree_with_replay(under_conditions):
    path, text = under_conditions
    assert "domain.episode_steps = 45" in text and "not a map of the run" in text
    with h5py.File(path) as new:
        conditions = [value.decode() for value in new["evaluation"].attrs["conditions"]]
        assert conditions == ["domain.episode_steps = 45", 'domain.integrator = "euler"']
        rows = new["evaluation"]
        cell, fitness = rows["stored_cell"][0], rows["fitness"][0]
        best = new["map/fitness"][:].max()
    replayed = run("mees_replay", ant(), "--cell", cell, "--episodes", 3, *LONGER)
    assert float(table(replayed.stdout)["mean"]["fitness"]) == pytest.approx(fitness, rel=2e-3)
    # The new file has these conditions in its configuration, so it replays and adapts with them.
    replayed = run("mees_replay", path, "--episodes", 3)
    assert float(table(replayed.stdout)["mean"]["fitness"]) == pytest.approx(best, rel=2e-3)
    assert "conditions other than" not in replayed.stdout


def test_other_conditions_on_ranks(tmp_path, under_conditions):
    result = run("mees_evaluate", ant(), "--episodes", 3, "--out", tmp_path / "new.h5", *LONGER,
                 ranks=3)
    assert result.returncode == 0, result.stderr
    same, text = same_map(under_conditions[0], tmp_path / "new.h5")
    assert same, text


def test_a_map_under_other_conditions_is_not_mistaken_for_the_run(tmp_path, under_conditions):
    path, _ = under_conditions
    summary = run("mees_inspect", "summary", path).stdout
    assert 'domain.episode_steps = 45, domain.integrator = "euler" (not the run\'s)' in summary
    assert "not the run's" not in run("mees_inspect", "summary", ant()).stdout
    assert run("mees_inspect", "verify", path).returncode == 0
    folder = tmp_path / "run"
    folder.mkdir()
    shutil.copy(path, folder / "map.h5")
    result = run("mees_master", write_config(tmp_path, ANT), "--out", folder)
    refused(result, "mees_master", 3, "domain.episode_steps is 45 in the checkpoint")


def test_conditions_are_kept_when_the_map_is_evaluated_again(tmp_path, under_conditions):
    path, _ = under_conditions
    for changes, expected in (((), ["domain.episode_steps = 45", 'domain.integrator = "euler"']),
                              (("domain.episode_steps=20",),
                               ['domain.integrator = "euler"', "domain.episode_steps = 20"])):
        out = tmp_path / f"{len(changes)}.h5"
        result = run("mees_evaluate", path, "--episodes", 1, "--out", out, *set_options(*changes))
        assert result.returncode == 0, result.stderr
        with h5py.File(out) as new:
            stored = [value.decode() for value in new["evaluation"].attrs["conditions"]]
            assert stored == expected


def test_default_name_and_invalid_input(tmp_path):
    shutil.copy(maze(), tmp_path / "map.h5")
    assert run("mees_evaluate", tmp_path / "map.h5", "--episodes", 1).returncode == 0
    assert (tmp_path / "map.evaluated.h5").exists()
    refused(run("mees_evaluate", tmp_path / "map.h5"), "mees_evaluate", 3, "exists")
    (tmp_path / "text.h5").write_text("no map")
    for ranks in (0, 2):
        refused(run("mees_evaluate", tmp_path / "text.h5", ranks=ranks), "mees_evaluate", 3,
                "text.h5")
    refused(run("mees_evaluate", maze(), "--episodes", 0), "mees_evaluate", 2)
    assert not (tmp_path / "text.evaluated.h5").exists()
