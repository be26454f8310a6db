"""Learning curves: means and standard deviations over seeds."""

from __future__ import annotations

from matplotlib.ticker import MaxNLocator

from ..errors import ArgumentError, FileError
from ..history import common_rows
from ..origin import group
from .style import colour_of, dash_of, new_figure, styled, value_label

DEFAULT_COLUMNS = ("best", "coverage", "qd_score")
NSRA_COLUMN = "weight"
LONGEST_LABEL = 36  # characters that fit next to a panel in one line


def history(histories, columns=DEFAULT_COLUMNS, x="generation"):
    """One panel per column: runs that differ only in the seed become a mean and a band.

    The band is the mean +- one standard deviation over the seeds (n - 1 in the denominator), on the
    rows that all seeds of the group have reached; a single run is a plain line.
    """
    histories = list(histories)
    if not histories:
        raise ArgumentError("a history plot needs at least one run")
    with styled():
        legend_rows = -(-len(group(histories)) // (len(columns) + 1))
        figure = new_figure(1.0 + 4.0 * len(columns), 3.6 + 0.2 * legend_rows)
        rows = figure.add_gridspec(2, len(columns), height_ratios=(3.6, 0.2 * legend_rows))
        panels = [figure.add_subplot(rows[0, index]) for index in range(len(columns))]
        for panel, name in zip(panels, columns):
            _draw_panel(panel, histories, name, x)
        _legend(figure.add_subplot(rows[1, :]), panels[0], len(columns) + 1)
    return figure


def nsra_weight(histories, x="generation"):
    """NSRA-ES's weight of fitness relative to novelty: a thin line per run, and mean and band.

    Runs leave a trap at different times: the mean alone would not show how the weight decreases and
    increases.
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


def _draw_panel(panel, histories, name, x):
    domains = {each.origin.domain for each in histories}
    for index, (label, members) in enumerate(group(histories)):
        at, rows = common_rows(members, name, x)
        mean = rows.mean(axis=0)
        style = {"color": colour_of(index), "linestyle": dash_of(index)}
        panel.plot(at, mean, label=_legend_text(label, members), linewidth=1.6, **style)
        if len(members) > 1:
            spread = rows.std(axis=0, ddof=1)
            panel.fill_between(
                at, mean - spread, mean + spread, color=style["color"], alpha=0.2, linewidth=0
            )
    domain = domains.pop() if len(domains) == 1 else None
    panel.set_xlabel(value_label(x, domain) if x != "generation" else "generation")
    label = value_label(name, domain) + _offset_text(name, histories)
    panel.set_ylabel(label.replace(" [", "\n[") if len(label) > LONGEST_LABEL else label)
    panel.grid(color="#DDDDDD", linewidth=0.6)
    panel.margins(x=0.01)
    panel.xaxis.set_major_locator(MaxNLocator("auto", integer=True, steps=[1, 2, 5, 10]))
    if name == "coverage":
        panel.set_ylim(bottom=0)
        panel.yaxis.set_major_locator(MaxNLocator("auto", integer=True, steps=[1, 2, 5, 10]))


def _offset_text(name, histories):
    """The offset, which every QD score is shown with."""
    offsets = {each.qd_offset for each in histories} - {None}
    if name != "qd_score" or not offsets:
        return ""
    return (
        f" [sum of fitness - offset, offset {', '.join(f'{each:g}' for each in sorted(offsets))}]"
    )


def _legend_text(label, members):
    seeds = len(members)
    return f"{label} ({seeds} seeds: mean ± std)" if seeds > 1 else f"{label} (1 seed)"


def _legend(place, panel, across):
    handles, labels = panel.get_legend_handles_labels()
    place.axis("off")
    place.legend(handles, labels, loc="center", ncols=min(across, len(labels)))
