"""Serves an environment to mees: the Python side of docs/process-domain.md.

    import gymnasium, mees

    mees.serve(
        lambda: gymnasium.make("Pendulum-v1"),
        bc=lambda env, info: env.unwrapped.state,
        bc_names=["angle", "speed"],
        bc_lower=[-3.2, -8],
        bc_upper=[3.2, 8],
    )

mees starts such a script (`[domain] name = "process"`, `command = ["python3", "script.py"]`) and
asks it for episodes. What it prints does not disturb that.
"""

from __future__ import annotations

import contextlib
import inspect
import os
import select
import struct
import sys
import time
import traceback

import numpy as np

from .errors import ArgumentError, MeesError
from .spaces import action_decoder, observation_encoder

VERSION = 1
REQUESTS, REPLIES = 3, 4
HELLO, RESET, STEP, END, RENDER, CLOSE, FAILURE = range(1, 8)
RENDERS, LAST_REWARD = 1, 2
USUAL_STEPS = 1000
LONGEST_TEXT = 4000
LOOKING_SECONDS = 50e-6


class DamageError(MeesError):
    """`make_env` raises this for a damage that the environment does not know."""


def serve(
    make_env,
    *,
    bc,
    bc_names,
    bc_lower=None,
    bc_upper=None,
    bc_bins=None,
    episode_steps=None,
    reward_terms=None,
    fitness="sum",
):
    """Answers mees until it ends; does not return before.

    `make_env()` returns an object with Gymnasium's `reset(seed=)`, `step(action)`,
    `observation_space` and `action_space` (spaces of Gymnasium, or the number of entries). If it
    has a parameter `damage`, it is called with the list of damage words; otherwise damage is
    refused. `bc(env, info)` is called after the last step and returns as many numbers as
    `bc_names`. `bc_lower`, `bc_upper` and `bc_bins` are the defaults of the map's bounds and cells.
    A reward that is a dictionary names reward terms. `fitness` is "sum", of the rewards, or "last".
    """
    if "MEES_PROTOCOL" not in os.environ:
        raise ArgumentError(
            "cannot serve an environment",
            "mees did not start this program",
            'Set [domain] name = "process" and command = [...] in a configuration.',
        )
    names = list(bc_names)
    axes = {
        "lower": _numbers(bc_lower, names, 0.0, "bc_lower"),
        "upper": _numbers(bc_upper, names, 0.0, "bc_upper"),
        "bins": _numbers(bc_bins, names, 10, "bc_bins"),
    }
    server = Server(make_env, bc, names, axes, episode_steps, reward_terms, fitness)
    try:
        server.run()
    except BrokenPipeError:
        pass  # mees has ended
    except DamageError as error:
        _fail(1, str(error))
    except Exception as error:
        traceback.print_exc()
        _fail(0, f"{type(error).__name__}: {error}")


def _numbers(given, names, default, what):
    values = [default] * len(names) if given is None else list(np.ravel(given))
    if len(values) != len(names):
        raise ArgumentError(f"invalid {what}", f"expected {len(names)} numbers, one per BC name")
    return values


def _fail(damage, text):
    encoded = text.encode()[:LONGEST_TEXT]
    with contextlib.suppress(OSError):
        _send(FAILURE, struct.pack("<II", damage, len(encoded)) + encoded)
    sys.exit(1)


def _look_for(requests):
    """Looks for a request for a while before this process sleeps: most come soon, and to wake a
    process on an idle core takes about 25 us. Others that want the core get it meanwhile."""
    sleep_from = time.perf_counter() + LOOKING_SECONDS
    while not requests.poll(0) and time.perf_counter() < sleep_from:
        os.sched_yield()


def _receive(size):
    parts = []
    while size > 0:
        part = os.read(REQUESTS, size)
        if not part:
            raise BrokenPipeError
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _send(kind, payload):
    message = memoryview(struct.pack("<II", kind, len(payload)) + payload)
    while message:
        message = message[os.write(REPLIES, message) :]


def _text(text):
    encoded = text.encode()
    return struct.pack("<I", len(encoded)) + encoded


class Episode:
    """One environment and the episode that it runs."""

    def __init__(self, env, server):
        self.env, self.server = env, server
        # A `bc` that follows an episode makes a recorder for each that runs at once.
        self.bc = server.bc.recorder() if hasattr(server.bc, "recorder") else server.bc
        self.info, self.steps = {}, 0

    def reset(self, seed):
        observation, self.info = self.env.reset(seed=seed)
        self.steps = 0
        self._tell("begin", observation)
        return self.server.encode(observation)

    def step(self, outputs):
        observation, reward, terminated, truncated, self.info = self.env.step(
            self.server.decode(outputs)
        )
        self.steps += 1
        self._tell("step", observation)
        # The end of the usual length is not a reason of its own to end.
        ended = terminated or (truncated and self.steps < self.server.episode_steps)
        return self.server.encode(observation), reward, bool(ended)

    def behaviour(self):
        values = np.ravel(np.asarray(self.bc(self.env, self.info), dtype=np.float64))
        if len(values) != len(self.server.bc_names):
            raise ArgumentError(
                "invalid BC", f"expected {len(self.server.bc_names)} numbers, got {len(values)}"
            )
        return values

    def _tell(self, what, observation):
        listener = getattr(self.bc, what, None)
        if listener:
            listener(self.env, self.server.encode(observation), self.info)


class Server:
    """Requests become calls of environments, one per episode that mees runs at once."""

    def __init__(self, make_env, bc, bc_names, axes, episode_steps, reward_terms, fitness):
        if fitness not in ("sum", "last"):
            raise ArgumentError(f"invalid fitness {fitness!r}", 'it must be "sum" or "last"')
        self.make_env, self.bc, self.bc_names, self.axes = make_env, bc, bc_names, axes
        self.episode_steps, self.reward_terms = episode_steps, reward_terms
        self.fitness = fitness
        self.encode = self.decode = None
        self.action_size, self.episodes = 0, []

    def run(self):
        answers = {
            HELLO: self.hello,
            RESET: self.reset,
            STEP: self.step,
            END: self.end,
            RENDER: self.render,
        }
        requests = select.poll()
        requests.register(REQUESTS, select.POLLIN)
        while True:
            _look_for(requests)
            kind, size = struct.unpack("<II", _receive(8))
            payload = _receive(size)
            if kind == CLOSE:
                self.close()
                return
            _send(kind, answers[kind](payload))

    def hello(self, payload):
        version, batch, steps, damages = struct.unpack_from("<IIQI", payload)
        if version != VERSION:
            raise ArgumentError(f"mees speaks version {version} of the protocol, this is {VERSION}")
        environments = [self._make(_words(payload[20:], damages)) for _ in range(batch)]
        first = environments[0]
        self.encode, observations = observation_encoder(first.observation_space)
        self.decode, actions = action_decoder(first.action_space)
        self.episode_steps = steps or self.episode_steps or _usual_steps(first)
        if self.reward_terms is None:
            self.reward_terms = self._try(first, actions)
        self.action_size = actions
        self.episodes = [Episode(env, self) for env in environments]
        renders = getattr(first, "render_mode", None) == "rgb_array"
        flags = RENDERS * renders | LAST_REWARD * (self.fitness == "last")
        head = struct.pack(
            "<IIIIIIQd",
            VERSION,
            flags,
            observations,
            actions,
            len(self.reward_terms),
            len(self.bc_names),
            self.episode_steps,
            _seconds_per_step(first),
        )
        names = b"".join(_text(name) for name in [*self.reward_terms, *self.bc_names])
        rows = zip(self.axes["lower"], self.axes["upper"], self.axes["bins"])
        return head + names + b"".join(struct.pack("<ddQ", *axis) for axis in rows)

    def reset(self, payload):
        slot, seed = struct.unpack("<II", payload)
        return self.episodes[slot].reset(seed).tobytes()

    def step(self, payload):
        width = 8 + 8 * self.action_size
        replies = []
        for at in range(0, len(payload), width):
            (slot,) = struct.unpack_from("<I", payload, at)
            outputs = np.frombuffer(payload, "<f8", self.action_size, at + 8)
            observation, reward, ended = self.episodes[slot].step(outputs)
            replies += [observation.tobytes(), self._terms(reward), struct.pack("<Q", ended)]
        return b"".join(replies)

    def end(self, payload):
        return self.episodes[struct.unpack("<I", payload)[0]].behaviour().tobytes()

    def render(self, payload):
        image = self.episodes[struct.unpack("<I", payload)[0]].env.render()
        image = np.ascontiguousarray(image, dtype=np.uint8)
        if image.ndim != 3 or image.shape[2] != 3:
            raise ArgumentError("invalid image", f"expected height x width x 3, got {image.shape}")
        return struct.pack("<II", image.shape[1], image.shape[0]) + image.tobytes()

    def close(self):
        for episode in self.episodes:
            getattr(episode.env, "close", lambda: None)()

    def _make(self, damage):
        if "damage" in inspect.signature(self.make_env).parameters:
            return self.make_env(damage=damage)
        if damage:
            raise DamageError("its make_env() has no parameter damage")
        return self.make_env()

    def _try(self, env, actions):
        """The names of the reward terms, from a first step."""
        env.reset(seed=0)
        reward = env.step(self.decode(np.zeros(actions)))[1]
        return list(reward) if isinstance(reward, dict) else ["reward"]

    def _terms(self, reward):
        if not isinstance(reward, dict):
            return struct.pack("<d", float(reward))
        if list(reward) != list(self.reward_terms):
            raise ArgumentError(
                "invalid reward", f"expected the terms {self.reward_terms}, got {list(reward)}"
            )
        return struct.pack(f"<{len(reward)}d", *reward.values())


def _words(payload, count):
    words, at = [], 0
    for _ in range(count):
        (size,) = struct.unpack_from("<I", payload, at)
        words.append(payload[at + 4 : at + 4 + size].decode())
        at += 4 + size
    return words


def _usual_steps(env):
    spec = getattr(env, "spec", None)
    return getattr(spec, "max_episode_steps", None) or USUAL_STEPS


def _seconds_per_step(env):
    inner = getattr(env, "unwrapped", env)
    dt = getattr(inner, "dt", None)
    if isinstance(dt, (int, float)) and dt > 0:
        return float(dt)
    fps = (getattr(env, "metadata", None) or {}).get("render_fps")
    return 1.0 / fps if fps else 0.0
