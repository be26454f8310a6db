"""Plot runs from their files: python -m mees.plot KIND FILE... -o out.png

A FILE is a map.h5, adapt.h5, nav.h5, metrics.csv, adapt.csv or a run folder that contains them.
"""

from __future__ import annotations

import argparse
import sys
from io import BytesIO
from pathlib import Path

from . import figures
from .command_line import make_parser, write_file, write_output
from .errors import ArgumentError, FileError
from .navigation import Navigation, Walk
from .origin import repeated
from .runs import open_adaptation, open_history, open_map

KINDS = {
    "heatmap": "one map over two BC axes",
    "nested": "one map with many BC axes, every cell shown (Ant has four)",
    "parallel": "one map as parallel axes, one line per elite",
    "history": "curves over generations, median and quartiles over seeds",
    "nsra": "the NSRA weight over generations",
    "recovery": "score per damage after recovery, with that of the old controller",
    "gain": "recovered score minus that of the old controller, per damage",
    "path": "the walk of a robot to its targets, from a nav.h5",
}


def main(arguments=None) -> int:
    """Draws the figure that the command line describes and returns the exit code."""
    options = _parser().parse_args(arguments)
    code = write_output(
        "mees.plot",
        options.output,
        lambda: write_file(options.output, _image(draw(options), options)),
    )
    if code == 0:
        print(f"wrote {options.output}")
    return code


def _image(figure, options):
    stream = BytesIO()
    figure.savefig(stream, format=options.output.suffix[1:].lower(), dpi=options.dpi)
    return stream.getvalue()


def draw(options):
    """The Figure that the options describe."""
    if options.kind in ("heatmap", "nested", "parallel", "path"):
        if len(options.files) != 1:
            raise ArgumentError(
                f"{options.kind} shows one {'nav.h5' if options.kind == 'path' else 'map'}",
                f"{len(options.files)} files were given",
                "Pass one file or run folder.",
            )
        if options.kind == "path":
            return _draw_path(options)
        with open_map(options.files[0]) as source:
            return _draw_map(source, options)
    if options.kind in ("history", "nsra"):
        histories = [open_history(path) for path in options.files]
        _note_repeated(histories, lambda each: each.source)
        if options.kind == "nsra":
            return figures.nsra_weight(histories, options.x)
        columns = options.column.split(",")
        return figures.history(histories, columns, options.x, options.qd_offset)
    adaptations = [open_adaptation(path) for path in options.files]
    _note_repeated(adaptations, lambda each: each.path)
    if options.kind == "gain":
        return figures.gain(adaptations)
    return figures.recovery(adaptations, options.motionless)


def _note_repeated(items, name):
    for item in repeated(items):
        print(
            f"mees.plot: note: {name(item)} is left out "
            "(another file has the same experiment and seed)",
            file=sys.stderr,
        )


def _draw_path(options):
    navigation = Navigation(options.files[0])
    trajectories = [Walk(path) for path in options.trajectory or ()]
    damage = navigation.damages[0] if options.damage is None else options.damage
    for walk in trajectories:
        if walk.damage != damage or walk.seed != options.seed:
            raise FileError(
                f"cannot draw {walk.path} in this plot",
                f"it is a walk with damage {walk.damage} and seed {walk.seed}",
                "Choose that walk with --damage and --seed.",
            )
    return figures.path(navigation, damage, options.seed, trajectories)


def _draw_map(source, options):
    if options.kind == "heatmap":
        axes = options.axes.split(",")
        return figures.heatmap(source, axes, options.value, options.reduce)
    if options.kind == "nested":
        return figures.nested(source, options.value)
    return figures.parallel(source)


def _parser():
    kinds = "\n".join(f"  {name:<9} {meaning}" for name, meaning in KINDS.items())
    parser = make_parser("mees.plot", f"{__doc__}\nkinds:\n{kinds}")
    parser.add_argument("kind", choices=KINDS, metavar="KIND", help="kind of plot, see above")
    parser.add_argument("files", nargs="+", metavar="FILE", help="file or run folder")
    parser.add_argument(
        "-o", "--output", required=True, type=_image_path, help="output file: .png, .pdf or .svg"
    )
    parser.add_argument("--axes", default="0,1", help="heatmap: two BC axes, by number or name")
    parser.add_argument(
        "--value", default="fitness", help="maps: fitness, fitness_std, novelty or generation"
    )
    parser.add_argument(
        "--reduce", default="best", help="heatmap: best, mean or count over the other axes"
    )
    parser.add_argument(
        "--column", default="best,coverage,qd_score", help="history: columns, one panel each"
    )
    parser.add_argument(
        "--x", default="generation", help="history, nsra: generation, episodes or steps"
    )
    parser.add_argument(
        "--qd-offset",
        type=float,
        help="history: offset of the QD score, subtracted from each fitness (default: the runs')",
    )
    parser.add_argument(
        "--motionless", type=float, help="recovery: score of a robot that stands still"
    )
    parser.add_argument("--damage", help="path: the damage (default: the first in the file)")
    parser.add_argument("--seed", type=int, default=0, help="path: the seed")
    parser.add_argument(
        "--trajectory",
        action="append",
        metavar="WALK.h5",
        help="path: draw the way within actions, from mees_navigate --trajectory (repeatable)",
    )
    parser.add_argument("--dpi", type=float, default=160, help="resolution of a png")
    return parser


def _image_path(text):
    if Path(text).suffix.lower() not in (".png", ".pdf", ".svg"):
        raise argparse.ArgumentTypeError(f"{text!r} must end in .png, .pdf or .svg")
    return Path(text)


if __name__ == "__main__":
    sys.exit(main())
