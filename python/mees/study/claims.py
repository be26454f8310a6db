"""How claims are decided from the runs of a study: the functions return a Claim's `decide`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Callable

import numpy as np

from .verdict import HELD, NOT_HELD, UNDECIDED, Verdict, every_seed, greater, some_seed, summary

DAMAGES = 12  # the paper's, `mees_adapt --damage paper`


@dataclass(frozen=True)
class Claim:
    """A statement of the paper and how it is decided from the runs."""

    text: str
    decide: Callable


def last(runs, variant, column):
    """The last value of a column, for each seed."""
    return [run[column][-1] for run in runs[variant].values()]


def ends_above(variant, threshold, what):
    return lambda runs: every_seed(
        last(runs, variant, "best"),
        lambda best: best > threshold,
        f"ends above {threshold:g} ({what})",
    )


def ends_below(variant, threshold, what):
    return lambda runs: every_seed(
        last(runs, variant, "best"),
        lambda best: best < threshold,
        f"ends below {threshold:g} ({what})",
    )


def more(first, second, column):
    return lambda runs: greater(
        last(runs, first, column), last(runs, second, column), (first, second)
    )


def at_full_length(runs, variant):
    """The best controller's mean fitness over episodes of full length, for each seed."""
    return [fitness.mean() for fitness in runs.judged[variant].values()]


def covers(variant, cells):
    return lambda runs: every_seed(
        last(runs, variant, "coverage"),
        lambda filled: filled >= cells,
        f"fills at least {cells} cells",
    )


def full_length_reaches(variant, fitness):
    return lambda runs: every_seed(
        at_full_length(runs, variant),
        lambda mean: mean >= fitness,
        f"reaches {fitness:,} over episodes of full length",
    )


def full_length_reaches_in(variant, fitness, enough):
    """Whether at least this many of the seeds reach it."""

    def decide(runs):
        values = at_full_length(runs, variant)
        passed = sum(value >= fitness for value in values)
        return Verdict(
            HELD if passed >= enough else NOT_HELD,
            f"{summary(values)}; {passed} of {len(values)} seeds",
            f"at least {enough} seeds reach {fitness:,} over episodes of full length",
        )

    return decide


def best_after(histories, column, steps):
    """The best fitness of each history after this many steps."""
    return [history[column][history["steps"] <= steps].max() for history in histories]


def after(steps):
    return f"after {steps / 1e6:g} million steps"


def no_slower(variant, peer, steps, share=0.1):
    """Whether another program's runs with the same settings are better by less than this share.
    Runs that were stopped earlier do not count, and a single run decides nothing."""

    def decide(runs):
        own = best_after(runs[variant].values(), "best", steps)
        finished = [curve for curve in runs.peers[peer] if curve["steps"][-1] > 0.95 * steps]
        others = best_after(finished, "fitness", steps)
        if len(others) < 2:
            return Verdict(
                UNDECIDED,
                f"{variant} {summary(own)}, {len(others)} of {peer}",
                f"at least two seeds of {peer} {after(steps)}",
            )
        margin = share * float(np.mean(others))
        verdict = greater(own, others, (variant, peer), margin)
        shown = f"above {peer} less {100 * share:g} % ({margin:.3g}) {after(steps)}: {verdict.test}"
        return replace(verdict, test=shown)

    return decide


def reaches_sooner(first, second, fitness, what):
    """Whether the first variant's best exceeds a fitness after fewer control steps. A run that
    never does counts with all of its steps, so that the test errs on the side of no difference."""

    def decide(runs):
        taken, reached = {}, {}
        for variant in (first, second):
            histories = list(runs[variant].values())
            above = [np.flatnonzero(history["best"] > fitness) for history in histories]
            reached[variant] = sum(len(found) > 0 for found in above)
            taken[variant] = [
                history["steps"][found[0] if len(found) else -1]
                for history, found in zip(histories, above)
            ]
        counts = f"{first} {reached[first]}, {second} {reached[second]} of {len(above)} seeds"
        if not any(reached.values()):
            return Verdict(UNDECIDED, counts, f"steps until the best is above {fitness:g} ({what})")
        verdict = greater(taken[second], taken[first], (second, first))
        shown = f"{counts}; steps: {verdict.figures}"
        return replace(verdict, figures=shown, test=f"above {fitness:g} ({what}): {verdict.test}")

    return decide


def weight_decreases(variant):
    """Whether NSRA moves towards novelty in every seed."""
    return lambda runs: every_seed(
        [run["weight"].min() for run in runs[variant].values()],
        lambda weight: weight < 0.5,
        "lowers the weight below its initial 0.5",
    )


def weight_ends_at_novelty(variant):
    """Whether NSRA ends with novelty alone in some seed."""

    def decide(runs):
        ends = [run["weight"][-1] for run in runs[variant].values()]
        return some_seed([end < 1e-9 for end in ends], summary(ends), "ends with weight 0")

    return decide


def weight_increases_again(variant):
    """Whether NSRA's weight increases, in some seed, after it has decreased below its start."""

    def decide(runs):
        gains = []
        for run in runs[variant].values():
            below = np.flatnonzero(run["weight"] < 0.5)
            later = run["weight"][below[0] :] if len(below) else np.zeros(1)
            gains.append((later - np.minimum.accumulate(later)).max())
        return some_seed(
            [gain > 1e-9 for gain in gains], summary(gains), "increases it again after that"
        )

    return decide


def after_damage(runs, variant):
    """The score after recovery, mean over damages, for each seed."""
    return [adapted["post"].mean() for adapted in runs.adaptations[variant].values()]


def more_after_damage(first, second):
    return lambda runs: greater(
        after_damage(runs, first), after_damage(runs, second), (first, second)
    )


def moves_after(variant, damages, condition):
    """Whether the robot moves after this number of the damages: its score exceeds 1.1 x that of
    standing still."""

    def decide(runs):
        limit = 1.1 * runs.motionless
        adaptations = runs.adaptations[variant].values()
        return every_seed(
            [np.count_nonzero(adapted["post"] > limit) for adapted in adaptations],
            lambda moving: moving == damages,
            f"exceeds 1.1 x standing still ({limit:g}) in {condition}",
        )

    return decide


def recovers_in_all(variant):
    return moves_after(variant, DAMAGES, f"all {DAMAGES} damages")


def motionless_after_damage(variant):
    return moves_after(variant, 0, f"none of {DAMAGES} damages")


def gains_in_most(variant):
    """Whether the adapted robot is better than one that keeps the previous best controller, by more
    than the noise of the 30 episodes of each score."""

    def decide(runs):
        gains = [
            np.count_nonzero(adapted["gain"] > 2 * np.hypot(adapted["pre_se"], adapted["post_se"]))
            for adapted in runs.adaptations[variant].values()
        ]
        return every_seed(
            gains,
            lambda damages: damages > DAMAGES / 2,
            f"gains more than two standard errors in more than half of {DAMAGES} damages",
        )

    return decide
