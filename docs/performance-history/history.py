#!/usr/bin/env python3
"""Generates the table and the figure of the performance history from VERSION.json in this folder.

    history.py add VERSION   keeps docs/scaling/measured.json as the rows of a release, then writes
    history.py write         writes the page and the figure
"""

import json
import re
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
DOCS = HERE.parent
PAGE = HERE / "README.md"
FIGURE = DOCS / "images" / "performance-history.png"
MEASURED = DOCS / "scaling" / "measured.json"
VERSION = re.compile(r"\d+\.\d+\.\d+")


def releases(folder=HERE):
    """{version: {name of a row: row}} in the order of versions; only rows with a goal."""
    found = {}
    versions = [path.stem for path in folder.glob("*.json") if VERSION.fullmatch(path.stem)]
    for version in sorted(versions, key=lambda text: [int(part) for part in text.split(".")]):
        rows = json.loads((folder / f"{version}.json").read_text())
        found[version] = {f"{row['group']}: {row['what']}": row
                          for row in rows if row["goal"] is not None}
    return found


def margin(row):
    """How far a row is on the right side of its goal: 1 meets it, more is better."""
    upwards = row["goal_is"] == ">="
    return row["median"] / row["goal"] if upwards else row["goal"] / row["median"]


def names(history):
    """The rows of all releases, in the order in which they were first measured."""
    return list(dict.fromkeys(name for rows in history.values() for name in rows))


def table(history):
    def shown(row):
        if row is None:
            return "-"
        unit = "x" if row["unit"] in ("", "x") else f" {row['unit']}"
        return f"{row['median']:.3g}{unit}{'' if row['met'] else ' (missed)'}"

    lines = [["row", "goal", *history], ["---"] * (2 + len(history))]
    for name in names(history):
        rows = [release.get(name) for release in history.values()]
        last = next(row for row in reversed(rows) if row)
        lines.append([name, f"{last['goal_is']} {last['goal']:g}", *map(shown, rows)])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def page_of(history, text):
    text, count = re.subn(r"(<!-- table -->\n).*?(<!-- end -->)",
                          lambda found: f"{found[1]}{table(history)}\n{found[2]}", text,
                          flags=re.DOTALL)
    assert count == 1
    return text


def draw(history):
    from matplotlib.figure import Figure

    rows = names(history)
    figure = Figure(figsize=(9, 1.2 + 0.24 * len(rows)), layout="constrained")
    axis = figure.add_subplot()
    for version, measured in history.items():
        places = [place for place, name in enumerate(rows) if name in measured]
        axis.plot([margin(measured[rows[place]]) for place in places], places, "o",
                  label=version, alpha=0.8)
    axis.axvline(1, color="0.4", linewidth=1)
    axis.set_xscale("log", base=2)
    axis.xaxis.set_major_formatter("{x:g}")
    axis.set_yticks(range(len(rows)), labels=rows, fontsize=8)
    axis.invert_yaxis()
    axis.grid(alpha=0.3)
    axis.set_xlabel("times better than the goal")
    axis.legend(title="release", frameon=False)
    figure.savefig(FIGURE, dpi=110)


def main(arguments):
    adding = arguments[:1] == ["add"] and len(arguments) == 2 and VERSION.fullmatch(arguments[1])
    if not adding and arguments != ["write"]:
        sys.exit(__doc__)
    if adding:
        shutil.copyfile(MEASURED, HERE / f"{arguments[1]}.json")
    history = releases()
    PAGE.write_text(page_of(history, PAGE.read_text()))
    draw(history)


if __name__ == "__main__":
    main(sys.argv[1:])
