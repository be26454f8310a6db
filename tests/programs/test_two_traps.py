"""Chains of controllers pass two traps in a row (configs/point_maze_chains.toml), where single
controllers stay in the second.

The fitness is minus the distance to the goal at the end of the episode. The back wall of the second
trap is 4.95 m away from the goal, which has a radius of 0.4 m.
"""

import os

import h5py
import numpy as np
import pytest
from harness.configs import set_options
from harness.programs import ROOT, run

CONFIG = ROOT / "configs" / "point_maze_chains.toml"
GOAL_RADIUS = 0.4
SLOW = pytest.mark.skipif("MEES_SLOW" not in os.environ, reason="takes minutes")


def searched(out, seed, generations, *changes):
    """The smallest distance to the goal, and the episodes that the search took."""
    result = run("mees_master", CONFIG, "--out", out, "--seed", seed, "--generations", generations,
                 "--threads", 2, *set_options(*changes), timeout=600)
    assert result.returncode == 0, result.stderr
    with h5py.File(out / "map.h5") as file:
        return -np.max(file["map/fitness"][:]), int(file["history/episodes"][-1])


def test_chains_reach_the_goal(tmp_path):
    """One seed that reaches it early. Single controllers get more episodes."""
    distance, episodes = searched(tmp_path / "chains", 2, 75)
    assert distance < GOAL_RADIUS
    alone, more_episodes = searched(tmp_path / "single", 2, 90, "algorithm.chain_links=1")
    assert alone > 4 and more_episodes >= episodes


@SLOW
def test_chains_reach_the_goal_with_five_seeds(tmp_path):
    """All five with chains, none with single controllers, which get 10 % more generations so that
    none has fewer episodes. Of the 252 ways to choose the five of ten runs that reach the goal,
    this is one: p = 1/252 = 0.004 (Fisher's exact test, one-sided). These seeds were run
    after the configuration was fixed."""
    chains = [searched(tmp_path / f"chains{seed}", seed, 500) for seed in range(11, 16)]
    single = [searched(tmp_path / f"single{seed}", seed, 550, "algorithm.chain_links=1")
              for seed in range(11, 16)]
    assert all(distance < GOAL_RADIUS for distance, _ in chains), chains
    assert all(distance > 4 for distance, _ in single), single
    assert max(episodes for _, episodes in chains) <= min(episodes for _, episodes in single)
