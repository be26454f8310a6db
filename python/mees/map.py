"""A map of elites, as mees_master writes it (docs/map-format.md)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from . import files
from .errors import EmptyCellError, optional_import
from .history import History
from .map_layout import COLUMNS, elite_columns, layout_of, table
from .origin import Origin, parse_settings
from .policy import Policy


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
    milliseconds. `cell`, `bins`, `bc`, `fitness`, `fitness_std`, `novelty`, `generation` and
    `parent_cell` are arrays with a row per elite, in ascending order of cells; `attributes` are the
    file's own, `space` is the behaviour space, `layers` the network. Keeps showing the
    state at opening while a running mees_master replaces the file. Raises a FileError for anything
    that is not a whole map of a known version. Writes nothing.
    """

    def __init__(self, path):
        self.path = Path(path)
        self._file = files.open_file(self.path, "mees-map")
        try:
            self.attributes, layout = layout_of(self._file, self.path)
            self.space, self.layers, self.qd_offset = layout
            for name, column in elite_columns(self._file, self.path, *layout[:2]).items():
                setattr(self, name, column)
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
            f"{len(self)} of {self.space.cells} cells)"
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
        if bc.shape != (self.space.dimensions,):
            raise ValueError(
                f"a BC of this map has {self.space.dimensions} values "
                f"({', '.join(self.space.names)}); got an array of {bc.shape}"
            )
        distances = np.linalg.norm(self.space.scale(self.bc) - self.space.scale(bc), axis=1)
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
        columns = table(self._file, self.path, "/history")
        return History(columns, self.origin, str(self.path), self.qd_offset)

    @cached_property
    def timing(self) -> dict:
        """What depends on clock and machine; 'seconds' is the wall time of each generation."""
        return table(self._file, self.path, "/timing")

    @cached_property
    def novelty_archive(self) -> np.ndarray:
        """BCs in order of generation, m x d; empty for algorithms that keep none."""
        return files.read(
            self._file, self.path, "/novelty_archive/bc", np.float64, (None, self.space.dimensions)
        )

    def frame(self):
        """A pandas DataFrame with a row per elite: cell, bin_<name>, <name>, fitness, ..."""
        pandas = optional_import("pandas", "Map.frame()")
        columns = {"cell": self.cell}
        for axis, name in enumerate(self.space.names):
            columns[f"bin_{name}"] = self.bins[:, axis]
        for axis, name in enumerate(self.space.names):
            columns[name] = self.bc[:, axis]
        columns.update({name: getattr(self, name) for name in COLUMNS})
        return pandas.DataFrame(columns)

    def to_ribs(self):
        """A pyribs archive with the same elites in the same cells (needs the package ribs)."""
        from .ribs_archive import archive_of

        return archive_of(self)

    # Reading

    def _rows(self, name, rows, dtype):
        node = files.dataset(self._file, self.path, f"/map/{name}")
        with files.reading(self.path):
            return np.asarray(node[rows], dtype=dtype)

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
        if not 0 <= cell < self.space.cells:
            return (
                f"{self.path}: no cell {cell} (the map has cells 0 to {self.space.cells - 1}) "
                "choose one of these"
            )
        away = self.space.distance(cell, self.cell)
        near = self.cell[np.argsort(away, kind="stable")[:5]]
        return (
            f"{self.path}: cell {cell} is empty (no elite there) "
            f"the nearest filled cells are {', '.join(map(str, near))}"
        )
