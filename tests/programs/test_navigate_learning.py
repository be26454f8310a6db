"""A damaged robot that learns needs fewer actions than one that trusts its map, with the preset."""

import numpy as np
from harness.programs import ROOT, run

from mees.comparison import rank_sum_p
from mees.navigation import Navigation

DAMAGES = ("J5", "J0,J1", "J2,J3", "J4,J5")
TARGETS = "targets = [[2, 3], [-3, 2], [-2, -3], [3, -2], [0, 3], [-3, -1], [2, -3], [3, 2]]\n"


def test_learning_needs_fewer_actions(tmp_path):
    """Over four damages: a lower mean in each, and of 20 walks against 20, of all damages together,
    p < 0.01 by a rank-sum test. Walks of eight targets are too short to decide each damage with
    five of them; docs/navigation.md has longer walks."""
    def done(*command):
        result = run(*command, timeout=800)
        assert result.returncode == 0, result.stderr

    done("mees_master", ROOT / "configs/ant_navigate.toml", "--seed", 2, "--out", tmp_path / "run")
    (tmp_path / "targets.toml").write_text(TARGETS)
    (tmp_path / "arena.toml").write_text("lower = [-6, -6]\nupper = [6, 6]\n")
    damages = [word for damage in DAMAGES for word in ("--damage", damage)]
    for mode in ((), ("--no-learning",)):
        done("mees_navigate", tmp_path / "run", "--targets", tmp_path / "targets.toml", "--arena",
             tmp_path / "arena.toml", "--iterations", 250, "--seeds", 5, "--out",
             tmp_path / "nav.h5", *damages, *mode)
    walks = Navigation(tmp_path / "nav.h5")
    learning, trusting = (
        np.array([walks.actions_per_target(damage, mode) for damage in DAMAGES])
        for mode in (True, False))
    assert (learning.mean(axis=1) < trusting.mean(axis=1)).all(), (learning, trusting)
    assert rank_sum_p(learning.ravel(), trusting.ravel()) < 0.01, (learning, trusting)
