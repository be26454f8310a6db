"""A map over two of its BC axes."""

from __future__ import annotations

import numpy as np
from matplotlib.ticker import MaxNLocator

from ..errors import ArgumentError
from ..space import Cvt
from . import voronoi
from .style import (
    BC_UNITS,
    EMPTY,
    axis_label,
    axis_name,
    describe,
    new_figure,
    styled,
    value_label,
)

LARGEST = 1000  # squares along an axis: more than that cannot be told apart
REDUCTIONS = ("best", "mean", "count")
VALUES = ("fitness", "fitness_std", "novelty", "generation")


def heatmap(source, axes=(0, 1), value="fitness", reduce="best", ax=None):
    """Colour over two BC axes of a Map, each given by number or name.

    If several elites fall on one square (grids with more than two axes), it shows the `value` of
    the fittest of them (`reduce` 'best'), their mean, or their number ('count'); an axis with more
    than 1000 bins has several of them in a square. A CVT map with two axes shows its Voronoi cells;
    one with more axes shows every elite as a dot at its BC, the fittest on top.
    """
    chosen = _choose_axes(source.space, axes)
    table = project(source, chosen, value, reduce)
    with styled():
        figure = ax.figure if ax else new_figure(6.2, _height(source, chosen))
        ax = ax or figure.add_subplot()
        if isinstance(source.space, Cvt):
            coloured, note = voronoi.draw(ax, source, chosen, column(source, value))
        else:
            coloured, note = _draw_squares(ax, source.space, chosen, table), f"{reduce} over "
            value = "count" if reduce == "count" else value
        _finish(figure, ax, source, chosen, coloured, value)
        ax.set_title(describe(source) + _title_end(source, chosen, note))
    return figure


def project(source, axes, value="fitness", reduce="best") -> np.ndarray:
    """float64 table of an entry per bin of axes[0] and axes[1], or per so many bins that no side
    has more than LARGEST entries; NaN where there is no elite."""
    if reduce not in REDUCTIONS:
        raise ArgumentError(f"invalid reduce {reduce!r}", f"expected {', '.join(REDUCTIONS)}")
    steps = [bins_per_square(source.space, axis) for axis in axes]
    columns = [source.bins[:, axis].astype(np.int64) // step for axis, step in zip(axes, steps)]
    shape = tuple(-(-source.space.bins[axis] // step) for axis, step in zip(axes, steps))
    where = np.ravel_multi_index(columns, shape)
    size = int(np.prod(shape))
    counts = np.bincount(where, minlength=size).astype(np.float64)
    if reduce == "count":
        flat = counts
    elif reduce == "mean":
        sums = np.bincount(where, weights=column(source, value), minlength=size)
        flat = sums / np.maximum(counts, 1)
    else:
        flat = np.zeros(size)
        upwards = np.argsort(source.fitness, kind="stable")
        flat[where[upwards]] = column(source, value)[upwards]
    flat[counts == 0] = np.nan
    return flat.reshape(shape)


def bins_per_square(space, axis) -> int:
    return -(-space.bins[axis] // LARGEST)


def column(source, value) -> np.ndarray:
    """A column of the map by name, as float64."""
    if value not in VALUES:
        raise ArgumentError(f"invalid value {value!r}", f"expected {', '.join(VALUES)}")
    return np.asarray(getattr(source, value), dtype=np.float64)


def _choose_axes(space, axes):
    if space.dimensions == 1:
        return (0,)
    chosen = tuple(space.axis(axis) for axis in axes)
    if len(chosen) != 2 or chosen[0] == chosen[1]:
        raise ArgumentError(f"invalid axes {axes!r}", "a heatmap needs two different axes")
    return chosen


def _height(source, axes):
    """Height in inches at which a map with equal units fills the width of the figure."""
    if len(axes) < 2:
        return 2.2
    if source.domain not in BC_UNITS:
        return 5.0
    spans = source.space.upper - source.space.lower
    return float(np.clip(4.6 * spans[axes[1]] / spans[axes[0]] + 1.2, 2.6, 9.0))


def _title_end(source, axes, note):
    others = [axis_name(source, i) for i in range(source.space.dimensions) if i not in axes]
    text = f"\n{note}{', '.join(others)}" if len(axes) == 2 and others else ""
    steps = [bins_per_square(source.space, axis) for axis in axes]
    if max(steps) > 1 and not isinstance(source.space, Cvt):
        text += f"\n{' x '.join(map(str, steps))} bins per square"
    return text + (
        f"\n\N{WHITE STAR} best fitness {source.best.fitness:.6g}" if len(source) else ""
    )


def _draw_squares(ax, grid, axes, table):
    horizontal = _edges(grid, axes[0])
    vertical = _edges(grid, axes[1]) if len(axes) == 2 else np.array([0.0, 1.0])
    cells = table.reshape(table.shape[0], -1).T
    return ax.pcolormesh(horizontal, vertical, np.ma.masked_invalid(cells), cmap="viridis")


def _edges(grid, axis):
    bins, step = grid.bins[axis], bins_per_square(grid, axis)
    if step == 1:
        return grid.edges(axis)
    places = np.minimum(np.arange(-(-bins // step) + 1) * step, bins) / bins
    return grid.lower[axis] + (grid.upper[axis] - grid.lower[axis]) * places


def _finish(figure, ax, source, axes, coloured, value):
    ax.set_facecolor(EMPTY)
    ax.set_xlabel(axis_label(source, axes[0]))
    if len(axes) == 2:
        ax.set_ylabel(axis_label(source, axes[1]))
        if source.domain in BC_UNITS:
            ax.set_aspect("equal")
    else:
        ax.set_yticks([])
    ticks = MaxNLocator(integer=True) if value in ("count", "generation") else None
    figure.colorbar(coloured, ax=ax, label=value_label(value, source.domain), ticks=ticks)
    if len(source):
        _mark_best(ax, source, axes)


def _mark_best(ax, source, axes):
    best, space = source.best, source.space
    if isinstance(space, Cvt):
        middle = best.bc[list(axes)]
    else:
        spans = space.upper - space.lower
        middle = [
            space.lower[axis] + spans[axis] * (best.bins[axis] + 0.5) / space.bins[axis]
            for axis in axes
        ]
    ax.plot(
        [middle[0]],
        [middle[1] if len(axes) == 2 else 0.5],
        marker="*",
        markersize=11,
        markerfacecolor="white",
        markeredgecolor="black",
        linestyle="none",
    )
