"""Gymnasium's environments as domains: python3 -m mees.gym."""

import sys

import h5py
import numpy as np
import pytest
from environments import paths, process, train
from harness.configs import write_config
from harness.programs import ROOT, refused, run
from harness.replay import table

gymnasium = pytest.importorskip("gymnasium")
SERVE = [sys.executable, "-m", "mees.gym"]
MODELS = ROOT / "lib" / "mees" / "sim" / "models"


def needs_mujoco():
    pytest.importorskip("mujoco")
    pytest.importorskip("glfw")


def test_classic_control_trains_and_is_filmed(tmp_path):
    command = [*SERVE, "CartPole-v1", "--bc", "final:obs[0]+max:obs[1]", "--bc-bounds",
               "-2.4:2.4,0:2", "--bc-bins", "5,6"]
    result = train(tmp_path, process(command, episode_steps=50))
    assert result.returncode == 0, result.stderr
    with h5py.File(tmp_path / "run" / "map.h5") as file:
        assert list(file["map"].attrs["layers"]) == [4, 8, 2]
        assert list(file["map"].attrs["bins"]) == [5, 6]
        assert [name.decode() for name in file["map"].attrs["bc_names"]] == [
            "final_obs0", "max_obs1"]
        # Each step that the pole stands is worth 1.
        assert 5 <= file["map/fitness"][...].max() <= 50
    replay = run("mees_replay", tmp_path / "run" / "map.h5", "--episodes", 2, "--video",
                 tmp_path / "strip.png", env=paths(tmp_path))
    if "DependencyNotInstalled" in replay.stderr or "pygame" in replay.stderr:
        assert replay.returncode == 1
    else:
        assert replay.returncode == 0, replay.stderr
        assert (tmp_path / "strip.png").read_bytes().startswith(b"\x89PNG")
    assert run("mees_replay", tmp_path / "run" / "map.h5", "--episodes", 2,
               env=paths(tmp_path)).returncode == 0


def test_continuous_actions_are_scaled(tmp_path):
    command = [*SERVE, "Pendulum-v1", "--bc", "final:obs[0],obs[1]", "--bc-bounds", "-1:1,-1:1"]
    config = write_config(tmp_path, process(command))
    result = run("mees_replay", "--check-domain", config, env=paths(tmp_path))
    assert result.returncode == 0, result.stderr
    assert "3 episodes with 600 control steps" in result.stdout


def test_mistakes_are_explained(tmp_path):
    for command, words in (
        (["NoSuchEnv-v0", "--bc", "final:x"], ("NoSuchEnv",)),
        (["Pendulum-v1", "--bc", "final:x"], ("invalid BC x", "info has the keys")),
        (["Pendulum-v1", "--bc", "last:x"], ("invalid --bc last:x",)),
        (["Pendulum-v1", "--bc", "contacts:foot"], ("not one of MuJoCo",)),
    ):
        config = write_config(tmp_path, process([*SERVE, *command]))
        result = run("mees_replay", "--check-domain", config, env=paths(tmp_path))
        assert result.returncode == 1, result.stderr
        for word in words:
            assert word in result.stderr, result.stderr
    config = write_config(tmp_path, process([*SERVE, "Pendulum-v1", "--bc", "final:obs[0]"]))
    refused(run("mees_master", config, "--dry-run", env=paths(tmp_path)), "mees_master", 2,
            "invalid map bounds")


def test_ant_is_our_ant():
    """The same states and actions give the same motion, reward terms and end as the built-in Ant.

    Ant-v5 rewards what Ant-v2, whose definition ours is, rewards; their initial states and
    observations differ."""
    needs_mujoco()
    sys.path.insert(0, str(ROOT / "python"))
    import mees

    theirs = gymnasium.make("Ant-v5").unwrapped
    ours = mees.Environment((MODELS / "ant.xml").read_text(), (MODELS / "ant.toml").read_text())
    actions = np.random.default_rng(0)
    fitness = 0
    for seed in range(3):
        theirs.reset(seed=seed)
        ours.reset(options={"qpos": theirs.data.qpos.copy(), "qvel": theirs.data.qvel.copy()})
        fitness = 0
        for _ in range(100):
            action = actions.uniform(-1, 1, 8)
            _, reward, terminated, _, info = theirs.step(action)
            _, _, ended, _, own = ours.step(action)
            fitness += reward
            assert np.array_equal(theirs.data.qpos, ours.data.qpos)
            terms = own["terms"]
            assert info["reward_forward"] == pytest.approx(terms["forward"], rel=1e-12)
            assert info["reward_ctrl"] == pytest.approx(terms["control"], rel=1e-12)
            assert info["reward_contact"] == pytest.approx(terms["contact"], abs=1e-15)
            assert terminated == ended
            if ended:
                break
        # Of an episode that falls, the last step is worth 1 less in Ant-v5.
        assert fitness == pytest.approx(own["fitness"] - ended, rel=1e-12)


def test_ant_trains_with_contacts(tmp_path):
    needs_mujoco()
    geoms = "left_ankle_geom,right_ankle_geom,third_ankle_geom,fourth_ankle_geom"
    command = [*SERVE, "Ant-v5", "--bc", f"contacts:{geoms}", "--bc-bounds", "0:1,0:1,0:1,0:1",
               "--bc-bins", "4,4,4,4"]
    result = train(tmp_path, process(command, episode_steps=20, batch=2))
    assert result.returncode == 0, result.stderr
    replay = run("mees_replay", tmp_path / "run" / "map.h5", "--episodes", 2, env=paths(tmp_path))
    assert replay.returncode == 0, replay.stderr
    assert table(replay.stdout)["0"]["steps"] == "20"


@pytest.mark.parametrize("name", ["cartpole", "ant", "point"])
def test_presets(name, tmp_path):
    if name == "ant":
        needs_mujoco()
    path = ROOT / "configs" / f"gym_{name}.toml"
    text = path.read_text().replace('"python3"', f'"{sys.executable}"')
    config = write_config(tmp_path, text.replace("../python", str(ROOT / "python")))
    result = run("mees_master", config, "--out", tmp_path / "run", "--generations", 1,
                 "--set", "es.population=4", "--set", "algorithm.n_eval=2",
                 "--set", "domain.episode_steps=10", env=paths(tmp_path))
    assert result.returncode == 0, result.stderr
