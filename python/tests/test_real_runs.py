"""Reading runs that the programs wrote (tests/data)."""

from pathlib import Path

import numpy as np
import pytest

import mees
from mees import report

DATA = Path(__file__).resolve().parent / "data"


@pytest.fixture(params=["maze", "ant"])
def folder(request):
    return DATA / request.param


def test_map_is_consistent(folder):
    with mees.open_map(folder) as elites:
        np.testing.assert_array_equal(elites.space.cell_of(elites.bc), elites.cell)
        history = elites.history
        assert history["best"][-1] == elites.best.fitness
        assert history["coverage"][-1] == len(elites)
        assert history["qd_score"][-1] == pytest.approx(elites.qd_score)
        assert history["episodes"][-1] == elites.attributes["episodes"]
        assert len(elites.novelty_archive) == len(history)
        actions = elites.policy()(np.zeros(elites.layers[0]))
        assert actions.shape == (elites.layers[-1],) and (np.abs(actions) < 1).all()


def test_configuration_in_the_map_equals_config_toml(folder):
    with mees.open_map(folder) as elites:
        assert elites.attributes["config"] == (folder / "config.toml").read_text()
        assert [elites.layers[1], elites.layers[2]] == elites.settings["policy"]["hidden"]


def test_metrics_csv_contains_the_same_history(folder):
    stored, written = (
        mees.open_history(folder / "map.h5"),
        mees.open_history(folder / "metrics.csv"),
    )
    assert stored.origin.fingerprint == written.origin.fingerprint
    assert stored.qd_offset == written.qd_offset
    for name in stored.columns:
        np.testing.assert_array_equal(stored[name], written[name], err_msg=name)


def test_adapt_csv_contains_the_same_results():
    stored, written = (mees.Adaptation(DATA / "ant" / f"adapt.{end}") for end in ("h5", "csv"))
    assert stored.damages == written.damages == ["J0", "J2,J3"]
    for name in ("damage", "seed", "pre", "pre_se", "post", "post_se", "trials"):
        np.testing.assert_array_equal(getattr(stored, name), getattr(written, name))
    assert (stored.motionless, written.motionless) == (120, 120)
    with mees.open_map(DATA / "ant") as elites:
        for damage in stored.damages:
            for seed in (0, 1):
                assert all(cell in elites for cell in stored.trial_log(damage, seed)["cell"])


def test_a_report_of_real_runs(tmp_path):
    out = tmp_path / "report.html"
    assert report.main([str(DATA / "maze"), str(DATA / "ant"), "-o", str(out)]) == 0
    page = out.read_text(encoding="utf-8")
    assert page.count("data:image/png") == 9
    assert "12 of 100 (12 %)" in page
