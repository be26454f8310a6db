"""Exported controllers in onnxruntime: the same actions as this project's own networks."""

import functools
import re

import h5py
import numpy as np
import pytest
from harness.configs import settings
from harness.maps import LARGE_STEPS, ant, folder, maze, train_map
from harness.programs import ROOT, run

import mees

onnxruntime = pytest.importorskip("onnxruntime")

WIDE = settings(LARGE_STEPS, domain={"name": "ant", "episode_steps": 10},
                policy={"hidden": [256, 256], "init": "xavier", "observation_clip": 10.0})


@functools.cache
def wide():
    """As large as the paper's, and with weights so large that sums in another order differ by
    1e-5."""
    return train_map(folder() / "wide", WIDE, "--threads", 2)


@pytest.mark.parametrize("path, clip", [(maze, 0), (ant, 5), (wide, 10)])
def test_same_actions(tmp_path, path, clip):
    """Those of mees.Policy, bit-identical to the search (test_in_python.py)."""
    result = run("mees_inspect", "export", path(), "--cell", "all", "--out", tmp_path)
    assert result.returncode == 0, result.stderr
    random = np.random.default_rng(1)
    with mees.open_map(path()) as elites:
        assert elites.settings["policy"]["observation_clip"] == clip
        for row, cell in enumerate(elites.cell):
            session = onnxruntime.InferenceSession(tmp_path / f"cell_{cell:06}.onnx",
                                                   providers=["CPUExecutionProvider"])
            with h5py.File(path()) as file:
                mean, std = (file[f"map/observation_{name}"][row] for name in ("mean", "std"))
            observations = mean + 4 * std * random.normal(size=(50, len(std)))
            (given,) = session.run(["action"], {"observation": observations})
            expected = np.array([elites.policy(int(cell))(each) for each in observations])
            assert given.dtype == np.float32
            assert np.abs(given - expected).max() <= 1e-6
            notes = session.get_modelmeta().custom_metadata_map
            assert notes["cell"] == str(cell) and notes["domain"] == elites.domain


def test_the_example_in_the_docs(tmp_path, monkeypatch):
    run("mees_inspect", "export", maze(), "--cell", "best", "--out", tmp_path / "best.onnx")
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "looking-at-maps.md").read_text()
    (example,) = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    names = {}
    exec(compile(example, "looking-at-maps.md", "exec"), names)
    assert names["action"].shape == (1, 2)
