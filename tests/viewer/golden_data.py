"""Data of the node tests: golden recordings, descriptions and policies as JSON."""

import json
from pathlib import Path

import h5py
import numpy as np
import tomllib

ROOT = Path(__file__).resolve().parents[2]
MODELS = ROOT / "lib" / "mees" / "sim" / "models"
STEPS = 100
# In this recording the robot tumbles: a difference of 1e-15, as between two compilations of MuJoCo,
# is 1e-10 after 50 steps and 1e-2 after 100.
FEWER_STEPS = {"half_cheetah-2": 50}


def recordings():
    """The first steps of every golden recording, with its robot and task."""
    for path in sorted((ROOT / "tests" / "golden").glob("*.h5")):
        steps = FEWER_STEPS.get(path.stem, STEPS)
        with h5py.File(path) as file:
            domain = file.attrs["domain"]
            description = tomllib.loads((MODELS / f"{domain}.toml").read_text())
            if b"contact_costs = false" in file.attrs.get("config", b""):
                description["contact_forces"] = False
            columns = (
                "action",
                "qpos",
                "qvel",
                "observation",
                "reward",
                "bc",
                "terminated",
                "contacts",
            )
            yield {
                "name": path.stem,
                "model": (MODELS / f"{domain}.xml").read_text(),
                "description": description,
                "initial_qpos": file["initial_qpos"][:].tolist(),
                "initial_qvel": file["initial_qvel"][:].tolist(),
                "initial_observation": file["initial_observation"][:].tolist(),
                **{name: file[name][:steps].tolist() for name in columns},
            }


def policies():
    """Actions of mees.Policy as the bits of their floats, for networks of different sizes."""
    import mees

    rng = np.random.default_rng(1)
    cases = [
        ([4, 5, 2], 0.0, "tanh"),
        ([27, 64, 64, 8], 0.0, "tanh"),
        ([376, 33, 17], 5.0, "linear"),
    ]
    for layers, clip, output in cases:
        count = sum((a + 1) * b for a, b in zip(layers, layers[1:]))
        parameters = rng.normal(0, 0.5, count).astype(np.float32)
        mean, std = rng.normal(size=layers[0]), rng.uniform(0.1, 3, layers[0])
        observations = rng.normal(0, 20, (20, layers[0]))
        observations[0] *= 1e30  # saturated units
        policy = mees.Policy(layers, parameters, mean, std, clip, output)
        yield {
            "layers": layers,
            "clip": clip,
            "output": output,
            "parameters": parameters.view(np.uint32).tolist(),
            "mean": mean.tolist(),
            "std": std.tolist(),
            "observations": observations.tolist(),
            "actions": [
                policy(row).astype(np.float32).view(np.uint32).tolist() for row in observations
            ],
        }


def write(folder):
    for recording in recordings():
        (folder / f"{recording['name']}.golden.json").write_text(json.dumps(recording))
    (folder / "policies.json").write_text(json.dumps(list(policies())))
