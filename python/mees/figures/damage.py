"""The paper's two figures of damage recovery, from one or several adaptations."""

from __future__ import annotations

import numpy as np
from matplotlib.container import BarContainer

from ..adaptation import all_damages, summarise
from ..errors import ArgumentError
from .style import (
    broken,
    colour_of,
    hatch_of,
    legend_layout,
    new_figure,
    plain,
    styled,
    value_label,
)


def recovery(adaptations, motionless=None, ax=None):
    """The score after recovery per damage, one bar per experiment, with standard errors.

    A diamond shows the score of the old controller, the best of the map, in the damaged robot, and
    a dash its score in the intact robot, if the files have it. `motionless` is the score of a robot
    that stands still, drawn as a line; the default depends on the domain.
    """
    adaptations = list(adaptations)
    with styled():
        figure, ax = _canvas(adaptations, ax)
        if motionless is None:
            motionless = adaptations[0].motionless
        _bars(ax, adaptations, "post")
        _marks(ax, adaptations, "pre", "D", 4.5, "old controller, damaged robot")
        if all(each.intact is not None for each in adaptations):
            _marks(ax, adaptations, "intact", "_", 9, "old controller, intact robot")
        if motionless is not None:
            ax.axhline(motionless, color="black", linestyle=":", linewidth=1.4, label="motionless")
        label = value_label("fitness", _domain(adaptations))
        ax.set_ylabel(broken(label.replace("fitness", "recovered fitness", 1)))
        _finish(ax, adaptations, "post")
    return figure


def gain(adaptations, ax=None):
    """Recovered score minus that of the old controller, per damage, with standard errors."""
    adaptations = list(adaptations)
    with styled():
        figure, ax = _canvas(adaptations, ax)
        _bars(ax, adaptations, "gain")
        ax.axhline(0, color="black", linewidth=0.8)
        unit = value_label("fitness", _domain(adaptations)).partition(" [")[2]
        label = "gain: recovered - old controller" + (f" [{unit}" if unit else "")
        ax.set_ylabel(broken(label))
        _finish(ax, adaptations, "gain")
    return figure


def _canvas(adaptations, ax):
    if not adaptations:
        raise ArgumentError("a damage plot needs at least one adaptation")
    if ax:
        return ax.figure, ax
    groups = len(summarise(adaptations, "post"))
    width = 2.5 + len(all_damages(adaptations)) * (0.35 + 0.22 * groups)
    figure = new_figure(float(np.clip(width, 5.0, 16.0)), 4.2)
    return figure, figure.add_subplot()


def _places(count, groups, index):
    width = 0.8 / groups
    return np.arange(count) - 0.4 + width * (index + 0.5), width


def _bars(ax, adaptations, score):
    groups = summarise(adaptations, score)
    for index, bars in enumerate(groups):
        places, width = _places(len(bars.mean), len(groups), index)
        maps = "1 map" if bars.maps == 1 else f"{bars.maps} maps"
        ax.bar(
            places,
            bars.mean,
            width * 0.94,
            yerr=bars.error,
            color=colour_of(index),
            hatch=hatch_of(index),
            edgecolor="white",
            linewidth=0.4,
            error_kw={"ecolor": "black", "elinewidth": 1.0, "capsize": 2},
            label=f"{plain(bars.label)} ({maps})",
        )


def _marks(ax, adaptations, score, marker, size, label):
    groups = summarise(adaptations, score)
    for index, bars in enumerate(groups):
        places, _ = _places(len(bars.mean), len(groups), index)
        ax.plot(
            places,
            bars.mean,
            linestyle="none",
            marker=marker,
            markersize=size,
            markerfacecolor="white",
            markeredgecolor="black",
            markeredgewidth=0.9 if marker == "D" else 1.8,
            zorder=4,
            label=label if index == 0 else None,
        )


def _finish(ax, adaptations, score):
    damages = all_damages(adaptations)
    ax.set_xticks(range(len(damages)), list(map(plain, damages)))
    if max(map(len, damages)) > 6:
        ax.tick_params(axis="x", labelrotation=30)
        for text in ax.get_xticklabels():
            text.set_horizontalalignment("right")
    errors = sorted({bars.error_of for bars in summarise(adaptations, score)} - {""})
    note = f"\n(error bars: standard error over {' or '.join(errors)})" if errors else ""
    ax.set_xlabel(f"damage{note}")
    ax.grid(axis="y", color="#DDDDDD", linewidth=0.6)
    ax.set_xlim(-0.6, len(damages) - 0.4)
    handles, labels = ax.get_legend_handles_labels()
    order = sorted(range(len(handles)), key=lambda i: not isinstance(handles[i], BarContainer))
    labels, columns, _ = legend_layout([labels[i] for i in order], ax.figure.get_figwidth())
    ax.legend(
        [handles[i] for i in order],
        labels,
        loc="lower center",
        bbox_to_anchor=(0.5, 1.0),
        ncols=columns,
        fontsize=8,
    )


def _domain(adaptations):
    domains = {each.origin.domain for each in adaptations}
    return domains.pop() if len(domains) == 1 else None
