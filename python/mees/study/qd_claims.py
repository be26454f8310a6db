"""How maps are compared: figures of each run, tests over seeds, and the table of all variants."""

from __future__ import annotations

import numpy as np

from .verdict import Verdict, every_seed, holm, outcome_of

FIGURES = {
    "QD score": lambda run: run.history["qd_score"][-1],
    "corrected QD score": lambda run: run.corrected_qd_score,
    "coverage": lambda run: run.history["coverage"][-1],
    "best": lambda run: run.history["best"][-1],
    "robustness": lambda run: run.robustness,
    "minutes": lambda run: run.history["seconds"].sum() / 60,
}


class Run:
    """A run's history, and its elites in new episodes."""

    def __init__(self, history, elites):
        self.history = history
        self._elites = elites

    @property
    def robustness(self) -> float:
        """Mean of new minus stored fitness over the elites: below 0 if the map overestimates."""
        return float(np.mean(self._elites["fitness"] - self._elites["stored_fitness"]))

    @property
    def corrected_qd_score(self) -> float:
        """Of the elites with their new fitness in the cells of their new behaviour."""
        kept = self._elites["kept"] > 0
        return float(np.sum(self._elites["fitness"][kept] - self.history.qd_offset))


def runs_of(results, variant) -> list:
    reevaluated = results.reevaluated[variant]
    return [Run(history, reevaluated[seed]) for seed, history in results[variant].items()]


def figures_of(results, variant, figure) -> list:
    return [FIGURES[figure](run) for run in runs_of(results, variant)]


def mann_whitney_p(first, second) -> float:
    """One-sided exact p of the Mann-Whitney U test that the first sample is greater; ties count
    half, and the distribution is that of all relabellings of the values, ties included."""
    pooled = np.concatenate([np.asarray(first, float), np.asarray(second, float)])
    twice_below = 2 * (pooled[:, None] > pooled).sum(1) + (pooled[:, None] == pooled).sum(1)
    size = len(first)
    # ways[n, s]: how many choices of n values have the sum s.
    ways = np.zeros((size + 1, twice_below.sum() + 1))
    ways[0, 0] = 1
    for value in twice_below:
        for chosen in range(size, 0, -1):
            ways[chosen, value:] += ways[chosen - 1, :-value]
    return float(ways[size, twice_below[:size].sum() :].sum() / ways[size].sum())


def spread(values) -> str:
    """Median and quartiles."""
    low, middle, high = np.percentile(np.asarray(values, float), [25, 50, 75])
    return f"{_number(middle)} [{_number(low)}, {_number(high)}]"


def _number(value) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def at_least_times(factor, first, second):
    """Whether the first's QD scores are greater than this multiple of the second's."""

    def decide(results):
        scores = figures_of(results, first, "QD score")
        others = figures_of(results, second, "QD score")
        raised = [factor * score for score in others]
        p, opposite = mann_whitney_p(scores, raised), mann_whitney_p(raised, scores)
        ratio = np.median(scores) / np.median(others)
        return Verdict(
            outcome_of(p, opposite),
            f"{first} {spread(scores)}, {second} {spread(others)}; ratio of medians {ratio:.3g}",
            f"exact one-sided Mann-Whitney test against {factor} x {second}, p = {p:.3g}",
            p,
            opposite,
        )

    return decide


def not_overestimated(variant):
    return lambda results: every_seed(
        figures_of(results, variant, "robustness"),
        lambda value: value >= 0,
        "has elites whose new episodes are on average as good as stored",
    )


def qd_lines(study, results) -> list:
    """All variants in a Markdown table, the highest median QD score first."""
    scores = {name: figures_of(results, name, "QD score") for name in study.variants}
    order = sorted(scores, key=lambda name: -np.median(scores[name]))
    others = [name for name in order if name != study.reference]
    raw = [mann_whitney_p(scores[name], scores[study.reference]) for name in others]
    shown = {
        name: f"{p:.3g} ({corrected:.3g})" for name, p, corrected in zip(others, raw, holm(raw))
    }
    fewest = mann_whitney_p(range(len(study.seeds), 2 * len(study.seeds)), range(len(study.seeds)))
    lines = [
        "",
        f"Highest median QD score: **{order[0]}**. Medians and quartiles over seeds:",
        "",
        f"| algorithm | {' | '.join(FIGURES)} | above {study.reference}: p (Holm) |",
        f"| --- |{' --- |' * (len(FIGURES) + 1)}",
    ]
    for name in order:
        cells = [spread(figures_of(results, name, figure)) for figure in FIGURES]
        lines.append(f"| {name} | {' | '.join(cells)} | {shown.get(name, '-')} |")
    return [
        *lines,
        "",
        f"Robustness: mean over the elites of the fitness in {study.map_episodes} new episodes "
        "minus the stored fitness (`mees_evaluate`). Corrected QD score: of the map with the new "
        "fitness and behaviour. p: exact one-sided Mann-Whitney test of the QD scores against "
        f"{study.reference}, in brackets corrected for {len(others)} tests; with these seeds it "
        f"is at least {fewest:.3g} ({min(1.0, fewest * len(others)):.3g}). Minutes are wall-clock "
        "time and depend on what else the machine did.",
    ]
