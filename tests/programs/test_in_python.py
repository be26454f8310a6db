"""Elites in Python, through MuJoCo's own bindings: bit-identical to the episodes in mees.

The controllers are drawn at random with large weights, so the robots thrash about and the slightest
difference grows: one in the last bit of one action would be visible after some dozen steps.
"""

import h5py
import numpy as np
import pytest
from harness.configs import settings
from harness.maps import LARGE_STEPS, train_map
from harness.programs import run

import mees

mujoco = pytest.importorskip("mujoco", reason="MuJoCo's Python bindings are not installed")
run_elite = pytest.importorskip("run_elite")

STEPS = 100


DOMAINS = {
    "ant": {"terminate": False},
    "ant with the displacement": {"name": "ant", "bc": "displacement", "terminate": False},
    "ant_maze": {},
    "deceptive_humanoid": {"terminate": False},
    "point_maze": {},
    "point_maze_two_traps": {},
    "half_cheetah": {},
    "hopper": {"terminate": False},
    "walker2d": {"terminate": False},
}


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("clip", [None, 2.0], ids=["open", "clipped"])
def test_an_elite_with_random_weights_has_the_same_fitness(tmp_path, capsys, domain, clip):
    elites = train_map(tmp_path / "run", settings(
        LARGE_STEPS, run={"generations": 3},
        domain={"name": domain, "episode_steps": STEPS, **DOMAINS[domain]},
        policy={"hidden": [64, 33], "init": "xavier", "observation_clip": clip}), "--threads", 2)
    recorded = tmp_path / "trajectory.h5"
    result = run("mees_replay", elites, "--episodes", 1, "--trajectory", recorded)
    assert result.returncode == 0, result.stderr
    with h5py.File(recorded) as file:
        assert file["action"].shape[0] == STEPS
        assert np.abs(file["action"][...]).max() > 0.5
        bc = file["bc"][-1]
    with mees.open_map(elites) as opened:
        if opened.attributes["mujoco_version"] != mujoco.__version__:
            pytest.skip("episodes are the same within one version of MuJoCo only")
        environment = mees.make(opened)
        comparison = run_elite.compare(environment, opened.policy("best"), recorded, STEPS)
    assert comparison.steps == STEPS
    np.testing.assert_allclose(environment.bc, bc, rtol=0, atol=1e-9)
    assert comparison.largest_action_difference == 0
    assert comparison.largest_observation_difference == 0
    assert comparison.fitness == pytest.approx(comparison.recorded_fitness, abs=1e-9)
    assert run_elite.main([str(elites), "--trajectory", str(recorded)]) == 0
    assert "after 100 steps" in capsys.readouterr().out
