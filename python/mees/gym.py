"""Serves an environment of Gymnasium to mees, without code of one's own.

[domain]
name = "process"
command = ["python3", "-m", "mees.gym", "Ant-v5", "--bc", "final:x_position,y_position",
           "--bc-bounds", "-20:20,-20:20", "--bc-bins", "50,50"]
"""

from __future__ import annotations

import argparse
import ast
import importlib
import sys

import numpy as np

from . import robot_damage
from .errors import ArgumentError, MeesError, optional_import
from .serve import DamageError, serve

BC_HELP = """The behaviour characterisation: parts joined by '+', each KIND:NAME,NAME,... with KIND
final, mean, min or max (over the episode) and NAME a key of info or obs[INDEX]; or
contacts:GEOM,GEOM,... (the share of control steps in which the geom of a MuJoCo environment touches
anything); or function:MODULE:NAME, a function bc(env, info) that returns numbers."""


def main(arguments=None):
    options = _parser().parse_args(_joined(sys.argv[1:] if arguments is None else arguments))
    try:
        gymnasium = optional_import("gymnasium", "its environments")
        for module in options.imports:
            importlib.import_module(module)
        bc, names = _behaviour(options)
        settings = dict(_setting(text) for text in options.settings)

        def make_env(damage=()):
            env = _make(gymnasium, options, settings)
            _damage(env, list(damage))
            return env

        bounds = _bounds(options.bc_bounds, len(names))
        serve(
            make_env,
            bc=bc,
            bc_names=names,
            bc_lower=bounds and bounds[0],
            bc_upper=bounds and bounds[1],
            bc_bins=_integers(options.bc_bins, len(names)),
            episode_steps=options.steps,
        )
    except MeesError as error:
        print(f"mees.gym: error: {error}", file=sys.stderr)
        return error.exit_code
    return 0


def _parser():
    parser = argparse.ArgumentParser(prog="python3 -m mees.gym", description=__doc__.split("\n")[0])
    parser.add_argument("env_id", metavar="ENV_ID", help="such as Ant-v5")
    parser.add_argument("--bc", required=True, help=BC_HELP)
    parser.add_argument("--bc-bounds", metavar="LOW:HIGH,...", help="the map's default bounds")
    parser.add_argument("--bc-bins", metavar="N,...", help="the map's default cells per axis [10]")
    parser.add_argument("--bc-names", metavar="NAME,...", help="names of the BC of a function")
    parser.add_argument("--steps", type=int, metavar="N", help="control steps per episode")
    parser.add_argument(
        "--set",
        dest="settings",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="an argument of gymnasium.make, such as frame_skip=2",
    )
    parser.add_argument(
        "--import",
        dest="imports",
        action="append",
        default=[],
        metavar="MODULE",
        help="a module that registers environments",
    )
    return parser


def _joined(arguments):
    """Bounds with their option: they often start with a minus sign, like an option."""
    joined = []
    for argument in arguments:
        if joined and joined[-1] == "--bc-bounds":
            joined[-1] += f"={argument}"
        else:
            joined.append(argument)
    return joined


def _make(gymnasium, options, settings):
    try:
        return gymnasium.make(options.env_id, render_mode="rgb_array", **settings)
    except Exception as drawing:
        try:
            return gymnasium.make(options.env_id, **settings)
        except Exception as error:
            raise ArgumentError(
                f"cannot make the environment {options.env_id}", f"{error}; {drawing}"
            ) from error


def _damage(env, words):
    """Damages the environment as `env.unwrapped.set_damage(words)` does, if there is such a
    function; else the robot of a MuJoCo environment, as docs/damage.md says."""
    inner = env.unwrapped
    if hasattr(inner, "set_damage"):
        inner.set_damage(words)
        return
    if not words:
        return
    model = getattr(inner, "model", None)
    if not hasattr(model, "actuator_ctrlrange"):
        raise DamageError("it has no set_damage(words) and is not an environment of MuJoCo")
    try:
        robot_damage.apply(
            optional_import("mujoco", "damage"), model, words, _mapping(env.action_space)
        )
    except MeesError as error:
        raise DamageError(str(error)) from error


def _mapping(space):
    """Offset and scale by which outputs -1..1 become controls, as spaces.py maps them."""
    low, high = (np.ravel(bound).astype(np.float64) for bound in (space.low, space.high))
    bounded = np.isfinite(low) & np.isfinite(high)
    return {
        "offset": np.where(bounded, (low + high) / 2, 0.0),
        "scale": np.where(bounded, (high - low) / 2, 1.0),
    }


def _setting(text):
    key, equals, value = text.partition("=")
    if not equals:
        raise ArgumentError(f"invalid --set {text}", "expected KEY=VALUE")
    try:
        return key, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return key, value


def _bounds(text, count):
    if text is None:
        return None
    try:
        pairs = [tuple(map(float, part.split(":"))) for part in text.split(",")]
        lower, upper = zip(*pairs)
    except ValueError:
        pairs, lower, upper = [], (), ()
    if len(pairs) != count:
        raise ArgumentError(
            f"invalid --bc-bounds {text}", f"expected {count} pairs such as -20:20,-20:20"
        )
    return lower, upper


def _integers(text, count):
    if text is None:
        return None
    try:
        numbers = [int(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) != count:
        raise ArgumentError(f"invalid --bc-bins {text}", f"expected {count} integers")
    return numbers


def _behaviour(options):
    """What computes the BC, and its names."""
    if not options.bc.startswith("function:"):
        bc = Behaviour(options.bc)
        return bc, bc.names
    try:
        module, name = options.bc[len("function:") :].split(":")
        function = getattr(importlib.import_module(module), name)
    except (ValueError, ImportError, AttributeError) as error:
        raise ArgumentError(f"invalid --bc {options.bc}", str(error)) from error
    if not options.bc_names:
        raise ArgumentError("missing --bc-names", "the names of what the function returns")
    return function, options.bc_names.split(",")


KINDS = ("final", "mean", "min", "max", "contacts")


class Behaviour:
    """The BC of --bc. `begin` and `step` see every state of an episode; the call gives the BC."""

    def __init__(self, text):
        self._text = text
        self._parts = [self._part(part) for part in text.split("+")]
        self.names = [
            f"{kind}_{name.replace('[', '').replace(']', '')}"
            for kind, names in self._parts
            for name in names
        ]

    def recorder(self):
        return Behaviour(self._text)

    @staticmethod
    def _part(text):
        kind, _, names = text.partition(":")
        if kind not in KINDS or not names:
            raise ArgumentError(
                f"invalid --bc {text}",
                f"expected KIND:NAME,... with KIND one of {', '.join(KINDS)}",
            )
        return kind, names.split(",")

    def begin(self, env, observation, info):
        self._rows = []
        self._first = self._values(env, observation, info, first=True)

    def step(self, env, observation, info):
        self._rows.append(self._values(env, observation, info))

    def __call__(self, env, info):
        rows = np.array(self._rows or [self._first], dtype=np.float64)
        kinds = [kind for kind, names in self._parts for _ in names]
        reduce = {
            "final": lambda column: column[-1],
            "mean": np.mean,
            "contacts": np.mean,
            "min": np.min,
            "max": np.max,
        }
        return [reduce[kind](rows[:, i]) for i, kind in enumerate(kinds)]

    def _values(self, env, observation, info, first=False):
        return [
            _touches(env, name) if kind == "contacts" else _value(name, observation, info, first)
            for kind, names in self._parts
            for name in names
        ]


def _value(name, observation, info, first):
    if name.startswith("obs[") and name.endswith("]"):
        try:
            return float(observation[int(name[4:-1])])
        except (ValueError, IndexError):
            raise ArgumentError(
                f"invalid BC {name}", f"the observation has {len(observation)} entries"
            ) from None
    if name in info:
        return float(info[name])
    if first:
        return 0.0  # many environments report nothing before the first step
    raise ArgumentError(f"invalid BC {name}", f"info has the keys {', '.join(sorted(info))}")


def _touches(env, name):
    inner = env.unwrapped
    model, data = getattr(inner, "model", None), getattr(inner, "data", None)
    if not hasattr(data, "contact"):
        raise ArgumentError(f"invalid BC contacts:{name}", "the environment is not one of MuJoCo")
    try:
        geom = model.geom(name).id
    except KeyError as error:
        raise ArgumentError(f"invalid BC contacts:{name}", str(error)) from None
    pairs = data.contact.geom[: data.ncon]
    return float(np.any(pairs == geom))


if __name__ == "__main__":
    sys.exit(main())
