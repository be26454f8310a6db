"""Every algorithm on point_maze: same bits however it is run, and each does what it is for."""

import h5py
import numpy as np
import pytest
from programs import SMALL, run, same_map, small_config

ALGORITHMS = {
    "me-es": [],
    "me-ga": ["algorithm.children=6"],
    "ns-es": ["algorithm.parents=3"],
    "nsr-es": ["algorithm.parents=3", "algorithm.parent_choice=round-robin"],
    "nsra-es": ["algorithm.parents=3", "algorithm.nsra_patience=2"],
    "es": [],
    "memes": ["algorithm.emitters=3", "algorithm.emitter_patience=2"],
}


def options(name, extra):
    result = ["--set", f"algorithm.name={name}"]
    for text in extra:
        result += ["--set", text]
    return result


@pytest.mark.parametrize("name", ALGORITHMS)
def test_same_bits_interrupted_and_on_other_ranks(tmp_path, name):
    config = small_config(tmp_path)
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
    ["algorithm.objectives=fitness,novelty,evolvability"],
    ["map.type=cvt", "map.cvt_cells=30", "map.cvt_samples=2000"],
    ["algorithm.name=me-ga", "algorithm.children=6", "algorithm.variation=iso-line",
     "algorithm.parent_cells=per-child"],
], ids=lambda extra: extra[0])
def test_options_are_reachable_and_resume(tmp_path, extra):
    config = small_config(tmp_path)
    chosen = [word for text in extra for word in ("--set", text)]
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
    config = small_config(tmp_path)
    chosen = ["--set", "map.type=cvt", "--set", f"map.cvt_file={tmp_path / 'cells.csv'}"]
    assert run("mees_master", config, "--out", tmp_path / "a", *chosen).returncode == 0
    with h5py.File(tmp_path / "a" / "map.h5") as file:
        assert np.allclose(file["map/centroids"], rows)
    (tmp_path / "cells.csv").write_text("1,2\n3\n")
    bad = run("mees_master", config, "--out", tmp_path / "b", *chosen)
    assert bad.returncode == 3 and "line 2" in bad.stderr
    assert not (tmp_path / "b").exists()


TRAP = SMALL.replace("hidden = [8]", "hidden = [16]").replace("generations = 6", "generations = 40") \
    .replace("population = 20", "population = 60\nsigma = 0.05\nlearning_rate = 0.05") \
    .replace("every_generations = 1", "every_generations = 0")


def outcome(folder, config, *chosen):
    result = run("mees_master", config, "--out", folder, *chosen)
    assert result.returncode == 0, result.stderr
    with h5py.File(folder / "map.h5") as file:
        return float(np.max(file["map/fitness"])), len(file["map/cell"])


def test_each_does_what_it_is_for(tmp_path):
    """40 generations of 60 offspring: climbers reach the trap's back wall (4.95 m from the goal),
    explorers spread."""
    config = small_config(tmp_path, TRAP)
    found = {}
    for name, extra in {
        "exploit": ["algorithm.mode=exploit"],
        "explore": ["algorithm.mode=explore"],
        "es": ["algorithm.name=es"],
        "ns-es": ["algorithm.name=ns-es"],
        "me-ga": ["algorithm.name=me-ga", "algorithm.children=16", "es.sigma=0.3"],
    }.items():
        chosen = [word for text in extra for word in ("--set", text)]
        found[name] = outcome(tmp_path / name, config, *chosen)
    assert found["exploit"][0] == pytest.approx(-4.95, abs=0.1), found
    assert found["es"][0] == pytest.approx(-4.95, abs=0.1), found
    assert found["explore"][1] > 2 * found["exploit"][1], found
    assert found["ns-es"][1] > 2 * found["es"][1], found
    assert found["me-ga"][1] > 2 * found["exploit"][1], found
