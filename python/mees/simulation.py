"""Runs episodes of a map's own robot, from the model and the description that the map carries.

    ant = mees.make("runs/ant-1", cell="best")
    observation, info = ant.reset(seed=1)
    observation, reward, terminated, truncated, info = ant.step(ant.policy(observation))

Needs MuJoCo of the version that the map was made with; gymnasium is used if it is installed.
"""

from __future__ import annotations

import hashlib

import numpy as np

from . import description, robot_damage
from .domain import require_self_contained
from .errors import ArgumentError, FileError, optional_import
from .philox import Stream
from .quantities import Characteristic, Measure, Quantity

try:
    import gymnasium

    Base = gymnasium.Env
except ImportError:
    gymnasium = None
    Base = object

MAX_VALUE = 1e10
REPLAY = 17


class Environment(Base):
    """A robot and its task, as a Gymnasium environment.

    `step` returns (observation, reward, terminated, truncated, info); info contains `fitness` and
    `bc` of the episode so far, `terms` (the terms of the reward by name) and `diverged`. After a
    control step that diverges, fitness and BC stay as they were and the episode is truncated.

    reset(seed=S) starts episode 0 of `mees_replay --seed S`, later calls without a seed the next
    ones; options {"episode": e} chooses one, {"qpos": ..., "qvel": ...} a given state. `damage` is
    a list of words as for `mees_replay --damage`, in addition to those of the description.
    """

    metadata = {"render_modes": []}

    def __init__(self, model, text, assets=None, *, policy=None, damage=(), source="the map"):
        self._mujoco = optional_import("mujoco", "running episodes")
        self.description = description.parse(text, source)
        self.policy = policy
        require_self_contained(model, assets or {}, source)
        try:
            self.model = self._mujoco.MjModel.from_xml_string(model, dict(assets or {}))
        except ValueError as error:
            raise FileError(f"cannot use the model of {source}", str(error)[:300]) from error
        self._apply(damage)
        self.data = self._mujoco.MjData(self.model)
        self._bind()
        self._seed, self._episode = 0, -1
        self.reset()
        if gymnasium:
            size = len(self.observe())
            self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (size,), np.float64)
            self.action_space = gymnasium.spaces.Box(-1, 1, (self.model.nu,), np.float32)

    def reset(self, *, seed=None, options=None):
        options = options or {}
        self._episode = options.get("episode", 0 if seed is not None else self._episode + 1)
        self._seed = self._seed if seed is None else seed
        self._restart()
        if "qpos" in options:
            self.data.qpos[:], self.data.qvel[:] = options["qpos"], options["qvel"]
        else:
            self._draw_state(Stream(self._seed, REPLAY, 0, self._episode))
        self._mujoco.mj_forward(self.model, self.data)
        self._begin()
        if self.policy is not None:
            self.policy.reset()
        return self.observe(), self._info()

    def observe(self):
        return np.concatenate([part(self.data, self._action) for part in self._observation])

    def step(self, action):
        action = np.asarray(action, dtype=np.float64)
        if action.shape != (self.model.nu,):
            raise ArgumentError("invalid action", f"expected {self.model.nu} numbers")
        self._action = action
        mapping = self.description.get("action")
        self.data.ctrl[:] = (
            np.asarray(mapping["offset"]) + np.asarray(mapping["scale"]) * action
            if mapping
            else action
        )
        self._mujoco.mj_step(self.model, self.data, self.description["frame_skip"])
        if self.description.get("contact_forces", False):
            self._mujoco.mj_rnePostConstraint(self.model, self.data)
        self.steps += 1
        reward = self._reward()
        self.terminated = self._beyond_limits()
        if self._diverged(reward):
            self.diverged, reward = True, 0.0
        else:
            last = self.description["fitness"] == "last"
            self.fitness = reward if last else self.fitness + reward
            self.bc = np.concatenate([part.add(self.data, action) for part in self._bc])
        over = self.diverged or self.steps >= self.description["episode_steps"]
        return self.observe(), reward, self.terminated, over, self._info()

    def model_sha256(self):
        """The digest by which mees names the compiled model; depends on the version of MuJoCo."""
        content = np.zeros(self._mujoco.mj_sizeModel(self.model), dtype=np.uint8)
        self._mujoco.mj_saveModel(self.model, None, content)
        return hashlib.sha256(content.tobytes()).hexdigest()

    def _apply(self, damage):
        integrator = self.description.get("integrator")
        if integrator:
            name = f"mjINT_{integrator.upper()}"
            self.model.opt.integrator = getattr(self._mujoco.mjtIntegrator, name)
        words = [*self.description.get("damage", []), *damage]
        robot_damage.apply(self._mujoco, self.model, words, self.description.get("action"))

    def _bind(self):
        task = self.description
        seconds = task["frame_skip"] * self.model.opt.timestep
        self._observation = [Quantity(self.model, part) for part in task["observation"]]
        self._terms = [(part, Measure(self.model, part, seconds)) for part in task["reward"]]
        self._limits = [(part, Measure(self.model, part, seconds)) for part in task["end"]]
        self._bc = [Characteristic(self.model, part, seconds) for part in task["bc"]]

    def _restart(self):
        keyframe = self.description["start"].get("keyframe")
        if keyframe is None:
            self._mujoco.mj_resetData(self.model, self.data)
            return
        key = self._mujoco.mj_name2id(self.model, self._mujoco.mjtObj.mjOBJ_KEY, keyframe)
        if key < 0:
            raise FileError(f"the model has no keyframe {keyframe!r}", "the description names it")
        self._mujoco.mj_resetDataKeyframe(self.model, self.data, key)

    def _draw_state(self, stream):
        start = self.description["start"]
        noise = start["noise"]
        self.data.qpos += [stream.uniform(-noise, noise) for _ in range(self.model.nq)]
        if start["velocity"] == "normal":
            self.data.qvel += [noise * stream.normal() for _ in range(self.model.nv)]
        elif start["velocity"] == "uniform":
            self.data.qvel += [stream.uniform(-noise, noise) for _ in range(self.model.nv)]

    def _begin(self):
        self.steps, self.fitness, self.diverged = 0, 0.0, False
        self._action = np.zeros(self.model.nu)
        for _, measure in (*self._terms, *self._limits):
            measure.begin(self.data, self._action)
        self.bc = np.concatenate([part.begin(self.data, self._action) for part in self._bc])
        self.terms = {}
        if self.description["fitness"] == "last":
            self.fitness = self._reward()
        self.terminated = self._beyond_limits()

    def _reward(self):
        total, self.terms = 0.0, {}
        for part, measure in self._terms:
            value = part.get("weight", 1.0) * measure(self.data, self._action)
            value = min(max(value, part.get("lower", -np.inf)), part.get("upper", np.inf))
            self.terms[part["name"]] = self.terms.get(part["name"], 0.0) + value
            total += value
        return total

    def _beyond_limits(self):
        numbers = [(part, measure(self.data, self._action)) for part, measure in self._limits]
        return any(
            number < part.get("lower", -np.inf) or number > part.get("upper", np.inf)
            for part, number in numbers
        )

    def _diverged(self, reward):
        state = np.concatenate([self.data.qpos, self.data.qvel])
        usable = bool((np.abs(state) < MAX_VALUE).all()) and np.isfinite(reward)
        return not usable or any(warning.number for warning in self.data.warning)

    def _info(self):
        return {
            "fitness": self.fitness,
            "bc": np.array(self.bc),
            "terms": dict(self.terms),
            "diverged": self.diverged,
        }


def make(elites, cell=None, *, damage=()):
    """The environment of a map (a Map, a map.h5 or a run folder), from what the map carries.

    With a cell, `environment.policy` is that elite's controller.
    """
    from .map import Map

    if not isinstance(elites, Map):
        with Map(elites) as opened:
            return make(opened, cell, damage=damage)
    domain = elites.domain
    command = elites.settings.get("domain", {}).get("command")
    if domain.program is not None or (domain.model is None and command):
        raise FileError(
            f"cannot run the episodes of {elites.path}",
            f"its environment is the program `{' '.join(command or ['?'])}`, which this package "
            "does not start",
            "Use mees_replay, or the environment itself with elites.policy(cell).",
        )
    if domain.model is None:
        raise FileError(
            f"{elites.path} does not carry its domain",
            "it was written in format 1.0, or its domain is a program",
            "Run mees_evaluate on it, which writes a map that does; or resume the run.",
        )
    mujoco = optional_import("mujoco", "mees.make()")
    wanted = elites.attributes["mujoco_version"]
    if mujoco.__version__ != wanted:
        import warnings

        warnings.warn(
            f"the map was made with MuJoCo {wanted}, this is {mujoco.__version__}: episodes "
            f"differ. Run pip install mujoco=={wanted}.",
            stacklevel=2,
        )
    policy = None if cell is None else elites.policy(cell)
    return Environment(
        domain.model,
        domain.description,
        domain.assets,
        policy=policy,
        damage=damage,
        source=str(elites.path),
    )
