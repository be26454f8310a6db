import h5py
import numpy as np
import pytest
import synthetic

import mees


def test_arrays_and_attributes_match_the_file(maze, maze_path):
    with h5py.File(maze_path) as file:
        for name in ("cell", "bins", "bc", "fitness", "fitness_std", "novelty", "generation"):
            np.testing.assert_array_equal(getattr(maze, name), file[f"map/{name}"][...])
        np.testing.assert_array_equal(maze.parameters, file["map/parameters"][...])
        np.testing.assert_array_equal(maze.observation_mean, file["map/observation_mean"][...])
        np.testing.assert_array_equal(maze.observation_std, file["map/observation_std"][...])
        np.testing.assert_array_equal(maze.novelty_archive, file["novelty_archive/bc"][...])
        np.testing.assert_array_equal(maze.timing["seconds"], file["timing/seconds"][...])
    assert maze.parameters.dtype == np.float32
    assert maze.attributes["mujoco_version"] == "3.14.0"
    assert list(maze.attributes["format_version"]) == [1, 0]
    assert (maze.domain, maze.seed, maze.generations) == ("point_maze", 1, 40)
    assert maze.space.names == ("x", "y")
    assert maze.layers == (5, 8, 6, 2)
    assert maze.settings["es"]["population"] == 100
    assert maze.label == "ME-ES explore-exploit"


def test_cells_follow_from_the_bcs(maze, ant):
    for source in (maze, ant):
        np.testing.assert_array_equal(source.space.cell_of(source.bc), source.cell)
        np.testing.assert_array_equal(source.space.bin_of(source.bc), source.bins)
        np.testing.assert_array_equal(source.space.bins_of_cell(source.cell), source.bins)


def test_bcs_outside_the_bounds_belong_to_border_cells(maze):
    # 20 x 10 bins over -10..10 and -5..5, row-major: cell = 10 * first + second.
    assert maze.space.cell_of((-10.0, -5.0)) == 0
    assert maze.space.cell_of((10.0, 5.0)) == 199
    assert maze.space.cell_of((-1e9, 99.0)) == 9
    assert maze.space.cell_of((0.5, -4.5)) == 100


def test_statistics_of_the_map(maze):
    assert maze.coverage == len(maze) == len(maze.cell)
    # offset -200: the score is the sum of the fitnesses plus 200 for each elite.
    assert maze.qd_score == pytest.approx(maze.fitness.sum() + 200 * len(maze))


def test_best_is_the_fittest_with_ties_to_the_lowest_cell(tmp_path):
    path = synthetic.write_map(tmp_path / "ties.h5")
    with h5py.File(path, "r+") as file:
        file["map/fitness"][...] = 1.0
        file["map/fitness"][5] = 7.0
        file["map/fitness"][9] = 7.0
    with mees.Map(path) as tied:
        assert tied.best.row == 5
        assert tied.best.cell == tied.cell[5]
        assert tied.best.fitness == 7.0
        assert tied.row("best") == 5


def test_nearest_scales_each_axis_to_its_bounds(tmp_path):
    # From (0, 0): (3, 0) is 3/20 of the first axis away, (0, 2) is 2/10 of the second.
    path = synthetic.write_map(tmp_path / "two.h5", bc=[[3.0, 0.0], [0.0, 2.0]])
    with mees.Map(path) as two:
        np.testing.assert_array_equal(two.nearest((0.0, 0.0)).bc, [3.0, 0.0])
        np.testing.assert_array_equal(two.nearest((0.0, 1.9)).bc, [0.0, 2.0])
        with pytest.raises(ValueError, match="2 axes x, y"):
            two.nearest((1.0, 2.0, 3.0))


def test_elites_by_cell(maze):
    cell = int(maze.cell[7])
    elite = maze[cell]
    assert cell in maze
    assert (elite.cell, elite.row, elite.fitness) == (cell, 7, maze.fitness[7])
    assert maze.row(elite) == 7
    assert [each.cell for each in maze] == list(maze.cell)


def test_error_for_empty_cell_names_the_nearest_filled_cells(tmp_path):
    # Cells 0 (bins 0, 0), 13 (1, 3) and 199 (19, 9); cell 12 is bins (1, 2).
    path = synthetic.write_map(tmp_path / "three.h5", bc=[[-10, -5], [-8.5, -1.5], [10, 5]])
    with mees.Map(path) as three:
        assert list(three.cell) == [0, 13, 199]
        assert 12 not in three
        with pytest.raises(
            mees.EmptyCellError, match=r"cell 12 is empty .*nearest filled cells: 13, 0, 199\)"
        ):
            three.policy(12)
        with pytest.raises(mees.EmptyCellError, match="cells 0 to 199"):
            three[200]
        with pytest.raises(ValueError, match="'worst'"):
            three.row("worst")


def test_map_without_elites_can_be_opened(tmp_path):
    path = synthetic.write_map(tmp_path / "none.h5", bc=np.zeros((0, 2)))
    with mees.Map(path) as none:
        assert len(none) == 0
        assert none.qd_score == 0
        for ask in (lambda: none.best, lambda: none.nearest((0, 0)), lambda: none.policy(3)):
            with pytest.raises(mees.EmptyCellError, match="the map is empty"):
                ask()


def test_frame_has_one_row_per_elite(ant):
    pandas = pytest.importorskip("pandas")
    frame = ant.frame()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.columns) == [
        "cell",
        *(f"bin_leg_{leg}" for leg in (1, 2, 3, 4)),
        *(f"leg_{leg}" for leg in (1, 2, 3, 4)),
        "fitness",
        "fitness_std",
        "novelty",
        "generation",
        "parent_cell",
    ]
    assert len(frame) == len(ant)
    top = frame.sort_values("fitness", ascending=False).iloc[0]
    assert top["cell"] == ant.best.cell


def test_open_map_is_unchanged_when_the_file_is_replaced(tmp_path):
    path = synthetic.write_map(tmp_path / "map.h5", seed=1)
    with mees.Map(path) as before:
        expected = before.parameters
        synthetic.write_map(tmp_path / "new.h5", seed=2).replace(path)
        np.testing.assert_array_equal(before.parameters, expected)
        with mees.Map(path) as after:
            assert after.seed == 2
            assert not np.array_equal(after.parameters[0], expected[0])


def test_fingerprint_identifies_seeds_of_one_experiment(tmp_path):
    first = synthetic.write_map(tmp_path / "1.h5", seed=1, generations=10, cadence=60)
    second = synthetic.write_map(tmp_path / "2.h5", seed=2, generations=12, cadence=5)
    other = synthetic.write_map(tmp_path / "3.h5", seed=1, generations=10, population=50)
    one, two, three = (mees.open_history(path).origin for path in (first, second, other))
    assert one.fingerprint == two.fingerprint
    assert one.fingerprint != three.fingerprint


def test_cells_by_bins_and_by_nearest(ant, deep):
    elite = ant.best
    assert ant.row(elite.bins) == ant.row(list(elite.bins)) == ant.row(np.array(elite.bins))
    assert ant[elite.bins].cell == elite.cell
    text = "nearest:" + ",".join(map(str, elite.bc))
    assert ant.row(text) == ant.row(str(elite.cell)) == elite.row
    np.testing.assert_array_equal(
        ant.policy(elite.bins)(np.zeros(27)), ant.policy("best")(np.zeros(27))
    )
    for wrong, why in (
        ((1, 1), "10 x 10 x 10 x 10 bins, numbered from 0"),
        ((0, 0, 0, 10), "10 x 10 x 10 x 10 bins"),
        ((0.5, 0, 0, 0), "10 x 10 x 10 x 10 bins"),
        ("nearest:1,2", "the 4 axes"),
        ("nearest:a", "expected a number"),
        ("worst", "expected a number"),
        (1.5, "expected a number"),
    ):
        with pytest.raises(mees.ArgumentError, match=why):
            ant.row(wrong)
    with pytest.raises(mees.ArgumentError, match="numbered, not binned"):
        deep.row((0, 0, 0, 0))


def test_a_run_folder_stands_for_its_map(tmp_path):
    path = synthetic.write_map(tmp_path / "map.h5")
    with mees.Map(tmp_path) as opened:
        assert opened.path == path
