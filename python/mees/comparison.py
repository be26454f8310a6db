"""Compares experiments over their seeds: medians, quartiles and significance tests."""

from __future__ import annotations

from itertools import combinations
from math import comb, erfc, sqrt

import numpy as np

from .origin import group
from .study.verdict import holm

MOST_RELABELLINGS = 200_000  # up to this many, a test is exact
MEASURES = ("best fitness", "filled cells", "QD score")


def spread(values) -> str:
    """Median and quartiles as a string."""
    low, middle, high = np.percentile(np.asarray(values, float), (25, 50, 75))
    return f"{middle:.5g} [{low:.5g}, {high:.5g}]"


def rank_sum_p(first, second) -> float:
    """Two-sided p of the Mann-Whitney U test; ties have mean ranks.

    Exact, over all relabellings, unless there are more than MOST_RELABELLINGS: then the normal
    approximation, corrected for ties and continuity.
    """
    pooled = np.concatenate([np.asarray(first, float), np.asarray(second, float)])
    ranks = (pooled[:, None] > pooled).sum(1) + ((pooled[:, None] == pooled).sum(1) + 1) / 2
    size, total = len(first), len(pooled)
    expected = size * (total + 1) / 2
    observed = abs(ranks[:size].sum() - expected)
    if comb(total, size) <= MOST_RELABELLINGS:
        chosen = np.array(list(combinations(range(total), size)))
        return float(np.mean(np.abs(ranks[chosen].sum(1) - expected) >= observed - 1e-9))
    deviation = sqrt(size * (total - size) / total * np.var(ranks) * total / (total - 1))
    if deviation == 0:
        return 1.0
    return erfc(max(0.0, observed - 0.5) / deviation / sqrt(2))


class Comparison:
    """The runs of one robot, grouped into experiments whose members differ only in the seed.

    `experiments` are (label, maps) as group() gives them. QD scores have one offset, the lowest of
    the runs. Measures are those of the maps as they are: of the runs' last states.
    """

    def __init__(self, maps):
        self.offset = min((each.qd_offset for each in maps), default=0.0)
        self.experiments = [
            (label, [each for each in members if len(each)]) for label, members in group(maps)
        ]
        self.experiments = [(label, members) for label, members in self.experiments if members]

    def values(self, members, measure) -> list:
        if measure == "best fitness":
            return [each.best.fitness for each in members]
        if measure == "filled cells":
            return [float(len(each)) for each in members]
        return [float(np.sum(each.fitness - self.offset)) for each in members]

    def rows(self) -> list:
        """A row per experiment: label, number of seeds, generations, and each measure's spread."""
        return [
            [
                label,
                str(len(members)),
                _range([each.generations for each in members]),
                *(spread(self.values(members, measure)) for measure in MEASURES),
            ]
            for label, members in self.experiments
        ]

    def tests(self) -> list:
        """(experiment, other, measure, p, p corrected by Holm) of all pairs with two seeds each."""
        pairs = [
            (*pair, measure)
            for pair in combinations([each for each in self.experiments if len(each[1]) > 1], 2)
            for measure in MEASURES
        ]
        found = [
            rank_sum_p(self.values(first[1], measure), self.values(second[1], measure))
            for first, second, measure in pairs
        ]
        return [
            (first[0], second[0], measure, p, corrected)
            for (first, second, measure), p, corrected in zip(pairs, found, holm(found))
        ]


def _range(numbers):
    low, high = min(numbers), max(numbers)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
