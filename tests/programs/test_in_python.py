"""Elites in Python, through MuJoCo's own bindings: the same episodes as in mees, to the bit.

The controllers are drawn at random with large weights, so the robots thrash about and the slightest
difference grows: one in the last bit of one action would be visible after some dozen steps.
"""

import sys

import h5py
import numpy as np
import pytest
from maps import BOLD, made
from programs import ROOT, run

mujoco = pytest.importorskip("mujoco", reason="MuJoCo's Python bindings are not installed")
sys.path += [str(ROOT / "python"), str(ROOT / "python" / "examples")]
import domains  # noqa: E402
import run_elite  # noqa: E402

import mees  # noqa: E402

STEPS = 100

WILD = """
[run]
generations = 3
[domain]
name = "DOMAIN"
episode_steps = 100
[policy]
hidden = [64, 33]
init = "xavier"
CLIP
""" + BOLD

DOMAINS = {
    "ant": "terminate = false",
    "ant_maze": "",
    "deceptive_humanoid": "terminate = false",
    "point_maze": "",
}


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("clip", ["", "observation_clip = 2.0"], ids=["open", "clipped"])
def test_a_wild_elite_earns_the_same(tmp_path, capsys, domain, clip):
    settings = f"{domain}\"\n{DOMAINS[domain]}"
    text = WILD.replace('DOMAIN"', settings).replace("CLIP", clip)
    elites = made(f"wild-{domain}-{bool(clip)}", text) / "map.h5"
    recorded = tmp_path / "trajectory.h5"
    result = run("mees_replay", elites, "--episodes", 1, "--trajectory", recorded)
    assert result.returncode == 0, result.stderr
    with h5py.File(recorded) as file:
        assert file["action"].shape[0] == STEPS
        assert np.abs(file["action"][...]).max() > 0.5
    with mees.open_map(elites) as opened:
        if opened.attributes["mujoco_version"] != mujoco.__version__:
            pytest.skip("episodes are the same within one version of MuJoCo only")
        environment = domains.make(domain, opened.settings["domain"])
        comparison = run_elite.compare(environment, opened.policy("best"), recorded, STEPS)
    assert comparison.steps == STEPS
    assert comparison.largest_action_difference == 0
    assert comparison.largest_observation_difference == 0
    assert comparison.fitness == pytest.approx(comparison.recorded_fitness, abs=1e-9)
    assert run_elite.main([str(elites), "--trajectory", str(recorded)]) == 0
    assert "after 100 steps" in capsys.readouterr().out
