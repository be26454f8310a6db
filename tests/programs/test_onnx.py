"""Exported controllers in onnxruntime: the same actions as this project's own networks."""

import sys

import h5py
import numpy as np
import pytest
from maps import ant, maze
from programs import ROOT, run

sys.path.append(str(ROOT / ".deps" / "python"))
onnxruntime = pytest.importorskip("onnxruntime")


def actions(file, row, observations, clip):
    """The network in numpy, in the precision that the map's format describes."""
    mean, std = file["map/observation_mean"][row], file["map/observation_std"][row]
    signal = ((observations - mean) / std).astype(np.float32)
    if clip > 0:
        signal = np.clip(signal, -np.float32(clip), np.float32(clip))
    layers, rest = file["map"].attrs["layers"], file["map/parameters"][row]
    for inputs, outputs in zip(layers, layers[1:]):
        weights, biases, rest = np.split(rest, [inputs * outputs, (inputs + 1) * outputs])
        signal = np.tanh(signal @ weights.reshape(inputs, outputs) + biases)
    return signal


@pytest.mark.parametrize("path, clip", [(maze, 0), (ant, 5)])
def test_same_actions(tmp_path, path, clip):
    result = run("mees_inspect", "export", path(), "--cell", "all", "--out", tmp_path)
    assert result.returncode == 0, result.stderr
    random = np.random.default_rng(1)
    with h5py.File(path()) as file:
        for row, cell in enumerate(file["map/cell"][:]):
            session = onnxruntime.InferenceSession(tmp_path / f"cell_{cell:06}.onnx",
                                                   providers=["CPUExecutionProvider"])
            scale = file["map/observation_std"][row]
            observations = file["map/observation_mean"][row] + 4 * scale * random.normal(
                size=(50, len(scale)))
            (given,) = session.run(["action"], {"observation": observations})
            expected = actions(file, row, observations, clip)
            assert given.dtype == np.float32
            assert np.abs(given - expected).max() <= 1e-6
            notes = session.get_modelmeta().custom_metadata_map
            assert notes["cell"] == str(cell) and notes["domain"] == file.attrs["domain"].decode()
