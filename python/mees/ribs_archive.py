"""From a map to a pyribs archive."""

from __future__ import annotations

import numpy as np

from .errors import optional_import
from .policy import parameter_count

EXTRA = ("fitness_std", "novelty", "generation", "parent_cell")


def grid_archive(source):
    """A ribs.archives.GridArchive with every elite of the map in the same cell.

    solution = parameters (float32), objective = fitness, measures = BC; the normaliser and the
    other figures are extra fields under their names in the file. Archive indices equal our cells.
    """
    archives = optional_import("ribs.archives", "Map.to_ribs()")
    inputs = source.layers[0]
    fields = {name: ((), getattr(source, name).dtype) for name in EXTRA}
    fields["observation_mean"] = ((inputs,), np.float64)
    fields["observation_std"] = ((inputs,), np.float64)
    grid = source.grid
    archive = archives.GridArchive(
        solution_dim=parameter_count(source.layers),
        dims=grid.bins,
        ranges=list(zip(grid.lower.tolist(), grid.upper.tolist())),
        epsilon=0.0,
        qd_score_offset=source.qd_offset,
        solution_dtype=np.float32,
        objective_dtype=np.float64,
        measures_dtype=np.float64,
        extra_fields=fields,
    )
    if len(source):
        archive.add(
            source.parameters,
            source.fitness,
            _measures_in_their_cells(archive, source),
            **{name: getattr(source, name) for name in fields},
        )
    return archive


def _measures_in_their_cells(archive, source):
    """The BCs; one that pyribs would round into a neighbour (it computes the bin in another
    order, and overflows far outside the bounds) is moved to its own cell's nearest inside."""
    measures = source.bc.copy()
    far = np.abs(source.grid.scale(measures)).max(axis=1) > 1e6
    elsewhere = archive.index_of(np.where(far[:, None], source.grid.lower, measures)) != source.cell
    for row in np.flatnonzero(far | elsewhere):
        for axis, index in enumerate(source.bins[row]):
            low, high = source.grid.edges(axis)[index : index + 2]
            margin = 1e-9 * (high - low)
            measures[row, axis] = np.clip(measures[row, axis], low + margin, high - margin)
    return measures
