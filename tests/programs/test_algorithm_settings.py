"""Which settings of algorithms are refused before a run, and which are named as without effect."""

import h5py
import numpy as np
import pytest
from harness.configs import set_options, settings, write_config
from harness.programs import run


@pytest.mark.parametrize("change", [
    "algorithm.truncation=900", "noise.table_size=10",
    "domain.training_without=wings",
])
def test_settings_are_refused_before_centroids_are_computed(tmp_path, change):
    """30 iterations over 10^9 points of 4 numbers would take hours."""
    config = write_config(tmp_path)
    chosen = set_options("domain.name=ant", "map.type=cvt", "map.cvt_cells=100000",
                         "map.cvt_samples=1000000000", "algorithm.name=ns", change)
    refused = run("mees_master", config, "--out", tmp_path / "a", *chosen, timeout=60)
    assert refused.returncode == 2, refused.stderr
    assert change.split("=")[0] in refused.stderr
    assert not (tmp_path / "a").exists()


@pytest.mark.parametrize("setting", [
    "algorithm.novelty_k=0", "algorithm.objectives=fitness,speed",
    "algorithm.objectives=novelty,novelty", "algorithm.objectives=fitness,0.5*fitness",
    "algorithm.objectives=0.5*fitness + -1*novelty",
    "algorithm.objectives=fitness + fitness", "algorithm.objectives=0*fitness",
    "algorithm.objectives=max_ent", "algorithm.kernel_width=0.0001", "algorithm.kernel_width=11",
    "algorithm.parents=0", "algorithm.emitters=0", "algorithm.explore_share=1.5",
    "algorithm.n_eval=0",
    "es.population=21", "algorithm.name=nses", "algorithm.explore_cells=best-or-uniform",
])
def test_invalid_settings_are_refused_before_the_run(tmp_path, setting):
    config = write_config(tmp_path)
    refused = run("mees_master", config, "--out", tmp_path / "a", "--set", setting)
    assert refused.returncode == 2, refused.stderr
    assert setting.split("=")[0] in refused.stderr
    assert not (tmp_path / "a").exists()


@pytest.mark.parametrize("changes", [
    ("algorithm.truncation=9", "algorithm.name=ns", "algorithm.children=8"),
    ("algorithm.truncation=9", "algorithm.name=nslc", "algorithm.children=8"),
    ("algorithm.truncation=8", "algorithm.name=ns", "algorithm.children=8"),
    ("algorithm.truncation=8", "algorithm.name=nslc", "algorithm.children=8"),
    ("algorithm.elite_candidates=4", "algorithm.name=ga", "algorithm.truncation=3"),
    ("algorithm.explore_share=0.05", "algorithm.name=memes"),
    ("algorithm.explore_share=0.95", "algorithm.name=memes"),
    ("es.population=2", "algorithm.objectives=max-var"),
    ("es.population=2", "algorithm.objectives=fitness,evolvability"),
    ("algorithm.children=1", "algorithm.name=cma-mega"),
    ("es.population=2", "algorithm.name=cma-mega"),
    ("es.direction_fraction=0.1", "algorithm.name=cma-mega"),
    ("algorithm.elite_candidates=1", "algorithm.name=ga"),
    ("algorithm.truncation=1", "algorithm.name=ga"),
    ("algorithm.archive_probability=0", "algorithm.name=ns", "algorithm.children=1",
     "algorithm.truncation=1"),
    ("algorithm.archive_probability=0", "algorithm.name=nslc", "algorithm.children=1",
     "algorithm.truncation=1"),
    ("algorithm.novelty_window=9", "algorithm.name=memes"),
])
def test_meaningless_combinations_are_refused_before_the_run(tmp_path, changes):
    config = write_config(tmp_path)
    for extra in ([], ["--dry-run"]):
        refused = run("mees_master", config, "--out", tmp_path / "a", *extra,
                      *set_options(*changes))
        assert refused.returncode == 2, refused.stderr
        assert changes[0].split("=")[0] in refused.stderr
        assert not (tmp_path / "a").exists()
    # Keys of another algorithm do not matter.
    others = [change for change in changes if not change.startswith("algorithm.name")]
    accepted = run("mees_master", config, "--dry-run",
                   *set_options("algorithm.name=me-ga", *others))
    assert accepted.returncode == 0, accepted.stderr


@pytest.mark.parametrize("name, keys", [
    ("me-es", {}),
    ("cma-mega", {}),
    ("cma-mae", {"es.episodes_per_offspring", "policy.action_noise", "domain.training_without"}),
    ("cma-me", {"es.episodes_per_offspring", "policy.action_noise", "domain.training_without",
                "es.utility"}),
    *((name, {"es.episodes_per_offspring", "policy.action_noise", "domain.training_without",
              "es.utility", "es.direction_fraction"}) for name in ("ga", "ns", "nslc", "me-ga")),
])
def test_keys_without_effect_are_named(tmp_path, name, keys):
    """Once, in the log; they change nothing."""
    config = write_config(tmp_path, settings(
        domain={"name": "ant", "episode_steps": 5}, run={"generations": 2},
        algorithm={"name": name, "children": 4, "truncation": 2, "elite_candidates": 2,
                   "elite_episodes": 2, "emitters": 2}, es={"population": 8}))
    values = {"es.episodes_per_offspring": "2", "policy.action_noise": "0.5",
              "domain.training_without": "forward", "es.utility": "standardised",
              "es.direction_fraction": "0.5", "run.start_cells": "best"}
    given = set_options(*(f"{key}={value}" for key, value in values.items()))
    assert run("mees_master", config, "--out", tmp_path / "a", *given).returncode == 0
    lines = [line for line in (tmp_path / "a" / "mees.log").read_text().splitlines()
             if "keys without effect in this run: " in line]
    assert len(lines) == 1
    assert {key for key in values if f"{key} (only with" in lines[0]} == {*keys, "run.start_cells"}
    assert "run.start_cells (only with run.start_from)" in lines[0]
    rest = set_options(*(f"{key}={value}" for key, value in values.items() if key not in keys))
    assert run("mees_master", config, "--out", tmp_path / "b", *rest).returncode == 0
    with h5py.File(tmp_path / "a" / "map.h5") as a, h5py.File(tmp_path / "b" / "map.h5") as b:
        assert np.array_equal(a["map/parameters"], b["map/parameters"])
        assert np.array_equal(a["history/fitness"], b["history/fitness"])


@pytest.mark.parametrize("name", ["cma-mae", "cma-me"])
def test_keys_that_separable_cma_es_does_not_use_are_named(tmp_path, name):
    """A preset that sets keys of a gradient step runs with it, as if they were not set."""
    config = write_config(tmp_path)
    chosen = set_options(f"algorithm.name={name}", "algorithm.emitter_optimizer=sep-cma-es",
                         "algorithm.emitters=2", "es.population=8", "run.generations=3")
    keys = ["es.learning_rate=0.02", "es.l2=0", "es.optimizer=sgd", "es.divide_by_sigma=true",
            "es.sigma_decay=0.9", "es.sigma_limit=0.001", "es.learning_rate_decay=0.9",
            "es.learning_rate_limit=0.001", "es.seeds=pair", "es.direction_fraction=0.5"]
    for out, extra in (("a", keys), ("b", [])):
        done = run("mees_master", config, "--out", tmp_path / out, *chosen, *set_options(*extra))
        assert done.returncode == 0, done.stderr
    log = (tmp_path / "a" / "mees.log").read_text()
    (line,) = [line for line in log.splitlines() if "keys without effect in this run: " in line]
    for key in keys:
        words = f"{key.split('=')[0]} (only with algorithm.emitter_optimizer = openai-es)"
        assert words in line
    with h5py.File(tmp_path / "a" / "map.h5") as a, h5py.File(tmp_path / "b" / "map.h5") as b:
        assert np.array_equal(a["map/parameters"], b["map/parameters"])
        assert np.array_equal(a["history/fitness"], b["history/fitness"])


@pytest.mark.parametrize("changes, words", [
    (["es.optimizer=sgd", "es.optimizer_state=inherit"], "this optimiser has no state"),
    (["es.optimizer=sgd", "es.optimizer_state=inherit", "algorithm.name=memes"],
     "this optimiser has no state"),
    (["algorithm.chain_links=3", "algorithm.chain_steps=9", "algorithm.chain_append=0"],
     "no link would ever be appended"),
    (["algorithm.name=cma-mae", "es.population=1000000000", "algorithm.n_eval=1000000",
      "algorithm.emitters=1000000"], "1e+21 episodes per generation"),
    (["algorithm.name=memes", "es.population=1000000000", "es.episodes_per_offspring=1000000",
      "algorithm.emitters=1000000"], "episodes per generation"),
    (["algorithm.objectives=1e-300*fitness"], "from 1e-12 to 1000000"),
], ids=lambda value: str(value))
def test_settings_without_any_effect_or_end_are_refused(tmp_path, changes, words):
    config = write_config(tmp_path)
    refused = run("mees_master", config, "--out", tmp_path / "a", *set_options(*changes))
    assert refused.returncode == 2, refused.stderr
    assert words in refused.stderr
    assert not (tmp_path / "a").exists()


def test_a_state_that_no_search_inherits_is_accepted(tmp_path):
    shown = run("mees_master", write_config(tmp_path), "--dry-run", *set_options(
        "algorithm.name=es", "es.optimizer=sgd", "es.optimizer_state=inherit"))
    assert shown.returncode == 0, shown.stderr


def test_objectives_without_effect_do_not_matter_to_stored_settings(tmp_path):
    """Workers and a run that resumes read settings that were checked at the start."""
    chosen = set_options("algorithm.name=me-ga", "algorithm.objectives=max-var", "es.seeds=pair",
                         "algorithm.children=4")
    for generations, ranks in ((1, 3), (2, 0)):
        done = run("mees_master", write_config(tmp_path), "--out", tmp_path / "a",
                   "--generations", generations, *chosen, ranks=ranks)
        assert done.returncode == 0, done.stderr


def test_objectives_and_their_initial_states(tmp_path):
    """max-var and max-ent imply the same initial states, which are stored; another choice is
    refused."""
    config = write_config(tmp_path)
    chosen = set_options("algorithm.objectives=novelty + 0.5*max-ent,fitness")
    shown = run("mees_master", config, "--show-config", *chosen)
    assert shown.returncode == 0, shown.stderr
    assert 'objectives = ["novelty + 0.5*max-ent", "fitness"]' in shown.stdout
    assert 'seeds = "generation"' in shown.stdout
    refused = run("mees_master", config, "--out", tmp_path / "a", *chosen,
                  *set_options("es.seeds=own"))
    assert refused.returncode == 2, refused.stderr
    assert "max-var and max-ent of algorithm.objectives need" in refused.stderr
    assert not (tmp_path / "a").exists()


def test_eleven_parents_of_five_are_refused(tmp_path):
    config = write_config(tmp_path)
    chosen = set_options("algorithm.name=ns-es", "algorithm.parents=5")
    assert run("mees_master", config, "--out", tmp_path / "a", "--generations", 1,
               *chosen).returncode == 0
    before = (tmp_path / "a" / "map.h5").read_bytes()
    refused = run("mees_master", config, "--out", tmp_path / "a",
                  *set_options("algorithm.name=ns-es", "algorithm.parents=11"))
    assert refused.returncode == 3, refused.stderr
    assert "algorithm.parents" in refused.stderr
    assert (tmp_path / "a" / "map.h5").read_bytes() == before
