import warnings

import numpy as np
import pytest
import synthetic
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import mees
from mees import figures
from mees.figures.heatmap import project
from mees.figures.nested import lay_out


def texts(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_heatmap_shows_every_elite_in_its_cell(maze):
    figure = figures.heatmap(maze)
    ax, bar = figure.axes
    shown = ax.collections[0].get_array().reshape(10, 20)
    for elite in maze:
        first, second = elite.bins
        assert shown[second, first] == elite.fitness
    assert shown.count() == len(maze)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x [m]", "y [m]")
    assert ax.get_xlim() == (-10, 10) and ax.get_ylim() == (-5, 5)
    assert bar.get_ylabel() == "fitness = -distance to goal [m]"
    assert ax.get_title().endswith(f"best fitness {maze.best.fitness:.6g}")
    assert maze.space.cell_of(ax.get_lines()[0].get_xydata()[0]) == maze.best.cell
    assert "52 of 200 cells" in ax.get_title()


def test_heatmap_of_two_axes_out_of_four(ant):
    table = project(ant, (0, 3), "fitness", "best")
    mean = project(ant, (0, 3), "fitness", "mean")
    count = project(ant, (0, 3), "fitness", "count")
    for first in range(10):
        for second in range(10):
            there = (ant.bins[:, 0] == first) & (ant.bins[:, 3] == second)
            if there.any():
                assert table[first, second] == ant.fitness[there].max()
                assert mean[first, second] == pytest.approx(ant.fitness[there].mean())
                assert count[first, second] == there.sum()
            else:
                assert np.isnan(table[first, second]) and np.isnan(count[first, second])
    figure = figures.heatmap(ant, ("leg_4", 0), reduce="mean")
    assert figure.axes[0].get_xlabel() == "leg 4 [fraction of steps]"
    assert "mean over leg 2, leg 3" in figure.axes[0].get_title()


def test_reduce_best_shows_the_value_of_the_fittest(ant):
    table = project(ant, (0, 1), "generation", "best")
    first, second = ant.best.bins[:2]
    assert table[first, second] == ant.best.generation


def test_heatmap_rejects_invalid_arguments(ant):
    with pytest.raises(ValueError, match="unknown BC axis 'tail'.*0 .leg_1"):
        figures.heatmap(ant, ("leg_1", "tail"))
    with pytest.raises(ValueError, match="two different axes"):
        figures.heatmap(ant, (1, 1))
    with pytest.raises(ValueError, match="invalid reduce"):
        figures.heatmap(ant, reduce="median")
    with pytest.raises(ValueError, match="invalid value"):
        figures.heatmap(ant, value="colour")


def test_nested_grid_hides_no_elite(ant):
    page = lay_out(ant)
    assert page.shape == (100, 100)
    assert np.isfinite(page).sum() == len(ant)
    for elite in ant:
        a, b, c, d = elite.bins
        assert page[10 * c + a, 10 * d + b] == elite.fitness
    ax = figures.nested(ant).axes[0]
    assert ax.get_xlabel().startswith("blocks: leg 3 [fraction of steps]\nwithin each block")
    assert "leg 2" in ax.get_ylabel()


def test_nested_grid_of_two_axes_equals_the_heatmap(maze):
    np.testing.assert_array_equal(lay_out(maze), project(maze, (0, 1)))


def test_parallel_axes_have_one_line_per_elite_with_the_fittest_on_top(ant):
    ax = figures.parallel(ant).axes[0]
    lines = ax.collections[0]
    assert len(lines.get_segments()) == len(ant)
    np.testing.assert_allclose(lines.get_segments()[-1][:4, 1], ant.best.bc)
    assert lines.get_segments()[-1][4, 1] == 1.0
    assert [tick.get_text() for tick in ax.get_xticklabels()][4] == "fitness"


def test_history_shows_median_and_quartiles(seeds):
    figure = figures.history(seeds, ("best", "coverage"))
    best, coverage, legend = figure.axes
    assert texts(legend) == [
        "ME-ES explore (3 seeds: median, quartiles)",
        "ME-ES exploit (3 seeds: median, quartiles)",
    ]
    rows = np.sort([history["best"][:26] for history in seeds[:3]], axis=0)
    line = best.get_lines()[0]
    np.testing.assert_array_equal(line.get_ydata(), rows[1])
    band = best.collections[0].get_paths()[0].vertices
    last = band[band[:, 0] == 25][:, 1]
    # Quartiles of three values lie halfway between the middle one and the others.
    assert np.isclose(last.max(), (rows[1, -1] + rows[2, -1]) / 2)
    assert np.isclose(last.min(), (rows[1, -1] + rows[0, -1]) / 2)
    assert last.max() <= rows.max()  # never beyond what a run has reached
    styles = {(line.get_color(), line.get_linestyle()) for line in best.get_lines()}
    assert len(styles) == 2
    assert best.get_xlabel() == "generation"
    assert coverage.get_ylabel() == "coverage [filled cells]"
    assert best.get_ylabel() == "best fitness = -distance to goal [m]"


def test_fitness_shades_the_generations_that_explore(maze):
    panel, coverage, _ = figures.history([maze.history], ("fitness", "coverage")).axes
    # Of 41 rows, 10..19 and 30..39 explore; a band begins with the row before.
    spans = [patch.get_extents() for patch in panel.patches]
    ends = [panel.transData.inverted().transform(span)[:, 0] for span in spans]
    np.testing.assert_allclose(ends, [(9, 19), (29, 39)])
    assert not coverage.patches


def test_qd_scores_have_one_offset(tmp_path, maze):
    own = maze.history
    other = own.with_qd_offset(-300)
    # By definition: the sum over the filled cells of fitness - offset.
    np.testing.assert_allclose(other["qd_score"], own["qd_score"] + 100 * own["coverage"])
    panel = figures.history([own, other], ("qd_score",)).axes[0]
    assert "offset -300" in panel.get_ylabel() and "-200" not in panel.get_ylabel()
    panel = figures.history([own], ("qd_score",), qd_offset=-250).axes[0]
    np.testing.assert_allclose(
        panel.get_lines()[0].get_ydata(), own["qd_score"] + 50 * own["coverage"]
    )


def test_the_same_run_twice_is_one_seed(tmp_path, maze):
    twice = mees.open_history(synthetic.write_map(tmp_path / "again.h5"))
    longer = mees.open_history(synthetic.write_map(tmp_path / "longer.h5", generations=60))
    panel, legend = figures.history([maze.history, twice, longer], ("best",)).axes
    assert texts(legend) == ["ME-ES explore-exploit (1 seed)"]
    np.testing.assert_array_equal(panel.get_lines()[0].get_ydata(), longer["best"])


def test_a_single_run_has_no_band(maze):
    figure = figures.history([maze.history], ("qd_score",), "episodes")
    panel, legend = figure.axes
    assert len(panel.collections) == 0
    assert texts(legend) == ["ME-ES explore-exploit (1 seed)"]
    assert panel.get_xlabel() == "episodes"
    assert "offset -200" in panel.get_ylabel()


def test_nsra_weight_shows_nsra_runs_only(tmp_path, maze):
    path = synthetic.write_map(tmp_path / "nsra.h5", algorithm="nsra-es")
    history = mees.open_history(path)
    panel = figures.nsra_weight([maze.history, history]).axes[0]
    assert len(panel.get_lines()) == 1
    np.testing.assert_array_equal(panel.get_lines()[0].get_ydata(), history["weight"])
    assert panel.get_ylim() == (-0.03, 1.03)
    other = mees.open_history(
        synthetic.write_map(tmp_path / "other.h5", algorithm="nsra-es", seed=8)
    )
    lines = figures.nsra_weight([history, other]).axes[0].get_lines()
    assert len(lines) == 3
    np.testing.assert_array_equal(lines[2].get_ydata(), other["weight"])
    with pytest.raises(mees.FileError, match="none of these runs has an NSRA weight"):
        figures.nsra_weight([maze.history])


def test_recovery_bars_and_the_motionless_line(adaptations):
    ax = figures.recovery(adaptations).axes[0]
    heights = [bar.get_height() for bar in ax.containers[1]]
    exploit = [np.mean([a.post[a.damage == "J0"].mean() for a in adaptations[:2]])]
    assert heights[0] == pytest.approx(exploit[0])
    assert len(heights) == 12
    assert texts(ax) == [
        "ME-ES exploit (2 maps)",
        "ME-ES explore (1 map)",
        "old controller, damaged robot",
        "motionless",
    ]
    line = next(line for line in ax.get_lines() if line.get_label() == "motionless")
    assert list(line.get_ydata()) == [1000.0, 1000.0]
    assert [tick.get_text() for tick in ax.get_xticklabels()] == list(synthetic.PAPER_DAMAGES)
    assert "standard error over adaptation seeds or maps" in ax.get_xlabel()
    assert ax.get_ylabel() == "recovered fitness [sum of rewards]"


def test_gain_is_after_minus_before(adaptations):
    ax = figures.gain(adaptations).axes[0]
    heights = [bar.get_height() for bar in ax.containers[-1]]
    explore = adaptations[2]
    assert ax.get_ylabel() == "gain: recovered - old controller\n[sum of rewards]"
    for height, damage in zip(heights, synthetic.PAPER_DAMAGES):
        rows = explore.damage == damage
        assert height == pytest.approx((explore.post - explore.pre)[rows].mean())


def test_recovery_shows_the_intact_robot_if_the_files_have_it(tmp_path):
    path = synthetic.write_adaptation(tmp_path / "adapt.h5", seeds=1, intact=2500.0)
    ax = figures.recovery([mees.Adaptation(path)]).axes[0]
    line = next(line for line in ax.get_lines() if line.get_label().endswith("intact robot"))
    assert list(line.get_ydata()) == [2500.0] * 12


LONG = dict(algorithm="a_very_long_name_of_an_algorithm_of_ones_own", mode="")


def overhang(figure):
    """How far, in inches, something that is drawn goes beyond the edge of the figure."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    box = figure.get_tightbbox(canvas.get_renderer())
    width, height = figure.get_size_inches()
    return max(-box.x0, -box.y0, box.x1 - width, box.y1 - height)


def test_no_label_is_cut_and_no_panel_is_squashed(tmp_path, maze, ant, adaptations):
    histories = [
        mees.open_history(
            synthetic.write_map(tmp_path / f"{size}.h5", population=size, cadence=size, **LONG)
        )
        for size in (50, 100, 200, 400, 800)
    ]
    one = mees.Adaptation(
        synthetic.write_adaptation(tmp_path / "one.h5", damages=("J0", "J1"), seeds=1)
    )
    drawn = [
        figures.history(histories),
        figures.history(histories, ("best",)),
        figures.gain(adaptations),
        figures.gain([one]),
        figures.recovery([one]),
        figures.recovery([*adaptations, one]),
        figures.heatmap(maze),
        figures.nested(ant),
        figures.parallel(ant),
    ]
    for figure in drawn:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert overhang(figure) < 0.02
        panel = figure.axes[0].get_window_extent()
        assert panel.height > 1.8 * figure.dpi and panel.width > 2 * figure.dpi


def test_a_notebook_shows_every_figure(maze, ant, adaptations):
    for figure in (
        figures.heatmap(maze),
        figures.nested(ant),
        figures.parallel(ant),
        figures.history([maze.history]),
        figures.gain(adaptations),
        figures.recovery(adaptations),
    ):
        assert figure._repr_png_().startswith(b"\x89PNG")


def test_plots_without_data_are_rejected():
    for draw in (figures.history, figures.recovery, figures.gain):
        with pytest.raises(ValueError, match="at least one"):
            draw([])


def test_figures_can_be_drawn_into_given_axes_and_saved(tmp_path, ant, adaptations):
    own = Figure()
    axes = own.subplots(2, 2).ravel()
    assert figures.heatmap(ant, ax=axes[0]) is own
    assert figures.nested(ant, ax=axes[1]) is own
    assert figures.parallel(ant, ax=axes[2]) is own
    assert figures.recovery(adaptations, ax=axes[3]) is own
    own.savefig(tmp_path / "own.svg")
    assert (tmp_path / "own.svg").stat().st_size > 10_000


def test_map_of_one_axis_and_empty_map_can_be_drawn(tmp_path, monkeypatch):
    shape = dict(bins=(7,), lower=(0.0,), upper=(7.0,), names=("height",), layers=(2, 2))
    monkeypatch.setitem(synthetic.SHAPES, "mjcf", shape)
    path = synthetic.write_map(tmp_path / "line.h5", domain="mjcf", bc=[[0.5], [3.5], [6.5]])
    with mees.Map(path) as line:
        shown = figures.heatmap(line).axes[0].collections[0].get_array()
        assert shown.count() == 3
        assert lay_out(line).shape == (7, 1)
        for draw in (figures.nested, figures.parallel):
            draw(line).savefig(tmp_path / "line.png")
    path = synthetic.write_map(tmp_path / "none.h5", bc=np.zeros((0, 2)))
    with mees.Map(path) as none:
        for draw in (figures.heatmap, figures.nested, figures.parallel):
            draw(none).savefig(tmp_path / "none.png")
