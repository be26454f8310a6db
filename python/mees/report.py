"""Write one HTML page about many runs: python -m mees.report runs/* -o report.html

Each RUN is a run folder or a map.h5. The page contains a table of the runs, medians and quartiles
over seeds with tests of their differences, learning curves, maps, damage recovery and the videos in
the folders (mees_replay RUN --video RUN/best.mp4). It needs no other file and no network.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

from . import __version__, figures
from .command_line import make_parser, write_file, write_output
from .comparison import MEASURES, Comparison
from .durations import duration
from .errors import FileError, printable
from .figures.curves import has_nsra_weight
from .figures.nested import LARGEST
from .html import Page
from .origin import group, repeated
from .runs import VIDEOS, open_run
from .space import Grid

HEADER = (
    "run",
    "robot",
    "algorithm",
    "seed",
    "generation",
    "episodes",
    "steps",
    "best fitness",
    "best cell",
    "filled cells",
    "QD score",
    "time",
    "restarts",
    "mees",
)


def main(arguments=None) -> int:
    """Writes the page. Inputs that are not runs are reported; they are an error only if no run is
    left."""
    options = _parser().parse_args(arguments)
    if options.output.exists() and not _is_page(options.output):
        print(
            f"mees.report: error: cannot write {options.output} (it exists and is not a page). "
            "Choose another name.",
            file=sys.stderr,
        )
        return 3
    runs, rejected = _open_runs(options.runs)
    for reason in rejected:
        print(f"mees.report: warning: skipped: {reason}", file=sys.stderr)
    if not runs:
        print(
            "mees.report: error: no run to report on (see above). "
            "Pass run folders or map.h5 files.",
            file=sys.stderr,
        )
        return 3

    def write():
        page = build(runs, rejected, options.title, options.film_megabytes)
        write_file(options.output, page.text().encode("utf-8", "replace"))

    code = write_output("mees.report", options.output, write)
    if code == 0:
        size = options.output.stat().st_size / 1e6
        print(f"wrote {options.output} ({len(runs)} run{'s' * (len(runs) != 1)}, {size:.1f} MB)")
    return code


def build(runs, rejected=(), title="mees report", video_megabytes=50) -> Page:
    """The page about these runs; `rejected` are the reasons why others were skipped."""
    page = Page(title)
    page.paragraph(
        f"{len(runs)} run{'s' if len(runs) > 1 else ''}; written by the Python package mees "
        f"{__version__}."
    )
    page.heading("Runs")
    page.table(HEADER, [_row(run) for run in runs])
    page.paragraph("Best fitness ± standard deviation over the evaluation episodes.")
    for note in [f"{run.name}: {note}" for run in runs for note in run.notes] + list(rejected):
        page.paragraph(note)
    for robot, members in _by_robot(runs).items():
        _comparison(page, robot, members)
        _curves(page, robot, members)
        _maps(page, robot, members)
        _damage(page, robot, members)
    _videos(page, runs, video_megabytes)
    return page


def _open_runs(paths):
    runs, rejected = [], []
    for path in paths:
        try:
            run = open_run(path)
            _row(run), len(run.map.history)  # All that the page cannot do without.
            runs.append(run)
        except FileError as error:
            rejected.append(str(error))
        except Exception as error:
            rejected.append(printable(f"cannot read {path} ({type(error).__name__}: {error})"))
    return runs, rejected


def _is_page(path):
    if not path.is_file():
        return False
    with open(path, "rb") as stream:
        return stream.read(15).upper() in (b"", b"<!DOCTYPE HTML>")


def _figure(page, make, caption):
    """A figure, or the reason why it cannot be drawn: one odd file must not prevent the page."""
    try:
        page.figure(make(), caption)
    except Exception as error:
        reason = printable(f"{type(error).__name__}: {error}")
        page.paragraph(f"{caption}: cannot be drawn ({reason[:300]})")


def _row(run):
    source, attributes = run.map, run.map.attributes
    best = source.best if len(source) else None
    cells = source.space.cells
    return [
        run.name,
        source.robot,
        source.label,
        str(source.seed),
        f"{source.generations:,}",
        _count(attributes, "episodes"),
        _count(attributes, "steps"),
        f"{best.fitness:.6g} ± {best.fitness_std:.3g}" if best else "-",
        str(best.cell) if best else "-",
        f"{len(source):,} of {cells:,} ({100 * len(source) / cells:.3g} %)",
        f"{source.qd_score:.6g} (offset {source.qd_offset:g})",
        duration(_number(attributes, "wall_seconds")),
        _count(attributes, "restarts"),
        f"{attributes.get('mees_version', '?')} ({str(attributes.get('git_commit', '?'))[:9]})",
    ]


def _number(attributes, name):
    value = attributes.get(name, 0)
    return float(value) if isinstance(value, (int, float)) else float("nan")


def _count(attributes, name):
    value = attributes.get(name, 0)
    return f"{value:,}" if isinstance(value, int) else "-"


def _by_robot(runs):
    robots = {}
    for run in runs:
        robots.setdefault(run.map.robot, []).append(run)
    return robots


def _comparison(page, robot, runs):
    """Experiments over their seeds, and tests of their differences."""
    comparison = Comparison([run.map for run in runs])
    if max((len(members) for _, members in comparison.experiments), default=0) < 2:
        return
    page.heading(f"{robot}: comparison")
    page.table(("experiment", "seeds", "generation", *MEASURES), comparison.rows())
    page.paragraph(
        "Median over seeds [quartiles], of the maps as they are stored. "
        f"QD scores have the offset {comparison.offset:g}."
    )
    tests = comparison.tests()
    if tests:
        page.table(
            ("experiment", "compared with", "measure", "p", "p corrected"),
            [[*names, f"{p:.3g}", f"{corrected:.3g}"] for *names, p, corrected in tests],
        )
        page.paragraph(
            "Two-sided Mann-Whitney U tests over seeds, corrected for their number by Holm's "
            "method. With n seeds each, exact p-values are at least 2 n!^2 / (2n)!: 0.1 for 3 "
            "seeds, 0.008 for 5."
        )


def _curves(page, robot, runs):
    histories = [run.map.history for run in runs if len(run.map.history)]
    if not histories:
        return
    page.heading(f"{robot}: learning curves")
    counts = ", ".join(f"{label}: {len(members)}" for label, members in group(histories))
    _figure(
        page,
        lambda: figures.history(histories),
        f"Median over seeds, quartiles shaded. Seeds: {counts}.",
    )
    for other in repeated(histories):
        page.paragraph(
            f"Left out of the curves: {other.source} "
            "(another run has the same experiment and seed)."
        )
    _figure(
        page,
        lambda: figures.history(histories, ("fitness", "novelty"), "steps"),
        "Fitness and novelty of each generation's controller over the simulated control steps.",
    )
    if any(map(has_nsra_weight, histories)):
        _figure(page, lambda: figures.nsra_weight(histories), "NSRA-ES: weight of fitness.")


def _maps(page, robot, runs):
    page.heading(f"{robot}: maps")
    for source, name in [(run.map, run.name) for run in runs]:
        caption = f"{name}: {source.label}, seed {source.seed}"
        space = source.space
        fits = space.dimensions > 2 and space.cells <= LARGEST and isinstance(space, Grid)
        _figure(page, partial(figures.nested if fits else figures.heatmap, source), caption)
        if space.dimensions > 2:
            _figure(page, partial(figures.parallel, source), caption)


def _damage(page, robot, runs):
    adaptations = [each for run in runs for each in run.adaptations if len(each)]
    if not adaptations:
        return
    page.heading(f"{robot}: damage recovery")
    _figure(
        page,
        lambda: figures.recovery(adaptations),
        "Bars: score in the damaged robot after recovery. Diamonds: the old controller, the best "
        "of the map, in the damaged robot.",
    )
    _figure(
        page,
        lambda: figures.gain(adaptations),
        "Gain of recovery over the old controller in the damaged robot.",
    )


def _videos(page, runs, video_megabytes):
    videos = [(run, video) for run in runs for video in run.videos]
    if videos:
        page.heading("Videos")
    for run, video in videos:
        caption = f"{run.name}: {video.name}"
        try:
            megabytes = video.stat().st_size / 1e6
            if megabytes > video_megabytes:
                page.paragraph(f"{caption} ({megabytes:.0f} MB) is too large to embed.")
            else:
                page.video(video, VIDEOS[video.suffix.lower()], caption)
        except OSError as error:
            page.paragraph(f"{caption} cannot be read ({error.strerror}).")


def _parser():
    parser = make_parser("mees.report", __doc__)
    parser.add_argument("runs", nargs="+", metavar="RUN", help="run folder or map.h5")
    parser.add_argument("-o", "--output", required=True, type=Path, help="HTML file to write")
    parser.add_argument("--title", default="mees report", help="title of the page")
    parser.add_argument(
        "--film-megabytes",
        metavar="MB",
        type=float,
        default=50,
        help="videos larger than this are listed, not embedded",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
