"""Gymnasium's environments as domains: python3 -m mees.gym."""

import sys

import h5py
import numpy as np
import pytest
from environments import POINT, paths, process, train
from harness.configs import settings, write_config
from harness.programs import ROOT, refused, run
from harness.replay import table

gymnasium = pytest.importorskip("gymnasium")
SERVE = [sys.executable, "-m", "mees.gym"]
MODELS = ROOT / "lib" / "mees" / "sim" / "models"


def needs_mujoco():
    pytest.importorskip("mujoco")
    pytest.importorskip("glfw")


def test_classic_control_trains(tmp_path):
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
    assert run("mees_replay", tmp_path / "run" / "map.h5", "--episodes", 2,
               env=paths(tmp_path)).returncode == 0


def test_classic_control_is_filmed(tmp_path):
    """Gymnasium draws CartPole with pygame, which is an optional package of it."""
    pytest.importorskip("pygame", reason="pygame is not installed")
    command = [*SERVE, "CartPole-v1", "--bc", "final:obs[0]", "--bc-bounds", "-2.4:2.4"]
    result = train(tmp_path, process(command, episode_steps=20), "--generations", 0)
    assert result.returncode == 0, result.stderr
    replay = run("mees_replay", tmp_path / "run" / "map.h5", "--episodes", 1, "--video",
                 tmp_path / "strip.png", env=paths(tmp_path))
    assert replay.returncode == 0, replay.stderr
    header = (tmp_path / "strip.png").read_bytes()[:24]
    assert header.startswith(b"\x89PNG")
    # Nine frames of 600 x 400 in three rows.
    assert [int.from_bytes(header[i:i + 4], "big") for i in (16, 20)] == [1800, 1200]


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


def recorded_ant(folder, *options):
    """States, actions and rewards of an episode of the built-in Ant, as the C++ programs run it,
    and its row in the table."""
    config = write_config(folder, settings(domain={"name": "ant", "episode_steps": 60},
                                           run={"generations": 0}, policy={"init": "xavier"}))
    trained = run("mees_master", config, "--out", folder / "ant")
    assert trained.returncode == 0, trained.stderr
    replay = run("mees_replay", folder / "ant" / "map.h5", "--episodes", 1, "--trajectory",
                 folder / "episode.h5", *options)
    assert replay.returncode == 0, replay.stderr
    with h5py.File(folder / "episode.h5") as file:
        columns = {name: node[...] for name, node in file.items() if hasattr(node, "shape")}
    return columns, table(replay.stdout)["0"]


@pytest.mark.parametrize("damage", ["", "J0", "hip_1", "weak:ankle_2=0.3", "lock:hip_4"])
def test_ant_is_our_ant(damage, tmp_path):
    """From the initial state of an episode of mees_replay and with its actions, Ant-v5 moves as the
    built-in Ant of the C++ programs and has its rewards and fitness; also with damage.

    Ant-v5 rewards what Ant-v2, whose definition ours is, rewards; their initial states and
    observations differ, and the step that ends an episode is worth 1 less in Ant-v5."""
    needs_mujoco()
    sys.path.insert(0, str(ROOT / "python"))
    from mees.gym import _damage

    columns, row = recorded_ant(tmp_path, *(("--damage", damage) if damage else ()))
    assert np.abs(columns["action"]).max() > 0.1
    wrapped = gymnasium.make("Ant-v5")
    _damage(wrapped, [damage] if damage else [])
    wrapped.reset(seed=0)
    theirs = wrapped.unwrapped
    theirs.set_state(columns["initial_qpos"], columns["initial_qvel"])
    sums = dict.fromkeys(("reward_forward", "reward_ctrl", "reward_contact", "reward_survive"), 0.0)
    for step, action in enumerate(columns["action"]):
        _, reward, terminated, _, info = theirs.step(action)
        assert theirs.data.qpos == pytest.approx(columns["qpos"][step], rel=1e-9, abs=1e-9), step
        assert terminated == columns["terminated"][step]
        assert reward + terminated == pytest.approx(columns["reward"][step], rel=1e-9, abs=1e-9)
        sums = {name: value + info[name] for name, value in sums.items()}
    assert step + 1 == int(row["steps"]) >= 20
    assert sum(sums.values()) + terminated == pytest.approx(columns["reward"].sum(), rel=1e-9)
    # The table of mees_replay has four digits.
    for ours, name in (("forward", "reward_forward"), ("control", "reward_ctrl"),
                       ("contact", "reward_contact")):
        assert sums[name] == pytest.approx(float(row[ours]), rel=2e-3, abs=2e-3)
    assert columns["reward"].sum() == pytest.approx(float(row["fitness"]), rel=2e-3)


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


def test_damage_of_a_mujoco_environment(tmp_path):
    """Words that docs/damage.md lists are used, others are refused, by all programs."""
    needs_mujoco()
    command = [*SERVE, "Ant-v5", "--bc", "final:x_position,y_position", "--bc-bounds",
               "-5:5,-5:5"]
    assert train(tmp_path, process(command, episode_steps=20)).returncode == 0
    path, env = tmp_path / "run" / "map.h5", paths(tmp_path)
    adapted = run("mees_adapt", path, "--damage", "J0,J1", "--damage", "weak:hip_1=0.5",
                  "--trials", 2, "--score-episodes", 2, "--out", tmp_path / "adapt.h5", env=env)
    assert adapted.returncode == 0, adapted.stderr
    whole, damaged = (run("mees_replay", path, "--episodes", 1, *options, env=env)
                      for options in ((), ("--damage", "J0,J1,J2,J3")))
    assert whole.returncode == damaged.returncode == 0, damaged.stderr
    assert table(whole.stdout)["0"]["fitness"] != table(damaged.stdout)["0"]["fitness"]
    for word, why in (("J8", "no motor or joint has that name"), ("shorten:torso=0.5", "shorten"),
                      ("lock:knee", "no such joint")):
        refused(run("mees_adapt", path, "--damage", word, "--out", tmp_path / "no.h5", env=env),
                "mees_adapt", 2, "invalid damage", "refuses it", why)
    assert not (tmp_path / "no.h5").exists()


HOOK = """
import gymnasium, numpy as np

class Cart(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-9, 9, (1,))
    action_space = gymnasium.spaces.Box(-1, 1, (1,))
    strength = 1.0
    def set_damage(self, words):
        if set(words) - {"motor"}:
            raise mees.DamageError(f"unknown: {words}; known: motor")
        self.strength = 0.5 if words else 1.0
    def reset(self, *, seed=None, options=None):
        self.x = 0.0
        return np.zeros(1, np.float32), {}
    def step(self, action):
        self.x += self.strength * float(action[0])
        return np.array([self.x], np.float32), self.x, False, False, {"x": self.x}

import mees
gymnasium.register("Cart-v0", Cart, max_episode_steps=5)
"""


def test_damage_by_a_function_of_the_environment(tmp_path):
    (tmp_path / "cart.py").write_text(HOOK)
    env = paths(tmp_path)
    env["PYTHONPATH"] = f"{tmp_path}:{env['PYTHONPATH']}"
    command = [*SERVE, "Cart-v0", "--import", "cart", "--bc", "final:x", "--bc-bounds", "-5:5"]
    config = write_config(tmp_path, process(command))
    trained = run("mees_master", config, "--out", tmp_path / "run", env=env)
    assert trained.returncode == 0, trained.stderr
    path = tmp_path / "run" / "map.h5"
    fitness = [float(table(run("mees_replay", path, "--episodes", 1, *options, env=env).stdout)
                     ["0"]["fitness"]) for options in ((), ("--damage", "motor"))]
    assert fitness[0] != fitness[1]
    refused(run("mees_adapt", path, "--damage", "wheel", env=env), "mees_adapt", 2,
            "known: motor")


def test_other_environments_refuse_damage(tmp_path):
    command = [*SERVE, "Pendulum-v1", "--bc", "final:obs[0]", "--bc-bounds", "-1:1"]
    config = write_config(tmp_path, process(command, damage=["J0"]))
    refused(run("mees_master", config, "--out", tmp_path / "run", env=paths(tmp_path)),
            "mees_master", 2, 'invalid damage "J0"', "no set_damage(words)")
    assert not (tmp_path / "run").exists()


PRESETS = sorted((ROOT / "configs").glob("gym_*.toml"))
NEEDS = {"gym_ant": ("mujoco", "glfw"), "gym_lunarlander": ("Box2D",)}


def test_every_example_has_a_preset():
    assert [path.stem for path in PRESETS] == [
        "gym_ant", "gym_cartpole", "gym_lunarlander", "gym_point", "gym_point_c"]


@pytest.mark.parametrize("path", PRESETS, ids=lambda path: path.stem)
def test_presets(path, tmp_path):
    for module in NEEDS.get(path.stem, ()):
        pytest.importorskip(module)
    text = path.read_text().replace('"python3"', f'"{sys.executable}"')
    text = text.replace("../python", str(ROOT / "python")).replace("./point", POINT[0])
    config = write_config(tmp_path, text)
    preview = run("mees_master", config, "--dry-run", env=paths(tmp_path))
    assert preview.returncode == 0, preview.stderr
    assert "episodes per generation" in preview.stdout
    result = run("mees_master", config, "--out", tmp_path / "run", "--generations", 1,
                 "--set", "es.population=4", "--set", "algorithm.n_eval=2",
                 "--set", "domain.episode_steps=10", env=paths(tmp_path))
    assert result.returncode == 0, result.stderr
