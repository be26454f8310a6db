"""Quality-diversity algorithms compared on the uni tasks, for two cores or as published.

One line in VARIANTS adds an algorithm.
"""

from __future__ import annotations

from dataclasses import dataclass

from .claims import Claim
from .description import Study
from .qd_claims import at_least_times, not_overestimated

REFERENCE = "me-es"
CONFIRMED = "me-es-confirmed"
TASKS = ("half_cheetah", "walker2d", "hopper", "ant")
TABLE = ("half_cheetah", "walker2d")  # of `./mees reproduce qd_table` unless as published
# Offsets of the QD score in episodes of 1000 steps, as in the tables of Tjanaka et al. (arXiv
# 2202.03666).
OFFSETS = {"half_cheetah": -2797.52, "walker2d": -67.17, "hopper": -362.09, "ant": -374.70}

SMALL_EPISODES = 10_000
PUBLISHED_EPISODES = 1_000_000
MAP_EPISODES = 10  # new episodes of each elite


@dataclass(frozen=True)
class Variant:
    """The settings of an algorithm, and those that differ at the two budgets."""

    settings: tuple
    small: tuple = ()
    published: tuple = ()


def _algorithm(name, *settings, small=(), published=()):
    return Variant((f"algorithm.name={name}", *settings), small, published)


def _me_es(mode, *settings, **more):
    return _algorithm("me-es", f"algorithm.mode={mode}", *settings, **more)


ONE_EPISODE = "algorithm.n_eval=1"  # where every offspring is offered to the map, as published
EMITTERS = ("algorithm.emitters=5", "es.population=40", ONE_EPISODE)
CHILDREN = ("algorithm.children=200", ONE_EPISODE)
OPENAI_ES = ("es.divide_by_sigma=true",)  # of emitters, in arXiv 2210.02622

VARIANTS = {
    REFERENCE: _me_es("explore-exploit"),
    "me-es-exploit": _me_es("exploit"),
    "me-es-explore": _me_es("explore"),
    CONFIRMED: _me_es(
        "explore-exploit",
        "algorithm.confirm_margin=0.5",
        small=("algorithm.confirm_offspring=20", "algorithm.n_eval=5"),
        published=("algorithm.confirm_offspring=10", "algorithm.n_eval=10"),
    ),
    "memes": _algorithm(
        "memes",
        "algorithm.emitters=4",
        "algorithm.explore_cells=uniform",
        "algorithm.exploit_cells=uniform",
        "algorithm.emitter_patience=33",
        "algorithm.novelty_window=50000",
        "es.l2=0",
        small=("es.population=40",),
        published=("es.population=50",),
    ),
    "me-ga": _algorithm(
        "me-ga",
        "algorithm.parent_cells=per-child",
        ONE_EPISODE,
        small=(
            "algorithm.children=200",
            "algorithm.variation=iso-line",
            "es.sigma=0.005",
            "algorithm.line_sigma=0.05",
        ),
        published=("algorithm.children=100",),
    ),
    "es": _algorithm("es"),
    "ns-es": _algorithm("ns-es"),
    "nsr-es": _algorithm("nsr-es"),
    "nsra-es": _algorithm("nsra-es"),
    "ga": _algorithm("ga", *CHILDREN),
    "ns": _algorithm("ns", *CHILDREN),
    "nslc": _algorithm("nslc", *CHILDREN),
    "cma-mae": _algorithm("cma-mae", *EMITTERS, published=OPENAI_ES),
    "cma-mae-sep": _algorithm("cma-mae", "algorithm.emitter_optimizer=sep-cma-es", *EMITTERS),
    "cma-me": _algorithm("cma-me", *EMITTERS, published=OPENAI_ES),
    "cma-mega": _algorithm("cma-mega", "algorithm.children=99", "es.population=100", ONE_EPISODE),
}

GOALS = (
    Claim(
        f"{CONFIRMED} has 3 times the QD score of {REFERENCE}",
        at_least_times(3, CONFIRMED, REFERENCE),
    ),
    Claim(f"{CONFIRMED}'s map does not overestimate its elites", not_overestimated(CONFIRMED)),
)


def small(task, episodes=SMALL_EPISODES) -> Study:
    """The study of a task for two cores."""
    is_default = episodes == SMALL_EPISODES
    return Study(
        name=f"qd_{task}" + ("" if is_default else f"_{episodes}"),
        options="" if is_default else f"qd_{task} --budget {episodes}",
        preset=f"configs/uni_{task}.toml",
        variants={name: [*each.settings, *each.small] for name, each in VARIANTS.items()},
        seeds=(1, 2, 3, 4, 5),
        budget=episodes,
        map_episodes=MAP_EPISODES,
        reference=REFERENCE,
        claims=GOALS,
        reduction=f"{episodes:,} episodes of 250 steps per run instead of 10^6 of 1000, "
        "population 100 instead of 200"
        + ("" if task == "half_cheetah" else ", Euler instead of RK4 physics"),
    )


def published(task) -> Study:
    """The same with the budget of the published tables: a job for a cluster."""
    settings = (
        "domain.episode_steps=1000",
        "domain.integrator=model",
        f"map.qd_offset={OFFSETS[task]}",
        "es.population=200",
        ONE_EPISODE,
    )
    return Study(
        name=f"qd_{task}_published",
        options=f"qd_{task} --budget published",
        preset=f"configs/uni_{task}.toml",
        settings=settings,
        variants={name: [*each.settings, *each.published] for name, each in VARIANTS.items()},
        seeds=(1, 2, 3, 4, 5),
        budget=PUBLISHED_EPISODES,
        map_episodes=MAP_EPISODES,
        reference=REFERENCE,
        claims=GOALS,
        reduction="",
    )
