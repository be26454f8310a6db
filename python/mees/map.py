"""A map of elites, as mees_master writes it (docs/map-format.md)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import h5py
import numpy as np

from . import files
from .errors import DamagedFileError, EmptyCellError, optional_import
from .grid import Grid
from .history import History
from .origin import Origin, parse_settings
from .policy import Policy, parameter_count

COLUMNS = {
    "fitness": np.float64,
    "fitness_std": np.float64,
    "novelty": np.float64,
    "generation": np.int64,
    "parent_cell": np.int64,
}


@dataclass(frozen=True)
class Elite:
    """The figures of one filled cell; `row` is its row in every dataset of /map."""

    row: int
    cell: int
    bins: tuple
    bc: np.ndarray
    fitness: float
    fitness_std: float
    novelty: float
    generation: int
    parent_cell: int


class Map:
    """One map.h5, opened for reading; a context manager.

    The small arrays are read at once, controllers when asked for: a map of gigabytes opens in
    milliseconds. Keeps showing the state at opening while a running mees_master replaces the file.
    Raises a FileError for anything that is not a whole map of a known version. Writes nothing.
    """

    def __init__(self, path):
        self.path = Path(path)
        self._file = files.open_file(self.path, "mees-map")
        try:
            self._read()
        except Exception:
            self._file.close()
            raise

    def close(self):
        self._file.close()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def __len__(self):
        return len(self.cell)

    def __repr__(self):
        return (
            f"Map({str(self.path)!r}: {self.domain}, {self.label}, generation {self.generations}, "
            f"{len(self)} of {self.grid.cells} cells)"
        )

    # What the file says of itself

    @property
    def domain(self) -> str:
        return self.attributes["domain"]

    @property
    def generations(self) -> int:
        """The generation the run had reached."""
        return int(self.attributes["generation"])

    @property
    def seed(self) -> int:
        return int(self.attributes["seed"])

    @property
    def label(self) -> str:
        return self.origin.label

    @cached_property
    def settings(self) -> dict:
        """The effective configuration as nested dictionaries."""
        return parse_settings(self.attributes["config"], self.path)

    @cached_property
    def origin(self) -> Origin:
        return Origin(self.domain, self.attributes["algorithm"], self.seed, self.settings)

    # Figures of the whole map

    @property
    def coverage(self) -> int:
        """The number of filled cells."""
        return len(self)

    @property
    def qd_score(self) -> float:
        """Sum over filled cells of fitness - qd_offset."""
        return float(np.sum(self.fitness - self.qd_offset))

    # Elites

    @property
    def best(self) -> Elite:
        """The fittest elite; of equals the one with the lowest cell."""
        self._refuse_if_empty()
        return self._elite(int(np.argmax(self.fitness)))

    def nearest(self, bc) -> Elite:
        """The elite whose BC is nearest to `bc`, each axis measured in shares of its bounds."""
        self._refuse_if_empty()
        bc = np.asarray(bc, dtype=np.float64)
        if bc.shape != (self.grid.dimensions,):
            raise ValueError(
                f"a BC of this map has {self.grid.dimensions} values "
                f"({', '.join(self.grid.names)}); got an array of {bc.shape}"
            )
        distances = np.linalg.norm(self.grid.scale(self.bc) - self.grid.scale(bc), axis=1)
        return self._elite(int(np.argmin(distances)))

    def __getitem__(self, cell) -> Elite:
        return self._elite(self.row(cell))

    def __contains__(self, cell):
        row = np.searchsorted(self.cell, cell)
        return bool(row < len(self) and self.cell[row] == cell)

    def __iter__(self):
        return (self._elite(row) for row in range(len(self)))

    def row(self, cell) -> int:
        """The row of a cell given by number, as 'best' or as an Elite."""
        if isinstance(cell, Elite):
            cell = cell.cell
        if isinstance(cell, str):
            if cell != "best":
                raise ValueError(f"a cell is a number, an Elite or 'best', not {cell!r}")
            return self.best.row
        if cell not in self:
            raise EmptyCellError(self._why_empty(int(cell)))
        return int(np.searchsorted(self.cell, cell))

    # Controllers

    @property
    def parameters(self) -> np.ndarray:
        """All controllers, n x P float32, read now; a full Ant map is 3 GB."""
        return self._rows("parameters", slice(None), np.float32)

    @property
    def observation_mean(self) -> np.ndarray:
        return self._rows("observation_mean", slice(None), np.float64)

    @property
    def observation_std(self) -> np.ndarray:
        return self._rows("observation_std", slice(None), np.float64)

    def policy(self, cell="best") -> Policy:
        """The controller of a cell, ready to be called with observations."""
        row = self.row(cell)
        return Policy(
            self.layers,
            self._rows("parameters", row, np.float32),
            self._rows("observation_mean", row, np.float64),
            self._rows("observation_std", row, np.float64),
            self.settings.get("policy", {}).get("observation_clip", 0.0),
        )

    # Tables

    @cached_property
    def history(self) -> History:
        """A row per generation, from the initial controller on."""
        columns = self._columns("/history")
        return History(columns, self.origin, str(self.path), self.qd_offset)

    @cached_property
    def timing(self) -> dict:
        """What depends on clock and machine; 'seconds' is the wall time of each generation."""
        return self._columns("/timing")

    @cached_property
    def novelty_archive(self) -> np.ndarray:
        """BCs in order of generation, m x d; empty for algorithms that keep none."""
        return files.read(
            self._file, self.path, "/novelty_archive/bc", np.float64, (None, self.grid.dimensions)
        )

    def frame(self):
        """A pandas DataFrame with a row per elite: cell, bin_<name>, <name>, fitness, ..."""
        pandas = optional_import("pandas", "Map.frame()")
        columns = {"cell": self.cell}
        for axis, name in enumerate(self.grid.names):
            columns[f"bin_{name}"] = self.bins[:, axis]
        for axis, name in enumerate(self.grid.names):
            columns[name] = self.bc[:, axis]
        columns.update({name: getattr(self, name) for name in COLUMNS})
        return pandas.DataFrame(columns)

    def to_ribs(self):
        """A pyribs GridArchive with the same elites in the same cells (needs the package ribs)."""
        from .ribs_archive import grid_archive

        return grid_archive(self)

    # Reading

    def _read(self):
        file, path = self._file, self.path
        with files.reading(path):
            self.attributes = files.read_attributes(file)
            group = file.get("/map")
            layout = files.read_attributes(group) if isinstance(group, h5py.Group) else {}
        needed = ("bins", "lower", "upper", "bc_names", "layers", "qd_offset")
        self._need(layout, needed, "/map")
        self._need(
            self.attributes, ("domain", "algorithm", "seed", "generation", "config"), "the root"
        )
        self.grid = Grid(
            tuple(int(count) for count in layout["bins"]),
            np.asarray(layout["lower"], dtype=np.float64),
            np.asarray(layout["upper"], dtype=np.float64),
            tuple(layout["bc_names"]),
        )
        self.layers = tuple(int(size) for size in layout["layers"])
        self.qd_offset = float(layout["qd_offset"])
        self.cell = files.read(file, path, "/map/cell", np.int64, (None,))
        count, axes = len(self.cell), self.grid.dimensions
        self.bins = files.read(file, path, "/map/bins", np.int32, (count, axes))
        self.bc = files.read(file, path, "/map/bc", np.float64, (count, axes))
        for name, dtype in COLUMNS.items():
            setattr(self, name, files.read(file, path, f"/map/{name}", dtype, (count,)))
        self._check_controllers(count)

    def _check_controllers(self, count):
        expected = {
            "parameters": (count, parameter_count(self.layers)),
            "observation_mean": (count, self.layers[0]),
            "observation_std": (count, self.layers[0]),
        }
        for name, shape in expected.items():
            have = files.dataset(self._file, self.path, f"/map/{name}").shape
            if have != shape:
                raise DamagedFileError(
                    f"{self.path}: /map/{name} is {have}, not {shape} (layers {self.layers}, "
                    f"{count} elites) the file does not follow docs/map-format.md"
                )

    def _need(self, attributes, names, where):
        missing = [name for name in names if name not in attributes]
        if missing:
            raise DamagedFileError(
                f"{self.path}: {where} lacks {', '.join(missing)} "
                "(the file is incomplete) copy the file again"
            )

    def _rows(self, name, rows, dtype):
        node = files.dataset(self._file, self.path, f"/map/{name}")
        with files.reading(self.path):
            return np.asarray(node[rows], dtype=dtype)

    def _columns(self, name):
        with files.reading(self.path):
            if self._file.get(name, getlink=True) is None:
                return {}
            nodes = [(key, self._file[name][key]) for key in self._file[name]]
            return {key: node[...] for key, node in nodes if isinstance(node, h5py.Dataset)}

    def _elite(self, row):
        return Elite(
            row,
            int(self.cell[row]),
            tuple(int(index) for index in self.bins[row]),
            self.bc[row].copy(),
            float(self.fitness[row]),
            float(self.fitness_std[row]),
            float(self.novelty[row]),
            int(self.generation[row]),
            int(self.parent_cell[row]),
        )

    def _refuse_if_empty(self):
        if not len(self):
            raise EmptyCellError(f"{self.path}: the map is empty (no elite at all) train first")

    def _why_empty(self, cell):
        self._refuse_if_empty()
        if not 0 <= cell < self.grid.cells:
            return (
                f"{self.path}: no cell {cell} (the map has cells 0 to {self.grid.cells - 1}) "
                "choose one of these"
            )
        away = np.abs(self.bins - np.array(self.grid.bins_of_cell(cell))).sum(axis=1)
        near = self.cell[np.argsort(away, kind="stable")[:5]]
        return (
            f"{self.path}: cell {cell} is empty (no elite there) "
            f"the nearest filled cells are {', '.join(map(str, near))}"
        )
