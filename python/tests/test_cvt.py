"""Maps whose cells are the Voronoi cells of centroids (map.type = "cvt")."""

import numpy as np
import pytest
import synthetic

import mees
from mees import figures


def test_cells_are_the_nearest_centroids(plane, deep):
    for source in (plane, deep):
        assert isinstance(source.space, mees.Cvt)
        assert source.space.cells == len(source.space.centroids)
        np.testing.assert_array_equal(source.space.cell_of(source.bc), source.cell)


def test_distance_is_scaled_to_the_bounds(tmp_path):
    # From (0, 0): (3, 0) is 0.15 of its axis away, (0, 2) is 0.2 of its own.
    centroids = [[0.0, 2.0], [3.0, 0.0], [-9.0, -4.0]]
    path = synthetic.write_map(tmp_path / "three.h5", centroids=centroids, bc=[[0, 2], [-9, -4]])
    with mees.Map(path) as three:
        assert three.space.cell_of((0.0, 0.0)) == 1
        with pytest.raises(
            mees.EmptyCellError, match="cell 1 is empty .*nearest filled cells: 0, 2\\)"
        ):
            three[1]
        with pytest.raises(mees.EmptyCellError, match="cells 0 to 2"):
            three[3]


def test_heatmap_colours_the_plane_by_cells(plane):
    image = figures.heatmap(plane).axes[0].images[0].get_array()
    elite = plane.best
    column, row = (plane.space.scale(elite.bc) * image.shape[0]).astype(int)
    assert image[row, column] == pytest.approx(elite.fitness)
    assert set(image.compressed()) <= set(plane.fitness)
    turned = figures.heatmap(plane, (1, 0)).axes[0]
    assert turned.get_xlabel() == "y [m]"
    np.testing.assert_array_equal(turned.images[0].get_array(), image.T)


def test_heatmap_of_many_axes_shows_every_elite(deep):
    ax = figures.heatmap(deep, (3, 1)).axes[0]
    dots = ax.collections[0]
    assert len(dots.get_offsets()) == len(deep)
    np.testing.assert_array_equal(dots.get_offsets()[-1], deep.best.bc[[3, 1]])
    assert "all elites, projected over leg 1, leg 3" in ax.get_title()


def test_parallel_axes_work_and_nested_grids_do_not(deep):
    assert len(figures.parallel(deep).axes[0].collections[0].get_segments()) == len(deep)
    with pytest.raises(ValueError, match="Use heatmap or parallel"):
        figures.nested(deep)
