"""Plots from files: python -m mees.plot KIND FILE... -o out.png

A FILE is a map.h5, adapt.h5, metrics.csv, adapt.csv or a run folder that holds them.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from . import figures
from .errors import MeesError
from .runs import open_adaptation, open_history, open_map

KINDS = {
    "heatmap": "one map in two BC axes",
    "nested": "one map of many BC axes, every cell shown (Ant's four)",
    "parallel": "one map as parallel axes, a line per elite",
    "history": "curves over generations, mean and standard deviation over seeds",
    "nsra": "the NSRA weight over generations",
    "recovery": "score per damage after adaptation, with the motionless line",
    "gain": "score after minus before adaptation per damage",
}


def main(arguments=None) -> int:
    """Draws what the command line asks for; the exit codes are those of mees's programs."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        figure = draw(options)
        figure.savefig(options.output, dpi=options.dpi)
    except MeesError as error:
        print(f"mees.plot: error: {error}", file=sys.stderr)
        return 3
    except ValueError as error:
        print(f"mees.plot: error: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"mees.plot: error: {options.output}: cannot be written ({error})", file=sys.stderr)
        return 1
    print(f"wrote {options.output}")
    return 0


def draw(options):
    """The Figure of one command line."""
    if options.kind in ("heatmap", "nested", "parallel"):
        if len(options.files) != 1:
            raise ValueError(f"{options.kind} shows one map; {len(options.files)} files were given")
        with open_map(options.files[0]) as source:
            return _draw_map(source, options)
    if options.kind in ("history", "nsra"):
        histories = [open_history(path) for path in options.files]
        if options.kind == "nsra":
            return figures.nsra_weight(histories, options.x)
        return figures.history(histories, options.column.split(","), options.x)
    adaptations = [open_adaptation(path) for path in options.files]
    if options.kind == "gain":
        return figures.gain(adaptations)
    return figures.recovery(adaptations, options.motionless)


def _draw_map(source, options):
    if options.kind == "heatmap":
        axes = options.axes.split(",")
        return figures.heatmap(source, axes, options.value, options.reduce)
    if options.kind == "nested":
        return figures.nested(source, options.value)
    return figures.parallel(source)


def _parser():
    kinds = "\n".join(f"  {name:<9} {meaning}" for name, meaning in KINDS.items())
    parser = argparse.ArgumentParser(
        prog="python -m mees.plot",
        description=f"{__doc__}\nkinds:\n{kinds}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("kind", choices=KINDS, metavar="KIND", help="what to draw: see above")
    parser.add_argument("files", nargs="+", metavar="FILE", help="file or run folder")
    parser.add_argument(
        "-o", "--output", required=True, type=_picture, help="png, pdf or svg by its ending"
    )
    parser.add_argument("--axes", default="0,1", help="heatmap: two BC axes, by number or name")
    parser.add_argument(
        "--value", default="fitness", help="maps: fitness, fitness_std, novelty or generation"
    )
    parser.add_argument(
        "--reduce", default="best", help="heatmap: best, mean or count over the other axes"
    )
    parser.add_argument(
        "--column", default="best,coverage,qd_score", help="history: columns, a panel for each"
    )
    parser.add_argument(
        "--x", default="generation", help="history, nsra: generation, episodes or steps"
    )
    parser.add_argument(
        "--motionless", type=float, help="recovery: score of a robot that stands still"
    )
    parser.add_argument("--dpi", type=float, default=160, help="resolution of a png")
    return parser


def _picture(text):
    if Path(text).suffix.lower() not in (".png", ".pdf", ".svg"):
        raise argparse.ArgumentTypeError(f"{text!r} must end in .png, .pdf or .svg")
    return Path(text)


if __name__ == "__main__":
    sys.exit(main())
