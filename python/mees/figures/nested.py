"""A map with many BC axes in one figure: blocks of cells inside blocks of cells."""

from __future__ import annotations

import numpy as np

from ..errors import ArgumentError
from ..space import Cvt
from .heatmap import column
from .style import EMPTY, axis_label, describe, new_figure, styled, value_label

LARGEST = 4_000_000


def nested(source, value="fitness", ax=None):
    """Every cell of a Map as one square; no elite hides another.

    Axes 0, 2, 4, ... run to the right and 1, 3, 5, ... upwards; axes 0 and 1 are the place within
    a block, the next two select the block, and so on: as `mees_inspect heatmap --others nested`.
    """
    grid = source.space
    table = lay_out(source, value)
    with styled():
        figure = ax.figure if ax else new_figure(7.6, 7.0)
        ax = ax or figure.add_subplot()
        image = ax.imshow(
            np.ma.masked_invalid(table.T),
            origin="lower",
            cmap="viridis",
            interpolation="nearest",
            aspect="auto",
            extent=(0, table.shape[0], 0, table.shape[1]),
        )
        ax.set_facecolor(EMPTY)
        _rule(ax, grid, table.shape)
        _label(ax, source)
        ax.set_title(describe(source))
        figure.colorbar(image, ax=ax, label=value_label(value, source.domain), fraction=0.05)
    return figure


def lay_out(source, value="fitness") -> np.ndarray:
    """The image: width x height float64, NaN where there is no elite."""
    grid = source.space
    if isinstance(grid, Cvt):
        raise ArgumentError(
            "cannot draw a CVT map as a nested grid", "", "Use heatmap or parallel instead."
        )
    if grid.cells > LARGEST:
        raise ArgumentError(
            f"too many cells for a nested grid: {grid.cells:,}",
            f"at most {LARGEST:,}",
            "Use heatmap instead.",
        )
    across, upwards = _split(grid)
    image = np.full((_extent(grid, across), _extent(grid, upwards)), np.nan)
    image[_position(source, across), _position(source, upwards)] = column(source, value)
    return image


def _split(grid):
    """The axes to the right and those upwards, from the outermost to the innermost."""
    axes = range(grid.dimensions)
    return tuple(axes[0::2])[::-1], tuple(axes[1::2])[::-1]


def _extent(grid, axes):
    return int(np.prod([grid.bins[axis] for axis in axes], dtype=np.int64))


def _position(source, axes):
    position = np.zeros(len(source), dtype=np.int64)
    for axis in axes:
        position = position * source.space.bins[axis] + source.bins[:, axis]
    return position


def _rule(ax, grid, shape):
    """White lines around the outermost blocks."""
    across, upwards = _split(grid)
    for axes, size, line in ((across, shape[0], ax.axvline), (upwards, shape[1], ax.axhline)):
        if len(axes) < 2:
            continue
        for edge in range(1, grid.bins[axes[0]]):
            line(edge * size / grid.bins[axes[0]], color="white", linewidth=1.2)


def _label(ax, source):
    across, upwards = _split(source.space)
    ax.set_xlabel(_describe_axes(source, across, "right"))
    ax.set_ylabel(_describe_axes(source, upwards, "up") if upwards else "")
    ax.set_xticks(*_ticks(source.space, across))
    ax.set_yticks(*_ticks(source.space, upwards))


def _ticks(grid, axes):
    """Ticks at the edges of the outermost blocks, in units of that BC axis."""
    if not axes:
        return [], []
    edges = grid.edges(axes[0])
    step = max(1, (len(edges) - 1) // 10)
    places = np.arange(len(edges)) * _extent(grid, axes) / (len(edges) - 1)
    return places[::step], [f"{edge:.4g}" for edge in edges[::step]]


def _describe_axes(source, axes, direction):
    first = axis_label(source, axes[0])
    if len(axes) == 1:
        return first
    way = "to the right" if direction == "right" else "upwards"
    lines = [f"blocks: {first}"]
    for depth, axis in enumerate(axes[1:]):
        within = "within each block" if depth == 0 else "within those"
        low, high = source.space.lower[axis], source.space.upper[axis]
        lines.append(f"{within}, {way}: {axis_label(source, axis)}, {low:g} to {high:g}")
    return "\n".join(lines)
