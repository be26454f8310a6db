"""A map of elites as written by mees_master (docs/map-format.md)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from . import files
from .chains import Links
from .changes import warn_of_newer_changes
from .domain import Domain, read_domain
from .errors import ArgumentError, EmptyCellError, optional_import
from .history import History
from .map_layout import COLUMNS, elite_columns, layout_of, table
from .origin import Origin, parse_sections
from .policy import Chain, Policy
from .space import Grid
from .variants import Variants, read_variants

CELLS = "expected a number, one bin per axis, an Elite, 'best' or 'nearest:x,y'"


@dataclass(frozen=True)
class Elite:
    """The data of one filled cell; `row` is its row in every dataset of /map."""

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

    The small arrays are read at once, controllers on demand: a map of gigabytes opens in
    milliseconds. `cell`, `bins`, `bc`, `fitness`, `fitness_std`, `novelty`, `generation` and
    `parent_cell` are arrays with one row per elite, in ascending order of cells, and `links` has
    the length of each elite's chain of controllers (1: a single one); `attributes` are
    those of the file, `space` is the behaviour space, `layers` the network. A run folder stands for
    its map.h5, without the change files of a run with a large map, of which a warning is given.
    Keeps showing the state at opening while a running mees_master replaces the file.
    Raises a FileError for anything that is not an intact map of a known version. Never writes.
    """

    def __init__(self, path):
        self.path = Path(path)
        if self.path.is_dir() and (self.path / "map.h5").exists():
            self.path = self.path / "map.h5"
        self._file = files.open_file(self.path, "mees-map")
        try:
            self.attributes, layout = layout_of(self._file, self.path)
            self.space, self.layers, self.qd_offset = layout
            for name, column in elite_columns(self._file, self.path, *layout[:2]).items():
                setattr(self, name, column)
            self._links = Links(self._file, self.path, len(self.cell), self.layers)
            self.links = self._links.count
        except Exception:
            self._file.close()
            raise
        warn_of_newer_changes(self.path, self.generations)

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
            f"Map({str(self.path)!r}: {self.robot}, {self.label}, generation {self.generations}, "
            f"{len(self)} of {self.space.cells} cells)"
        )

    # Metadata

    @cached_property
    def domain(self) -> Domain:
        """The domain's name, with what the map carries of it."""
        return read_domain(self._file, self.path, self.attributes["domain"])

    @property
    def robot(self) -> str:
        """The domain's name in figures: that of the model for a custom robot."""
        return self.origin.robot

    @property
    def generations(self) -> int:
        """The generation that the run had reached."""
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
        return parse_sections(self.attributes["config"], self.path)

    @cached_property
    def origin(self) -> Origin:
        return Origin(self.domain, self.attributes["algorithm"], self.seed, self.settings)

    # Statistics

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
        """The fittest elite; ties go to the lowest cell."""
        self._require_elites()
        return self._elite(int(np.argmax(self.fitness)))

    def nearest(self, bc) -> Elite:
        """The elite whose BC is nearest to `bc`, each axis scaled to its bounds."""
        self._require_elites()
        bc = np.asarray(bc, dtype=np.float64)
        if bc.shape != (self.space.dimensions,):
            raise ArgumentError(
                f"invalid BC of shape {bc.shape}",
                f"this map has the {self.space.dimensions} axes {', '.join(self.space.names)}",
            )
        distances = np.linalg.norm(self.space.scale(self.bc) - self.space.scale(bc), axis=1)
        return self._elite(int(np.argmin(distances)))

    def __getitem__(self, cell) -> Elite:
        """The elite of a cell, given as in row()."""
        return self._elite(self.row(cell))

    def __contains__(self, cell):
        row = np.searchsorted(self.cell, cell)
        return bool(row < len(self) and self.cell[row] == cell)

    def __iter__(self):
        return (self._elite(row) for row in range(len(self)))

    def row(self, cell) -> int:
        """The row of a cell given by number, by its bins, as 'best', 'nearest:x,y' or an Elite."""
        if isinstance(cell, Elite):
            cell = cell.cell
        if isinstance(cell, str):
            return self._named(cell).row
        if isinstance(cell, (tuple, list, np.ndarray)) and np.ndim(cell) == 1:
            cell = self._cell_of_bins(cell)
        if isinstance(cell, bool) or not isinstance(cell, (int, np.integer)):
            raise ArgumentError(f"invalid cell {cell!r}", CELLS)
        if cell not in self:
            raise self._empty_cell(int(cell))
        return int(np.searchsorted(self.cell, cell))

    def _named(self, text):
        if text == "best":
            return self.best
        kind, _, numbers = text.partition(":")
        try:
            if kind == "nearest":
                return self.nearest([float(number) for number in numbers.split(",")])
            return self._elite(self.row(int(text)))
        except ValueError as error:
            if isinstance(error, ArgumentError):
                raise
            raise ArgumentError(f"invalid cell {text!r}", CELLS) from None

    def _cell_of_bins(self, bins):
        if not isinstance(self.space, Grid):
            raise ArgumentError(
                f"invalid cell {tuple(bins)}", "the cells of a CVT map are numbered, not binned"
            )
        limits = self.space.bins
        given = np.asarray(bins)
        fits = given.shape == (len(limits),) and given.dtype.kind in "iu"
        if not fits or (given < 0).any() or (given >= limits).any():
            shown = " x ".join(map(str, limits))
            raise ArgumentError(
                f"invalid bins {tuple(bins)}", f"the map has {shown} bins, numbered from 0"
            )
        return int(np.ravel_multi_index(tuple(given), limits))

    # Controllers

    @property
    def parameters(self) -> np.ndarray:
        """All controllers, n x P float32, read on each access; a full Ant map is 3 GB."""
        return self._rows("parameters", slice(None), np.float32)

    @property
    def observation_mean(self) -> np.ndarray:
        return self._rows("observation_mean", slice(None), np.float64)

    @property
    def observation_std(self) -> np.ndarray:
        return self._rows("observation_std", slice(None), np.float64)

    def policy(self, cell="best") -> Policy | Chain:
        """The controller of a cell, given as in row(); a Chain where it has several links."""
        row = self.row(cell)
        settings = self.settings.get("policy", {})
        last = (
            self._rows("parameters", row, np.float32),
            self._rows("observation_mean", row, np.float64),
            self._rows("observation_std", row, np.float64),
        )
        policies = [
            Policy(
                self.layers,
                *link,
                settings.get("observation_clip", 0.0),
                settings.get("output", "tanh"),
            )
            for link in [*self._links.before(row), last]
        ]
        if len(policies) == 1:
            return policies[0]
        return Chain(policies, self.settings["algorithm"]["chain_steps"])

    # Tables

    @cached_property
    def history(self) -> History:
        """One row per generation, starting with the initial controller."""
        columns = table(self._file, self.path, "/history")
        return History(columns, self.origin, str(self.path), self.qd_offset)

    @cached_property
    def timing(self) -> dict:
        """Columns that depend on the machine; 'seconds' is the wall time of each generation."""
        return table(self._file, self.path, "/timing")

    @cached_property
    def novelty_archive(self) -> np.ndarray:
        """BCs in order of generation, m x d; empty for algorithms without one."""
        return files.read(
            self._file, self.path, "/novelty_archive/bc", np.float64, (None, self.space.dimensions)
        )

    @cached_property
    def variants(self) -> Variants | None:
        """Fitness of each elite in variants of the model (mees_evaluate --variants), or None."""
        return read_variants(self._file, self.path, self.cell)

    def frame(self):
        """A pandas DataFrame with one row per elite: cell, bin_<name>, <name>, fitness, ..."""
        pandas = optional_import("pandas", "Map.frame()")
        columns = {"cell": self.cell}
        for axis, name in enumerate(self.space.names):
            columns[f"bin_{name}"] = self.bins[:, axis]
        for axis, name in enumerate(self.space.names):
            columns[name] = self.bc[:, axis]
        columns.update({name: getattr(self, name) for name in COLUMNS})
        if np.any(self.links > 1):
            columns["links"] = self.links
        if self.variants:
            columns["variant_mean"] = self.variants.mean
            columns["robust"] = self.variants.robust
            columns["variant_worst"] = self.variants.worst
        return pandas.DataFrame(columns)

    def to_ribs(self):
        """A pyribs archive with the same elites in the same cells (needs the package ribs)."""
        from .ribs_archive import archive_of

        return archive_of(self)

    def to_qdax(self):
        """A QDax repertoire with the same elites in the same cells (needs the package qdax)."""
        from .qdax_repertoire import repertoire_of

        return repertoire_of(self)

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

    def _require_elites(self):
        if not len(self):
            raise EmptyCellError(f"no elite in {self.path}", "the map is empty")

    def _empty_cell(self, cell):
        self._require_elites()
        if not 0 <= cell < self.space.cells:
            return EmptyCellError(
                f"no cell {cell} in {self.path}",
                f"the map has cells 0 to {self.space.cells - 1}",
                "Choose one of these.",
            )
        away = self.space.distance(cell, self.cell)
        near = self.cell[np.argsort(away, kind="stable")[:5]]
        return EmptyCellError(
            f"cell {cell} is empty in {self.path}",
            f"nearest filled cells: {', '.join(map(str, near))}",
            "Choose a filled cell.",
        )
