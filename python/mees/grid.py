"""The grid over the behaviour space that a map's cells belong to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Grid:
    """Equal bins per axis between two bounds; the outer bins are open-ended."""

    bins: tuple
    lower: np.ndarray
    upper: np.ndarray
    names: tuple

    @property
    def dimensions(self) -> int:
        return len(self.bins)

    @property
    def cells(self) -> int:
        return int(np.prod(self.bins, dtype=np.int64))

    def bin_of(self, bc) -> np.ndarray:
        """Bin per axis of one or many BCs: clamp(floor((bc - lower)/(upper - lower) * bins))."""
        share = (np.asarray(bc, dtype=np.float64) - self.lower) / (self.upper - self.lower)
        last = np.asarray(self.bins) - 1
        return np.clip(np.floor(share * self.bins), 0, last).astype(np.int64)

    def cell_of(self, bc):
        """Flat, row-major cell index of one BC (int) or of many (array)."""
        cell = np.ravel_multi_index(tuple(np.moveaxis(self.bin_of(bc), -1, 0)), self.bins)
        return int(cell) if np.ndim(cell) == 0 else cell

    def bins_of_cell(self, cell) -> tuple:
        """The bin per axis of a flat cell index."""
        return tuple(int(index) for index in np.unravel_index(cell, self.bins))

    def edges(self, axis) -> np.ndarray:
        """The bins + 1 edges along one axis, in units of the BC."""
        return np.linspace(self.lower[axis], self.upper[axis], self.bins[axis] + 1)

    def scale(self, bc) -> np.ndarray:
        """BCs with the map's bounds put to 0 and 1 on every axis."""
        return (np.asarray(bc, dtype=np.float64) - self.lower) / (self.upper - self.lower)

    def axis(self, which) -> int:
        """The number of an axis given by number or by name."""
        if isinstance(which, str) and which in self.names:
            return self.names.index(which)
        try:
            number = int(which)
        except ValueError:
            number = -1
        if not 0 <= number < self.dimensions:
            known = ", ".join(f"{index} ({name})" for index, name in enumerate(self.names))
            raise ValueError(f"no BC axis {which!r}; the axes are {known}")
        return number
