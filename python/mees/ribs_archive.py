"""Conversion of a map to a pyribs archive."""

from __future__ import annotations

import numpy as np

from .chains import require_single
from .errors import optional_import
from .policy import parameter_count
from .space import Cvt

EXTRA = ("fitness_std", "novelty", "generation", "parent_cell")


def archive_of(source):
    """A ribs GridArchive (CVTArchive for a CVT map) with every elite of the map in the same cell.

    solution = parameters (float32), objective = fitness, measures = BC; the normaliser and the
    other columns are extra fields with their names in the file. Archive indices equal cell numbers.
    pyribs searches the nearest centroid without scaling: if the axes of a CVT map have unequal
    spans, measures and centroids are scaled to the bounds.
    """
    require_single(source, "Map.to_ribs()")
    archives = optional_import("ribs.archives", "Map.to_ribs()")
    inputs = source.layers[0]
    fields = {name: ((), getattr(source, name).dtype) for name in EXTRA}
    fields["observation_mean"] = ((inputs,), np.float64)
    fields["observation_std"] = ((inputs,), np.float64)
    common = dict(
        solution_dim=parameter_count(source.layers),
        qd_score_offset=source.qd_offset,
        solution_dtype=np.float32,
        objective_dtype=np.float64,
        measures_dtype=np.float64,
        extra_fields=fields,
    )
    make = _cvt_archive if isinstance(source.space, Cvt) else _grid_archive
    archive, measures = make(archives, source, common)
    if len(source):
        columns = {name: getattr(source, name) for name in fields}
        archive.add(source.parameters, source.fitness, measures, **columns)
    return archive


def _cvt_archive(archives, source, common):
    space = source.space
    spans = space.upper - space.lower
    even = bool(np.all(spans == spans[0]))
    units = np.copy if even else space.scale
    ranges = list(zip(units(space.lower).tolist(), units(space.upper).tolist()))
    archive = archives.CVTArchive(centroids=units(space.centroids), ranges=ranges, **common)
    return archive, units(source.bc)


def _grid_archive(archives, source, common):
    space = source.space
    ranges = list(zip(space.lower.tolist(), space.upper.tolist()))
    archive = archives.GridArchive(dims=space.bins, ranges=ranges, epsilon=0.0, **common)
    return archive, _measures_in_their_cells(archive, source)


def _measures_in_their_cells(archive, source):
    """The BCs; one that pyribs would round into a neighbouring cell (it computes the bin in another
    order, and overflows far outside the bounds) is moved to the nearest point inside its cell."""
    measures = source.bc.copy()
    far = np.abs(source.space.scale(measures)).max(axis=1) > 1e6
    elsewhere = (
        archive.index_of(np.where(far[:, None], source.space.lower, measures)) != source.cell
    )
    for row in np.flatnonzero(far | elsewhere):
        for axis, index in enumerate(source.bins[row]):
            low, high = source.space.edges(axis)[index : index + 2]
            margin = 1e-9 * (high - low)
            measures[row, axis] = np.clip(measures[row, axis], low + margin, high - margin)
    return measures
