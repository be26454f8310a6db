"""Small maps for the suites that look at maps; each is made once a session."""

import functools
import tempfile
from pathlib import Path

from programs import SMALL, run, small_config

ANT = """
[run]
generations = 12
[domain]
name = "ant"
episode_steps = 30
[policy]
hidden = [6, 5]
observation_clip = 5.0
[noise]
table_size = 10000
[es]
population = 6
[algorithm]
n_optim_gens = 2
n_eval = 2
"""

# The end of a configuration whose every step goes far, so that few make elites that differ.
BOLD = """
[noise]
table_size = 200000
[es]
population = 4
sigma = 0.3
learning_rate = 0.3
[algorithm]
n_optim_gens = 1
n_eval = 1
"""


@functools.lru_cache(maxsize=None)
def folder():
    held = tempfile.TemporaryDirectory(prefix="mees-maps-")
    folder.held = held
    return Path(held.name)


@functools.lru_cache(maxsize=None)
def made(name, text):
    """The run folder of a finished run."""
    result = run("mees_master", small_config(folder(), text, f"{name}.toml"), "--out",
                 folder() / name, "--threads", 2)
    assert result.returncode == 0, result.stderr
    return folder() / name


def maze_run():
    return made("maze", SMALL.replace("generations = 6", "generations = 20"))


def maze():
    return maze_run() / "map.h5"


def ant():
    return made("ant", ANT) / "map.h5"


def refused(result, program, code, *words):
    """Ended with this code and one line of reason that has these words."""
    assert result.returncode == code, (result.returncode, result.stdout, result.stderr)
    assert result.stderr.startswith(f"{program}: error: "), result.stderr
    for word in words:
        assert str(word) in result.stderr, result.stderr
