"""Reads the layout of a map file and checks its consistency (docs/map-format.md)."""

from __future__ import annotations

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


def layout_of(file, path):
    """(root attributes, (behaviour space, layers, QD offset))"""
    with files.reading(path):
        root = files.read_attributes(file)
        group = file.get("/map")
        own = files.read_attributes(group) if isinstance(group, h5py.Group) else {}
    _need(path, root, ROOT, "the root")
    _need(path, own, MAP, "/map")
    layers = tuple(int(size) for size in own["layers"])
    return root, (_space(file, path, own), layers, float(own["qd_offset"]))


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
    return columns


def table(file, path, name) -> dict:
    """The datasets of a group by name; empty if the file has no such group."""
    if not _exists(file, path, name):
        return {}
    with files.reading(path):
        nodes = [(key, file[name][key]) for key in file[name]]
        return {key: node[...] for key, node in nodes if isinstance(node, h5py.Dataset)}


def _space(file, path, attributes):
    box = {
        "bins": tuple(int(count) for count in attributes["bins"]),
        "lower": np.asarray(attributes["lower"], dtype=np.float64),
        "upper": np.asarray(attributes["upper"], dtype=np.float64),
        "names": tuple(attributes["bc_names"]),
    }
    if len({len(entries) for entries in box.values()}) > 1:
        raise DamagedFileError(
            f"bins, lower, upper and bc_names of /map differ in length in {path}",
            "the file does not follow docs/map-format.md",
            "Copy the file again.",
        )
    if not _exists(file, path, "/map/centroids"):
        return Grid(**box)
    shape = (None, len(box["lower"]))
    return Cvt(**box, centroids=files.read(file, path, "/map/centroids", np.float64, shape))


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


def _exists(file, path, name):
    """Whether there is a link of that name, intact or damaged."""
    with files.reading(path):
        return file.get(name, getlink=True) is not None
