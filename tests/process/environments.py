"""Configurations of environments in other processes."""

import os
import sys
from pathlib import Path

from harness.configs import settings, write_config
from harness.programs import ROOT, run

PROGRAMS = Path(os.environ.get("MEES_ENVIRONMENTS", ROOT / "build" / "release" / "tests")).resolve()
POINT = [str(PROGRAMS / "point_environment")]
NUMPY = [sys.executable, str(ROOT / "python" / "examples" / "point_env.py")]


def paths(folder):
    """The package mees for environments, and a list of trusted commands of the test's own."""
    known = os.environ.get("PYTHONPATH", "")
    return {
        "PYTHONPATH": f"{ROOT / 'python'}:{known}",
        "XDG_STATE_HOME": str(folder / "state"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def process(command, **domain):
    return settings(
        run={"generations": 2},
        es={"population": 8},
        algorithm={"n_eval": 2},
        domain={"name": "process", "command": command, **domain},
    )


def bad(fault, *arguments, **domain):
    command = [str(PROGRAMS / "bad_environment"), fault, *map(str, arguments)]
    return process(command, **{"step_timeout_seconds": 1, "restarts": 0, **domain})


def train(folder, configuration, *arguments, ranks=0, out="run"):
    """The result of mees_master; its map is FOLDER/OUT/map.h5."""
    folder.mkdir(parents=True, exist_ok=True)
    config = write_config(folder, configuration)
    return run("mees_master", config, "--out", folder / out, *arguments, ranks=ranks,
               env=paths(folder))
