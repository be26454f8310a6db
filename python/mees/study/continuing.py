"""Runs whose results were kept by a study on another machine: they count and are not repeated.

A folder has the results of a run if its small files (keeping.OF_A_RUN) have everything that the
study reads from the run, its config.toml has the settings of the run (those that it does not have
yet: their defaults), and its versions.txt names the study's programs, of the mees version and
MuJoCo version of this build. Commits keep the bits of the search within a version, so the commit
may differ, but builds with local changes count only if this is the same build. Machine, number of
cores and other libraries may differ.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from ..errors import FileError
from ..origin import flatten, parse_settings
from .jobs import Train
from .judging import text_of
from .keeping import OF_A_RUN, copy_run
from .results import VERSIONS

# Settings that do not change results, or that name a file of this machine.
OF_A_MACHINE = ("checkpoint.", "cluster.", "log.", "run.start_from")


class KeptRuns:
    """Divides the jobs of a study into those to run and the runs that are complete without a map:
    in the folder of kept results, if this machine has not started them, or copied from there into
    the study's folder earlier. Writes nothing before `prepare`."""

    def __init__(self, jobs, folder, kept, programs):
        self._programs, self._versions = programs, {}
        self.sources, self.unused, self._outdated = {}, {}, []
        runs = {}
        for job in jobs:
            runs.setdefault(job.run, []).append(job)
        for run, own in runs.items():
            if run.parent == folder and (not run.exists() or _has_only_results(run)):
                self._look_for(run, own, [run, *([kept / run.name] if kept else [])])
        left = [job for job in jobs if job.run not in self.sources]
        words = {str(word) for job in left if job.run.parent == folder for word in job.arguments}
        self.jobs = [job for job in left if job.run.parent == folder or _starts(job, words)]

    def prepare(self):
        """Reports the results, and copies them into the study's folder. Copies there that do not
        count make way for their runs."""
        if self.sources:
            names = ", ".join(run.name for run in self.sources)
            print(f"complete in the kept results: {names}", flush=True)
        for reason, names in self.unused.items():
            print(f"kept results that do not count ({reason}): {', '.join(names)}", flush=True)
        for run in self._outdated:
            shutil.rmtree(run)
        for run, source in self.sources.items():
            if source != run:
                copy_run(source, run)

    def _look_for(self, run, jobs, places):
        for place in filter(_has_results, places):
            reason = self._difference(place, jobs)
            if reason is None:
                self.sources[run] = place
                return
            self.unused.setdefault(reason, {})[run.name] = None
            if place == run:
                self._outdated.append(run)

    def _difference(self, place, jobs) -> str | None:
        """Why the files are not the results of these jobs; None if they are."""
        programs = dict.fromkeys(job.program for job in jobs)
        versions = {self._version(name) for name in programs}
        written = {_without_machine(line) for line in text_of(place / VERSIONS).splitlines()}
        if any(_is_modified(line) for line in written - versions):
            return "written by a build with local changes"
        if set(map(_release, written)) != set(map(_release, versions)):
            return "written by other versions"
        if not all(job.is_kept_in(place) for job in jobs):
            return "incomplete"
        train = next(job for job in jobs if isinstance(job, Train))
        wanted = self._programs.ask(train.program, *train.arguments, "--show-config")
        wanted = _settings(wanted, "mees_master --show-config")
        found = self._stored_settings(place / "config.toml", wanted)
        keys = (key for key in {**wanted, **found} if wanted.get(key) != found.get(key))
        other = next(keys, None)
        return other and f"{other} differs"

    def _stored_settings(self, file, wanted) -> dict:
        """The settings of a kept run. Those that this build has and the run's did not have yet are
        at their defaults, which keep the bits of the search."""
        found = _settings(text_of(file), file)
        if not found.keys() < wanted.keys():
            return found
        return _settings(self._programs.ask(Train.program, file, "--show-config"), file)

    def _version(self, program) -> str:
        if program not in self._versions:
            self._versions[program] = _without_machine(self._programs.version(program))
        return self._versions[program]


def _has_results(folder) -> bool:
    return (folder / "config.toml").exists() and (folder / VERSIONS).exists()


def _has_only_results(folder) -> bool:
    """Whether a run was copied from kept results: those of a program have other files too."""
    return _has_results(folder) and all(path.name in OF_A_RUN for path in folder.iterdir())


def _starts(job, words) -> bool:
    """Whether a run that is left starts from the map of this run of another study."""
    return f"run.start_from={Path(job.run) / 'map.h5'}" in words


def _without_machine(line) -> str:
    return line.rsplit("; ", 1)[0]


def _release(line) -> tuple:
    """Program and MuJoCo version of `mees_master 0.2.0, commit 1a2b, MuJoCo 3.14.0, ...`."""
    program, *others = line.split(", ")
    return program, *(other for other in others if other.startswith("MuJoCo "))


def _is_modified(line) -> bool:
    """Whether the commit does not describe the sources: they had changes, or were not in git."""
    commit = next((part for part in line.split(", ") if part.startswith("commit ")), "unknown")
    return commit.endswith(("-dirty", "unknown"))


def _settings(text, source) -> dict:
    flat = flatten(parse_settings(text, source))
    if not flat:
        raise FileError(f"invalid configuration in {source}", "it is empty", "Remove it.")
    return {key: value for key, value in flat.items() if not key.startswith(OF_A_MACHINE)}
