"""Map.to_qdax(), with QDax if it is installed and otherwise with a class that has its fields."""

import sys
import types
from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np
import pytest
import synthetic

import mees


@dataclass
class Repertoire:
    genotypes: np.ndarray
    fitnesses: np.ndarray
    descriptors: np.ndarray
    centroids: np.ndarray
    extra_scores: dict
    keys_extra_scores: tuple


@pytest.fixture(autouse=True)
def qdax(monkeypatch):
    if find_spec("qdax"):
        return
    names = ("qdax", "qdax.core", "qdax.core.containers")
    modules = {name: types.ModuleType(name) for name in (*names, "jax")}
    container = types.ModuleType("qdax.core.containers.mapelites_repertoire")
    container.MapElitesRepertoire = Repertoire
    modules[container.__name__] = container
    modules["jax.numpy"] = np
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)


@pytest.mark.parametrize("which", ["maze", "ant", "plane", "deep"])
def test_the_repertoire_has_the_same_elites_in_the_same_cells(which, request):
    source = request.getfixturevalue(which)
    repertoire = source.to_qdax()
    fitness = np.asarray(repertoire.fitnesses)
    assert fitness.shape == (source.space.cells, 1)
    np.testing.assert_array_equal(np.flatnonzero(np.isfinite(fitness[:, 0])), source.cell)
    np.testing.assert_allclose(fitness[source.cell, 0], source.fitness, rtol=1e-6)
    np.testing.assert_array_equal(np.asarray(repertoire.genotypes)[source.cell], source.parameters)
    mean = np.asarray(repertoire.extra_scores["observation_mean"])
    np.testing.assert_allclose(mean[source.cell], source.observation_mean, rtol=1e-6)
    assert set(repertoire.keys_extra_scores) == set(repertoire.extra_scores)


@pytest.mark.parametrize("which", ["maze", "ant", "plane", "deep"])
def test_the_nearest_centroid_of_an_elite_is_that_of_its_cell(which, request):
    """As QDax finds cells; BCs within rounding of an edge may be either side's."""
    source = request.getfixturevalue(which)
    repertoire = source.to_qdax()
    centroids = np.asarray(repertoire.centroids)
    descriptors = np.asarray(repertoire.descriptors)[source.cell]
    away = ((descriptors[:, None] - centroids) ** 2).sum(-1)
    gap = np.take_along_axis(away, source.cell[:, None], 1)[:, 0] - away.min(1)
    assert (gap <= 1e-5).all()


def test_empty_map(tmp_path):
    with mees.Map(synthetic.write_map(tmp_path / "none.h5", bc=np.zeros((0, 2)))) as source:
        assert not np.isfinite(np.asarray(source.to_qdax().fitnesses)).any()


def test_without_qdax(monkeypatch, maze):
    monkeypatch.setitem(sys.modules, "qdax.core.containers.mapelites_repertoire", None)
    with pytest.raises(mees.MissingPackageError, match="to_qdax"):
        maze.to_qdax()
