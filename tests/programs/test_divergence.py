"""A diverged simulation is counted and reported, and leaves finite numbers only."""

import h5py
import numpy as np
from harness.configs import settings, write_config
from harness.programs import run

# A spring so stiff that explicit integration blows it up.
MODEL = """
<mujoco>
  <option timestep="0.05" integrator="RK4"/>
  <worldbody>
    <body name="weight">
      <joint name="x" type="slide" axis="1 0 0" stiffness="20000"/>
      <joint name="y" type="slide" axis="0 1 0" stiffness="20000"/>
      <geom size="0.1" mass="1"/>
    </body>
  </worldbody>
  <actuator><motor joint="x"/><motor joint="y"/></actuator>
</mujoco>
"""

CONFIG = settings(run={"generations": 3},
                  domain={"name": "mjcf", "model": "spring.xml", "episode_steps": 200,
                          "reward": [{"kind": "alive"}]},
                  policy={"observation_fraction": 1.0}, es={"population": 10},
                  algorithm={"n_optim_gens": None, "n_eval": 3}, checkpoint=None)


def test_a_run_survives(tmp_path):
    (tmp_path / "spring.xml").write_text(MODEL)
    result = run("mees_master", write_config(tmp_path, CONFIG), "--out", tmp_path / "run")
    assert result.returncode == 0, result.stderr
    assert "(42 diverged)" in result.stdout
    with h5py.File(tmp_path / "run" / "map.h5") as file:
        assert file["history/diverged"][-1] == 42
        for name in ("fitness", "bc", "parameters", "observation_mean", "observation_std"):
            assert np.isfinite(file["map"][name][:]).all(), name
        assert np.isfinite(file["novelty_archive/bc"][:]).all()
    assert not (tmp_path / "MUJOCO_LOG.TXT").exists()
