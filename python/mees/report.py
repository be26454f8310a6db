"""One page about many runs: python -m mees.report runs/* -o report.html

Each RUN is a run folder or a map.h5. The page holds a table of the runs, their curves, maps, damage
recovery and films; it needs no other file and no network.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from . import __version__, figures
from .durations import duration
from .errors import FileError, MeesError
from .figures.curves import has_nsra_weight
from .figures.nested import LARGEST
from .html import Page
from .origin import group
from .runs import FILMS, open_run
from .space import Grid

HEADER = (
    "run",
    "domain",
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
    """Writes the page; inputs that are no runs are named, and are an error only if none is left."""
    options = _parser().parse_args(arguments)
    runs, refused = _open_runs(options.runs)
    for reason in refused:
        print(f"mees.report: left out: {reason}", file=sys.stderr)
    if not runs:
        print("mees.report: error: no run to report on (see above)", file=sys.stderr)
        return 3
    try:
        page = build(runs, refused, options.title, options.film_megabytes)
        options.output.write_text(page.text(), encoding="utf-8")
    except MeesError as error:
        print(f"mees.report: error: {error}", file=sys.stderr)
        return 3
    except OSError as error:
        print(f"mees.report: error: {options.output}: cannot be written ({error})", file=sys.stderr)
        return 1
    size = options.output.stat().st_size / 1e6
    print(f"wrote {options.output} ({len(runs)} run{'s' * (len(runs) != 1)}, {size:.1f} MB)")
    return 0


def build(runs, refused=(), title="mees report", film_megabytes=50) -> Page:
    """The page about these runs."""
    page = Page(title)
    page.paragraph(
        f"{len(runs)} run{'s' if len(runs) > 1 else ''}; written by the Python package mees "
        f"{__version__}."
    )
    page.heading("Runs")
    page.table(HEADER, [_row(run) for run in runs])
    page.paragraph("best fitness ± its standard deviation over the evaluation episodes")
    for note in [f"{run.name}: {note}" for run in runs for note in run.notes] + list(refused):
        page.paragraph(note)
    for domain, members in _by_domain(runs).items():
        _curves(page, domain, members)
        _maps(page, domain, members)
        _damage(page, domain, members)
    _films(page, runs, film_megabytes)
    return page


def _open_runs(paths):
    runs, refused = [], []
    for path in paths:
        try:
            runs.append(open_run(path))
        except FileError as error:
            refused.append(str(error))
    return runs, refused


def _row(run):
    source, attributes = run.map, run.map.attributes
    best = source.best if len(source) else None
    cells = source.space.cells
    return [
        run.name,
        source.domain,
        source.label,
        str(source.seed),
        f"{source.generations:,}",
        f"{int(attributes.get('episodes', 0)):,}",
        f"{int(attributes.get('steps', 0)):,}",
        f"{best.fitness:.6g} ± {best.fitness_std:.3g}" if best else "-",
        str(best.cell) if best else "-",
        f"{len(source):,} of {cells:,} ({100 * len(source) / cells:.3g} %)",
        f"{source.qd_score:.6g} (offset {source.qd_offset:g})",
        duration(float(attributes.get("wall_seconds", 0))),
        str(attributes.get("restarts", 0)),
        f"{attributes.get('mees_version', '?')} ({attributes.get('git_commit', '?')[:9]})",
    ]


def _by_domain(runs):
    domains = {}
    for run in runs:
        domains.setdefault(run.map.domain, []).append(run)
    return domains


def _curves(page, domain, runs):
    histories = [run.map.history for run in runs if len(run.map.history)]
    if not histories:
        return
    page.heading(f"{domain}: curves")
    counts = ", ".join(f"{label}: {len(members)}" for label, members in group(histories))
    page.figure(
        figures.history(histories),
        f"Mean over seeds, shaded one standard deviation to either side. Seeds: {counts}.",
    )
    page.figure(
        figures.history(histories, ("fitness", "novelty"), "steps"),
        "Fitness and novelty of each generation's controller against the simulation it took.",
    )
    if any(map(has_nsra_weight, histories)):
        page.figure(figures.nsra_weight(histories), "NSRA-ES: the weight of fitness.")


def _maps(page, domain, runs):
    page.heading(f"{domain}: maps")
    for run in runs:
        caption = f"{run.name}: {run.map.label}, seed {run.map.seed}"
        space = run.map.space
        if space.dimensions > 2 and space.cells <= LARGEST and isinstance(space, Grid):
            page.figure(figures.nested(run.map), caption)
        else:
            page.figure(figures.heatmap(run.map), caption)
        if space.dimensions > 2:
            page.figure(figures.parallel(run.map), caption)


def _damage(page, domain, runs):
    adaptations = [each for run in runs for each in run.adaptations if len(each)]
    if not adaptations:
        return
    page.heading(f"{domain}: damage recovery")
    page.figure(figures.recovery(adaptations), "Score in the damaged robot after adaptation.")
    page.figure(figures.gain(adaptations), "What adaptation gained over the best of the map.")


def _films(page, runs, film_megabytes):
    films = [(run, film) for run in runs for film in run.films]
    if films:
        page.heading("Films")
    for run, film in films:
        megabytes = film.stat().st_size / 1e6
        if megabytes > film_megabytes:
            page.paragraph(f"{run.name}: {film.name} ({megabytes:.0f} MB) is too large to embed.")
        else:
            page.film(film, FILMS[film.suffix.lower()], f"{run.name}: {film.name}")


def _parser():
    parser = argparse.ArgumentParser(
        prog="python -m mees.report",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("runs", nargs="+", metavar="RUN", help="run folder or map.h5")
    parser.add_argument("-o", "--output", required=True, type=Path, help="the HTML file to write")
    parser.add_argument("--title", default="mees report", help="heading of the page")
    parser.add_argument(
        "--film-megabytes",
        type=float,
        default=50,
        help="films larger than this are named, not embedded",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
