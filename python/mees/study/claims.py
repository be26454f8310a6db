"""How claims are decided from the runs of a study: each function returns a decision that `Claim` holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable

import numpy as np

from .verdict import HELD, NOT_HELD, UNDECIDED, Verdict, agreement, every_seed, greater, summary

DAMAGES = 12  # the paper's, `mees_adapt --damage paper`


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper and how it is decided from the runs."""

    text: str
    decide: Callable


def last(runs, variant, column):
    """The last value of a column, for each seed."""
    return [run[column][-1] for run in runs[variant].values()]


def ends_above(variant, threshold, what):
    return lambda runs: every_seed(last(runs, variant, "best"), lambda best: best > threshold,
                                   f"ends above {threshold:g} ({what})")


def ends_below(variant, threshold, what):
    return lambda runs: every_seed(last(runs, variant, "best"), lambda best: best < threshold,
                                   f"ends below {threshold:g} ({what})")


def more(first, second, column):
    return lambda runs: greater(last(runs, first, column), last(runs, second, column),
                                (first, second))


def best_after(histories, column, steps):
    """The best controller so far after so many steps, of each history."""
    return [history[column][history["steps"] <= steps].max() for history in histories]


def after(steps):
    return f"after {steps / 1e6:g} million steps"


def reaches(variant, steps, fitness):
    """Whether the best controller so far is worth so much after so many steps."""
    return lambda runs: every_seed(best_after(runs[variant].values(), "best", steps),
                                   lambda best: best >= fitness, f"has {fitness:g} or more {after(steps)}")


def no_slower(variant, peer, steps):
    """Whether another program's runs, of the same settings, are not the better ones. Runs that were stopped before
    do not count, and one alone decides nothing."""

    def decide(runs):
        own = best_after(runs[variant].values(), "best", steps)
        finished = [curve for curve in runs.peers[peer] if curve["steps"][-1] > 0.95 * steps]
        others = best_after(finished, "fitness", steps)
        test = f"two seeds of {peer} or more, and their mean is not ahead {after(steps)}"
        if len(others) < 2:
            return Verdict(UNDECIDED, f"{variant} {summary(own)}, {len(others)} of {peer}", test)
        ahead = greater(others, own, (peer, variant))
        level = HELD if np.mean(own) >= np.mean(others) else UNDECIDED
        return Verdict(NOT_HELD if ahead.outcome == HELD else level, ahead.figures,
                       f"{test}; that it is: {ahead.test}")

    return decide


def weight_falls_then_rises(variant, threshold):
    """NSRA's weight sinks while the best is stuck and rises once it is beyond the threshold.

    The row that first shows the escape may show the rise as well.
    """

    def decide(runs):
        sunk, risen, lowest = [], [], []
        for run in runs[variant].values():
            beyond = np.flatnonzero(run["best"] > threshold)
            escape = beyond[0] if len(beyond) else len(run) - 1
            lowest.append(run["weight"][: escape + 1].min())
            sunk.append(lowest[-1] < 0.5)
            risen.append(len(beyond) > 0 and run["weight"][escape:].max() > run["weight"][max(escape - 1, 0)])
        figures = (f"lowest before the escape {summary(lowest)}; sank in {sum(sunk)}, "
                   f"rose with it or after it in {sum(risen)} of {len(sunk)} seeds")
        return Verdict(agreement([bool(fell and rose) for fell, rose in zip(sunk, risen)]), figures,
                       "every seed sinks below 0.5, and rises with the escape or after it")

    return decide


def after_damage(runs, variant):
    """The score after recovery, mean over damages, for each seed."""
    return [adapted["post"].mean() for adapted in runs.adaptations[variant].values()]


def more_after_damage(first, second):
    return lambda runs: greater(after_damage(runs, first), after_damage(runs, second), (first, second))


def recovers_in_all(variant):
    """Whether no damage leaves the robot about motionless."""

    def decide(runs):
        limit = 1.1 * runs.motionless
        adaptations = runs.adaptations[variant].values()
        return every_seed([np.count_nonzero(adapted["post"] > limit) for adapted in adaptations],
                          lambda moving: moving == DAMAGES,
                          f"beats 1.1 x standing still ({limit:g}) in all {DAMAGES} damages")

    return decide


def motionless_after_damage(variant):
    def decide(runs):
        limit = 1.1 * runs.motionless
        return every_seed(after_damage(runs, variant), lambda score: score < limit,
                          f"stays below 1.1 x standing still ({limit:g}), mean over damages")

    return decide


def gains_in_most(variant):
    """Whether the adapted robot is better than the one that goes on with the best controller of before, by more
    than the noise of the 30 episodes that score each."""

    def decide(runs):
        won = [np.count_nonzero(adapted["gain"] > 2 * np.hypot(adapted["pre_se"], adapted["post_se"]))
               for adapted in runs.adaptations[variant].values()]
        return every_seed(won, lambda damages: damages > DAMAGES / 2,
                          f"wins back more than two standard errors in more than half of {DAMAGES} damages")

    return decide
