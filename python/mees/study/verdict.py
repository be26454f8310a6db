"""Verdicts on claims, each based on a stated test over seeds."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

HELD, NOT_HELD, UNDECIDED = "held", "not held", "not decided"
SIGNIFICANT = 0.05


@dataclass(frozen=True)
class Verdict:
    """The outcome of a claim, with the figures and the test it is based on."""

    outcome: str
    figures: str
    test: str


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


def greater(first, second, names) -> Verdict:
    """Held if the first sample's mean is greater by an exact one-sided permutation test; not held
    if the second's is greater by the same test."""
    p = permutation_p(first, second)
    outcome = HELD if p <= SIGNIFICANT else UNDECIDED
    if outcome == UNDECIDED and permutation_p(second, first) <= SIGNIFICANT:
        outcome = NOT_HELD
    figures = f"{names[0]} {summary(first)}, {names[1]} {summary(second)}"
    return Verdict(outcome, figures, f"exact one-sided permutation test, p = {p:.3g}")


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
