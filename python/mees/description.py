"""The description of a task that a map carries (docs/domain-description.md), read and checked."""

from __future__ import annotations

import math

from .errors import FileError
from .origin import tomllib

VERSION = 1
LONGEST = 1 << 20
LONGEST_LIST = 10_000

TASK = {
    "version",
    "name",
    "frame_skip",
    "episode_steps",
    "integrator",
    "contact_forces",
    "fitness",
    "damage",
    "start",
    "action",
    "observation",
    "reward",
    "end",
    "bc",
    "damage_words",
}
QUANTITY = {
    "source",
    "body",
    "site",
    "geoms",
    "with",
    "first",
    "count",
    "index",
    "offset",
    "scale",
    "clip",
}
MEASURE = QUANTITY | {"kind", "target", "seconds", "point", "target_site", "lower", "upper"}
TABLES = {
    "start": {"keyframe", "noise", "velocity"},
    "action": {"offset", "scale"},
    "observation": QUANTITY,
    "reward": MEASURE | {"name", "weight"},
    "end": MEASURE,
    "bc": QUANTITY | {"kind", "names", "lower", "upper", "bins"},
    "damage_words": {"motors", "lock", "shorten", "mass"},
}
REQUIRED = (
    "name",
    "frame_skip",
    "episode_steps",
    "fitness",
    "start",
    "observation",
    "reward",
    "bc",
)
CHOICES = {
    "integrator": ("euler", "rk4", "implicit", "implicitfast"),
    "fitness": ("sum", "last"),
    "velocity": ("none", "uniform", "normal"),
}
KINDS = {
    "reward": ("constant", "sum", "squares", "rate", "distance"),
    "end": ("sum", "squares", "rate", "distance"),
    "bc": ("final", "displacement", "velocity", "mean", "relative"),
}


def parse(text, source):
    """The description as nested dictionaries; a FileError for anything that is not on the page."""

    def refuse(why):
        raise FileError(
            f"cannot use the domain description of {source}", why, "See docs/domain-description.md."
        )

    if len(text) > LONGEST:
        refuse(f"it is longer than {LONGEST} bytes")
    try:
        task = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        refuse(str(error))
    if task.get("version") != VERSION:
        refuse(f"its version is {task.get('version')!r}, this package reads {VERSION}")
    missing = [key for key in REQUIRED if key not in task]
    if missing:
        refuse(f"{missing[0]} is missing")
    _check_keys(task, TASK, "", refuse)
    for name, known in TABLES.items():
        several = name in ("observation", "reward", "end", "bc")
        tables = task.setdefault(name, []) if several else [task.get(name, {})]
        if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
            refuse(f"{name} must be a table or a list of tables")
        for table in tables:
            _check_keys(table, known, f"[{name}] ", refuse)
            if name in KINDS and table.get("kind") not in KINDS[name]:
                refuse(f"[[{name}]] kind = {table.get('kind')!r} must be one of {KINDS[name]}")
    _check_values(task, "", refuse)
    return task


def _check_keys(table, known, where, refuse):
    unknown = sorted(set(table) - known)
    if unknown:
        refuse(f"unknown key {where}{unknown[0]!r}")


def _check_values(value, key, refuse):
    if isinstance(value, dict):
        for name, entry in value.items():
            _check_values(entry, name, refuse)
    elif isinstance(value, list):
        if len(value) > LONGEST_LIST:
            refuse(f"{key} has more than {LONGEST_LIST} entries")
        for entry in value:
            _check_values(entry, key, refuse)
    elif isinstance(value, (int, float)):
        if not math.isfinite(value):
            refuse(f"{key} is not finite")
        if key in ("frame_skip", "episode_steps") and not (
            isinstance(value, int) and 1 <= value <= 10**9
        ):
            refuse(f"{key} must be an integer from 1 on")
    elif not isinstance(value, str):
        refuse(f"{key} has a value of another type")
    if key in CHOICES and value not in CHOICES[key]:
        refuse(f"{key} = {value!r} must be one of {CHOICES[key]}")
