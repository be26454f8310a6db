"""Elites in variants of their model, as mees_evaluate --variants measured them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import files
from .errors import DamagedFileError
from .map_layout import table


@dataclass(frozen=True)
class Variants:
    """Rows are those of the map: row r of `fitness` is the elite in row r of Map.cell.

    `changes` has the words of each variant, as mees_replay --damage takes them; `text` says what
    was varied. `robust` is the 5 % quantile over the variants.
    """

    text: str
    episodes: int
    changes: tuple
    fitness: np.ndarray

    @property
    def mean(self) -> np.ndarray:
        return self.fitness.mean(axis=1)

    @property
    def robust(self) -> np.ndarray:
        return np.quantile(self.fitness, 0.05, axis=1)

    @property
    def worst(self) -> np.ndarray:
        return self.fitness.min(axis=1)


def read_variants(file, path, cells) -> Variants | None:
    columns = table(file, path, "/evaluation")
    if "variant_fitness" not in columns:
        return None
    with files.reading(path):
        attributes = files.read_attributes(files.member(file, "evaluation"))
    try:
        changes = tuple(
            word.decode() if isinstance(word, bytes) else str(word) for word in columns["variant"]
        )
        kept = np.flatnonzero(columns["kept"])
        order = kept[np.argsort(columns["cell"][kept], kind="stable")]
        fitness = np.asarray(columns["variant_fitness"], dtype=np.float64)[order]
        fits = fitness.shape == (len(cells), len(changes)) and len(changes) > 0
        if not fits or not np.array_equal(columns["cell"][order], cells):
            raise ValueError("its rows are not those of /map")
        return Variants(
            str(attributes["variants"]), int(attributes["variant_episodes"]), changes, fitness
        )
    except (KeyError, ValueError, IndexError) as error:
        raise DamagedFileError(
            f"cannot read the variants in {path}", str(error), "Copy the file again."
        ) from error
