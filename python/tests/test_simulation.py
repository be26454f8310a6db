"""The interpreter of domain descriptions reproduces trajectories that an independent program has
recorded, and refuses what it does not understand."""

import re
import shutil
from pathlib import Path

import h5py
import numpy as np
import pytest

pytest.importorskip("mujoco", reason="MuJoCo's Python bindings are not installed")
import run_elite  # noqa: E402

import mees  # noqa: E402
from mees.philox import Stream, block  # noqa: E402

DATA = Path(__file__).resolve().parent / "data"
ROOT = Path(__file__).resolve().parents[2]
MODELS = ROOT / "lib" / "mees" / "sim" / "models"
RECORDINGS = sorted((ROOT / "tests" / "golden").glob("*.h5"))
STEPS = 100


def text_of(domain, **settings):
    """The description of a shipped domain with other settings."""
    text = (MODELS / f"{domain}.toml").read_text()
    if steps := settings.get("episode_steps"):
        text = re.sub(r"episode_steps = \d+", f"episode_steps = {steps}", text)
    if (integrator := settings.get("integrator", "model")) != "model":
        text = text.replace("version = 1", f'version = 1\nintegrator = "{integrator}"')
    if not settings.get("contact_costs", True):
        text = text.replace("contact_forces = true", "contact_forces = false")
    return text


def environment_of(name, damage=(), **settings):
    model = (MODELS / f"{name}.xml").read_text()
    return mees.Environment(model, text_of(name, **settings), damage=damage)


@pytest.fixture(params=["maze", "ant"])
def carried(request, tmp_path):
    """A map of format 1.0 with what later versions add."""
    return with_domain(request.param, tmp_path)


def with_domain(name, folder):
    path = folder / f"{name}.h5"
    shutil.copy(DATA / name / "map.h5", path)
    with mees.open_map(path) as elites:
        domain, settings = str(elites.domain), dict(elites.settings["domain"])
        del settings["name"]
    with h5py.File(path, "a") as file:
        for member, text in (
            ("model", (MODELS / f"{domain}.xml").read_text()),
            ("description", text_of(domain, **settings)),
        ):
            file[f"domain/{member}"] = np.array([text.encode()])
    return path


def test_there_are_recordings():
    assert len(RECORDINGS) >= 19


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_episode_reproduces_a_recording(path):
    with h5py.File(path) as file:
        recorded = {name: file[name][:STEPS] for name in ("action", "reward", "observation", "bc")}
        fallen = file["terminated"][:STEPS]
        start = {name: file[f"initial_{name}"][...] for name in ("qpos", "qvel")}
        first = file["initial_observation"][...]
        contact_costs = b"contact_costs = false" not in file.attrs.get("config", b"")
        environment = environment_of(file.attrs["domain"], contact_costs=contact_costs)
    observation, _ = environment.reset(options=start)
    np.testing.assert_allclose(observation, first, atol=1e-6)
    rewards = []
    for step, action in enumerate(recorded["action"]):
        observation, reward, terminated, _, info = environment.step(action)
        rewards.append(reward)
        np.testing.assert_allclose(observation, recorded["observation"][step], atol=1e-6, rtol=1e-6)
        np.testing.assert_allclose(info["bc"], recorded["bc"][step], atol=1e-6)
        assert terminated == bool(fallen[step])
    np.testing.assert_allclose(rewards, recorded["reward"], atol=1e-6, rtol=1e-6)
    last = environment.description["fitness"] == "last"
    expected = recorded["reward"][-1] if last else recorded["reward"].sum()
    assert info["fitness"] == pytest.approx(expected, abs=1e-4)
    assert sum(info["terms"].values()) == pytest.approx(rewards[-1])


SIZES = {
    "ant": 27,
    "ant_maze": 29,
    "deceptive_humanoid": 376,
    "point_maze": 4,
    "half_cheetah": 17,
    "hopper": 11,
    "walker2d": 17,
}


@pytest.mark.parametrize("name", SIZES)
def test_reset_is_complete_and_depends_on_the_seed(name):
    environment = environment_of(name, episode_steps=5)
    assert len(environment.observe()) == SIZES[name]
    courses = []
    for seed in (1, 1, 2):
        environment.reset(seed=seed)
        steps = [environment.step(np.full(environment.model.nu, 0.3)) for _ in range(5)]
        courses.append(np.array([step[0] for step in steps]))
        assert [step[3] for step in steps] == [False] * 4 + [True]
    np.testing.assert_array_equal(courses[0], courses[1])
    assert not np.array_equal(courses[0], courses[2])


def test_random_numbers_are_those_of_random123():
    """The known answers of Random123 for philox4x32 with 10 rounds."""
    assert block((0, 0, 0, 0), (0, 0)) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
    ones = 0xFFFFFFFF
    assert block((ones,) * 4, (ones,) * 2) == [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]
    draws = Stream(1, 17, 0, 0)
    values = np.array([draws.normal() for _ in range(4000)])
    assert abs(values.mean()) < 0.05 and values.std() == pytest.approx(1, abs=0.03)


@pytest.mark.parametrize("name", ["ant", "deceptive_humanoid"])
def test_contact_costs_can_be_left_out(name):
    model, text = (MODELS / f"{name}.xml").read_text(), (MODELS / f"{name}.toml").read_text()
    course = {}
    for costs in (True, False):
        task = text if costs else text.replace("contact_forces = true", "contact_forces = false")
        environment = mees.Environment(model, task)
        environment.reset(seed=1)
        action = np.full(environment.model.nu, 0.2)
        course[costs] = [environment.step(action)[:2] for _ in range(60)]
    last = course[False][-1][0]
    if name == "deceptive_humanoid":
        assert not last[-84:].any() and course[True][-1][0][-84:].any()
    assert sum(reward for _, reward in course[False]) > sum(reward for _, reward in course[True])


def test_motionless_ant_gets_the_alive_bonus():
    environment = environment_of("ant", [f"J{motor}" for motor in range(8)])
    environment.reset(options={"qpos": environment.model.qpos0, "qvel": np.zeros(14)})
    for _ in range(1000):
        *_, terminated, truncated, info = environment.step(np.zeros(8))
        assert not terminated
    assert truncated
    assert info["fitness"] == pytest.approx(1000, abs=10)


def test_damaged_motor_hardly_moves_the_body():
    intact, damaged = environment_of("ant"), environment_of("ant", ["J0"])
    for environment in (intact, damaged):
        environment.reset(options={"qpos": environment.model.qpos0, "qvel": np.zeros(14)})
        environment.step([1, 0, 0, 0, 0, 0, 0, 0])
    hip = intact.model.joint("hip_4").qposadr[0]
    # 1 against 0.01
    assert abs(intact.data.qpos[hip]) > 50 * abs(damaged.data.qpos[hip]) > 0


def test_damage_words_change_the_model():
    model = environment_of("ant").model
    slippery = environment_of("ant", ["friction=0.5,mass:torso=+1.5"]).model
    np.testing.assert_allclose(slippery.geom_friction[:, 0], 0.5 * model.geom_friction[:, 0])
    torso = model.body("torso").id
    assert slippery.body_mass[torso] == pytest.approx(model.body_mass[torso] + 1.5)
    weak = environment_of("ant", ["weak:hip_4=0.3"]).model
    assert weak.actuator_gear[0, 0] == pytest.approx(0.3 * model.actuator_gear[0, 0])
    scaled = environment_of("ant", ["mass=1.2,strength=0.8,damping:hip_1=2,gravity=0.5"]).model
    np.testing.assert_allclose(scaled.body_mass, 1.2 * model.body_mass)
    np.testing.assert_allclose(scaled.body_inertia, 1.2 * model.body_inertia)
    np.testing.assert_allclose(scaled.actuator_gear, 0.8 * model.actuator_gear)
    hip = model.joint("hip_1").dofadr[0]
    expected = model.dof_damping.copy()
    expected[hip] *= 2
    np.testing.assert_allclose(scaled.dof_damping, expected)
    np.testing.assert_allclose(scaled.opt.gravity, 0.5 * model.opt.gravity)
    strong = environment_of("ant", ["strength:hip_4=1.5,damping=3"]).model
    assert strong.actuator_gear[0, 0] == pytest.approx(1.5 * model.actuator_gear[0, 0])
    assert strong.actuator_gear[1, 0] == model.actuator_gear[1, 0]
    np.testing.assert_allclose(strong.dof_damping, 3 * model.dof_damping)
    locked = environment_of("ant", ["lock:ankle_1"]).model
    assert np.ptp(locked.jnt_range[locked.joint("ankle_1").id]) == 0
    for word in ("shorten:shank_1=0.5", "J8", "lock:tail"):
        with pytest.raises(mees.ArgumentError, match="invalid damage"):
            environment_of("ant", [word])


def test_divergence_keeps_fitness_and_bc(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # MuJoCo writes its log there
    environment = environment_of("ant_maze")
    environment.reset(seed=1)
    *_, before = environment.step(np.zeros(8))
    environment.data.qvel[0] = 1e12
    *_, truncated, after = environment.step(np.zeros(8))
    assert truncated and after["diverged"]
    assert after["fitness"] == before["fitness"]
    np.testing.assert_array_equal(after["bc"], before["bc"])


def test_map_carries_its_robot(carried):
    environment = mees.make(carried, "best")
    with mees.open_map(carried) as elites:
        assert elites.domain == environment.description["name"]
        assert elites.domain.model.startswith("<!--")
        import mujoco

        if elites.attributes["mujoco_version"] == mujoco.__version__:
            assert environment.model_sha256() == elites.attributes["model_sha256"]
        if elites.domain == "point_maze":
            for elite in elites:
                policy = elites.policy(elite)
                fitness, bc, _ = run_elite.run(environment, policy, seed=elite.cell)
                assert fitness == pytest.approx(elite.fitness, abs=0.2)
    observation, _ = environment.reset(seed=1)
    assert environment.policy(observation).shape == (environment.model.nu,)


def test_old_map_is_refused():
    with pytest.raises(mees.FileError, match="does not carry its domain"):
        mees.make(DATA / "maze")


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("version = 1", "version = 2", "its version is 2"),
        ('source = "qvel"', 'source = "mind"', "unknown source"),
        ('kind = "rate"', 'kind = "hope"', "must be one of"),
        ("frame_skip = 5", "frame_skip = 0", "frame_skip"),
        ("frame_skip = 5", "frame_skip = 5\nspeed = 1", "unknown key 'speed'"),
        ('body = "torso"', 'body = "tail"', "no body 'tail'"),
        ("index = [0]", "index = [3]", "does not fit the model"),
        ("noise = 0.1", "noise = nan", "not finite"),
        ("[start]", "[start", "cannot use the domain description"),
    ],
)
def test_description_that_cannot_be_interpreted_is_refused(old, new, why):
    text = (MODELS / "ant.toml").read_text()
    assert old in text
    with pytest.raises(mees.FileError, match=why):
        mees.Environment((MODELS / "ant.xml").read_text(), text.replace(old, new))


@pytest.mark.parametrize(
    "element",
    [
        '<include file="/etc/passwd"/>',
        '<asset><mesh name="m" file="/etc/passwd"/></asset>',
        '<asset><texture name="t" type="2d" file="secret.png"/></asset>',
        "<![CDATA[x]]>",
    ],
)
def test_model_that_refers_to_files_is_refused(element):
    model = (MODELS / "ant.xml").read_text().replace("<worldbody>", element + "<worldbody>", 1)
    with pytest.raises(mees.FileError, match="cannot use the model"):
        mees.Environment(model, text_of("ant"))


def test_the_command_runs_an_elite(tmp_path, capsys):
    path = with_domain("maze", tmp_path)
    assert run_elite.main([str(path), "--cell", "45", "--episodes", "2"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("cell 45: fitness -4.94958")
    assert len(said) == 3 and said[2].endswith("200 steps")


@pytest.mark.parametrize("name", ["maze", "ant"])
def test_recorded_episode_is_reproduced(name, tmp_path, capsys):
    """Closed loop: policy and environment of this package, recorded initial state."""
    import mujoco

    path, trajectory = with_domain(name, tmp_path), DATA / name / "trajectory.h5"
    environment = mees.make(path, "best")
    with mees.open_map(path) as elites:
        if elites.attributes["mujoco_version"] != mujoco.__version__:
            pytest.skip("episodes are the same within one version of MuJoCo only")
    both = run_elite.compare(environment, environment.policy, trajectory, STEPS)
    assert both.steps == STEPS
    assert both.fitness == pytest.approx(both.recorded_fitness, abs=1e-9)
    assert both.largest_action_difference == both.largest_observation_difference == 0
    assert run_elite.main([str(path), "--trajectory", str(trajectory)]) == 0
    assert "after 100 steps" in capsys.readouterr().out


def test_elite_other_than_the_recorded_one_is_detected(tmp_path):
    path, recorded = with_domain("maze", tmp_path), str(DATA / "maze" / "trajectory.h5")
    with mees.open_map(path) as elites:
        other = str(elites.cell[elites.cell != elites.best.cell][0])
    assert run_elite.main([str(path), "--cell", other, "--trajectory", recorded]) == 1
