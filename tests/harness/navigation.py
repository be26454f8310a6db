"""A small map, course and walks for the suites of mees_navigate; each is made once per session."""

import functools

from harness.configs import settings
from harness.maps import folder, train_map
from harness.programs import ROOT, run
from harness.programs import refused as refused_by

MAP = settings(run={"generations": 4},
               domain={"name": "mjcf", "model": str(ROOT / "configs" / "models" / "servo_ant.xml"),
                       "episode_steps": 20, "start": "rest", "observation": ["sensordata"],
                       "bc": "displacement",
                       "reward": [{"kind": "alive"}]},
               map={"bins": [10, 10, 1, 1], "lower": [-1, -1, -1, -1], "upper": [1, 1, 1, 1]},
               es={"population": None, "sigma": 0.5},
               algorithm={"name": "me-ga", "children": 20, "n_optim_gens": None, "n_eval": 1},
               checkpoint=None)
QUICK = ("--iterations", 20, "--trees", 2, "--max-actions", 4, "--rest", 0.5, "--depth", 5)
DAMAGES = ("--damage", "J0", "--damage", "lock:hip_1,friction=0.5")
TARGETS = "targets = [[0.4, 0], [0, 0.5]]\n"
ARENA = """lower = [-3, -3]
upper = [3, 3]
cell = 0.4
[[circle]]
centre = [1, 1]
radius = 0.2
"""


def navigate(*arguments, **keywords):
    return run("mees_navigate", *arguments, **keywords)


def refused(result, code, *words):
    refused_by(result, "mees_navigate", code, *words)


@functools.cache
def make_course():
    """A map with the files of a course, and the arguments that name them."""
    place = folder() / "course"
    place.mkdir(exist_ok=True)
    (place / "targets.toml").write_text(TARGETS)
    (place / "arena.toml").write_text(ARENA)
    return (train_map(place / "run", MAP), "--targets", place / "targets.toml", "--arena",
            place / "arena.toml")


@functools.cache
def make_reference():
    """Both damages on one thread, two seeds each, with and without learning: file and output."""
    out = folder() / "reference" / "nav.h5"
    out.parent.mkdir(exist_ok=True)
    common = (*make_course(), *DAMAGES, *QUICK, "--seeds", 2, "--threads", 1, "--out", out)
    assert navigate(*common).returncode == 0
    result = navigate(*common, "--no-learning")
    assert result.returncode == 0, result.stderr
    return out, result.stdout
