import numpy as np
import pytest
import synthetic

import mees

pytest.importorskip("ribs", reason="the package ribs is not installed")


def in_cell_order(archive):
    data = archive.data()
    order = np.argsort(data["index"])
    return {name: column[order] for name, column in data.items()}


@pytest.mark.parametrize("which", ["maze", "ant"])
def test_the_archive_has_the_same_elites_in_the_same_cells(which, request):
    source = request.getfixturevalue(which)
    archive = source.to_ribs()
    data = in_cell_order(archive)
    assert len(archive) == len(source)
    np.testing.assert_array_equal(data["index"], source.cell)
    np.testing.assert_array_equal(data["solution"], source.parameters)
    np.testing.assert_array_equal(data["objective"], source.fitness)
    np.testing.assert_array_equal(data["measures"], source.bc)
    np.testing.assert_array_equal(data["observation_mean"], source.observation_mean)
    np.testing.assert_array_equal(data["generation"], source.generation)
    assert data["solution"].dtype == np.float32
    assert tuple(archive.dims) == source.space.bins
    assert archive.stats.qd_score == pytest.approx(source.qd_score)
    assert archive.stats.obj_max == source.best.fitness


def test_bcs_on_edges_and_outside_keep_their_cells(tmp_path):
    edges = np.linspace(0.0, 1.0, 11)
    bc = [[edge, 0.05, 0.05, 0.05] for edge in edges]
    bc += [[0.05, np.nextafter(edge, 0.0), 0.3, 0.7] for edge in edges[1:]]
    bc += [[1e12, -1e12, 0.5, 3.0], [-0.05, 1.0000001, 0.1, 0.3]]
    with mees.Map(synthetic.write_map(tmp_path / "edges.h5", domain="ant", bc=bc)) as source:
        data = in_cell_order(source.to_ribs())
        np.testing.assert_array_equal(data["index"], source.cell)
        np.testing.assert_array_equal(data["objective"], source.fitness)
        inside = np.abs(source.bc).max(axis=1) < 10
        np.testing.assert_allclose(data["measures"][inside], source.bc[inside], atol=1e-9)


def test_an_empty_map_gives_an_empty_archive(tmp_path):
    with mees.Map(synthetic.write_map(tmp_path / "none.h5", bc=np.zeros((0, 2)))) as source:
        assert len(source.to_ribs()) == 0


@pytest.mark.parametrize("which", ["plane", "deep"])
def test_a_cvt_map_becomes_a_cvt_archive(which, request):
    source = request.getfixturevalue(which)
    data = in_cell_order(source.to_ribs())
    np.testing.assert_array_equal(data["index"], source.cell)
    np.testing.assert_array_equal(data["objective"], source.fitness)
    expected = source.bc if which == "deep" else source.space.scale(source.bc)
    np.testing.assert_array_equal(data["measures"], expected)
