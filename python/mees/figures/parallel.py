"""Parallel axes: each elite is a line through its BC and fitness."""

from __future__ import annotations

import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection

from .style import axis_label, describe, new_figure, styled, value_label


def parallel(source, ax=None):
    """One line per elite across all BC axes of a Map to its fitness, which also sets its colour.

    Each BC axis spans the map's bounds (values outside are drawn at the bound), the fitness axis
    the range of the map. The fittest are drawn last.
    """
    points, low, high = _points(source)
    with styled():
        count = points.shape[1]
        figure = ax.figure if ax else new_figure(max(5.0, 1.6 * count + 1.2), 4.4)
        ax = ax or figure.add_subplot()
        lines = _lines(source, points)
        ax.add_collection(lines)
        _draw_axes(ax, source, low, high)
        opaque = ScalarMappable(lines.norm, lines.cmap)
        figure.colorbar(opaque, ax=ax, label=value_label("fitness", source.domain))
        ax.set_title(describe(source))
    return figure


def _points(source):
    """n x (d + 1) heights in 0..1, and the values at the bottom and top of every axis."""
    lowest, highest = (source.fitness.min(), source.fitness.max()) if len(source) else (0.0, 1.0)
    low = np.append(source.space.lower, lowest)
    high = np.append(source.space.upper, highest)
    raw = np.column_stack([source.bc, source.fitness])
    span = np.where(high > low, high - low, 1.0)
    return np.clip((raw - low) / span, 0, 1), low, high


def _lines(source, points):
    upwards = np.argsort(source.fitness, kind="stable")
    places = np.arange(points.shape[1])
    segments = [np.column_stack([places, row]) for row in points[upwards]]
    alpha = float(np.clip(200 / max(len(source), 1), 0.25, 0.9))
    lines = LineCollection(segments, cmap="viridis", linewidths=1.1, alpha=alpha)
    lines.set_array(source.fitness[upwards])
    lines.autoscale()
    return lines


def _draw_axes(ax, source, low, high):
    count = len(low)
    for place in range(count):
        ax.plot([place, place], [0, 1], color="black", linewidth=0.9, zorder=3)
        for height, value, side in ((0, low[place], "top"), (1, high[place], "bottom")):
            ax.text(
                place,
                height + (0.02 if height else -0.02),
                f"{value:.4g}",
                ha="center",
                va=side,
                fontsize=8,
            )
    names = [axis_label(source, axis).replace(" [", "\n[") for axis in range(count - 1)]
    ax.set_xticks(range(count), names + ["fitness"])
    ax.tick_params(axis="x", length=0, pad=14)
    ax.set_yticks([])
    ax.set_xlim(-0.25, count - 0.75)
    ax.set_ylim(-0.02, 1.09)
    for side in ("left", "bottom"):
        ax.spines[side].set_visible(False)
