"""Every algorithm on point_maze: bit-identical however it is run, with its search behaviour."""

import h5py
import numpy as np
import pytest
from harness.configs import set_options, settings, write_config
from harness.programs import ROOT, run, same_map

ALGORITHMS = {
    "me-es": [],
    "me-ga": ["algorithm.children=6"],
    "ns-es": ["algorithm.parents=3"],
    "nsr-es": ["algorithm.parents=3", "algorithm.parent_choice=round-robin"],
    "nsra-es": ["algorithm.parents=3", "algorithm.nsra_patience=2"],
    "es": [],
    "memes": ["algorithm.emitters=3", "algorithm.emitter_patience=2"],
    "ga": ["algorithm.children=8", "algorithm.truncation=3", "algorithm.elite_candidates=2",
           "algorithm.elite_episodes=3"],
    "ns": ["algorithm.children=8", "algorithm.truncation=3", "algorithm.archive_probability=0.2"],
    "cma-mae": ["algorithm.emitters=3", "es.population=8", "algorithm.threshold_rate=0.1"],
    "cma-me": ["algorithm.emitters=3", "es.population=8"],
    "cma-mega": ["algorithm.children=6", "es.population=8"],
    "nslc": ["algorithm.children=8", "algorithm.truncation=3", "algorithm.archive_probability=0.2"],
}


def test_every_algorithm_is_tested_here_and_documented(tmp_path):
    refused = run("mees_master", write_config(tmp_path), "--set", "algorithm.name=unknown")
    names = refused.stderr.split("must be one of ")[1].split(")")[0].split(", ")
    assert set(names) == set(ALGORITHMS)
    page = (ROOT / "docs" / "algorithms.md").read_text(encoding="utf-8").splitlines()
    headings = " ".join(line for line in page if line.startswith("## "))
    assert [name for name in names if f"`{name}`" not in headings] == []


def options(name, extra):
    return set_options(f"algorithm.name={name}", *extra)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_same_bits_interrupted_and_on_other_ranks(tmp_path, name):
    config = write_config(tmp_path)
    chosen = options(name, ALGORITHMS[name])
    straight = run("mees_master", config, "--out", tmp_path / "a", "--threads", 2, *chosen)
    assert straight.returncode == 0, straight.stderr
    for generations, ranks in ((1, 3), (4, 0), (6, 2)):
        part = run("mees_master", config, "--out", tmp_path / "b", "--generations", generations,
                   *chosen, ranks=ranks)
        assert part.returncode == 0, part.stderr
    same, text = same_map(tmp_path / "a" / "map.h5", tmp_path / "b" / "map.h5")
    assert same, text
    with h5py.File(tmp_path / "a" / "map.h5") as file:
        assert len(file["history/generation"]) == 7
        assert file.attrs["algorithm"].decode() == name


@pytest.mark.parametrize("extra", [
    ["algorithm.novelty_metric=squared"], ["algorithm.mode_schedule=coin"], ["es.optimizer=sgd"],
    ["es.divide_by_sigma=true"], ["algorithm.explore_cells=most-novel-mixed"],
    ["algorithm.exploit_cells=best-or-uniform"], ["policy.init=xavier"], ["es.paired_seeds=true"],
    ["policy.hidden_norm=1"],
    ["algorithm.objectives=fitness,novelty,evolvability"],
    ["algorithm.objectives=0.5*fitness + 0.5*novelty,max-var,0.2*novelty + max-ent",
     "algorithm.kernel_width=0.05"],
    ["es.seeds=generation", "es.episodes_per_offspring=2", "es.direction_fraction=0.4",
     "es.utility=standardised", "es.sigma_decay=0.9", "es.learning_rate_decay=0.9"],
    ["es.optimizer=clipup", "es.optimizer_state=inherit", "algorithm.confirm_offspring=3"],
    ["es.steps_per_generation=9000", "policy.output=linear"],
    ["algorithm.starts=3", "algorithm.name=es", "algorithm.start_generations=2"],
    ["algorithm.name=memes", "algorithm.emitters=2", "algorithm.confirm_offspring=2",
     "algorithm.confirm_margin=0.5", "es.optimizer_state=inherit", "es.steps_per_generation=9000"],
    ["map.type=cvt", "map.cvt_cells=30", "map.cvt_samples=2000"],
    ["algorithm.name=memes", "algorithm.emitters=3", "algorithm.novelty_window=5",
     "algorithm.novelty_k=4",
     "algorithm.explore_cells=uniform", "algorithm.exploit_cells=uniform", "es.l2=0"],
    ["algorithm.name=me-ga", "algorithm.children=6", "algorithm.variation=iso-line",
     "algorithm.parent_cells=per-child"],
    ["algorithm.emitter_optimizer=sep-cma-es", "algorithm.name=cma-mae", "algorithm.emitters=3",
     "es.population=8", "algorithm.threshold_rate=0.1"],
    ["algorithm.emitters=2", "algorithm.name=cma-me", "es.population=8", "es.seeds=generation",
     "algorithm.emitter_optimizer=sep-cma-es"],
    ["es.direction_fraction=0.5", "es.utility=standardised", "algorithm.name=cma-mae",
     "algorithm.emitters=2", "es.population=8"],
    ["es.utility=standardised", "es.direction_fraction=0.5", "algorithm.name=cma-mega",
     "algorithm.children=6", "es.population=8", "es.episodes_per_offspring=2"],
], ids=lambda extra: extra[0])
def test_options_are_reachable_and_resume(tmp_path, extra):
    config = write_config(tmp_path)
    chosen = set_options(*extra)
    assert run("mees_master", config, "--out", tmp_path / "a", *chosen).returncode == 0
    for generations in (3, 6):
        part = run("mees_master", config, "--out", tmp_path / "b", "--generations", generations,
                   *chosen, ranks=2)
        assert part.returncode == 0, part.stderr
    same, text = same_map(tmp_path / "a" / "map.h5", tmp_path / "b" / "map.h5")
    assert same, text


def test_centroids_from_a_file(tmp_path):
    rows = np.random.default_rng(0).uniform(-5, 5, (12, 2))
    np.savetxt(tmp_path / "cells.csv", rows, delimiter=",")
    config = write_config(tmp_path)
    chosen = ["--set", "map.type=cvt", "--set", f"map.cvt_file={tmp_path / 'cells.csv'}"]
    assert run("mees_master", config, "--out", tmp_path / "a", *chosen).returncode == 0
    with h5py.File(tmp_path / "a" / "map.h5") as file:
        assert np.allclose(file["map/centroids"], rows)
    (tmp_path / "cells.csv").write_text("1,2\n3\n")
    bad = run("mees_master", config, "--out", tmp_path / "b", *chosen)
    assert bad.returncode == 3 and "line 2" in bad.stderr
    assert not (tmp_path / "b").exists()


@pytest.mark.parametrize("name, bounds", [
    ("es", (80 + 4, 9000 + 4)), ("cma-mega", (20 + 7 * 4, None)), ("me-ga", (6 * 4, None)),
])
def test_previews_of_generations_of_a_number_of_steps(tmp_path, name, bounds):
    """Of 20 offspring and episodes of 120 steps: 9,000 steps need four blocks of complete episodes
    (2,400 steps each), or 450 of episodes of one step."""
    config = write_config(tmp_path)
    shown = run("mees_master", config, "--dry-run", *set_options(
        f"algorithm.name={name}", "es.steps_per_generation=9000", "domain.episode_steps=120",
        "algorithm.children=6"))
    assert shown.returncode == 0, shown.stderr
    lines = {line[:25].strip(): line[25:].strip() for line in shown.stdout.splitlines()}
    least, most = bounds
    episodes = f"at least {least}, at most {most}" if most else f"{least}"
    assert lines["episodes per generation"] == episodes
    start = 4
    total = f"at least {start + 6 * least}, at most {start + 6 * most}" if most \
        else f"{start + 6 * least}"
    assert lines["total episodes"] == total


def test_previews_do_not_compute_centroids(tmp_path):
    """30 iterations over 10^9 points of 4 numbers would take hours, and 32 GB."""
    config = write_config(tmp_path)
    chosen = set_options("domain.name=ant", "map.type=cvt", "map.cvt_cells=100000",
                         "map.cvt_samples=1000000000")
    shown = run("mees_master", config, "--dry-run", *chosen)
    assert shown.returncode == 0, shown.stderr
    assert "100000 (CVT)" in shown.stdout
    assert run("mees_master", config, "--show-config", *chosen).returncode == 0


TRAP = settings(run={"generations": 40}, policy={"hidden": [16]},
                es={"population": 60, "sigma": 0.05, "learning_rate": 0.05},
                checkpoint={"every_generations": 0})


@pytest.fixture(scope="module", name="found")
def searched(tmp_path_factory):
    """The results of searches of 40 generations of 60 offspring: the best fitness, the number of
    filled cells, and the history. A search that only climbs ends at the trap's back wall, 4.95 m
    from the goal."""
    folder = tmp_path_factory.mktemp("trap")
    config = write_config(folder, TRAP)
    done = {}

    def search(*changes):
        if changes not in done:
            out = folder / str(len(done))
            result = run("mees_master", config, "--out", out,
                         *set_options(*changes))
            assert result.returncode == 0, result.stderr
            with h5py.File(out / "map.h5") as file:
                history = {name: values[:] for name, values in file["history"].items()}
                done[changes] = float(np.max(file["map/fitness"])), len(file["map/cell"]), history
        return done[changes]

    return search


BACK_WALL = pytest.approx(-4.95, abs=0.1)


def test_exploit_and_es_climb_into_the_trap(found):
    assert found("algorithm.mode=exploit")[0] == BACK_WALL
    assert found("algorithm.name=es")[0] == BACK_WALL


@pytest.mark.parametrize("changes", [
    ("algorithm.mode=explore",),
    ("algorithm.name=ns-es",),
    ("algorithm.name=me-ga", "algorithm.children=16", "es.sigma=0.3"),
], ids=["explore", "ns-es", "me-ga"])
def test_explorers_spread(found, changes):
    climbed = max(found("algorithm.mode=exploit")[1], found("algorithm.name=es")[1])
    assert found(*changes)[1] > 2 * climbed


POPULATION = ("algorithm.children=16", "algorithm.truncation=4", "es.sigma=0.3")


def test_population_searches_climb_spread_and_do_both(found):
    """GA ends at the wall, NS and NSLC fill more cells."""
    ga = found("algorithm.name=ga", "algorithm.elite_candidates=2", *POPULATION)
    ns = found("algorithm.name=ns", "algorithm.archive_probability=0.1", *POPULATION)
    nslc = found("algorithm.name=nslc", "algorithm.archive_probability=0.1", *POPULATION)
    assert ga[0] > BACK_WALL.expected - 0.3
    assert ns[1] > ga[1] and nslc[1] > ga[1]


def test_cma_mae_climbs_and_spreads(found):
    """Rate 0 optimises fitness alone and ends in the trap; larger rates also fill cells."""
    budget = ("algorithm.emitters=4", "es.population=16", "algorithm.n_eval=1")
    climbed = found("algorithm.name=cma-mae", "algorithm.threshold_rate=0", *budget)
    both = found("algorithm.name=cma-mae", "algorithm.threshold_rate=0.1", *budget)
    spread = found("algorithm.name=cma-me", *budget)
    assert climbed[0] > BACK_WALL.expected - 0.3
    assert both[1] > climbed[1] and spread[1] > climbed[1]


def test_separable_emitters_climb_and_spread(found):
    budget = ("algorithm.emitters=4", "es.population=16", "algorithm.n_eval=1",
              "algorithm.emitter_optimizer=sep-cma-es", "es.learning_rate=0.01")
    climbed = found("algorithm.name=cma-mae", "algorithm.threshold_rate=0", *budget)
    spread = found("algorithm.name=cma-me", *budget)
    assert climbed[0] > BACK_WALL.expected - 0.3
    assert spread[1] > climbed[1]


def test_cma_mega_climbs_and_spreads(found):
    """With the episodes of the others, it fills more cells than ES, which only climbs."""
    best, cells, history = found("algorithm.name=cma-mega", "algorithm.n_eval=1",
                                 "es.population=30", "algorithm.children=30")
    assert best > BACK_WALL.expected - 0.3
    assert cells > 2 * found("algorithm.name=es")[1]
    assert history["episodes"][-1] == 1 + 40 * (30 + 31)


@pytest.mark.parametrize("changes", [
    ("algorithm.mode=explore-exploit",),
    ("algorithm.name=nsr-es",),
    ("algorithm.name=nsra-es", "algorithm.nsra_patience=4"),
], ids=["explore-exploit", "nsr-es", "nsra-es"])
def test_algorithms_that_seek_both_leave_the_trap(found, changes):
    """They spread, and come closer to the goal than either of climbing and spreading alone."""
    best, cells, history = found(*changes)
    assert cells > 2 * found("algorithm.name=es")[1]
    assert best > found("algorithm.mode=exploit")[0] + 0.5
    assert best > found("algorithm.mode=explore")[0] + 0.5
    if "algorithm.name=nsra-es" in changes:
        # Up while the way to the wall is short of it, down when the best is not beaten any more.
        assert np.max(history["weight"][:15]) > 0.6 and history["weight"][-1] < 0.5
    else:
        assert np.all(history["weight"] == 0.5)


def test_several_objectives_climb_and_spread_at_once(found):
    alone = found("algorithm.mode=exploit")
    best, cells, history = found("algorithm.mode=exploit", "algorithm.objectives=fitness,novelty")
    assert best == BACK_WALL
    assert cells > 1.5 * alone[1]
    assert np.max(history["inserted"]) == 2 and np.max(alone[2]["inserted"]) == 1
    assert history["episodes"][-1] == alone[2]["episodes"][-1] + 40 * 4


def test_half_fitness_half_novelty_is_the_objective_of_nsr_es(found):
    """Of one parent, without cells: the same search as NSR-ES, whose weights are fixed."""
    same = ("algorithm.mode=explore", "algorithm.n_optim_gens=1000")
    nsr = found("algorithm.name=nsr-es", "algorithm.parents=1")
    best, cells, history = found("algorithm.objectives=0.5*fitness + 0.5*novelty", *same)
    assert (best, cells) == nsr[:2]
    assert np.array_equal(history["fitness"], nsr[2]["fitness"])


def test_memes_explores_and_exploits_simultaneously(found):
    """Four emitters of 16 offspring, about the episodes of one of 60: many insertions per
    generation, the wall reached and the cells of an explorer filled."""
    best, cells, history = found("algorithm.name=memes", "algorithm.emitters=4", "es.population=16")
    assert best > found("algorithm.mode=exploit")[0] - 0.1
    assert cells > 2 * found("algorithm.mode=exploit")[1]
    assert np.max(history["inserted"]) == 4
