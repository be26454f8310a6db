"""Learning curves: medians and quartiles over seeds."""

from __future__ import annotations

import numpy as np
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from ..errors import ArgumentError, FileError
from ..history import common_rows
from ..origin import group
from .style import broken, colour_of, dash_of, legend_layout, new_figure, plain, styled, value_label

DEFAULT_COLUMNS = ("best", "coverage", "qd_score")
NSRA_COLUMN = "weight"
OF_ONE_CONTROLLER = ("fitness", "novelty")  # columns that jump when the mode changes
EXPLORE = 1
SHADE = "#EEEEEE"


def history(histories, columns=DEFAULT_COLUMNS, x="generation", qd_offset=None):
    """One panel per column: runs that differ only in the seed become a median and a band.

    The band spans the quartiles over the seeds, on the rows that all seeds of the group have
    reached; a single run is a plain line, and a run that was given twice counts once. Panels of
    fitness and novelty shade the generations that explore, if they are the same in all runs that
    alternate. QD scores have one offset: `qd_offset`, by default the lowest of the runs.
    """
    histories = _same_offset(list(histories), qd_offset)
    if not histories:
        raise ArgumentError("a history plot needs at least one run")
    groups = group(histories)
    with styled():
        width = 1.0 + 4.0 * len(columns)
        labels, across, lines = legend_layout([_legend_text(*each) for each in groups], width - 0.2)
        figure = new_figure(width, 3.6 + 0.2 * lines)
        rows = figure.add_gridspec(2, len(columns), height_ratios=(3.6, 0.2 * lines))
        panels = [figure.add_subplot(rows[0, index]) for index in range(len(columns))]
        for panel, name in zip(panels, columns):
            _draw_panel(panel, groups, name, x)
        place = figure.add_subplot(rows[1, :])
        place.axis("off")
        place.legend(panels[0].get_lines(), labels, loc="center", ncols=across)
    return figure


def nsra_weight(histories, x="generation"):
    """NSRA-ES's weight of fitness relative to novelty: a thin line per run, and median and band.

    Runs leave a trap at different times: the median alone would not show how the weight decreases
    and increases.
    """
    chosen = [each for each in histories if has_nsra_weight(each)]
    if not chosen:
        raise FileError(
            "none of these runs has an NSRA weight",
            "only the algorithm nsra-es has one",
            "Pass a run of nsra-es.",
        )
    figure = history(chosen, (NSRA_COLUMN,), x)
    panel = figure.axes[0]
    for index, (_, members) in enumerate(group(chosen)):
        for member in members if len(members) > 1 else ():
            panel.plot(member[x], member[NSRA_COLUMN], color=colour_of(index), linewidth=0.7)
    panel.set_ylim(-0.03, 1.03)
    panel.set_ylabel("NSRA weight w\n(0: novelty alone, 1: fitness alone)")
    return figure


def has_nsra_weight(history) -> bool:
    """Whether this run adapts a weight of fitness relative to novelty."""
    return history.origin.algorithm == "nsra-es" and NSRA_COLUMN in history


def _same_offset(histories, offset):
    offsets = {each.qd_offset for each in histories} - {None}
    if offset is None:
        offset = min(offsets, default=None)
    return histories if offset is None else [each.with_qd_offset(offset) for each in histories]


def _draw_panel(panel, groups, name, x):
    histories = [member for _, members in groups for member in members]
    for index, (_, members) in enumerate(groups):
        at, rows = common_rows(members, name, x)
        low, middle, high = np.percentile(rows, (25, 50, 75), axis=0)
        style = {"color": colour_of(index), "linestyle": dash_of(index)}
        panel.plot(at, middle, linewidth=1.6, **style)
        if len(members) > 1:
            panel.fill_between(at, low, high, color=style["color"], alpha=0.2, linewidth=0)
    if name in OF_ONE_CONTROLLER:
        _shade_exploration(panel, histories, x)
    domains = {each.origin.domain for each in histories}
    domain = domains.pop() if len(domains) == 1 else None
    panel.set_xlabel(value_label(x, domain) if x != "generation" else "generation")
    panel.set_ylabel(broken(value_label(name, domain) + _offset_text(name, histories)))
    panel.grid(color="#DDDDDD", linewidth=0.6)
    panel.margins(x=0.01)
    panel.xaxis.set_major_locator(MaxNLocator("auto", integer=True, steps=[1, 2, 5, 10]))
    if name == "coverage":
        panel.set_ylim(bottom=0)
        panel.yaxis.set_major_locator(MaxNLocator("auto", integer=True, steps=[1, 2, 5, 10]))


def _shade_exploration(panel, histories, x):
    """A grey band for each stretch of generations that explore, if all runs that alternate between
    the modes do so in the same generations."""
    alternating = [each for each in histories if "mode" in each and {0, 1} <= set(each["mode"])]
    if not alternating:
        return
    longest = max(alternating, key=len)
    if any(not np.array_equal(each["mode"], longest["mode"][: len(each)]) for each in alternating):
        return
    explores = np.concatenate([[False], longest["mode"] == EXPLORE, [False]])
    starts, ends = np.flatnonzero(np.diff(explores.astype(int))).reshape(-1, 2).T
    at = np.asarray(longest[x], dtype=np.float64)
    for start, end in zip(starts, ends):
        panel.axvspan(at[max(start - 1, 0)], at[end - 1], color=SHADE, linewidth=0, zorder=0)
    panel.legend(
        handles=[Patch(color=SHADE, label="generations that explore")],
        loc="lower right",
        fontsize=7,
        frameon=True,
        framealpha=0.7,
    )


def _offset_text(name, histories):
    """The offset, which every QD score is shown with."""
    offsets = {each.qd_offset for each in histories} - {None}
    if name != "qd_score" or not offsets:
        return ""
    return (
        f" [sum of fitness - offset, offset {', '.join(f'{each:g}' for each in sorted(offsets))}]"
    )


def _legend_text(label, members):
    seeds, label = len(members), plain(label)
    return f"{label} ({seeds} seeds: median, quartiles)" if seeds > 1 else f"{label} (1 seed)"
