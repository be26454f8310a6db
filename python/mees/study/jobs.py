"""The jobs of a study: training, judging and damage recovery of each run, and the time left."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from ..durations import duration
from ..errors import FileError
from ..history import read_csv_columns
from .claims import DAMAGES
from .errors import StudyError
from .judging import EPISODES, FULL_LENGTH, JUDGED, fitness_in, text_of
from .results import ROOT, record_version, run_folder

SHOW_SECONDS = 30


@dataclass(frozen=True)
class Job:
    """One call of a program, which starts, resumes or finds that its work is complete.

    Only the program decides that; `done`, read from a table of the run, serves to estimate the time
    left and to check the result. `product` changes whenever the job makes progress.
    """

    run: Path
    arguments: tuple
    total: int
    episodes: float  # per unit of `total`

    def __str__(self):
        return f"{self.what} {self.run.name}"

    @property
    def episodes_left(self) -> float:
        return max(0, self.total - self.done) * self.episodes

    def work(self, programs, watch) -> int:
        """Runs the program and returns its exit code."""
        return programs.call(self.program, *self.arguments, watch=watch)

    def column(self, name):
        try:
            return read_csv_columns(self.run / self.table).get(name, ())
        except FileError:
            return ()


class Train(Job):
    """A run of mees_master."""

    what, program, unit, table, product = (
        "train",
        "mees_master",
        "generation",
        "metrics.csv",
        "map.h5",
    )

    @property
    def done(self) -> int:
        generations = self.column("generation")
        return int(generations[-1]) if len(generations) else 0


class Adapt(Job):
    """Recovery from the paper's damages with the map of a run."""

    what, program, unit, table, product = "adapt", "mees_adapt", "damage", "adapt.csv", "adapt.h5"
    damage_episodes = 120  # 30 trials of 2 episodes, and two scores of 30

    @property
    def done(self) -> int:
        return len(self.column("damage"))


class Judge(Job):
    """The best elite of a run in fresh episodes of full length.

    mees_replay cannot resume, so that this job decides itself whether its work is complete.
    """

    what, program, unit, table, product = "judge", "mees_replay", "episode", JUDGED, JUDGED
    short_episodes = 16  # 4 times the steps of a training episode, each 4 times as long

    @property
    def done(self) -> int:
        judged, source = self.run / JUDGED, self.run / "map.h5"
        if not judged.exists() or not source.exists():
            return 0
        is_current = judged.stat().st_mtime_ns >= source.stat().st_mtime_ns
        return len(fitness_in(text_of(judged), judged)) if is_current else 0

    def work(self, programs, watch) -> int:
        if self.done != self.total:
            text = programs.ask(self.program, *self.arguments)
            part = self.run / f".{JUDGED}.part"
            part.write_text(text, encoding="utf-8")
            part.replace(self.run / JUDGED)
        watch()
        return 0


def overrides(settings):
    return [word for setting in settings for word in ("--set", setting)]


def jobs_of(study, folder, programs):
    """All jobs of the study, ordered by seed. Asks mees_master for their lengths, which also checks
    the settings."""
    settings = {
        variant: (ROOT / study.preset, *overrides([*study.settings, *own]))
        for variant, own in study.variants.items()
    }
    lengths = {
        variant: _length(programs.ask("mees_master", *words, "--dry-run"))
        for variant, words in settings.items()
    }
    jobs = []
    for seed in study.seeds:
        for variant in study.variants:
            run = run_folder(folder, variant, seed)
            generations, episodes = lengths[variant]
            threads = ("--threads", programs.cores)
            out = (*threads, "--out")
            jobs.append(
                Train(
                    run,
                    (*settings[variant], "--seed", seed, *out, run),
                    generations,
                    episodes / generations,
                )
            )
            if variant in study.judged:
                full_length = ("--episodes", EPISODES, *overrides(FULL_LENGTH))
                jobs.append(
                    Judge(
                        run,
                        (run / "map.h5", "--cell", "best", *full_length, *threads),
                        EPISODES,
                        Judge.short_episodes,
                    )
                )
            if variant in study.damages:
                jobs.append(
                    Adapt(
                        run,
                        (run / "map.h5", "--damage", "paper", "--seeds", 1, *out, run / "adapt.h5"),
                        DAMAGES,
                        Adapt.damage_episodes,
                    )
                )
    return jobs


def _length(dry_run):
    """(generations, episodes) of a run, from the output of --dry-run."""
    values = dict(line.split("  ", 1) for line in dry_run.splitlines() if "  " in line)
    return tuple(int(values[key].replace(",", "")) for key in ("generations", "total episodes"))


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


def run_jobs(jobs, programs):
    """Runs every job's program; raises StudyError as soon as one fails."""
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
