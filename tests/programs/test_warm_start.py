"""Runs that start from the elites of another map."""

import h5py
import numpy as np
import pytest
from harness.configs import set_options, settings, write_config
from harness.programs import run, same_map


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    folder = tmp_path_factory.mktemp("first")
    result = run("mees_master", write_config(folder), "--out", folder / "run")
    assert result.returncode == 0, result.stderr
    return folder / "run" / "map.h5"


def start(folder, first, *changes, out="run", more=(), **options):
    """A short run that starts from `first`, in longer episodes."""
    configuration = settings(run={"generations": 3, "start_from": str(first)},
                             domain={"episode_steps": 250})
    return run("mees_master", write_config(folder, configuration), "--out", folder / out,
               *set_options(*changes), *more, **options)


def cells_of(path):
    with h5py.File(path) as file:
        return file["map/cell"][:]


@pytest.mark.parametrize("name", ["me-es", "me-ga", "es", "ns-es", "memes", "ga", "ns", "nslc",
                                  "cma-mae", "cma-me", "cma-mega"])
def test_elites_are_evaluated_and_offered_in_generation_0(tmp_path, first, name):
    result = start(tmp_path, first, f"algorithm.name={name}", "algorithm.emitters=2",
                   "algorithm.parents=2", "algorithm.children=3", "algorithm.truncation=2",
                   "algorithm.elite_candidates=2", "algorithm.elite_episodes=5")
    assert result.returncode == 0, result.stderr
    with h5py.File(first) as file:
        elites = len(file["map/cell"])
    with h5py.File(tmp_path / "run" / "map.h5") as file:
        assert str(first) in file.attrs["start_from"].decode()
        parents = {"ns-es": 2, "ga": 3, "ns": 3, "nslc": 3}.get(name, 1)
        repeated = 2 * 5 if name == "ga" else 0
        assert file["history/episodes"][0] == 4 * (elites + parents) + repeated
        assert file["history/inserted"][0] >= 1
        assert file["history/coverage"][0] >= elites // 2


def test_a_margin_does_not_lower_the_elites_of_the_first_map(tmp_path, first):
    """It holds for confirmed offspring."""
    for out, margin in (("plain", 0), ("margin", 2)):
        result = start(tmp_path, first, "run.generations=0", "algorithm.confirm_offspring=2",
                       f"algorithm.confirm_margin={margin}", out=out)
        assert result.returncode == 0, result.stderr
    figures = []
    for out in ("plain", "margin"):
        with h5py.File(tmp_path / out / "map.h5") as file:
            assert file["map/fitness_std"][:].max() > 0
            figures.append(file["map/fitness"][:].tolist())
    assert figures[0] == figures[1]


def test_the_best_alone_and_chosen_cells(tmp_path, first):
    cells = cells_of(first)
    for words, count in (("best", 1), (f"{cells[0]},{cells[-1]}", 2)):
        result = start(tmp_path, first, f"run.start_cells='{words}'", out=f"run{count}")
        assert result.returncode == 0, result.stderr
        with h5py.File(tmp_path / f"run{count}" / "map.h5") as file:
            assert file["history/episodes"][0] == 4 * (count + 1)


@pytest.mark.parametrize("name", ["me-es", "ga", "cma-mae", "cma-mega"])
def test_same_bits_interrupted_and_without_the_first_map(tmp_path, first, name):
    moved = tmp_path / "first.h5"
    moved.write_bytes(first.read_bytes())
    chosen = (f"algorithm.name={name}", "algorithm.emitters=2", "algorithm.children=6",
              "algorithm.truncation=3", "algorithm.elite_candidates=2", "es.population=8")
    assert start(tmp_path, moved, *chosen, out="a").returncode == 0
    result = start(tmp_path, moved, *chosen, "run.generations=1", out="b", ranks=3)
    assert result.returncode == 0, result.stderr
    moved.unlink()
    result = start(tmp_path, moved, *chosen, out="b", ranks=2)
    assert result.returncode == 0, result.stderr
    same, text = same_map(tmp_path / "a" / "map.h5", tmp_path / "b" / "map.h5")
    assert same, text


def test_fine_tuning_of_a_damaged_robot(tmp_path):
    """The same controllers on an Ant whose motors of one leg hardly act have another fitness in
    generation 0, and the run continues from there."""
    ant = settings(domain={"name": "ant", "episode_steps": 20}, run={"generations": 2},
                   es={"population": 8}, policy={"init": "xavier"})
    config = write_config(tmp_path, ant)
    assert run("mees_master", config, "--out", tmp_path / "first").returncode == 0
    origin = f"run.start_from={tmp_path / 'first' / 'map.h5'}"
    fitness = {}
    for out, changes in (("intact", []), ("damaged", ["domain.damage=J0,J1"])):
        result = run("mees_master", config, "--out", tmp_path / out, *set_options(origin, *changes))
        assert result.returncode == 0, result.stderr
        with h5py.File(tmp_path / out / "map.h5") as file:
            fitness[out] = file["history/best"][0]
            assert len(file["history/generation"]) == 3
    assert fitness["intact"] != fitness["damaged"]


def test_summary_names_the_first_map(tmp_path, first):
    assert start(tmp_path, first).returncode == 0
    result = run("mees_inspect", "summary", tmp_path / "run" / "map.h5")
    assert f"start from  {first} (sha256 " in result.stdout


@pytest.mark.parametrize("changes, code, words", [
    (["policy.hidden=9"], 3, "its network is"),
    (["policy.output=linear"], 3, "linear"),
    (["domain.name=ant", "policy.hidden=8"], 3, "cannot start from"),
    (["run.start_cells=99999"], 3, "99999"),
    (["run.start_cells=fittest"], 2, "run.start_cells"),
    (["run.start_from=missing.h5"], 3, "missing.h5"),
], ids=lambda value: str(value))
def test_refusals_write_nothing(tmp_path, first, changes, code, words):
    """Neither the run nor its dry run accepts the map."""
    for more in ([], ["--dry-run"]):
        result = start(tmp_path, first, *changes, more=more)
        assert result.returncode == code, result.stderr
        assert words in result.stderr
        assert not (tmp_path / "run").exists()


def test_the_dry_run_counts_the_elites(tmp_path, first):
    """Each is evaluated n_eval = 4 times, like the initial controller and that of each of the three
    generations, which have a population of 20."""
    result = start(tmp_path, first, more=["--dry-run"])
    assert result.returncode == 0, result.stderr
    total = 4 * (len(cells_of(first)) + 1) + 3 * (20 + 4)
    line = next(line for line in result.stdout.splitlines() if line.startswith("total episodes"))
    assert int(line.split()[2].replace(",", "")) == total
    assert not (tmp_path / "run").exists()


@pytest.fixture(scope="module")
def with_optimisers(tmp_path_factory):
    """A map whose elites keep the states of their Adam."""
    folder = tmp_path_factory.mktemp("adam")
    result = run("mees_master", write_config(folder), "--out", folder / "run",
                 *set_options("es.optimizer_state=inherit"))
    assert result.returncode == 0, result.stderr
    return folder / "run" / "map.h5"


def test_cycles_continue_with_the_optimiser_of_the_first_map(tmp_path, with_optimisers):
    """With me-es every cycle copies an elite; the only one here keeps a state of several steps."""
    steps = {}
    for name, changes in {
        "reset": ["es.optimizer_state=reset"],
        "inherit": ["es.optimizer_state=inherit"],
        "clipup": ["es.optimizer_state=inherit", "es.optimizer=clipup", "es.clipup_speed=0.1"],
    }.items():
        result = start(tmp_path, with_optimisers, "run.generations=0", "run.start_cells=best",
                       *changes, out=name)
        assert result.returncode == 0, result.stderr
        with h5py.File(tmp_path / name / "map.h5") as file:
            group = file.get("state/elite_optimiser")
            steps[name] = 0 if group is None else int(group["steps"][:].max())
    assert steps["inherit"] > 0
    assert steps["reset"] == steps["clipup"] == 0


def test_another_behaviour_of_the_same_network_is_refused(tmp_path, first):
    renamed = tmp_path / "renamed.h5"
    renamed.write_bytes(first.read_bytes())
    with h5py.File(renamed, "r+") as file:
        stored = file["map"].attrs["bc_names"]
        file["map"].attrs["bc_names"] = np.array([b"u", b"v"], dtype=stored.dtype)
    result = start(tmp_path, renamed)
    assert result.returncode == 3, result.stderr
    assert "its BC is u, v, this run's is x, y" in result.stderr
    assert "Start from a map with the same BC names." in result.stderr
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("changes, words", [
    (["domain.training_without=alive"], "the domain point_maze has distance"),
    (["domain.training_without=distance"], "every reward term"),
    (["algorithm.confirm_offspring=21"], "at most es.population"),
    (["algorithm.confirm_margin=0.5"], "0 unless confirm_offspring is positive"),
    (["algorithm.confirm_offspring=2", "algorithm.confirm_margin=0.5", "algorithm.n_eval=1"],
     "n_eval at least 2"),
    (["es.sigma_limit=0.5"], "at most es.sigma"),
    (["es.seeds=generation", "es.paired_seeds=true"], "contradicts"),
], ids=lambda value: str(value))
def test_impossible_settings_are_refused(tmp_path, changes, words):
    result = run("mees_master", write_config(tmp_path), "--out", tmp_path / "run",
                 *set_options(*changes))
    assert result.returncode == 2, result.stderr
    assert words in result.stderr
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("name", ["es", "cma-mega"])
def test_terms_left_out_of_training_stay_in_the_map(tmp_path, name):
    """On the Ant a motionless controller has about 1 a step, whatever training leaves out. Without
    the way forward, training makes other steps, which are the same however the run is divided."""
    configuration = settings(domain={"name": "ant", "episode_steps": 20}, run={"generations": 3},
                             es={"population": 8}, algorithm={"name": name, "children": 4})
    config = write_config(tmp_path, configuration)
    without = "domain.training_without=forward"
    fitness = {}
    for out, changes in (("a", []), ("b", [without])):
        result = run("mees_master", config, "--out", tmp_path / out, *set_options(*changes))
        assert result.returncode == 0, result.stderr
        with h5py.File(tmp_path / out / "map.h5") as file:
            fitness[out] = file["history/fitness"][:]
    assert fitness["a"][0] == fitness["b"][0] > 15
    assert fitness["a"][-1] != fitness["b"][-1]
    for generations, ranks in ((1, 3), (3, 2)):
        part = run("mees_master", config, "--out", tmp_path / "c", "--generations", generations,
                   *set_options(without), ranks=ranks)
        assert part.returncode == 0, part.stderr
    same, text = same_map(tmp_path / "b" / "map.h5", tmp_path / "c" / "map.h5")
    assert same, text
