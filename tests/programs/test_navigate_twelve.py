"""Navigation with the paper's twelve damages: the measurement of docs/navigation.md, repeated."""

from harness.programs import ROOT, run

from mees.comparison import rank_sum_p
from mees.navigation import Navigation

COURSE = ROOT / "docs" / "navigation"
LEVEL = 0.05
BAR = 6  # of twelve


def test_learning_needs_fewer_actions_with_most_damages(tmp_path):
    """Five walks of 20 targets per damage with learning against five without: in at least half of
    the damages significantly fewer actions, by a two-sided Mann-Whitney test. If learning made no
    difference, six of twelve tests with p < 0.05 would have a probability of about 1e-5."""
    def done(*command):
        result = run(*command, timeout=20_000)
        assert result.returncode == 0, result.stderr

    done("mees_master", ROOT / "configs/ant_navigate.toml", "--seed", 2, "--out", tmp_path / "run")
    for mode in ((), ("--no-learning",)):
        done("mees_navigate", tmp_path / "run", "--targets", COURSE / "targets.toml", "--arena",
             COURSE / "arena.toml", "--damage", "paper", "--seeds", 5, "--iterations", 250, "--out",
             tmp_path / "nav.h5", *mode)
    walks = Navigation(tmp_path / "nav.h5")
    print(f"\n{walks.table()}\n{walks.summary()}")
    assert len(walks.damages) == 12 and len(walks) == 12 * 5 * 2
    fewer = []
    for damage in walks.damages:
        learning, trusting = (walks.actions_per_target(damage, mode) for mode in (True, False))
        if learning.mean() < trusting.mean() and rank_sum_p(learning, trusting) < LEVEL:
            fewer.append(damage)
    assert len(fewer) >= BAR, walks.table()
