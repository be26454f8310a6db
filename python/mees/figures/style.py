"""The common style of all figures: fonts, colours and axis labels."""

from __future__ import annotations

from contextlib import contextmanager

import matplotlib
from matplotlib.figure import Figure

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (8, 2)), (0, (1, 1)))
HATCHES = ("", "///", "...", "xxx", "\\\\\\", "ooo", "---")
EMPTY = "#EDEDED"

BC_UNITS = {
    "ant": "fraction of steps",
    "ant_maze": "m",
    "deceptive_humanoid": "m",
    "point_maze": "m",
}
FITNESS_UNITS = {
    "ant": "sum of rewards",
    "deceptive_humanoid": "sum of rewards",
    "ant_maze": "minus the distance to the goal, m",
    "point_maze": "minus the distance to the goal, m",
}
SETTINGS = {
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "legend.frameon": False,
    "savefig.facecolor": "white",
    "svg.hashsalt": "mees",
}


@contextmanager
def styled():
    """Applies the style inside the block; the caller's matplotlib settings are unchanged."""
    with matplotlib.rc_context(SETTINGS):
        yield


def new_figure(width, height) -> Figure:
    """A figure of this size in inches, without a window or global state."""
    return Figure(figsize=(width, height), layout="constrained")


def axis_label(source, axis) -> str:
    """'x [m]', from the BC's name and the domain's unit if it is known."""
    unit = BC_UNITS.get(source.domain)
    name = source.space.names[axis].replace("_", " ")
    return f"{name} [{unit}]" if unit else name


def value_label(value, domain) -> str:
    """The name of a column of the map or history, with its unit if it is known."""
    unit = FITNESS_UNITS.get(domain)
    labels = {
        "fitness": "fitness",
        "best": "best fitness in the map",
        "fitness_std": "standard deviation of fitness",
        "novelty": f"novelty [{BC_UNITS[domain]}]" if domain in BC_UNITS else "novelty",
        "generation": "generation of insertion",
        "coverage": "coverage [filled cells]",
        "qd_score": "QD score",
        "episodes": "episodes",
        "steps": "control steps",
        "count": "elites per displayed cell",
    }
    label = labels.get(value, value.replace("_", " "))
    return f"{label} [{unit}]" if unit and value in ("fitness", "best", "fitness_std") else label


def colour_of(index) -> str:
    return COLOURS[index % len(COLOURS)]


def dash_of(index):
    return DASHES[index % len(DASHES)]


def hatch_of(index) -> str:
    return HATCHES[index % len(HATCHES)]


def describe(source) -> str:
    """The title of a map's figure: the run and its progress."""
    return (
        f"{source.domain}, {source.label}, seed {source.seed}\n"
        f"generation {source.generations:,}, {len(source):,} of {source.space.cells:,} cells filled"
    )
