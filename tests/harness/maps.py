"""Small maps for the suites that read maps; each is made once per session."""

import functools
import tempfile
from pathlib import Path

from harness.configs import settings, write_config
from harness.programs import run

ANT = settings(
    run={"generations": 12},
    domain={"name": "ant", "episode_steps": 30},
    policy={"hidden": [6, 5], "observation_clip": 5.0},
    noise={"table_size": 10000},
    es={"population": 6},
    algorithm={"n_optim_gens": 2, "n_eval": 2},
    checkpoint=None,
)

# Each step is large, so that a few generations make elites that differ.
LARGE_STEPS = settings(
    noise={"table_size": 200000},
    es={"population": 4, "sigma": 0.3, "learning_rate": 0.3},
    algorithm={"n_optim_gens": 1, "n_eval": 1},
    checkpoint=None,
)

CHAINS = settings(LARGE_STEPS, run={"generations": 24}, policy={"hidden": [6], "init": "xavier"},
                  map={"bins": [20, 20]},
                  algorithm={"chain_links": 3, "chain_steps": 50, "chain_append": 0.6})


@functools.cache
def folder():
    held = tempfile.TemporaryDirectory(prefix="mees-maps-")
    folder.held = held
    return Path(held.name)


def train_map(out, configuration, *options):
    """Trains to the end and returns the map."""
    result = run("mees_master", write_config(out.parent, configuration, f"{out.name}.toml"),
                 "--out", out, *options)
    assert result.returncode == 0, result.stderr
    return out / "map.h5"


@functools.cache
def maze():
    return train_map(folder() / "maze", settings(run={"generations": 20}), "--threads", 2)


@functools.cache
def ant():
    return train_map(folder() / "ant", ANT, "--threads", 2)


@functools.cache
def chains():
    """Of chains with one, two and three links."""
    return train_map(folder() / "chains", CHAINS, "--threads", 2)
