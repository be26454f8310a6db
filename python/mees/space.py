"""Behaviour spaces: a regular grid of cells, or the Voronoi cells of centroids."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .errors import ArgumentError


@dataclass(frozen=True)
class Space:
    """A box of BCs with named axes; the common part of Grid and Cvt."""

    bins: tuple
    lower: np.ndarray
    upper: np.ndarray
    names: tuple

    @property
    def dimensions(self) -> int:
        return len(self.lower)

    def scale(self, bc) -> np.ndarray:
        """BCs scaled so that the bounds are 0 and 1 on every axis."""
        return (np.asarray(bc, dtype=np.float64) - self.lower) / (self.upper - self.lower)

    def axis(self, which) -> int:
        """The index of an axis given by number or by name."""
        if isinstance(which, str) and which in self.names:
            return self.names.index(which)
        try:
            number = int(which)
        except ValueError:
            number = -1
        if not 0 <= number < self.dimensions:
            known = ", ".join(f"{index} ({name})" for index, name in enumerate(self.names))
            raise ArgumentError(f"unknown BC axis {which!r}", f"known axes: {known}")
        return number


@dataclass(frozen=True)
class Grid(Space):
    """Equal bins per axis; cells are numbered row-major; the outer bins are open-ended."""

    @property
    def cells(self) -> int:
        return math.prod(self.bins)

    def bin_of(self, bc) -> np.ndarray:
        """Bin per axis of one or many BCs: clamp(floor((bc - lower)/(upper - lower) * bins))."""
        last = np.asarray(self.bins) - 1
        return np.clip(np.floor(self.scale(bc) * self.bins), 0, last).astype(np.int64)

    def cell_of(self, bc):
        """Cell of one BC (int) or of many (array)."""
        cell = np.ravel_multi_index(tuple(np.moveaxis(self.bin_of(bc), -1, 0)), self.bins)
        return int(cell) if np.ndim(cell) == 0 else cell

    def bins_of_cell(self, cell) -> np.ndarray:
        """The bin per axis of one cell or of many."""
        return np.stack(np.unravel_index(cell, self.bins), axis=-1)

    def edges(self, axis) -> np.ndarray:
        """The bins + 1 edges along one axis, in units of the BC."""
        return np.linspace(self.lower[axis], self.upper[axis], self.bins[axis] + 1)

    def distance(self, cell, cells) -> np.ndarray:
        """Distance of each of `cells` from `cell` in bins, summed over the axes."""
        return np.abs(self.bins_of_cell(cells) - self.bins_of_cell(cell)).sum(axis=-1)


@dataclass(frozen=True)
class Cvt(Space):
    """The cell of a BC is its nearest centroid in coordinates scaled to the bounds; ties go to the
    lowest index. `centroids` has one row per cell, in units of the BC."""

    centroids: np.ndarray = None

    @property
    def cells(self) -> int:
        return len(self.centroids)

    def cell_of(self, bc):
        """Cell of one BC (int) or of many (array)."""
        points = np.atleast_2d(self.scale(bc))
        places = self.scale(self.centroids)
        size = max(1, 4_000_000 // places.size)
        parts = [points[first : first + size] for first in range(0, len(points), size)]
        nearest = [((part[:, None] - places) ** 2).sum(axis=-1).argmin(axis=1) for part in parts]
        cells = np.concatenate(nearest) if nearest else np.zeros(0, dtype=np.int64)
        return int(cells[0]) if np.ndim(bc) == 1 else cells

    def distance(self, cell, cells) -> np.ndarray:
        """Distance of each centroid of `cells` from that of `cell`, in fractions of the bounds."""
        places = self.scale(self.centroids)
        return np.linalg.norm(places[cells] - places[cell], axis=-1)
