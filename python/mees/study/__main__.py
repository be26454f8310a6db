"""Runs a study: python -m mees.study NAME (./mees reproduce NAME); see usage.txt."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from pathlib import Path

from ..errors import MeesError, optional_import
from .cluster_jobs import cluster_lines
from .continuing import KeptRuns
from .drawing import draw
from .errors import Stopped, StudyError
from .jobs import jobs_of
from .keeping import check_target, keep, keep_run
from .programs import STOPPED, Programs, Stop
from .results import ROOT, Results, record_version, table
from .running import run_jobs
from .selection import SMALL, selected
from .videos import record_videos


class Parser(argparse.ArgumentParser):
    """Prints usage.txt as help, and errors as one line."""

    def format_help(self):
        return Path(__file__).with_name("usage.txt").read_text(encoding="utf-8")

    def error(self, message):
        raise StudyError("invalid command line", message, "See --help.", 2)


def parse(arguments):
    parser = Parser(prog="mees.study")
    parser.add_argument("name", nargs="?")
    parser.add_argument("--bin", type=Path, default=ROOT / "build" / "release" / "bin")
    parser.add_argument("--runs", type=Path, default=ROOT / "runs" / "reproduce")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--cores", type=int, default=os.cpu_count())
    parser.add_argument("--budget", default=SMALL)
    parser.add_argument("--seeds", type=int)
    parser.add_argument("--jobs", type=Path)
    options = parser.parse_args(arguments)
    if options.name is None:
        parser.print_help()
        parser.exit()
    if options.seeds is not None and options.seeds < 1:
        raise StudyError(
            f"invalid --seeds {options.seeds}", "a study needs a seed", "Use 1 or more.", 2
        )
    if options.cores < 1:
        raise StudyError(
            f"invalid --cores {options.cores}",
            "a study needs at least one core",
            "Use 1 or more.",
            2,
        )
    return options


def check_writable(path):
    """Raises StudyError unless the folder exists or can be created. Creates nothing."""
    there = next(parent for parent in (path, *path.parents) if parent.exists())
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        why = "is not writable" if there.is_dir() else "is not a folder"
        raise StudyError(f"cannot write to {path}", f"{there} {why}", "Use another folder.", 3)


def check(study, programs, folder, kept):
    """Raises an error if the study could not be completed. Creates nothing."""
    programs.require("mees_master")
    if study.damages:
        programs.require("mees_adapt")
    if study.map_episodes or (study.damages and study.full_length):
        programs.require("mees_evaluate")
    if study.videos or study.judged:
        programs.require("mees_replay")
    if not (ROOT / study.preset).is_file():
        raise StudyError(
            f"cannot open {ROOT / study.preset}",
            "the study's preset is missing",
            "Run ./mees reproduce in a source tree.",
            3,
        )
    optional_import("matplotlib", "a study")
    check_writable(folder)
    if kept:
        check_writable(kept)
        check_target(folder, kept)


def versions() -> str:
    """The versions that create table and figures."""
    packages = [
        f"{name} {optional_import(name, 'a study').__version__}" for name in ("numpy", "matplotlib")
    ]
    return ", ".join([f"Python {platform.python_version()}", *packages])


def run(study, programs, folder, kept) -> int:
    """Runs the remaining jobs, prints the table, and returns the exit code."""
    check(study, programs, folder, kept)
    runs = KeptRuns(jobs_of(study, folder, programs), folder, kept, programs)
    folder.mkdir(parents=True, exist_ok=True)
    runs.prepare()

    def keep_complete(path):
        if kept and path.parent == folder:
            keep_run(study, path, kept)

    run_jobs(runs.jobs, programs, keep_complete)
    record_version(folder, versions())
    results = Results(study, folder)
    text = table(study, results)
    (folder / "table.md").write_text(text, encoding="utf-8")
    figures = draw(study, results, folder)
    programs.stop.check()
    strips = record_videos(study, results, folder, programs)
    if kept:
        keep(study, folder, kept, figures, strips)
    print(text)
    print(f"table and figures: {folder}")
    return 0 if len(strips) == len(study.videos) else 1


def _kept_folder(options, study):
    return options.keep.resolve() / study.name if options.keep else None


def main(arguments=None) -> int:
    try:
        options = parse(arguments)
        studies = selected(options.name, options.budget, options.seeds)
        with Stop() as stop:
            programs = Programs(options.bin, options.cores, stop)
            places = [
                (study, options.runs.resolve() / study.name, _kept_folder(options, study))
                for study in studies
            ]
            if options.jobs:
                lines = []
                for study, folder, kept in places:
                    check(study, programs, folder, kept)
                    jobs = jobs_of(study, folder, programs)
                    lines += cluster_lines(KeptRuns(jobs, folder, kept, programs).jobs, programs)
                options.jobs.write_text("\n".join(lines) + "\n", encoding="utf-8")
                print(f"commands that submit the jobs: {options.jobs}")
                return 0
            return max(run(study, programs, folder, kept) for study, folder, kept in places)
    except Stopped:
        print("mees.study: stopped; run the same command again to resume", file=sys.stderr)
        return STOPPED
    except MeesError as error:
        print(f"mees.study: error: {error}", file=sys.stderr)
        return error.exit_code
    except OSError as error:
        print(
            f"mees.study: error: cannot use {error.filename} ({error.strerror}). "
            "Fix the cause, then run the same command again to resume.",
            file=sys.stderr,
        )
        return 3


if __name__ == "__main__":
    sys.exit(main())
