"""The studies: which runs they are made of, and which of the paper's claims they test."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Callable

import numpy as np

from .verdict import HELD, NOT_HELD, UNDECIDED, Verdict, every_seed, greater, summary


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper and how it is decided from the runs."""

    text: str
    decide: Callable


@dataclass(frozen=True)
class Study:
    """Runs of one preset: variants (settings that differ) times seeds."""

    name: str
    preset: str
    variants: dict
    seeds: tuple
    claims: tuple
    reduction: str
    settings: tuple = field(default=())  # of all variants
    damages: tuple = field(default=())  # variants that are damaged and recover afterwards
    films: tuple = field(default=())  # variants whose best is filmed
    peers: tuple = field(default=())  # learning curves of another program's plain ES, in the committed data


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


def reaches(variant, steps, fitness):
    """Whether the best controller so far is worth so much after so many steps."""

    def decide(runs):
        values = [run["best"][run["steps"] <= steps][-1] for run in runs[variant].values()]
        return every_seed(values, lambda best: best >= fitness,
                          f"has {fitness:g} or more after {steps / 1e6:g} million steps")

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
        outcome = HELD if all(sunk) and all(risen) else NOT_HELD if not any(sunk) else UNDECIDED
        figures = (f"lowest before the escape {summary(lowest)}; sank in {sum(sunk)}, "
                   f"rose with it or after it in {sum(risen)} of {len(sunk)} seeds")
        return Verdict(outcome, figures, "every seed sinks below 0.5, and rises with the escape or after it")

    return decide


def damage_claim(variant, recovers):
    """Mean score after recovery against standing still, over all damages."""

    def decide(runs):
        scores = [adapted["post"].mean() for adapted in runs.adaptations[variant].values()]
        limit = runs.motionless * 1.1
        word = "beats" if recovers else "stays below"
        return every_seed(scores, lambda post: (post > limit) == recovers,
                          f"{word} 1.1 x standing still ({limit:g}), mean over damages")

    return decide


def gain_claim(variant):
    """Whether the adapted robot is better than the one that goes on with the best controller of before."""

    def decide(runs):
        adaptations = runs.adaptations[variant].values()
        return every_seed([np.count_nonzero(adapted["gain"] > 0) for adapted in adaptations],
                          lambda won: won > 6, "wins something back in more than 6 of 12 damages")

    return decide


TRAP = -4.5  # the trap's back wall is worth -4.95
WALL = "beyond the trap's back wall, which is worth -4.95"
CORNER = -4.8
BEHIND = "the corners behind the trap are worth -4.75, its back wall -4.95"

PUCK = ("a puck instead of an Ant (4 inputs, 2 actions), a network of 2 x 32 (1,282 parameters), population 200 instead "
        "of 10,000, 10 evaluation episodes instead of 30, 400 generations instead of 1000")
ANT = ("Euler instead of RK4 physics, episodes of 250 steps instead of 1000 (standing still is worth 250 instead of 1000), "
       "a network of 2 x 64 instead of 2 x 256, population 160 instead of 10,000")

POINT_MAZE = Study(
    name="point_maze",
    preset="configs/quickstart.toml",
    variants={
        "explore": ["algorithm.mode=explore"],
        "exploit": ["algorithm.mode=exploit"],
        "explore-exploit": ["algorithm.mode=explore-exploit"],
        "ns-es": ["algorithm.name=ns-es"],
        "nsr-es": ["algorithm.name=nsr-es"],
        "nsra-es": ["algorithm.name=nsra-es"],
    },
    seeds=(1, 2, 3, 4, 5),
    reduction=f"{PUCK}; sigma and learning rate 0.05 instead of 0.02 and 0.01",
    claims=(
        Claim("exploit is stuck in the trap", ends_below("exploit", TRAP, WALL)),
        Claim("NSR-ES is stuck in the trap", ends_below("nsr-es", TRAP, WALL)),
        Claim("explore gets out", ends_above("explore", TRAP, WALL)),
        Claim("explore-exploit gets out", ends_above("explore-exploit", TRAP, WALL)),
        Claim("explore-exploit reaches the goal", ends_above("explore-exploit", -0.5, "at the goal")),
        Claim("NS-ES gets out", ends_above("ns-es", TRAP, WALL)),
        Claim("NSRA-ES gets out", ends_above("nsra-es", TRAP, WALL)),
        Claim("NSRA's weight sinks while it is stuck and rises once it is out",
              weight_falls_then_rises("nsra-es", TRAP)),
        Claim("explore-exploit covers more than exploit",
              more("explore-exploit", "exploit", "coverage")),
        Claim("explore covers more than exploit", more("explore", "exploit", "coverage")),
    ),
)

# Whether NSR-ES, which leaves the trap with point_maze's large steps, does so with the paper's.
POINT_MAZE_STEPS = Study(
    name="point_maze_steps",
    preset=POINT_MAZE.preset,
    settings=("es.sigma=0.02", "es.learning_rate=0.01"),
    variants={name: POINT_MAZE.variants[name] for name in ("explore-exploit", "ns-es", "nsr-es")},
    seeds=(1, 2, 3),
    reduction=f"{PUCK}; sigma and learning rate as in the paper",
    claims=(
        Claim("NSR-ES is stuck in the trap", ends_below("nsr-es", CORNER, BEHIND)),
        Claim("NS-ES gets out", ends_above("ns-es", CORNER, BEHIND)),
        Claim("explore-exploit gets out", ends_above("explore-exploit", CORNER, BEHIND)),
        Claim("NS-ES covers more than NSR-ES", more("ns-es", "nsr-es", "coverage")),
    ),
)

ANT_SMALL = Study(
    name="ant_small",
    preset="configs/ant_small.toml",
    variants={
        "exploit": ["algorithm.mode=exploit"],
        "explore-exploit": ["algorithm.mode=explore-exploit"],
        "me-ga": ["algorithm.name=me-ga"],
    },
    seeds=(1, 2, 3),
    reduction=f"{ANT} (ME-GA: 17 children instead of 334), 10 evaluation episodes instead of 30, 200 generations "
              "instead of 500: 34,000 episodes a run instead of 5 million, of a quarter of the steps",
    damages=("exploit", "explore-exploit", "me-ga"),
    films=("exploit", "explore-exploit", "me-ga"),
    claims=(
        Claim("exploit's best is above ME-GA's", more("exploit", "me-ga", "best")),
        Claim("explore-exploit's best is above ME-GA's", more("explore-exploit", "me-ga", "best")),
        Claim("ME-GA covers far more than explore-exploit",
              more("me-ga", "explore-exploit", "coverage")),
        Claim("explore-exploit covers more than exploit",
              more("explore-exploit", "exploit", "coverage")),
        Claim("exploit's map recovers from damage", damage_claim("exploit", True)),
        Claim("explore-exploit's map recovers from damage", damage_claim("explore-exploit", True)),
        Claim("ME-GA's map does not recover from damage", damage_claim("me-ga", False)),
        Claim("exploit's map wins back something in most damages", gain_claim("exploit")),
        Claim("explore-exploit's map wins back something in most damages", gain_claim("explore-exploit")),
    ),
)

ANT_ES = Study(
    name="ant_es",
    preset=ANT_SMALL.preset,
    settings=("run.generations=130",),
    variants={"es": ["algorithm.name=es"]},
    seeds=(1, 2, 3),
    films=("es",),
    peers=("numpy_es.csv", "numpy_es_spread_0.05.csv"),
    reduction=f"{ANT}, 130 generations instead of 500",
    claims=(
        Claim("plain ES learns as a trial elsewhere did: 290", reaches("es", 0.7e6, 290)),
        Claim("plain ES learns as a trial elsewhere did: 650", reaches("es", 5.3e6, 650)),
    ),
)


def _exploration(domain, reduction):
    """One seed of two variants: what they reach; too few seeds to decide anything."""
    return Study(
        name=f"{domain}_small",
        preset=f"configs/{domain}_small.toml",
        variants={
            "exploit": ["algorithm.mode=exploit"],
            "explore-exploit": ["algorithm.mode=explore-exploit"],
        },
        seeds=(1,),
        films=("exploit", "explore-exploit"),
        reduction=reduction,
        claims=(
            Claim("explore-exploit's best is above exploit's", more("explore-exploit", "exploit", "best")),
            Claim("explore-exploit covers more than exploit",
                  more("explore-exploit", "exploit", "coverage")),
        ),
    )


STUDIES = {
    study.name: study
    for study in (
        POINT_MAZE,
        POINT_MAZE_STEPS,
        ANT_SMALL,
        ANT_ES,
        _exploration("ant_maze",
                     "Euler instead of RK4 physics, episodes of 800 steps instead of 3000, a network of 2 x 64 "
                     "instead of 2 x 256, population 80 instead of 10,000, sigma 0.1 and learning rate 0.03 instead "
                     "of 0.02 and 0.01, 5 evaluation episodes instead of 30, 150 generations instead of 1000, a map "
                     "of the arena in cells of 2 m instead of 8 m, one seed"),
        _exploration("deceptive_humanoid",
                     "Euler instead of RK4 physics, episodes of 400 steps instead of 1000, a network of 2 x 64 "
                     "instead of 2 x 256, population 160 instead of 10,000, 10 evaluation episodes instead of "
                     "30, 300 generations instead of 1000, a map of 6 m around the start in cells of 20 cm instead of "
                     "50 m in cells of 1.1 m, one seed"),
    )
}
