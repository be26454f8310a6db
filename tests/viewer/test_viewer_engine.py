"""The page's engine in node: golden recordings, policy, damage and recovery against mees."""

import json
import subprocess

import golden_data
import h5py
import numpy as np
import pytest
import tomllib
from harness import maps
from harness.configs import settings
from harness.programs import run
from viewer import NODE, SOURCES, build_page, require_node

require_node()


def map_data(path):
    with h5py.File(path) as file:
        elites = file["map"]
        return {
            "cells": elites["cell"][:].tolist(),
            "bc": elites["bc"][:].tolist(),
            "fitness": elites["fitness"][:].tolist(),
            "lower": elites.attrs["lower"].tolist(),
            "upper": elites.attrs["upper"].tolist(),
        }


def recovery_data(path):
    """A map and the trials that mees_adapt made with it."""
    out = path.parent / "viewer-adapt.h5"
    if not out.exists():
        result = run("mees_adapt", path, "--damage", "J0,J1", "--out", out, "--score-episodes", 2)
        assert result.returncode == 0, result.stderr
    with h5py.File(out) as file:
        trials = file["damage/J0,J1/seed_0"]
        names = ("cell", "predicted", "variance", "fitness")
        return {
            **map_data(path),
            "trials": {name: trials[name][:].tolist() for name in names},
            "answer": int(file["results/answer_cell"][0]),
        }


STEPS = 50  # of an Ant, after which the engines' rounding has grown to no more than 1e-9
DAMAGES = [
    "",
    "J0,J1",
    "ankle_2",
    "lock:hip_1",
    "weak:J2=0.3",
    "friction=0.5",
    "shorten:shank_1=0.7",
    "mass:torso=+1.5",
    "mass=1.2,strength=0.8,damping=0.5,gravity=0.7",
    "strength:J2=1.3,damping:hip_1=2",
    "shorten:thigh_3=0.4,lock:ankle_1,J5,friction=2",
]


def damage_data(path, folder):
    """Episodes of damaged robots that mees_replay recorded, and the state in which they start."""
    for index, damage in enumerate(DAMAGES):
        out = folder / f"{index}.h5"
        options = ["--damage", damage] if damage else []
        result = run(
            "mees_replay", path, "--episodes", 1, "--seed", 7, "--trajectory", out, *options
        )
        assert result.returncode == 0, result.stderr
        with h5py.File(path) as file:
            model, description = (
                file["domain"][name][0].decode() for name in ("model", "description")
            )
        with h5py.File(out) as file:
            names = ("initial_qpos", "initial_qvel", "action", "qpos", "qvel", "reward")
            yield {
                "damage": damage,
                "model": model,
                "description": tomllib.loads(description),
                **{name: file[name][:].tolist() for name in names},
            }


# Its robot turns while it walks.
DISPLACED = settings(
    maps.ANT,
    run={"generations": 1},
    domain={"bc": "displacement", "episode_steps": 60, "terminate": False},
    map={"bins": [10, 10, 1, 1]},
    policy={"init": "xavier"},
)


def displacement_data(path, folder):
    """A recording in the form of golden_data: the built-in Ant with its displacement as BC."""
    out = folder / "displaced.h5"
    result = run("mees_replay", path, "--episodes", 1, "--trajectory", out)
    assert result.returncode == 0, result.stderr
    with h5py.File(out) as file:
        assert np.abs(file["bc"][-1, :2]).max() > 0.1 and file["bc"][-1, 3] != 0
        names = ("initial_qpos", "initial_qvel", "initial_observation")
        rows = ("action", "qpos", "qvel", "observation", "reward", "bc", "terminated", "contacts")
        return {
            "name": "ant-displacement",
            "model": file["domain/model"][0].decode(),
            "description": tomllib.loads(file["domain/description"][0].decode()),
            **{name: file[name][:].tolist() for name in names},
            **{name: file[name][:STEPS].tolist() for name in rows},
        }


CHAINS = settings(
    maps.LARGE_STEPS,
    run={"generations": 24},
    policy={"hidden": [6], "init": "xavier"},
    map={"bins": [20, 20]},
    algorithm={"chain_links": 3, "chain_steps": 50, "chain_append": 0.6},
)


def chain_data(path, folder):
    """An exported page with the longest chain of a map, and its recorded episode."""
    with h5py.File(path) as file:
        links = file["map/links"][:]
        row = int(np.argmax(links))
        cell = int(file["map/cell"][row])
    assert links[row] == 3
    build_page()
    page, out = folder / "chain.html", folder / "chain.h5"
    for command in (
        ("mees_view", path, "--export", page, "--cells", cell),
        ("mees_replay", path, "--cell", cell, "--episodes", 1, "--trajectory", out),
    ):
        result = run(*command)
        assert result.returncode == 0, result.stderr
    text = page.read_text().split('<script id="mees-data" type="application/json">')[1]
    with h5py.File(out) as file:
        return {
            "page": json.loads(text.split("</script>")[0]),
            "row": row,
            "links": 3,
            "chain_steps": 50,
            "qpos": file["qpos"][:].tolist(),
            "bc": file["bc"][-1].tolist(),
        }


# Its controllers use the range of their motors, so that a damaged motor matters.
STRONG = settings(maps.ANT, run={"generations": 1}, policy={"init": "xavier"})


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("viewer")
    golden_data.write(folder)
    (folder / "recovery.json").write_text(json.dumps(recovery_data(maps.ant())))
    strong = maps.train_map(folder / "strong", STRONG)
    displaced = maps.train_map(folder / "displaced", DISPLACED)
    (folder / "displacement.golden.json").write_text(
        json.dumps(displacement_data(displaced, folder))
    )
    chains = maps.train_map(folder / "chains", CHAINS, "--threads", 2)
    (folder / "chain.json").write_text(json.dumps(chain_data(chains, folder)))
    (folder / "damage.json").write_text(json.dumps(list(damage_data(strong, folder))))
    return folder


@pytest.mark.parametrize(
    "name", ["golden", "policy", "recovery", "description", "damage", "layout", "chain"]
)
def test_in_node(name, data):
    result = subprocess.run(
        [NODE, SOURCES / "run_tests.mjs", name],
        env={"PATH": "/usr/bin:/bin", "MEES_VIEWER_DATA": str(data)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-2000:]


def test_types():
    result = subprocess.run(
        [SOURCES / "node_modules/.bin/tsc", "--noEmit", "-p", SOURCES],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert result.returncode == 0, result.stdout
