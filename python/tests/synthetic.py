"""Writes small random files in the layout of docs/map-format.md for the tests."""

from __future__ import annotations

import h5py
import numpy as np

CONFIG = """\
[run]
seed = {seed}
generations = {generations}

[domain]
name = "{domain}"
episode_steps = {steps}

[policy]
observation_clip = {clip}

[es]
population = {population}

[algorithm]
name = "{algorithm}"
mode = "{mode}"

[checkpoint]
every_seconds = {cadence}
"""

SHAPES = {
    "point_maze": dict(
        bins=(20, 10), lower=(-10.0, -5.0), upper=(10.0, 5.0), names=("x", "y"), layers=(5, 8, 6, 2)
    ),
    "ant": dict(
        bins=(10, 10, 10, 10),
        lower=(0.0,) * 4,
        upper=(1.0,) * 4,
        names=("leg_1", "leg_2", "leg_3", "leg_4"),
        layers=(27, 4, 4, 8),
    ),
}


def text(value):
    """A fixed-length UTF-8 string, as in the files."""
    raw = value.encode("utf-8")
    return np.array(raw, dtype=h5py.string_dtype("utf-8", max(len(raw), 1)))


def texts(values):
    raw = [value.encode("utf-8") for value in values]
    return np.array(raw, dtype=h5py.string_dtype("utf-8", max(map(len, raw))))


def put(group, name, data):
    """A chunked, checksummed dataset; matrices are chunked by row."""
    data = np.asarray(data)
    chunks = (1,) + data.shape[1:] if data.ndim > 1 else (max(1, len(data)),)
    maximum = (None,) + data.shape[1:]
    group.create_dataset(name, data=data, chunks=chunks, maxshape=maximum, fletcher32=True)


def put_root(
    file, filetype, domain, algorithm, mode, seed, generations, population, cadence=60, clip=0.0
):
    config = CONFIG.format(
        seed=seed,
        generations=generations,
        domain=domain,
        steps=1000,
        population=population,
        clip=clip,
        algorithm=algorithm,
        mode=mode,
        cadence=cadence,
    )
    values = {
        "filetype": filetype,
        "mees_version": "0.1.0",
        "git_commit": "0" * 40,
        "created": "2024-05-06T07:08:09Z",
        "mujoco_version": "3.14.0",
        "model_sha256": "ab" * 32,
        "domain": domain,
        "algorithm": algorithm,
        "config": config,
    }
    for name, value in values.items():
        file.attrs[name] = text(value)
    file.attrs["format_version"] = np.array([1, 0], dtype=np.int32)
    file.attrs["seed"] = np.int64(seed)
    file.attrs["generation"] = np.int64(generations)
    file.attrs["episodes"] = np.int64(generations * (population + 30) + 30)
    file.attrs["steps"] = np.int64(generations * (population + 30) * 800)
    file.attrs["wall_seconds"] = np.float64(12.5 * generations)
    file.attrs["restarts"] = np.int64(1)


def write_map(
    path,
    domain="point_maze",
    algorithm="me-es",
    mode="explore-exploit",
    seed=1,
    generations=40,
    population=100,
    elites=60,
    bc=None,
    level=1.0,
    cadence=60,
    clip=0.0,
    centroids=None,
):
    """A map of `elites` at most: random BCs (or `bc`), in a grid or around `centroids`."""
    shape = SHAPES[domain]
    draw = np.random.default_rng([seed, len(mode), len(algorithm)])
    lower, upper, bins = (np.array(shape[name]) for name in ("lower", "upper", "bins"))
    if bc is None:
        bc = draw.uniform(lower, upper, (elites, len(bins)))
    bc = np.asarray(bc, dtype=np.float64)
    if centroids is None:
        index = np.clip(np.floor((bc - lower) / (upper - lower) * bins), 0, bins - 1)
        index = index.astype(np.int32)
        cell = np.ravel_multi_index(tuple(index.T), shape["bins"]).astype(np.int64)
    else:
        apart = (bc[:, None] - np.asarray(centroids)) / (upper - lower)
        cell = np.linalg.norm(apart, axis=-1).argmin(axis=1).astype(np.int64)
        index = np.zeros(bc.shape, dtype=np.int32)
        index[:, 0] = cell
        bins = np.ones_like(bins)
        bins[0] = len(centroids)
    cell, first = np.unique(cell, return_index=True)
    bc, index, count = bc[first], index[first], len(first)
    parameters = sum((a + 1) * b for a, b in zip(shape["layers"], shape["layers"][1:]))
    inputs = shape["layers"][0]
    with h5py.File(path, "w", libver=("v110", "latest")) as file:
        put_root(
            file, "mees-map", domain, algorithm, mode, seed, generations, population, cadence, clip
        )
        group = file.create_group("map")
        put(group, "cell", cell)
        put(group, "bins", index)
        put(group, "bc", bc)
        put(group, "fitness", level * (100 * bc[:, 0] / upper[0] + draw.normal(0, 10, count)))
        put(group, "fitness_std", draw.uniform(0, 5, count))
        put(group, "novelty", draw.uniform(0, 1, count))
        put(group, "generation", draw.integers(0, generations + 1, count))
        put(group, "parent_cell", np.where(draw.random(count) < 0.1, -1, draw.choice(cell, count)))
        put(group, "parameters", draw.normal(0, 0.5, (count, parameters)).astype(np.float32))
        put(group, "observation_mean", draw.normal(0, 1, (count, inputs)))
        put(group, "observation_std", draw.uniform(0.1, 2, (count, inputs)))
        group.attrs["bins"] = bins.astype(np.int64)
        group.attrs["lower"] = lower
        group.attrs["upper"] = upper
        group.attrs["bc_names"] = texts(shape["names"])
        group.attrs["layers"] = np.array(shape["layers"], dtype=np.int64)
        group.attrs["qd_offset"] = np.float64(-200.0)
        if centroids is not None:
            put(group, "centroids", np.asarray(centroids, dtype=np.float64))
        put(file, "novelty_archive/bc", bc)
        _put_history(file, draw, algorithm, generations, population, count, level)
        put(file, "state/optimiser_step", np.arange(3))
    return path


def _put_history(file, draw, algorithm, generations, population, count, level):
    rows = np.arange(generations + 1)
    fitness = level * (80 * (1 - np.exp(-rows / 12)) + draw.normal(0, 8, len(rows)))
    best = np.maximum.accumulate(fitness)
    coverage = np.minimum(1 + np.cumsum(draw.random(len(rows)) < 0.8), count)
    columns = {
        "generation": rows.astype(np.int64),
        "mode": ((rows // 10) % 2).astype(np.int8),
        "parent_cell": np.where(rows == 0, -1, 3).astype(np.int64),
        "fitness": fitness,
        "best": best,
        "coverage": coverage.astype(np.int64),
        "qd_score": np.cumsum(draw.uniform(0, 300, len(rows))),
        "novelty": draw.uniform(0, 2, len(rows)),
        "episodes": (30 + rows * (population + 30)).astype(np.int64),
        "steps": (30 + rows * (population + 30)).astype(np.int64) * 800,
    }
    columns["weight"] = np.zeros(len(rows))
    if algorithm == "nsra-es":
        walk = 0.5 + 0.05 * np.cumsum(draw.integers(-1, 2, len(rows)))
        columns["weight"] = np.clip(walk, 0, 1)
    for name, column in columns.items():
        put(file, f"history/{name}", column)
    put(file, "timing/seconds", draw.uniform(1, 2, len(rows)))


PAPER_DAMAGES = tuple(f"J{i}" for i in range(8)) + ("J0,J1", "J2,J3", "J4,J5", "J6,J7")


def write_adaptation(
    path,
    mode="exploit",
    algorithm="me-es",
    seed=1,
    damages=PAPER_DAMAGES,
    seeds=2,
    level=2000.0,
    intact=None,
):
    """An adapt.h5 of an Ant map whose scores lie around `level`."""
    draw = np.random.default_rng(seed)
    rows = [(damage, number) for damage in damages for number in range(seeds)]
    post = level + draw.normal(0, 150, len(rows))
    pre = 0.75 * level + draw.normal(0, 250, len(rows))
    with h5py.File(path, "w", libver=("v110", "latest")) as file:
        put_root(file, "mees-adaptation", "ant", algorithm, mode, seed, 500, 10000)
        file.attrs["map_sha256"] = text("cd" * 32)
        put(file, "results/damage", texts([damage for damage, _ in rows]))
        put(file, "results/seed", np.array([number for _, number in rows], dtype=np.int64))
        put(file, "results/pre", pre)
        put(file, "results/pre_se", np.full(len(rows), 30.0))
        put(file, "results/post", post)
        put(file, "results/post_se", np.full(len(rows), 40.0))
        put(file, "results/trials", np.full(len(rows), 30, dtype=np.int64))
        if intact is not None:
            file.attrs["intact"], file.attrs["intact_se"] = intact, 20.0
        for row, (damage, number) in enumerate(rows):
            folder = f"damage/{damage}/seed_{number}"
            put(file, f"{folder}/cell", draw.integers(0, 10000, 30))
            put(file, f"{folder}/predicted", draw.random(30))
            put(file, f"{folder}/variance", draw.random(30))
            put(file, f"{folder}/fitness", np.linspace(pre[row], post[row], 30))
    return path


def write_trials(path, trials, asked=None, maps=2):
    """An adapt.h5 of --ask and --tell; rows of `trials`: map, cell, predicted, variance,
    fitness."""
    names = ("map", "cell", "predicted", "variance", "fitness")
    kinds = (np.int64, np.int64, np.float64, np.float64, np.float64)
    with h5py.File(path, "w", libver=("v110", "latest")) as file:
        put_root(file, "mees-trials", "ant", "me-es", "exploit", 1, 500, 10000)
        file.attrs["map_sha256"] = texts([letter * 64 for letter in "abcdef"[:maps]])
        group = file.create_group("trials")
        for column, (name, kind) in enumerate(zip(names, kinds)):
            put(group, name, np.array([trial[column] for trial in trials], dtype=kind))
        for name, value in zip(names, asked or ()):
            group.attrs[f"asked_{name}"] = value
    return path
