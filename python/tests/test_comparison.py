"""Medians, quartiles and tests over seeds; expected values are computed by hand."""

import numpy as np
import pytest
import synthetic

import mees
from mees import report
from mees.comparison import Comparison, rank_sum_p, spread


def test_spread():
    assert spread([1, 2, 3, 4, 5]) == "3 [2, 4]"
    assert spread([7]) == "7 [7, 7]"


def test_separated_samples_have_the_smallest_p():
    # 2 of the C(6, 3) = 20 relabellings are as extreme; 2 of C(10, 5) = 252.
    assert rank_sum_p([1, 2, 3], [4, 5, 6]) == pytest.approx(2 / 20)
    assert rank_sum_p([6, 7, 8, 9, 10], [1, 2, 3, 4, 5]) == pytest.approx(2 / 252)


def test_rank_sum_of_a_small_case():
    # Ranks {1, 3} of {1, 2, 3, 4}: sum 4, expected 5. Sums of all pairs: 3 4 5 5 6 7; 4 of 6 are
    # at least 1 away from 5.
    assert rank_sum_p([10, 30], [20, 40]) == pytest.approx(4 / 6)


def test_equal_samples_do_not_differ():
    assert rank_sum_p([1, 1], [1, 1, 1]) == 1
    assert rank_sum_p([5] * 20, [5] * 20) == 1


def test_large_samples_use_the_normal_approximation():
    # Sizes 15 and 15, disjoint: U = 0, mean 112.5, deviation sqrt(15 * 15 * 31 / 12) = 24.109;
    # z = (112.5 - 0.5) / 24.109 = 4.6455, p = 3.39e-6.
    low = np.arange(15.0)
    assert rank_sum_p(low, low + 100) == pytest.approx(3.39e-6, rel=0.01)


@pytest.fixture(scope="module")
def maps(tmp_path_factory):
    folder = tmp_path_factory.mktemp("experiments")
    opened = []
    for mode, level in (("explore", 0.5), ("exploit", 1.0)):
        for seed in (1, 2, 3):
            path = folder / f"{mode}-{seed}" / "map.h5"
            path.parent.mkdir()
            synthetic.write_map(path, mode=mode, seed=seed, level=level, elites=10 * seed)
            opened.append(mees.Map(path))
    yield opened
    for each in opened:
        each.close()


def test_experiments_are_groups_of_seeds(maps):
    comparison = Comparison(maps)
    assert [row[1] for row in comparison.rows()] == ["3", "3"]
    filled = sorted(len(each) for each in maps[:3])
    assert comparison.rows()[0][4] == spread(filled)
    assert {test[2] for test in comparison.tests()} == {"best fitness", "filled cells", "QD score"}
    for *_, p, corrected in comparison.tests():
        assert p <= corrected <= 1


def test_scores_have_one_offset(maps):
    comparison = Comparison(maps)
    assert comparison.offset == min(each.qd_offset for each in maps)
    expected = [float(np.sum(each.fitness - comparison.offset)) for each in maps[:3]]
    assert comparison.values(maps[:3], "QD score") == expected


def test_report_contains_the_comparison(maps, tmp_path):
    out = tmp_path / "report.html"
    assert report.main([*(str(each.path.parent) for each in maps), "-o", str(out)]) == 0
    page = out.read_text()
    assert "comparison</h2>" in page and "Mann-Whitney" in page
    assert Comparison(maps).rows()[0][4] in page
    single = tmp_path / "single.html"
    assert report.main([str(maps[0].path.parent), "-o", str(single)]) == 0
    assert "comparison</h2>" not in single.read_text()
