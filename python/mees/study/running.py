"""Runs the jobs of a study and reports the time left."""

from __future__ import annotations

import time

from ..durations import duration
from .errors import StudyError
from .results import record_version

SHOW_SECONDS = 30


class Progress:
    """Estimates the time left from the remaining episodes and the speed so far."""

    def __init__(self, jobs, clock=time.monotonic):
        self._left = {job: job.episodes_left for job in jobs}
        self._first = sum(self._left.values())
        self._clock, self._started = clock, clock()

    @property
    def jobs_left(self) -> int:
        return sum(left > 0 for left in self._left.values())

    def is_left(self, job) -> bool:
        return self._left[job] > 0

    def update(self, job):
        """Reads the progress of a job."""
        self._left[job] = job.episodes_left

    @property
    def time_left(self) -> str:
        """', about 3 min 20 s left', once the speed is known."""
        left = sum(self._left.values())
        done = self._first - left
        if done <= 0:
            return ""
        return f", about {duration((self._clock() - self._started) / done * left)} left"


def run_jobs(jobs, programs, keep=lambda run: None):
    """Runs every job's program; raises StudyError as soon as one fails. Calls `keep` with the
    folder of each run that is complete."""
    progress = Progress(jobs)
    print(f"{progress.jobs_left} of {len(jobs)} jobs left", flush=True)
    for number, job in enumerate(jobs, 1):
        if progress.is_left(job):
            print(f"[{number}/{len(jobs)}{progress.time_left}] {job}", flush=True)
        status = job.work(programs, _watch(job, progress, programs.version(job.program)))
        if status != 0:
            remedy = (
                f"Follow it, move {job.run} away, or set another folder with --runs."
                if status in (2, 3)
                else "Run the same command again to resume."
            )
            raise StudyError(
                f"{job}: {job.program} failed with exit code {status}",
                "see its message above",
                remedy,
                status if status in (2, 3) else 1,
            )
        progress.update(job)
        if job.done != job.total:
            raise StudyError(
                f"{job.run / job.table} ends at {job.unit} {job.done}",
                f"the study has {job.total}",
                f"Move {job.run} away, or set another folder with --runs.",
                3,
            )
        if number == len(jobs) or jobs[number].run != job.run:
            keep(job.run)


def _watch(job, progress, version):
    """Returns a function to call every second: it records the version once the job has made
    progress, and prints the progress."""
    product = job.run / job.product
    before = _stamp(product)
    shown = time.monotonic()

    def watch():
        nonlocal shown
        if _stamp(product) != before:
            record_version(job.run, version)
        if time.monotonic() - shown >= SHOW_SECONDS:
            shown = time.monotonic()
            progress.update(job)
            print(f"    {job.unit} {job.done} of {job.total}{progress.time_left}", flush=True)

    return watch


def _stamp(file):
    return file.stat().st_mtime_ns if file.exists() else None
