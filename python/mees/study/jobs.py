"""The jobs of a study: training, judging and damage recovery of each run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from ..errors import FileError
from ..history import read_csv_columns
from .claims import DAMAGES
from .errors import StudyError
from .judging import (
    EPISODES,
    EVALUATED,
    FULL_LENGTH,
    FULL_MAP,
    JUDGED,
    MAP_EPISODES,
    REEVALUATED,
    fitness_in,
    is_newer,
    text_of,
    write_reevaluated,
)
from .results import ROOT, run_folder


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

    def is_kept_in(self, folder) -> bool:
        """Whether the small files of a run, without its maps, have the complete results."""
        return replace(self, run=folder).done == self.total

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
        judged = self.run / JUDGED
        is_current = is_newer(judged, self.run / "map.h5")
        return len(fitness_in(text_of(judged), judged)) if is_current else 0

    def is_kept_in(self, folder) -> bool:
        judged = folder / JUDGED
        return judged.exists() and len(fitness_in(text_of(judged), judged)) == self.total

    def work(self, programs, watch) -> int:
        if self.done != self.total:
            text = programs.ask(self.program, *self.arguments)
            part = self.run / f".{JUDGED}.part"
            part.write_text(text, encoding="utf-8")
            part.replace(self.run / JUDGED)
        watch()
        return 0


class Evaluate(Job):
    """The map of a run, re-evaluated at full length, for damage recovery under these conditions.

    mees_evaluate cannot resume either, and writes new files only.
    """

    what, program, unit, table, product = "evaluate", "mees_evaluate", "map", FULL_MAP, FULL_MAP
    elites = 200  # a guess, for the time left

    @property
    def done(self) -> int:
        return int(is_newer(self.run / FULL_MAP, self.run / "map.h5"))

    def work(self, programs, watch) -> int:
        if self.done:
            return 0
        (self.run / FULL_MAP).unlink(missing_ok=True)
        return super().work(programs, watch)

    def is_kept_in(self, folder) -> bool:
        return True  # only mees_adapt reads it


class Reevaluate(Evaluate):
    """The map of a run in new episodes of the run's own conditions, and a table of its elites."""

    what, table, product = "re-evaluate", REEVALUATED, REEVALUATED

    @property
    def done(self) -> int:
        return int(is_newer(self.run / REEVALUATED, self.run / "map.h5"))

    def work(self, programs, watch) -> int:
        if self.done:
            return 0
        new = self.run / EVALUATED
        if not is_newer(new, self.run / "map.h5"):
            new.unlink(missing_ok=True)
            if status := programs.call(self.program, *self.arguments, watch=watch):
                return status
        write_reevaluated(new, self.run / REEVALUATED)
        watch()
        return 0

    def is_kept_in(self, folder) -> bool:
        return len(replace(self, run=folder).column("fitness")) > 0


def overrides(settings):
    return [word for setting in settings for word in ("--set", setting)]


def jobs_of(study, folder, programs):
    """All jobs of the study, ordered by seed. Asks mees_master for their lengths, which also checks
    the settings."""
    settings, lengths = {}, {}
    for variant, own in study.variants.items():
        words = (ROOT / study.preset, *overrides([*study.settings, *own]))
        shown = programs.ask("mees_master", *words, "--dry-run")
        lengths[variant] = _length(shown, study.budget, variant)
        generations = overrides([f"run.generations={lengths[variant][0]}"] if study.budget else [])
        settings[variant] = (*words, *generations)
    starts = _starts(study, folder, programs)
    return [*starts.values()] + [
        job
        for seed in study.seeds
        for variant in study.variants
        for job in _jobs_of_run(
            study,
            variant,
            run_folder(folder, variant, seed),
            (*settings[variant], "--seed", seed, *_start_of(seed, starts)),
            lengths[variant],
            ("--threads", programs.cores),
        )
    ]


def _starts(study, folder, programs):
    """The runs of another study from whose maps this one starts, by seed; in its own folder."""
    if study.start is None:
        return {}
    first = next(iter(study.start.variants.items()))
    other = replace(study.start, variants=dict([first]), seeds=study.seeds)
    jobs = jobs_of(other, folder.parent / other.name, programs)
    return dict(zip(study.seeds, (job for job in jobs if isinstance(job, Train))))


def _start_of(seed, starts):
    return overrides([f"run.start_from={starts[seed].run / 'map.h5'}"]) if starts else []


def _jobs_of_run(study, variant, run, settings, length, threads):
    generations, episodes = length
    source = run / "map.h5"
    yield Train(run, (*settings, *threads, "--out", run), generations, episodes / generations)
    if study.map_episodes:
        again = (source, "--episodes", study.map_episodes, *threads, "--out", run / EVALUATED)
        yield Reevaluate(run, again, 1, Evaluate.elites * study.map_episodes)
    if variant in study.judged:
        best = (source, "--cell", "best", "--episodes", EPISODES, *overrides(FULL_LENGTH))
        yield Judge(run, (*best, *threads), EPISODES, Judge.short_episodes)
    if variant in study.damages and study.full_length:
        source = run / FULL_MAP
        of_all = (run / "map.h5", "--episodes", MAP_EPISODES, *overrides(FULL_LENGTH))
        cost = Evaluate.elites * MAP_EPISODES * Judge.short_episodes
        yield Evaluate(run, (*of_all, *threads, "--out", source), 1, cost)
    if variant in study.damages:
        paper = (source, "--damage", "paper", "--seeds", 1, *threads, "--out", run / "adapt.h5")
        yield Adapt(run, paper, DAMAGES, Adapt.damage_episodes)


def _length(dry_run, budget=0, variant="a run"):
    """(generations, episodes) of a run, from the output of --dry-run; with a budget, the most
    generations whose episodes are within it."""
    values = dict(line.split("  ", 1) for line in dry_run.splitlines() if "  " in line)
    generations, total = _numbers(values, "generations", "total episodes")
    if not budget:
        return generations, total
    (each,) = _numbers(values, "episodes per generation")
    initial = total - generations * each
    generations = (budget - initial) // each
    if generations < 1:
        raise StudyError(
            f"the budget of {budget:,} episodes is too small for {variant}",
            f"{initial + each:,} are needed for one generation",
            "Set a larger one with --budget.",
            2,
        )
    return generations, initial + generations * each


def _numbers(values, *keys):
    return tuple(int(values[key].replace(",", "")) for key in keys)
