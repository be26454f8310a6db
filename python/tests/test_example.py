"""The example's environments reproduce trajectories recorded by an independent program."""

from pathlib import Path

import h5py
import numpy as np
import pytest

pytest.importorskip("mujoco", reason="MuJoCo's Python bindings are not installed")
import domains  # noqa: E402
import run_elite  # noqa: E402

import mees  # noqa: E402

DATA = Path(__file__).resolve().parent / "data"
GOLDEN = Path(__file__).resolve().parents[2] / "tests" / "golden"
RECORDINGS = sorted(GOLDEN.glob("*.h5"))
STEPS = 100


def test_there_are_recordings():
    assert len(RECORDINGS) >= 11


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_episode_reproduces_recorded_rewards(path):
    with h5py.File(path) as file:
        recorded = {name: file[name][:STEPS] for name in ("action", "reward", "observation", "bc")}
        fallen = file["terminated"][:STEPS]
        start = {name: file[f"initial_{name}"][...] for name in ("qpos", "qvel")}
        first = file["initial_observation"][...]
    environment = domains.make(path.stem.rsplit("-", 1)[0], {"terminate": False})
    observation, _ = environment.reset(options=start)
    np.testing.assert_allclose(observation, first, atol=1e-6)
    rewards = []
    for step, action in enumerate(recorded["action"]):
        observation, reward, _, _, info = environment.step(action)
        rewards.append(reward)
        np.testing.assert_allclose(observation, recorded["observation"][step], atol=1e-6, rtol=1e-6)
        np.testing.assert_allclose(info["bc"], recorded["bc"][step], atol=1e-6)
        assert environment.fallen() == bool(fallen[step])
    np.testing.assert_allclose(rewards, recorded["reward"], atol=1e-6, rtol=1e-6)
    last = environment.fitness_is_last_reward
    expected = recorded["reward"][-1] if last else recorded["reward"].sum()
    assert info["fitness"] == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("name", list(domains.DOMAINS))
def test_reset_is_complete_and_depends_on_the_seed(name):
    environment = domains.make(name, {"episode_steps": 5})
    assert (
        len(environment.observe())
        == {
            "ant": 27,
            "ant_maze": 29,
            "deceptive_humanoid": 376,
            "point_maze": 4,
        }[name]
    )
    courses = []
    for seed in (1, 1, 2):
        environment.reset(seed=seed)
        steps = [environment.step(np.full(environment.model.nu, 0.3)) for _ in range(5)]
        courses.append(np.array([step[0] for step in steps]))
        assert [step[3] for step in steps] == [False] * 4 + [True]
    np.testing.assert_array_equal(courses[0], courses[1])
    assert not np.array_equal(courses[0], courses[2])


def test_motionless_ant_gets_the_alive_bonus():
    environment = domains.make("ant", {"damage": [f"J{motor}" for motor in range(8)]})
    environment.reset(seed=3)
    for _ in range(1000):
        *_, terminated, truncated, info = environment.step(np.zeros(8))
        assert not terminated
    assert truncated
    assert info["fitness"] == pytest.approx(1000, abs=10)


def test_damaged_motor_hardly_moves_the_body():
    intact, damaged = domains.make("ant"), domains.make("ant", {"damage": ["J0"]})
    for environment in (intact, damaged):
        environment.reset(options={"qpos": environment.model.qpos0, "qvel": np.zeros(14)})
        environment.step([1, 0, 0, 0, 0, 0, 0, 0])
    hip = intact.model.joint("hip_4").qposadr[0]
    # 1 against 0.01
    assert abs(intact.data.qpos[hip]) > 50 * abs(damaged.data.qpos[hip]) > 0
    with pytest.raises(ValueError, match="single motors only"):
        domains.make("ant", {"damage": ["friction=0.5"]})


def test_contact_forces_are_an_option_of_ant():
    assert len(domains.make("ant", {"contact_forces": True}).observe()) == 111


@pytest.mark.parametrize("name", ["ant", "deceptive_humanoid"])
def test_contact_costs_can_be_left_out(name):
    course = {}
    for costs in (True, False):
        environment = domains.make(name, {"contact_costs": costs, "terminate": False})
        environment.reset(seed=1)
        action = np.full(environment.model.nu, 0.2)
        course[costs] = [environment.step(action)[:2] for _ in range(60)]
    last = course[False][-1][0]
    if name == "deceptive_humanoid":
        assert not last[-84:].any() and course[True][-1][0][-84:].any()
    assert sum(reward for _, reward in course[False]) > sum(reward for _, reward in course[True])


def test_unknown_domain_is_rejected():
    with pytest.raises(ValueError, match="unknown domain 'moon'"):
        domains.make("moon")


def test_elites_behave_as_in_their_run():
    """Initial states differ, so results agree only up to the small spread between episodes."""
    with mees.open_map(DATA / "maze") as elites:
        environment = domains.make(elites.domain, elites.settings["domain"])
        for elite in elites:
            fitness, bc, _ = run_elite.run(environment, elites.policy(elite), seed=elite.cell)
            assert fitness == pytest.approx(elite.fitness, abs=0.2)
            assert np.abs(elites.space.scale(bc) - elites.space.scale(elite.bc)).max() < 0.02


@pytest.mark.parametrize("name", ["maze", "ant"])
def test_model_matches_the_digest_in_the_map(name):
    import mujoco

    with mees.open_map(DATA / name) as elites:
        if elites.attributes["mujoco_version"] != mujoco.__version__:
            pytest.skip("digests compare within one version of MuJoCo only")
        environment = domains.make(elites.domain, elites.settings["domain"])
        assert environment.model_sha256() == elites.attributes["model_sha256"]


def test_the_command_runs_an_elite(capsys):
    assert run_elite.main([str(DATA / "maze"), "--cell", "45", "--episodes", "2"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("cell 45: fitness -4.94958")
    assert len(said) == 3 and said[2].endswith("200 steps")


@pytest.mark.parametrize("name", ["maze", "ant"])
def test_recorded_episode_is_reproduced(name, capsys):
    """Closed loop: policy and environment of this package, recorded initial state."""
    import mujoco

    folder = DATA / name
    with mees.open_map(folder) as elites:
        environment = domains.make(elites.domain, elites.settings["domain"])
        policy = elites.policy("best")
        if elites.attributes["mujoco_version"] != mujoco.__version__:
            pytest.skip("episodes are the same within one version of MuJoCo only")
    both = run_elite.compare(environment, policy, folder / "trajectory.h5", STEPS)
    assert both.steps == STEPS
    assert both.fitness == pytest.approx(both.recorded_fitness, abs=1e-9)
    assert both.largest_action_difference == both.largest_observation_difference == 0
    assert run_elite.main([str(folder), "--trajectory", str(folder / "trajectory.h5")]) == 0
    assert "after 100 steps" in capsys.readouterr().out


def test_elite_other_than_the_recorded_one_is_detected(capsys):
    recorded = str(DATA / "maze" / "trajectory.h5")
    with mees.open_map(DATA / "maze") as elites:
        other = str(elites.cell[elites.cell != elites.best.cell][0])
    assert run_elite.main([str(DATA / "maze"), "--cell", other, "--trajectory", recorded]) == 1
