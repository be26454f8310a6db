"""Runs a study end to end: python -m mees.study NAME (./mees reproduce NAME); usage.txt tells the rest."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from pathlib import Path

from ..errors import MeesError, MissingPackageError, optional_import
from .drawing import draw
from .errors import Stopped, StudyError
from .films import film
from .jobs import carry_out, jobs_of
from .keeping import check_target, keep
from .programs import STOPPED, Programs, Stop
from .results import ROOT, Results, note_version, table
from .studies import STUDIES


class Parser(argparse.ArgumentParser):
    """Shows usage.txt, and errors in one line."""

    def format_help(self):
        return Path(__file__).with_name("usage.txt").read_text(encoding="utf-8")

    def error(self, message):
        raise StudyError(f"{message} (bad command line) --help shows what there is", 2)


def parse(arguments):
    parser = Parser(prog="mees.study")
    parser.add_argument("name", nargs="?")
    parser.add_argument("--bin", type=Path, default=ROOT / "build" / "release" / "bin")
    parser.add_argument("--runs", type=Path, default=ROOT / "runs" / "reproduce")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--cores", type=int, default=os.cpu_count())
    options = parser.parse_args(arguments)
    if options.name is None:
        parser.print_help()
        parser.exit()
    if options.name not in STUDIES:
        raise StudyError(f"there is no study {options.name!r} (there are {', '.join(STUDIES)}) choose one of these", 2)
    if options.cores < 1:
        raise StudyError(f"--cores {options.cores} cannot be (a study needs a core) give 1 or more", 2)
    return options


def check_writable(path):
    """StudyError unless the folder is there or can be made. Makes nothing."""
    there = next(parent for parent in (path, *path.parents) if parent.exists())
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        why = "may not be written to" if there.is_dir() else "is not a folder"
        raise StudyError(f"{path}: cannot be written ({there} {why}) give another folder", 3)


def check(study, programs, folder, kept):
    """StudyError or MissingPackageError if the study could not be brought to its end. Makes nothing."""
    programs.require("mees_master", *["mees_adapt"] * bool(study.damages), *["mees_replay"] * bool(study.films))
    if not (ROOT / study.preset).is_file():
        raise StudyError(f"{ROOT / study.preset}: the study's preset is missing (not a source tree?) "
                         "run ./mees reproduce in a source tree", 3)
    optional_import("matplotlib", "a study")
    check_writable(folder)
    if kept:
        check_writable(kept)
        check_target(folder, kept)


def versions() -> str:
    """Those that table and figures are made with."""
    packages = [f"{name} {optional_import(name, 'a study').__version__}" for name in ("numpy", "matplotlib")]
    return ", ".join([f"Python {platform.python_version()}", *packages])


def run(study, programs, folder, kept) -> int:
    """Does what is left, shows the table, and returns the exit code."""
    check(study, programs, folder, kept)
    jobs = jobs_of(study, folder, programs)
    folder.mkdir(parents=True, exist_ok=True)
    carry_out(jobs, programs)
    note_version(folder, versions())
    results = Results(study, folder)
    text = table(study, results)
    (folder / "table.md").write_text(text, encoding="utf-8")
    figures = draw(study, results, folder)
    programs.stop.check()
    strips = film(study, results, folder, programs)
    if kept:
        keep(study, folder, kept, figures, strips)
    print(text)
    print(f"table and figures: {folder}")
    return 0 if len(strips) == len(study.films) else 1


def main(arguments=None) -> int:
    try:
        options = parse(arguments)
        study = STUDIES[options.name]
        kept = options.keep and options.keep.resolve() / study.name
        with Stop() as stop:
            return run(study, Programs(options.bin, options.cores, stop), options.runs.resolve() / study.name, kept)
    except Stopped:
        print("mees.study: stopped; run the same command again to go on", file=sys.stderr)
        return STOPPED
    except MeesError as error:
        print(f"mees.study: error: {error}", file=sys.stderr)
        return 2 if isinstance(error, MissingPackageError) else getattr(error, "code", 3)
    except OSError as error:
        print(f"mees.study: error: {error.filename}: cannot be used ({error.strerror}) mend this and run the same "
              "command again to go on", file=sys.stderr)
        return 3


if __name__ == "__main__":
    sys.exit(main())
