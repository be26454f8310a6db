"""The files of the tests have the layout of docs/map-format.md.

The other tests use synthetic files, so these are checked like the real ones, which the programs
wrote (tests/data).
"""

from pathlib import Path

import h5py
import numpy as np
import pytest
import synthetic

DATA = Path(__file__).resolve().parent / "data"
TEXT = ("filetype", "mees_version", "git_commit", "created", "mujoco_version", "model_sha256")
TEXT += ("domain", "algorithm", "config")
COUNTS = ("seed", "generation", "episodes", "steps", "restarts")
HISTORY = {
    "generation": np.int64,
    "mode": np.int8,
    "parent_cell": np.int64,
    "fitness": np.float64,
    "best": np.float64,
    "coverage": np.int64,
    "qd_score": np.float64,
    "novelty": np.float64,
    "episodes": np.int64,
    "steps": np.int64,
    "weight": np.float64,
}


def every_dataset(file):
    found = []
    file.visititems(lambda _, node: found.append(node) if isinstance(node, h5py.Dataset) else None)
    return found


def check_root(file, filetype):
    assert file.attrs["filetype"] == filetype.encode()
    assert list(file.attrs["format_version"]) == [1, 0]
    for name in TEXT:
        kind = file.attrs.get_id(name).get_type()
        assert isinstance(kind, h5py.h5t.TypeStringID) and not kind.is_variable_str()
        assert kind.get_cset() == h5py.h5t.CSET_UTF8
    for name in COUNTS:
        assert file.attrs[name].dtype == np.int64
    assert file.attrs["wall_seconds"].dtype == np.float64


def check_storage(file):
    """Checksummed, fixed length, little-endian, no filter except the checksum."""
    for node in every_dataset(file):
        assert node.fletcher32 and node.compression is None and not node.shuffle, node.name
        assert h5py.check_vlen_dtype(node.dtype) is None, node.name
        assert node.dtype == node.dtype.newbyteorder("<"), node.name


def check_map(file):
    group = file["map"]
    bins, lower, upper = (group.attrs[name] for name in ("bins", "lower", "upper"))
    layers = group.attrs["layers"]
    count, axes = len(group["cell"]), len(bins)
    parameters = sum((a + 1) * b for a, b in zip(layers, layers[1:]))
    expected = {
        "cell": ((count,), np.int64),
        "bins": ((count, axes), np.int32),
        "bc": ((count, axes), np.float64),
        "fitness": ((count,), np.float64),
        "fitness_std": ((count,), np.float64),
        "novelty": ((count,), np.float64),
        "generation": ((count,), np.int64),
        "parent_cell": ((count,), np.int64),
        "parameters": ((count, parameters), np.float32),
        "observation_mean": ((count, layers[0]), np.float64),
        "observation_std": ((count, layers[0]), np.float64),
    }
    for name, (shape, kind) in expected.items():
        assert (group[name].shape, group[name].dtype) == (shape, kind), name
        assert np.isfinite(group[name][...]).all(), name
    assert group["parameters"].chunks == (1, parameters)
    cell, index, bc = (group[name][...] for name in ("cell", "bins", "bc"))
    assert (np.diff(cell) > 0).all()
    np.testing.assert_array_equal(np.ravel_multi_index(tuple(index.T), bins), cell)
    share = np.floor((bc - lower) / (upper - lower) * bins)
    np.testing.assert_array_equal(np.clip(share, 0, bins - 1), index)
    assert (group["observation_std"][...] >= 0.1).all()
    assert np.issubdtype(group.attrs["qd_offset"].dtype, np.float64)
    assert len(group.attrs["bc_names"]) == axes
    assert file["novelty_archive/bc"].shape[1] == axes


def check_history(file):
    rows = len(file["history/generation"])
    assert list(file["history/generation"]) == list(range(rows))
    assert file.attrs["generation"] == rows - 1
    for name, kind in HISTORY.items():
        assert file["history"][name].shape == (rows,), name
        assert file["history"][name].dtype == kind, name
    assert file["timing/seconds"].shape == (rows,)
    assert "state" in file


def check_adaptation(path):
    with h5py.File(path) as file:
        check_root(file, "mees-adaptation")
        check_storage(file)
        assert len(file.attrs["map_sha256"]) == 64
        results = file["results"]
        count = len(results["damage"])
        assert results["damage"].dtype.kind == "S"
        for name in ("pre", "pre_se", "post", "post_se"):
            assert (results[name].shape, results[name].dtype) == ((count,), np.float64)
        for row in range(count):
            damage, seed = results["damage"][row].decode(), results["seed"][row]
            trials = file[f"damage/{damage}/seed_{seed}"]
            for name in ("cell", "predicted", "variance", "fitness"):
                assert trials[name].shape == (results["trials"][row],)


@pytest.mark.parametrize("which", ["synthetic maze", "synthetic ant", "real maze", "real ant"])
def test_maps_follow_the_layout(which, request):
    kind, domain = which.split()
    path = DATA / domain / "map.h5" if kind == "real" else request.getfixturevalue(f"{domain}_path")
    with h5py.File(path) as file:
        check_root(file, "mees-map")
        check_storage(file)
        check_map(file)
        check_history(file)


@pytest.mark.parametrize("kind", ["synthetic", "real"])
def test_adaptations_follow_the_layout(kind, tmp_path):
    real = DATA / "ant" / "adapt.h5"
    path = real if kind == "real" else synthetic.write_adaptation(tmp_path / "adapt.h5")
    check_adaptation(path)
