"""Reads the layout of a map file and checks its consistency (docs/map-format.md)."""

from __future__ import annotations

import math

import h5py
import numpy as np

from . import files
from .errors import DamagedFileError
from .policy import parameter_count
from .space import Cvt, Grid

COLUMNS = {
    "fitness": np.float64,
    "fitness_std": np.float64,
    "novelty": np.float64,
    "generation": np.int64,
    "parent_cell": np.int64,
}
ROOT = ("domain", "algorithm", "seed", "generation", "config")
MAP = ("bins", "lower", "upper", "bc_names", "layers", "qd_offset")
# The bounds of mees's own reader.
MOST_CELLS = 1 << 40
MOST_LAYERS = 64
WIDEST = 1 << 24
MOST_AXES = 64


def layout_of(file, path):
    """(root attributes, (behaviour space, layers, QD offset))"""
    with files.reading(path):
        root = files.read_attributes(file)
        group = files.member(file, "map")
        own = files.read_attributes(group) if isinstance(group, h5py.Group) else {}
    _need(path, root, ROOT, "the root")
    _need(path, own, MAP, "/map")
    with files.reading(path):
        layers = tuple(int(size) for size in own["layers"])
        offset = float(own["qd_offset"])
        _check_types(root)
    if not 2 <= len(layers) <= MOST_LAYERS or not all(1 <= size <= WIDEST for size in layers):
        raise _odd(f"attribute layers is not a network in {path}")
    return root, (_space(file, path, own), layers, offset)


def elite_columns(file, path, space, layers) -> dict:
    """The small arrays of /map by name; the controllers' shapes are checked, not read."""
    cell = files.read(file, path, "/map/cell", np.int64, (None,))
    rows = (len(cell), space.dimensions)
    columns = {
        "cell": cell,
        "bins": files.read(file, path, "/map/bins", np.int32, rows),
        "bc": files.read(file, path, "/map/bc", np.float64, rows),
    }
    for name, dtype in COLUMNS.items():
        columns[name] = files.read(file, path, f"/map/{name}", dtype, rows[:1])
    _check_controllers(file, path, len(cell), layers)
    last = np.asarray(space.bins) - 1
    in_order = np.all(np.diff(cell) > 0) and np.all((cell >= 0) & (cell < space.cells))
    if not in_order or not np.all((columns["bins"] >= 0) & (columns["bins"] <= last)):
        raise _odd(f"/map/cell or /map/bins has a cell that the map does not have in {path}")
    return columns


def table(file, path, name) -> dict:
    """The datasets of a group by name; empty if the file has no such group."""
    if not exists(file, path, name):
        return {}
    with files.reading(path):
        group = files.member(file, name)
        keys = [key for key in group if isinstance(files.member(group, key), h5py.Dataset)]
    columns = {}
    for key in keys:
        node = files.dataset(group, path, key)
        with files.reading(path):
            columns[key] = node[...]
    return columns


def _space(file, path, attributes):
    with files.reading(path):
        box = {
            "bins": tuple(int(count) for count in attributes["bins"]),
            "lower": np.asarray(attributes["lower"], dtype=np.float64),
            "upper": np.asarray(attributes["upper"], dtype=np.float64),
            "names": tuple(str(name) for name in attributes["bc_names"]),
        }
        lengths = {len(entries) for entries in box.values()}
    if len(lengths) > 1:
        raise _odd(f"bins, lower, upper and bc_names of /map differ in length in {path}")
    if not 1 <= lengths.pop() <= MOST_AXES:
        raise _odd(f"invalid number of axes in {path}")
    if min(box["bins"]) < 1 or math.prod(box["bins"]) > MOST_CELLS:
        raise _odd(f"invalid number of bins in {path}")
    if not np.all(np.isfinite(box["upper"] - box["lower"]) & (box["lower"] < box["upper"])):
        raise _odd(f"invalid bounds of the BC in {path}")
    if not exists(file, path, "/map/centroids"):
        return Grid(**box)
    shape = (None, len(box["lower"]))
    return Cvt(**box, centroids=files.read(file, path, "/map/centroids", np.float64, shape))


def _check_types(root):
    for name in ("domain", "algorithm", "config"):
        if not isinstance(root[name], str):
            raise TypeError(f"attribute {name} is not a string")
    for name in ("seed", "generation"):
        if not isinstance(root[name], int):
            raise TypeError(f"attribute {name} is not an integer")


def _odd(problem):
    return DamagedFileError(
        problem, "the file does not follow docs/map-format.md", "Copy the file again."
    )


def _check_controllers(file, path, count, layers):
    expected = {
        "parameters": (count, parameter_count(layers)),
        "observation_mean": (count, layers[0]),
        "observation_std": (count, layers[0]),
    }
    for name, shape in expected.items():
        have = files.dataset(file, path, f"/map/{name}").shape
        if have != shape:
            raise DamagedFileError(
                f"dataset /map/{name} has the wrong shape in {path}",
                f"{have}, not {shape} as {count} elites with layers {layers} need",
                "Copy the file again.",
            )


def _need(path, attributes, names, where):
    missing = [name for name in names if name not in attributes]
    if missing:
        raise DamagedFileError(
            f"{where} lacks {', '.join(missing)} in {path}",
            "the file is incomplete",
            "Copy the file again.",
        )


def exists(file, path, name):
    """Whether there is a link of that name, intact or damaged."""
    with files.reading(path):
        node = file
        *groups, last = name.strip("/").split("/")
        for part in groups:
            node = files.member(node, part)
            if not isinstance(node, h5py.Group):
                return False
        return node.get(last, getlink=True) is not None
