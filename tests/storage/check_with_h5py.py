"""Checks a map file against the documented layout, from outside. Usage: check_with_h5py.py FILE"""

import sys

import h5py
import numpy as np

attributes = {
    "filetype", "format_version", "mees_version", "git_commit", "created", "mujoco_version",
    "model_sha256", "domain", "algorithm", "seed", "generation", "episodes", "steps",
    "wall_seconds", "restarts", "config",
}

with h5py.File(sys.argv[1], "r") as file:
    assert set(file.attrs) == attributes, set(file.attrs) ^ attributes
    assert file.attrs["filetype"].decode() == "mees-map"
    assert file.attrs["config"].decode().splitlines()[0] == "[run]"
    assert list(file.attrs["format_version"]) == [1, 1]
    layers = list(file["map"].attrs["layers"])
    parameters = sum((i + 1) * o for i, o in zip(layers, layers[1:]))
    bins, lower, upper = (file["map"].attrs[name] for name in ("bins", "lower", "upper"))
    assert [name.decode() for name in file["map"].attrs["bc_names"]] == ["x", "final y"]

    cell = file["map/cell"][:]
    n, d, inputs = len(cell), len(bins), layers[0]
    expected = {
        "cell": ((n,), "<i8"), "bins": ((n, d), "<i4"), "bc": ((n, d), "<f8"),
        "fitness": ((n,), "<f8"), "fitness_std": ((n,), "<f8"), "novelty": ((n,), "<f8"),
        "generation": ((n,), "<i8"), "parent_cell": ((n,), "<i8"),
        "parameters": ((n, parameters), "<f4"),
        "observation_mean": ((n, inputs), "<f8"), "observation_std": ((n, inputs), "<f8"),
    }
    for name, (shape, dtype) in expected.items():
        dataset = file["map"][name]
        assert dataset.shape == shape and dataset.dtype == np.dtype(dtype), (name, dataset)
    assert file["map/parameters"].chunks == (1, parameters)

    bc = file["map/bc"][:]
    position = np.floor((bc - lower) / (upper - lower) * bins)
    position = np.clip(position, 0, np.array(bins) - 1).astype(int)
    assert (position == file["map/bins"][:]).all()
    assert (np.ravel_multi_index(position.T, bins) == cell).all()
    assert (np.diff(cell) > 0).all()

    rows = len(file["history/generation"])
    for name in ("mode", "parent_cell", "fitness", "best", "coverage", "qd_score", "novelty",
                 "episodes", "steps"):
        assert file["history"][name].shape == (rows,), name
    assert file["history/mode"].dtype == np.int8
    assert file["timing/seconds"].shape == (rows,)
    assert file["novelty_archive/bc"].shape[1] == d

    def check(name, item):
        if isinstance(item, h5py.Dataset):
            assert item.fletcher32 and item.chunks and item.compression is None, name
            assert item.dtype.byteorder in "<|=", name
            assert h5py.check_vlen_dtype(item.dtype) is None, name
        for key in item.attrs:
            assert h5py.check_string_dtype(item.attrs.get_id(key).dtype) is None or \
                h5py.check_string_dtype(item.attrs.get_id(key).dtype).length is not None, (name,
                                                                                           key)

    file.visititems(check)
    check("/", file)
