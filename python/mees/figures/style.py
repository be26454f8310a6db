"""The common style of all figures: fonts, colours and axis labels."""

from __future__ import annotations

import textwrap
from contextlib import contextmanager
from io import BytesIO

import matplotlib
from matplotlib.figure import Figure as PlainFigure

from ..errors import printable

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (8, 2)), (0, (1, 1)))
HATCHES = ("", "///", "...", "xxx", "\\\\\\", "ooo", "---")
EMPTY = "#EDEDED"
LONGEST_TEXT = 120  # of a file, in a figure

BC_UNITS = {
    "ant": "fraction of steps",
    "ant_maze": "m",
    "deceptive_humanoid": "m",
    "point_maze": "m",
    "half_cheetah": "fraction of steps",
    "hopper": "fraction of steps",
    "walker2d": "fraction of steps",
}
FITNESS_MEANINGS = {"ant_maze": " = -distance to goal", "point_maze": " = -distance to goal"}
FITNESS_UNITS = {
    "ant": "sum of rewards",
    "deceptive_humanoid": "sum of rewards",
    "ant_maze": "m",
    "point_maze": "m",
    "half_cheetah": "sum of rewards",
    "hopper": "sum of rewards",
    "walker2d": "sum of rewards",
}
INCHES_PER_LETTER = 0.068  # of the font below, on average
LEGEND_KEY_INCHES = 0.65  # line, bar or marker next to a label, and the gap to the next column
LONGEST_LABEL = 36  # characters that fit next to a panel in one line
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


class Figure(PlainFigure):
    """A figure that a notebook shows as the result of a cell, whether pyplot is in use or not."""

    def _repr_png_(self) -> bytes:
        stream = BytesIO()
        self.savefig(stream, format="png", dpi=100)
        return stream.getvalue()


def new_figure(width, height) -> Figure:
    """A figure of this size in inches, without a window or global state."""
    return Figure(figsize=(width, height), layout="constrained")


def legend_layout(labels, width):
    """(labels, columns, lines) of a legend in a figure `width` inches wide: labels that are wider
    are broken into lines."""
    letters = max(20, int((width - LEGEND_KEY_INCHES) / INCHES_PER_LETTER))
    labels = [textwrap.fill(label, letters) for label in labels]
    longest = max((len(line) for label in labels for line in label.splitlines()), default=0)
    columns = int(width / (longest * INCHES_PER_LETTER + LEGEND_KEY_INCHES))
    columns = min(max(columns, 1), max(len(labels), 1))
    lines = -(-sum(label.count("\n") + 1 for label in labels) // columns)
    return labels, columns, lines


def broken(label) -> str:
    """A long label with its unit in a second line."""
    return label.replace(" [", "\n[", 1) if len(label) > LONGEST_LABEL else label


def axis_label(source, axis) -> str:
    """'x [m]', from the BC's name and the domain's unit if it is known."""
    unit = BC_UNITS.get(source.domain)
    name = axis_name(source, axis)
    return f"{name} [{unit}]" if unit else name


def axis_name(source, axis) -> str:
    return plain(source.space.names[axis].replace("_", " "))


def plain(text) -> str:
    """Text from a file as matplotlib shows it letter by letter: no formulas, nothing endless."""
    shown = printable(text).replace("\n", " ").replace("\t", " ").replace("$", r"\$")
    return shown if len(shown) <= LONGEST_TEXT else f"{shown[:LONGEST_TEXT].rstrip(chr(92))}..."


def value_label(value, domain) -> str:
    """The name of a column of the map or history, with its unit if it is known."""
    unit = FITNESS_UNITS.get(domain)
    meaning = FITNESS_MEANINGS.get(domain, "")
    labels = {
        "fitness": f"fitness{meaning}",
        "best": f"best fitness{meaning or ' in the map'}",
        "fitness_std": "standard deviation of fitness",
        "novelty": f"novelty [{BC_UNITS[domain]}]" if domain in BC_UNITS else "novelty",
        "generation": "generation of insertion",
        "coverage": "coverage [filled cells]",
        "qd_score": "QD score",
        "episodes": "episodes",
        "steps": "control steps",
        "count": "elites per displayed cell",
    }
    label = labels.get(value, plain(value.replace("_", " ")))
    return f"{label} [{unit}]" if unit and value in ("fitness", "best", "fitness_std") else label


def colour_of(index) -> str:
    return COLOURS[index % len(COLOURS)]


def dash_of(index):
    return DASHES[(index + index // len(COLOURS)) % len(DASHES)]


def hatch_of(index) -> str:
    return HATCHES[index % len(HATCHES)]


def describe(source) -> str:
    """The title of a map's figure: the run and its progress."""
    return (
        f"{plain(source.robot)}, {plain(source.label)}, seed {source.seed}\n"
        f"generation {source.generations:,}, {len(source):,} of {source.space.cells:,} cells filled"
    )
