"""Verdicts on claims, each based on a stated test over seeds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import Optional

import numpy as np

HELD, NOT_HELD, UNDECIDED = "held", "not held", "not decided"
SIGNIFICANT = 0.05


@dataclass(frozen=True)
class Verdict:
    """The outcome of a claim, with the figures and the test it is based on.

    A verdict of a significance test has its one-sided p and that of the opposite claim; its outcome
    is that of this test alone, until `correct` has considered the others.
    """

    outcome: str
    figures: str
    test: str
    p: Optional[float] = None
    p_opposite: Optional[float] = None


def summary(values) -> str:
    """Mean, standard deviation (n - 1 in its denominator) and number of seeds."""
    values = np.asarray(values, float)
    spread = f" ± {values.std(ddof=1):.2g}" if len(values) > 1 else ""
    return f"{values.mean():.4g}{spread} (n = {len(values)})"


def agreement(passed) -> str:
    """Held if all seeds passed, not held if none did; a single seed decides nothing."""
    if len(passed) > 1 and len(set(passed)) == 1:
        return HELD if passed[0] else NOT_HELD
    return UNDECIDED


def every_seed(values, passes, condition) -> Verdict:
    """Whether the seeds agree that their values pass."""
    passed = [bool(passes(value)) for value in values]
    return Verdict(
        agreement(passed),
        f"{summary(values)}; {sum(passed)} of {len(passed)} seeds",
        f"every seed {condition}",
    )


def some_seed(passed, figures, condition) -> Verdict:
    """Whether there are seeds that pass, of at least two."""
    outcome = UNDECIDED if len(passed) < 2 else HELD if any(passed) else NOT_HELD
    shown = f"{figures}; {sum(passed)} of {len(passed)} seeds"
    return Verdict(outcome, shown, f"some seed {condition}")


def greater(first, second, names, margin=0.0) -> Verdict:
    """Held if the first sample's mean, plus the margin, is greater by an exact one-sided
    permutation test; not held if the second's is greater than that by the same test."""
    raised = np.asarray(first, float) + margin
    p, opposite = permutation_p(raised, second), permutation_p(second, raised)
    return Verdict(
        outcome_of(p, opposite),
        f"{names[0]} {summary(first)}, {names[1]} {summary(second)}",
        f"exact one-sided permutation test, p = {p:.3g}",
        p,
        opposite,
    )


def correct(verdicts) -> list:
    """The verdicts of a study, its significance tests corrected for their number (Holm)."""
    tests = [place for place, verdict in enumerate(verdicts) if verdict.p is not None]
    held = holm([verdicts[place].p for place in tests])
    opposite = holm([verdicts[place].p_opposite for place in tests])
    corrected = list(verdicts)
    for place, p, other in zip(tests, held, opposite):
        verdict = verdicts[place]
        shown = f"{verdict.test} ({p:.3g} corrected for {len(tests)} tests)"
        corrected[place] = replace(
            verdict,
            outcome=outcome_of(p, other),
            test=shown if len(tests) > 1 else verdict.test,
        )
    return corrected


def holm(values) -> list:
    """p-values adjusted by Holm's step-down method, in the order given."""
    adjusted, highest = [0.0] * len(values), 0.0
    for rank, place in enumerate(sorted(range(len(values)), key=lambda i: values[i])):
        highest = max(highest, (len(values) - rank) * values[place])
        adjusted[place] = min(1.0, highest)
    return adjusted


def outcome_of(p, opposite) -> str:
    """By the p-values of a claim and of its opposite."""
    if p <= SIGNIFICANT:
        return HELD
    return NOT_HELD if opposite <= SIGNIFICANT else UNDECIDED


def permutation_p(first, second) -> float:
    """The share of all relabellings whose difference of means is at least the one observed.

    Differences within rounding error count as equal.
    """
    pooled = np.concatenate([np.asarray(first, float), np.asarray(second, float)])
    pooled -= pooled.mean()  # so that rounding is small compared with the spread
    size = len(first)
    # The sum of the first sample determines the difference of means, as the total is constant.
    observed = pooled[:size].sum() - 1e-12 * np.abs(pooled).sum()
    sums = [pooled[list(chosen)].sum() for chosen in combinations(range(len(pooled)), size)]
    return sum(part >= observed for part in sums) / len(sums)
