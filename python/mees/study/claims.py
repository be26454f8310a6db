"""How claims are decided from the runs of a study: the functions return a Claim's `decide`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable

import numpy as np

from .verdict import HELD, NOT_HELD, UNDECIDED, Verdict, agreement, every_seed, greater, summary

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


def best_after(histories, column, steps):
    """The best fitness of each history after this many steps."""
    return [history[column][history["steps"] <= steps].max() for history in histories]


def after(steps):
    return f"after {steps / 1e6:g} million steps"


def reaches(variant, steps, fitness):
    """Whether the best controller has this fitness after this many steps."""
    return lambda runs: every_seed(
        best_after(runs[variant].values(), "best", steps),
        lambda best: best >= fitness,
        f"reaches {fitness:g} {after(steps)}",
    )


def no_slower(variant, peer, steps):
    """Whether another program's runs with the same settings are not better. Runs that were stopped
    earlier do not count, and a single run decides nothing."""

    def decide(runs):
        own = best_after(runs[variant].values(), "best", steps)
        finished = [curve for curve in runs.peers[peer] if curve["steps"][-1] > 0.95 * steps]
        others = best_after(finished, "fitness", steps)
        test = f"at least two seeds of {peer}, whose mean is not higher {after(steps)}"
        if len(others) < 2:
            return Verdict(UNDECIDED, f"{variant} {summary(own)}, {len(others)} of {peer}", test)
        ahead = greater(others, own, (peer, variant))
        level = HELD if np.mean(own) >= np.mean(others) else UNDECIDED
        return Verdict(
            NOT_HELD if ahead.outcome == HELD else level,
            ahead.figures,
            f"{test}; that it is higher: {ahead.test}",
        )

    return decide


def weight_falls_then_rises(variant, threshold):
    """NSRA's weight decreases while the best is stuck and increases once it exceeds the threshold.

    The first row after the escape may already show the increase.
    """

    def decide(runs):
        decreased, increased, lowest = [], [], []
        for run in runs[variant].values():
            beyond = np.flatnonzero(run["best"] > threshold)
            escape = beyond[0] if len(beyond) else len(run) - 1
            lowest.append(run["weight"][: escape + 1].min())
            decreased.append(lowest[-1] < 0.5)
            before = run["weight"][max(escape - 1, 0)]
            increased.append(len(beyond) > 0 and run["weight"][escape:].max() > before)
        figures = (
            f"lowest before the escape {summary(lowest)}; decreased in {sum(decreased)}, "
            f"increased at or after the escape in {sum(increased)} of {len(decreased)} seeds"
        )
        return Verdict(
            agreement([bool(fell and rose) for fell, rose in zip(decreased, increased)]),
            figures,
            "every seed decreases below 0.5, and increases at or after the escape",
        )

    return decide


def after_damage(runs, variant):
    """The score after recovery, mean over damages, for each seed."""
    return [adapted["post"].mean() for adapted in runs.adaptations[variant].values()]


def more_after_damage(first, second):
    return lambda runs: greater(
        after_damage(runs, first), after_damage(runs, second), (first, second)
    )


def recovers_in_all(variant):
    """Whether the robot moves after every damage."""

    def decide(runs):
        limit = 1.1 * runs.motionless
        adaptations = runs.adaptations[variant].values()
        return every_seed(
            [np.count_nonzero(adapted["post"] > limit) for adapted in adaptations],
            lambda moving: moving == DAMAGES,
            f"exceeds 1.1 x standing still ({limit:g}) in all {DAMAGES} damages",
        )

    return decide


def motionless_after_damage(variant):
    def decide(runs):
        limit = 1.1 * runs.motionless
        return every_seed(
            after_damage(runs, variant),
            lambda score: score < limit,
            f"stays below 1.1 x standing still ({limit:g}), mean over damages",
        )

    return decide


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
