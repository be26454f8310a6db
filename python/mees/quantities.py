"""Quantities, measures and BCs of a domain description, computed from MuJoCo's data."""

from __future__ import annotations

import re

import numpy as np

from .errors import FileError, optional_import

ARRAYS = ("qpos", "qvel", "cinert", "cvel", "cfrc_ext", "qfrc_actuator", "sensordata")
OF_BODIES = {"position": "xpos", "orientation": "xquat", "rotation": "xmat"}


def find(model, kind, name):
    """The id of a named object; #3 is the object with id 3."""
    mujoco = optional_import("mujoco", "running episodes")
    index = mujoco.mj_name2id(model, getattr(mujoco.mjtObj, f"mjOBJ_{kind.upper()}"), name)
    numbered = re.fullmatch(r"#(\d+)", name)
    count = {"body": model.nbody, "geom": model.ngeom, "site": model.nsite}.get(kind, 0)
    if index < 0 and numbered and int(numbered[1]) < count:
        index = int(numbered[1])
    if index < 0:
        raise FileError(f"the model has no {kind} {name!r}", "the description names it")
    return index


class Quantity:
    """A vector computed from the state; the table may contain keys of others too."""

    def __init__(self, model, table):
        self._read = _reader(model, table)
        self._index = table.get("index")
        first, count = table.get("first", 0), table.get("count")
        self._range = slice(first, None if count is None else first + count)
        self._offset, self._scale = table.get("offset"), table.get("scale")
        self._clip = table.get("clip")

    def __call__(self, data, action):
        values = np.ravel(self._read(data, action))
        try:
            values = values[self._range] if self._index is None else values[self._index]
            if self._offset is not None:
                values = values - np.asarray(self._offset, dtype=np.float64)
        except (IndexError, ValueError) as error:
            raise FileError("a quantity does not fit the model", str(error)) from error
        if self._scale is not None:
            values = values / self._scale
        if self._clip is not None:
            values = np.clip(values, -self._clip, self._clip)
        return np.array(values)


def _reader(model, table):
    source = table.get("source")
    if source in ARRAYS:
        return lambda data, action: getattr(data, source)
    if source == "action":
        return lambda data, action: action
    if source == "power":
        return lambda data, action: np.abs(data.actuator_force * data.actuator_velocity)
    if source == "com":
        mass = np.array(model.body_mass)
        return lambda data, action: mass @ data.xipos / mass.sum()
    if source == "contact":
        return _contacts(model, table)
    if source == "site":
        site = find(model, "site", table["site"])
        return lambda data, action: data.site_xpos[site]
    if source in (*OF_BODIES, "angles", "subtree_com", "ground_pose"):
        body = find(model, "body", table["body"])
        if source == "ground_pose":
            return lambda data, action: _ground_pose(data.xpos[body], data.xmat[body])
        if source == "angles":
            return lambda data, action: _angles(data.xmat[body])
        field = OF_BODIES.get(source, source)
        return lambda data, action: getattr(data, field)[body]
    raise FileError(f"unknown source {source!r} in a domain description")


def _angles(r):
    return [
        np.arctan2(r[7], r[8]),
        np.arcsin(np.clip(-r[6], -1, 1)),
        np.arctan2(r[3], r[0]),
    ]


def _ground_pose(position, r):
    length = np.sqrt(r[0] * r[0] + r[3] * r[3])
    heading = [1.0, 0.0] if length == 0 else [r[0] / length, r[3] / length]
    return [position[0], position[1], *heading]


def _contacts(model, table):
    floor = find(model, "geom", table["with"])
    geoms = [find(model, "geom", name) for name in table["geoms"]]

    def touching(data, action):
        pairs = data.contact.geom.reshape(-1, 2)
        others = set(pairs[(pairs == floor).any(axis=1)].ravel().tolist())
        return [float(geom in others) for geom in geoms]

    return touching


class Measure:
    """A number per control step."""

    def __init__(self, model, table, seconds_per_step):
        self._kind, self._target = table["kind"], table.get("target")
        self._quantity = None if self._kind == "constant" else Quantity(model, table)
        self._seconds = table.get("seconds", seconds_per_step)
        self._point = table.get("point")
        self._site = find(model, "site", table["target_site"]) if "target_site" in table else None
        self._before = None

    def begin(self, data, action):
        if self._kind == "rate":
            self._before = self._quantity(data, action)

    def __call__(self, data, action):
        number = self._number(data, action)
        return number if self._target is None else abs(number - self._target)

    def _number(self, data, action):
        if self._kind == "constant":
            return 1.0
        values = self._quantity(data, action)
        if self._kind == "sum":
            return float(np.sum(values))
        if self._kind == "squares":
            return float(values @ values)
        if self._kind == "rate":
            before, self._before = self._before, values
            return float((values - before)[0] / self._seconds)
        to = self._point if self._site is None else data.site_xpos[self._site][: len(values)]
        return float(np.linalg.norm(values - np.asarray(to)))


class Characteristic:
    """A part of the behaviour characterisation."""

    def __init__(self, model, table, seconds_per_step):
        self._kind, self._quantity = table["kind"], Quantity(model, table)
        self._seconds = seconds_per_step

    def begin(self, data, action):
        self._start = self._quantity(data, action)
        self._sum, self._steps = np.zeros_like(self._start), 0
        return self._value(self._start)

    def add(self, data, action):
        values = self._quantity(data, action)
        self._sum, self._steps = self._sum + values, self._steps + 1
        return self._value(values)

    def _value(self, values):
        if self._kind == "final":
            return values
        if self._kind == "displacement":
            return values - self._start
        if self._kind == "relative":
            return _relative(self._start, values)
        if self._kind == "velocity":
            return (values - self._start) / (self._seconds * max(self._steps, 1))
        return self._sum / max(self._steps, 1)


def _relative(start, pose):
    dx, dy, c, s = pose[0] - start[0], pose[1] - start[1], start[2], start[3]
    turned = [c * pose[2] + s * pose[3], c * pose[3] - s * pose[2]]
    return np.array([c * dx + s * dy, c * dy - s * dx, *turned])
