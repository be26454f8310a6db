"""Draws a CVT map: by its cells if it has two axes, by its elites if it has more."""

from __future__ import annotations

import numpy as np

PIXELS = 240


def draw(ax, source, axes, values):
    """(the coloured artist, the part of the title before the names of the other axes)"""
    space = source.space
    if space.dimensions == 2:
        return _draw_cells(ax, source, axes, values), ""
    upwards = np.argsort(source.fitness, kind="stable")
    places = source.bc[upwards][:, list(axes)].T
    height = places[1] if len(axes) == 2 else np.full(len(source), 0.5)
    dots = ax.scatter(places[0], height, c=values[upwards], s=22, cmap="viridis", linewidths=0)
    ax.set_xlim(space.lower[axes[0]], space.upper[axes[0]])
    if len(axes) == 2:
        ax.set_ylim(space.lower[axes[1]], space.upper[axes[1]])
    return dots, "all elites, projected over "


def _draw_cells(ax, source, axes, values):
    """The plane in pixels, each coloured like the cell that contains its centre."""
    space = source.space
    centres = [
        np.linspace(low, high, 2 * PIXELS + 1)[1::2] for low, high in zip(space.lower, space.upper)
    ]
    points = np.stack(np.meshgrid(*centres, indexing="ij"), axis=-1)
    cells = space.cell_of(points.reshape(-1, 2)).reshape(PIXELS, PIXELS)
    colours = np.full(space.cells, np.nan)
    colours[source.cell] = values
    image = colours[cells] if axes == (0, 1) else colours[cells].T
    return ax.imshow(
        np.ma.masked_invalid(image.T),
        origin="lower",
        extent=[bound for axis in axes for bound in (space.lower[axis], space.upper[axis])],
        cmap="viridis",
        interpolation="nearest",
        aspect="auto",
    )
