"""The studies: their runs, and the claims of the paper that they test."""

from __future__ import annotations

from .claims import (
    Claim,
    ends_above,
    ends_below,
    gains_in_most,
    more,
    more_after_damage,
    motionless_after_damage,
    no_slower,
    recovers_in_all,
    weight_decreases,
    weight_ends_at_novelty,
    weight_increases_again,
)
from .description import Study
from .qd_table import TABLE, TASKS, small
from .workstation import (
    ANT_ES_LEVERS,
    ANT_ES_LINEAR,
    ANT_MAZE_CHAINS,
    ANT_WORKSTATION,
)

TRAP = -4.8
WALL = "the corners behind the trap are worth -4.75, its back wall -4.95"

PUCK = (
    "a puck instead of an Ant (4 inputs, 2 actions), a network of 2 x 32 (1,282 parameters), "
    "population 200 instead of 10,000, 10 evaluation episodes instead of 30, 400 generations "
    "instead of 1000"
)
ANT = (
    "Euler instead of RK4 physics, episodes of 250 steps instead of 1000 (standing still is worth "
    "250 instead of 1000), a network of 2 x 64 instead of 2 x 256, population 160 instead of "
    "10,000, 10 evaluation episodes instead of 30, observations from 10 % of the episodes instead "
    "of 1 %"
)
START = "hidden units that start with weights of norm 1 instead of 0.01"

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
        Claim(
            "explore-exploit reaches the goal", ends_above("explore-exploit", -0.5, "at the goal")
        ),
        Claim("NS-ES gets out", ends_above("ns-es", TRAP, WALL)),
        Claim("NSRA-ES gets out", ends_above("nsra-es", TRAP, WALL)),
        Claim("NSRA-ES moves towards novelty in all runs", weight_decreases("nsra-es")),
        Claim("NSRA-ES ends with novelty alone in some runs", weight_ends_at_novelty("nsra-es")),
        Claim("NSRA-ES returns towards fitness in some runs", weight_increases_again("nsra-es")),
        Claim(
            "explore-exploit covers more than exploit",
            more("explore-exploit", "exploit", "coverage"),
        ),
        Claim("explore covers more than exploit", more("explore", "exploit", "coverage")),
    ),
)

# NSR-ES leaves the trap with the large steps of point_maze. Does it with the paper's?
POINT_MAZE_STEPS = Study(
    name="point_maze_steps",
    preset=POINT_MAZE.preset,
    settings=("es.sigma=0.02", "es.learning_rate=0.01"),
    variants={name: POINT_MAZE.variants[name] for name in ("explore-exploit", "ns-es", "nsr-es")},
    seeds=(1, 2, 3, 4, 5),
    reduction=f"{PUCK}; sigma and learning rate as in the paper",
    claims=(
        Claim("NSR-ES is stuck in the trap", ends_below("nsr-es", TRAP, WALL)),
        Claim("NS-ES gets out", ends_above("ns-es", TRAP, WALL)),
        Claim("explore-exploit gets out", ends_above("explore-exploit", TRAP, WALL)),
        Claim("NS-ES covers more than NSR-ES", more("ns-es", "nsr-es", "coverage")),
    ),
)

ANT_SMALL = Study(
    name="ant_small",
    preset="configs/ant_small.toml",
    settings=("run.generations=150",),
    variants={
        "exploit": ["algorithm.mode=exploit"],
        "explore": ["algorithm.mode=explore"],
        "explore-exploit": ["algorithm.mode=explore-exploit"],
        "me-ga": ["algorithm.name=me-ga"],
    },
    seeds=(1, 2, 3, 4, 5, 6),
    reduction=f"{ANT}, {START}, 17 children of ME-GA instead of 334, 150 generations instead of "
    "500: 25,500 episodes per run instead of 5 million, each with a quarter of the steps; one seed "
    "of recovery per map",
    damages=("exploit", "explore", "explore-exploit", "me-ga"),
    videos=("exploit", "explore-exploit", "me-ga"),
    claims=(
        Claim("exploit's best is above ME-GA's", more("exploit", "me-ga", "best")),
        Claim("explore-exploit's best is above ME-GA's", more("explore-exploit", "me-ga", "best")),
        Claim("exploit's best is above explore's", more("exploit", "explore", "best")),
        Claim(
            "explore-exploit's best is above explore's", more("explore-exploit", "explore", "best")
        ),
        Claim(
            "ME-GA covers more than explore-exploit", more("me-ga", "explore-exploit", "coverage")
        ),
        Claim("ME-GA covers more than exploit", more("me-ga", "exploit", "coverage")),
        Claim(
            "explore-exploit covers more than exploit",
            more("explore-exploit", "exploit", "coverage"),
        ),
        Claim(
            "exploit's map does better after damage than ME-GA's",
            more_after_damage("exploit", "me-ga"),
        ),
        Claim(
            "explore-exploit's map does better after damage than ME-GA's",
            more_after_damage("explore-exploit", "me-ga"),
        ),
        Claim(
            "ME-GA's map leaves a damaged Ant almost motionless", motionless_after_damage("me-ga")
        ),
        Claim(
            "explore's map leaves a damaged Ant almost motionless",
            motionless_after_damage("explore"),
        ),
        Claim("exploit's map recovers from every damage", recovers_in_all("exploit")),
        Claim(
            "explore-exploit's map recovers from every damage", recovers_in_all("explore-exploit")
        ),
        Claim(
            "exploit's map beats the previous best controller in most damages",
            gains_in_most("exploit"),
        ),
        Claim(
            "explore-exploit's map beats the previous best controller in most damages",
            gains_in_most("explore-exploit"),
        ),
    ),
)

ANT_ES = Study(
    name="ant_es",
    preset=ANT_SMALL.preset,
    settings=("run.generations=130",),
    variants={
        "es": ["algorithm.name=es"],
        "es-norm-0.01": ["algorithm.name=es", "policy.hidden_norm=0.01"],
    },
    seeds=(1, 2, 3, 4, 5, 6),
    videos=("es",),
    peers={"numpy_es": (1, 2, 3), "numpy_es_norm_0.01": (1,)},
    reduction=f"{ANT}, {START} (es) or 0.01 (es-norm-0.01), 130 generations instead of 500",
    claims=(
        Claim(
            "plain ES learns no slower than the same ES in numpy",
            no_slower("es", "numpy_es", 5.3e6),
        ),
        Claim(
            "plain ES learns no slower than the same ES in numpy with hidden norm 0.01",
            no_slower("es-norm-0.01", "numpy_es_norm_0.01", 5.3e6),
        ),
        Claim(
            "plain ES learns faster with hidden norm 1 than with 0.01",
            more("es", "es-norm-0.01", "best"),
        ),
    ),
)


def _exploration(domain, reduction):
    """One seed of two variants: too few seeds to decide anything."""
    return Study(
        name=f"{domain}_small",
        preset=f"configs/{domain}_small.toml",
        variants={
            "exploit": ["algorithm.mode=exploit"],
            "explore-exploit": ["algorithm.mode=explore-exploit"],
        },
        seeds=(1,),
        videos=("exploit", "explore-exploit"),
        reduction=reduction,
        claims=(
            Claim(
                "explore-exploit's best is above exploit's",
                more("explore-exploit", "exploit", "best"),
            ),
            Claim(
                "explore-exploit covers more than exploit",
                more("explore-exploit", "exploit", "coverage"),
            ),
        ),
    )


STUDIES = {
    study.name: study
    for study in (
        POINT_MAZE,
        POINT_MAZE_STEPS,
        ANT_SMALL,
        ANT_ES,
        _exploration(
            "ant_maze",
            "Euler instead of RK4 physics, episodes of 800 steps instead of 3000, a network of "
            "2 x 64 instead of 2 x 256, population 80 instead of 10,000, sigma 0.1 and learning "
            "rate 0.03 instead of 0.02 and 0.01, 5 evaluation episodes instead of 30, observations "
            "from 10 % of the episodes instead of 1 %, 150 generations instead of 1000, a map of "
            "the arena in cells of 2 m instead of 8 m, one seed",
        ),
        _exploration(
            "deceptive_humanoid",
            "Euler instead of RK4 physics, episodes of 400 steps instead of 1000, a network of "
            "2 x 64 instead of 2 x 256, population 160 instead of 10,000, 10 evaluation episodes "
            "instead of 30, observations from 10 % of the episodes instead of 1 %, 300 generations "
            "instead of 1000, a map of 6 m around the start in cells of 20 cm instead of 50 m in "
            "cells of 1.1 m, one seed",
        ),
        ANT_ES_LINEAR,
        ANT_ES_LEVERS,
        ANT_WORKSTATION,
        ANT_MAZE_CHAINS,
        *(small(task) for task in TASKS),
    )
}
# Names that stand for several studies.
GROUPS = {"qd_table": tuple(f"qd_{task}" for task in TABLE)}
