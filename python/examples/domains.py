"""The domains of mees as Gymnasium environments, with the models of mees.

Dynamics, observation, reward and BC are those of the C++ tasks: a control step is `frame_skip`
calls of mj_step with the same control. Initial states are drawn by numpy, so they have the same
distribution as in mees but are not the same draws; reset(options={"qpos": ..., "qvel": ...}) sets a
given one. Needs mujoco; gymnasium is used if it is installed.
"""

import hashlib
from pathlib import Path

import mujoco
import numpy as np

try:
    import gymnasium

    Base = gymnasium.Env
except ImportError:
    gymnasium = None
    Base = object

MODELS = Path(__file__).resolve().parents[2] / "lib" / "mees" / "sim" / "models"

INTEGRATORS = {
    "euler": mujoco.mjtIntegrator.mjINT_EULER,
    "rk4": mujoco.mjtIntegrator.mjINT_RK4,
    "implicitfast": mujoco.mjtIntegrator.mjINT_IMPLICITFAST,
}


class Domain(Base):
    """One robot and its task; a subclass defines observation, reward and BC.

    step(action) returns (observation, reward, terminated, truncated, info), where info contains the
    `fitness` and `bc` of the episode so far. Actions are applied without clamping.
    """

    frame_skip = 5
    episode_steps = 1000
    needs_contact_forces = False
    fitness_is_last_reward = False

    def __init__(self, settings=None, models=MODELS):
        """`settings` is the table [domain] of a run's configuration."""
        self.settings = dict(settings or {})
        self.model = mujoco.MjModel.from_xml_path(str(Path(models) / f"{self.name}.xml"))
        self._apply_settings()
        self.data = mujoco.MjData(self.model)
        self.rng = np.random.default_rng()
        self.reset()
        if gymnasium:
            size = len(self.observe())
            self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (size,), np.float64)
            self.action_space = gymnasium.spaces.Box(-1, 1, (self.model.nu,), np.float32)

    def reset(self, *, seed=None, options=None):
        if seed is not None:
            self.rng = np.random.default_rng(seed)
        mujoco.mj_resetData(self.model, self.data)
        if options:
            self.data.qpos[:] = options["qpos"]
            self.data.qvel[:] = options["qvel"]
        else:
            self.draw_state()
        mujoco.mj_forward(self.model, self.data)
        self.steps = 0
        self.begin()
        self.fitness = self.reward(np.zeros(self.model.nu)) if self.fitness_is_last_reward else 0.0
        return self.observe(), self._info()

    def step(self, action):
        action = np.asarray(action, dtype=np.float64)
        self.data.ctrl[:] = action
        mujoco.mj_step(self.model, self.data, self.frame_skip)
        if self.needs_contact_forces and self.settings.get("contact_costs", True):
            mujoco.mj_rnePostConstraint(self.model, self.data)
        self.steps += 1
        reward = self.reward(action)
        self.fitness = reward if self.fitness_is_last_reward else self.fitness + reward
        self.characterise()
        terminated = self.settings.get("terminate", True) and self.fallen()
        return self.observe(), reward, terminated, self.steps >= self.episode_steps, self._info()

    def model_sha256(self):
        """The digest by which mees names the compiled model; depends on the version of MuJoCo."""
        content = np.zeros(mujoco.mj_sizeModel(self.model), dtype=np.uint8)
        mujoco.mj_saveModel(self.model, None, content)
        return hashlib.sha256(content.tobytes()).hexdigest()

    def begin(self):
        """Called at the start of an episode, when the initial state is set."""
        self.characterise()

    def fallen(self):
        return False

    def _info(self):
        return {"fitness": self.fitness, "bc": np.array(self.bc)}

    def _apply_settings(self):
        self.episode_steps = self.settings.get("episode_steps", 0) or self.episode_steps
        integrator = self.settings.get("integrator", "model")
        if integrator != "model":
            self.model.opt.integrator = INTEGRATORS[integrator]
        for motor in self.settings.get("damage", []):
            index = mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_ACTUATOR, motor)
            if index < 0:
                raise ValueError(
                    f"invalid damage {motor!r} (this example supports single motors only)"
                )
            self.model.actuator_ctrlrange[index] = (-0.01, 0.01)


class Ant(Domain):
    """Walks along x; BC: per leg the fraction of steps in which its shank touched the floor."""

    name = "ant"
    needs_contact_forces = True

    def draw_state(self):
        self.data.qpos += self.rng.uniform(-0.1, 0.1, self.model.nq)
        self.data.qvel[:] = 0.1 * self.rng.standard_normal(self.model.nv)

    def observe(self):
        parts = [self.data.qpos[2:], self.data.qvel]
        if self.settings.get("contact_forces", False):
            parts.append(np.clip(self.data.cfrc_ext, -1, 1).ravel())
        return np.concatenate(parts)

    def begin(self):
        self.x = self.data.body("torso").xpos[0]
        self.touches = np.zeros(4)
        self.bc = np.zeros(4)

    def reward(self, action):
        before, self.x = self.x, self.data.body("torso").xpos[0]
        forward = (self.x - before) / (self.frame_skip * self.model.opt.timestep)
        contact = np.sum(np.clip(self.data.cfrc_ext, -1, 1) ** 2)
        return forward - 0.5 * np.sum(action**2) - 0.5e-3 * contact + 1

    def characterise(self):
        floor = self.model.geom("floor").id
        pairs = self.data.contact.geom.reshape(-1, 2)
        touching = set(pairs[(pairs == floor).any(axis=1)].ravel())
        shanks = [self.model.geom(f"shank_{leg}").id for leg in (1, 2, 3, 4)]
        self.touches += [shank in touching for shank in shanks]
        self.bc = self.touches / self.steps

    def fallen(self):
        return not 0.2 <= self.data.qpos[2] <= 1.0


class AntMaze(Domain):
    """Goal behind walls; fitness is minus the final distance, BC the final x and y."""

    name = "ant_maze"
    episode_steps = 3000
    fitness_is_last_reward = True

    draw_state = Ant.draw_state

    def observe(self):
        place = (self.data.qpos[:2] - 5) / 70
        return np.concatenate([place, self.data.qpos[2:], self.data.qvel])

    def reward(self, action):
        return -np.hypot(*(self.data.qpos[:2] - (35, -25)))

    def characterise(self):
        self.bc = self.data.qpos[:2].copy()


class DeceptiveHumanoid(Domain):
    """Walks along x past a trap; BC: the final x and y of the centre of mass."""

    name = "deceptive_humanoid"
    needs_contact_forces = True

    def draw_state(self):
        self.data.qpos += self.rng.uniform(-0.01, 0.01, self.model.nq)
        self.data.qvel += self.rng.uniform(-0.01, 0.01, self.model.nv)

    def observe(self):
        data = self.data
        parts = (
            data.qpos[2:],
            data.qvel,
            data.cinert,
            data.cvel,
            data.qfrc_actuator,
            data.cfrc_ext,
        )
        return np.concatenate([part.ravel() for part in parts])

    def centre(self):
        mass = self.model.body_mass
        return mass @ self.data.xipos[:, :2] / mass.sum()

    def begin(self):
        self.bc = self.centre()

    def reward(self, action):
        forward = 1.25 * (self.centre()[0] - self.bc[0]) / self.model.opt.timestep
        impact = min(0.5e-6 * np.sum(self.data.cfrc_ext**2), 10)
        return forward - 0.1 * np.sum(action**2) - impact + 5

    def characterise(self):
        self.bc = self.centre()

    def fallen(self):
        return not 1.0 <= self.data.qpos[2] <= 2.0


class PointMaze(Domain):
    """A puck with a goal behind a trap; fitness is minus the final distance, BC x and y."""

    name = "point_maze"
    frame_skip = 1
    episode_steps = 200
    fitness_is_last_reward = True

    def draw_state(self):
        self.data.qpos += self.rng.uniform(-0.1, 0.1, self.model.nq)

    def place(self):
        return self.data.qpos + (self.model.body("puck").pos[0], 0)

    def observe(self):
        return np.concatenate([self.place() / 5, self.data.qvel / 2])

    def reward(self, action):
        return -np.hypot(*(self.place() - (4.5, 0)))

    def characterise(self):
        self.bc = self.place()


DOMAINS = {kind.name: kind for kind in (Ant, AntMaze, DeceptiveHumanoid, PointMaze)}


def make(name, settings=None, models=MODELS):
    """The environment of a domain by its name in mees."""
    if name not in DOMAINS:
        raise ValueError(f"unknown domain {name!r} (known: {', '.join(DOMAINS)})")
    return DOMAINS[name](settings, models)
