"""Conversion of a map to a QDax repertoire."""

from __future__ import annotations

import numpy as np

from .chains import require_single
from .errors import optional_import
from .policy import parameter_count
from .space import Cvt

EXTRA = ("fitness_std", "novelty", "observation_mean", "observation_std")


def repertoire_of(source):
    """A MapElitesRepertoire of QDax 0.5 or later with every elite of the map in the same cell.

    genotypes = parameters (float32), fitnesses (-inf in empty cells), descriptors = BC and
    centroids, all ordered by cell; the normaliser, fitness_std and novelty are extra scores. It has
    a row for every cell, filled or not. JAX computes in float32 unless jax_enable_x64 is set.
    QDax searches the nearest centroid without scaling: if the axes of a CVT map have unequal spans,
    descriptors and centroids are scaled to the bounds.
    """
    require_single(source, "Map.to_qdax()")
    containers = optional_import("qdax.core.containers.mapelites_repertoire", "Map.to_qdax()")
    jax = optional_import("jax.numpy", "Map.to_qdax()")
    centroids, descriptors = _places(source)
    cells, inputs = source.space.cells, source.layers[0]

    def spread(values, shape, empty=0.0, dtype=np.float64):
        """The rows of the elites, in a table with a row for every cell."""
        table = np.full((cells, *shape), empty, dtype)
        table[source.cell] = np.reshape(values, (len(source), *shape))
        return jax.asarray(table)

    shapes = {"fitness_std": (), "novelty": ()}
    scores = {name: spread(getattr(source, name), shapes.get(name, (inputs,))) for name in EXTRA}
    parameters = source.parameters if len(source) else np.zeros((0, 0))
    return containers.MapElitesRepertoire(
        genotypes=spread(parameters, (parameter_count(source.layers),), dtype=np.float32),
        fitnesses=spread(source.fitness, (1,), -np.inf),
        descriptors=spread(descriptors, (source.space.dimensions,)),
        centroids=jax.asarray(centroids),
        extra_scores=scores,
        keys_extra_scores=EXTRA,
    )


def _places(source):
    """The centroids of all cells, and the BCs of the elites, in the same units."""
    space = source.space
    if isinstance(space, Cvt):
        spans = space.upper - space.lower
        units = np.copy if np.all(spans == spans[0]) else space.scale
        return units(space.centroids), units(source.bc)
    bins = np.indices(space.bins).reshape(space.dimensions, -1).T
    centres = space.lower + (bins + 0.5) / np.asarray(space.bins) * (space.upper - space.lower)
    return centres, source.bc
