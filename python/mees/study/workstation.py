"""Studies of what two cores reach at full episode length."""

from __future__ import annotations

from .claims import (
    Claim,
    covers,
    full_length_reaches,
    full_length_reaches_in,
    gains_in_most,
    more,
    more_after_damage,
    reaches_sooner,
    recovers_in_all,
)
from .description import Study

LINEAR = (
    "a linear controller (224 parameters) instead of a network of 2 x 256, trained in episodes of "
    "250 steps with Euler instead of 1000 with RK4, and judged in 100 new episodes of 1000 steps "
    "with RK4"
)

ANT_ES_LINEAR = Study(
    name="ant_es_linear",
    preset="configs/ant_es_linear.toml",
    variants={"es": []},
    seeds=tuple(range(1, 11)),
    judged=("es",),
    videos=("es",),
    reduction=f"plain ES, {LINEAR}",
    claims=(
        Claim(
            "every seed is above the ARS of Stable-Baselines3 after 75 million steps: 2,334",
            full_length_reaches("es", 2334),
        ),
        Claim(
            "seven of ten seeds reach the threshold of ARS V2-t within 20.8 million steps: 3,580",
            full_length_reaches_in("es", 3580, 7),
        ),
    ),
)

# One setting of the preset changed in each variant.
LEVERS = {
    "with-alive": ["domain.training_without=[]"],
    "all-directions": ["es.direction_fraction=1"],
    "ranks": ["es.utility=ranks", "es.learning_rate=0.05"],
    "adam": ["es.optimizer=adam", "es.learning_rate=0.01"],
    "clipup": ["es.optimizer=clipup", "es.clipup_speed=0.1", "es.learning_rate=0.05"],
    "tanh": ["policy.output=tanh"],
    "own-seeds": ["es.seeds=own"],
    "same-seeds": ["es.seeds=generation"],
    "population-240": ["es.population=240", "run.generations=80"],
    "few-observations": ["policy.observation_fraction=0.01"],
    "action-noise": ["policy.action_noise=0.01"],
    "no-decay": ["es.learning_rate_decay=1", "es.sigma_decay=1"],
    "small-steps": ["es.learning_rate=0.015", "es.sigma=0.025"],
}

ANT_ES_LEVERS = Study(
    name="ant_es_levers",
    preset=ANT_ES_LINEAR.preset,
    settings=("run.generations=153",),
    variants={"preset": [], **LEVERS},
    seeds=(1, 2, 3, 4, 5),
    reduction=f"plain ES, {LINEAR}; 5 million steps",
    claims=tuple(
        Claim(f"the preset learns faster than with: {name}", more("preset", name, "best"))
        for name in LEVERS
    ),
)

BOTH = "explore-exploit"
ANT_WORKSTATION = Study(
    name="ant_workstation",
    preset="configs/ant_workstation.toml",
    start=ANT_ES_LINEAR,
    variants={
        BOTH: [],
        "exploit": ["algorithm.mode=exploit"],
        "explore": ["algorithm.mode=explore"],
        "me-ga": ["algorithm.name=me-ga"],
    },
    seeds=(1, 2, 3),
    judged=(BOTH, "exploit", "explore", "me-ga"),
    damages=(BOTH, "exploit", "explore", "me-ga"),
    full_length=True,
    videos=(BOTH,),
    reduction=f"{LINEAR}, population 120 instead of 10,000, 10 evaluation episodes instead of 30, "
    "700 generations from the map of plain ES (ant_es_linear) of the same seed; "
    "damage recovery in episodes of 1000 steps with RK4, from the re-evaluated map",
    claims=(
        Claim("explore-exploit reaches 3,500 in every seed", full_length_reaches(BOTH, 3500)),
        Claim("explore-exploit is as good as TD3 in a seed", full_length_reaches_in(BOTH, 4200, 1)),
        Claim("explore-exploit fills 200 cells", covers(BOTH, 200)),
        Claim("explore-exploit's map recovers from every damage", recovers_in_all(BOTH)),
        Claim(
            "explore-exploit's map beats the previous best controller in most damages",
            gains_in_most(BOTH),
        ),
        Claim("explore-exploit's best is above ME-GA's", more(BOTH, "me-ga", "best")),
        Claim("explore-exploit covers more than exploit", more(BOTH, "exploit", "coverage")),
        Claim(
            "explore-exploit's map does better after damage than ME-GA's",
            more_after_damage(BOTH, "me-ga"),
        ),
    ),
)

MAZE = (
    "Euler instead of RK4 physics, episodes of 2400 steps instead of 3000, a linear controller "
    "(240 parameters) instead of a network of 2 x 256, population 20 instead of 10,000, 2 "
    "evaluation episodes instead of 30"
)
ANT_MAZE_WALK = Study(
    name="ant_maze_walk",
    preset="configs/ant_maze_walk.toml",
    variants={"es": []},
    seeds=(1, 2),
    reduction="plain ES, episodes of 250 steps",
    claims=(),
)
ANT_MAZE_CHAINS = Study(
    name="ant_maze_chains",
    preset="configs/ant_maze_chains.toml",
    start=ANT_MAZE_WALK,
    variants={"chains": [], "single": ["algorithm.chain_links=1"]},
    seeds=(1, 2),
    videos=("chains", "single"),
    reduction=f"{MAZE}, from the map of an Ant that walks straight ahead (ant_maze_walk)",
    claims=(
        Claim(
            "chains reach the goal area sooner than single controllers",
            reaches_sooner("chains", "single", -5, "in the goal area"),
        ),
        Claim("chains come closer to the goal", more("chains", "single", "best")),
        Claim("chains cover more of the arena", more("chains", "single", "coverage")),
    ),
)
