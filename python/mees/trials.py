"""Trials on a real robot, as recorded by mees_adapt --ask and --tell: their adapt.h5."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np

from . import files
from .errors import DamagedFileError

INTEGERS = ("map", "cell")
NUMBERS = ("predicted", "variance", "fitness")


@dataclass(frozen=True)
class AskedTrial:
    """The trial that `--ask` has printed and that has no value yet."""

    map: int
    cell: int
    predicted: float
    variance: float


class Trials:
    """The trials of one adapt.h5 of `mees_adapt --ask` and `--tell`, in the order of recording.

    `map` (number of the map that the controller is of, 0 being the first), `cell`, `predicted` and
    `variance` (the prediction before the trial) and `fitness` (the value that was recorded) are
    arrays of equal length. `asked` is the trial without a value, or None; `maps` the SHA-256 of
    each map. Everything is read at once; no file is kept open.
    """

    def __init__(self, path):
        self.path = Path(path)
        with files.open_file(self.path, "mees-trials") as file:
            with files.reading(self.path):
                self.attributes = files.read_attributes(file)
                group = files.member(file, "trials")
                own = files.read_attributes(group) if isinstance(group, h5py.Group) else {}
            rows = (None,)
            for name in (*INTEGERS, *NUMBERS):
                kind = np.int64 if name in INTEGERS else np.float64
                setattr(self, name, files.read(file, self.path, f"/trials/{name}", kind, rows))
                rows = self.map.shape
        with files.using_attributes(self.path):
            self.maps = tuple(self.attributes["map_sha256"])
            self.asked = None
            if "asked_cell" in own:
                whole = {name: int(own[f"asked_{name}"]) for name in INTEGERS}
                real = {name: float(own[f"asked_{name}"]) for name in NUMBERS[:2]}
                self.asked = AskedTrial(**whole, **real)
        used = [*self.map, *([self.asked.map] if self.asked else [])]
        if any(not 0 <= number < len(self.maps) for number in used):
            raise DamagedFileError(
                f"a trial is of a map that is not listed in {self.path}",
                "the file does not follow docs/map-format.md",
                files.COPY,
            )

    def __len__(self):
        return len(self.fitness)
