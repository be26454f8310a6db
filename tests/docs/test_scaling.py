"""docs/scaling.md: its tables match the measured data, and its model agrees with calculations by
hand."""

import json

import model
import pytest
import scaling

ROWS = json.loads(scaling.DATA.read_text())


def test_page_matches_data():
    assert scaling.page_of(ROWS, scaling.PAGE.read_text()) == scaling.PAGE.read_text()
    assert scaling.FIGURE.exists()


def test_other_data_changes_page():
    rows = [{**row, "median": 1.1 * row["median"]} if row["group"] == "episode" else row
            for row in ROWS]
    assert scaling.inputs(rows) not in scaling.PAGE.read_text()


def test_free_messages_give_optimal_schedule():
    lengths = [0.1 + 0.01 * (i * 7 % 10) for i in range(1000)]
    taken = model.simulate(lengths, 50, message=0.0, delay=0.0)
    assert taken - model.LATENCY == pytest.approx(model.bound(lengths, 50), rel=0.02)


def test_bound():
    # Three workers: 3, then 1 + 2, then 1 + 1 + 1.
    assert model.bound([3, 1, 1, 2, 1, 1], 3) == 3


def test_rank_0_can_be_the_bottleneck():
    """100 workers with 1 ms of work each, 10 ms per message: an assignment, a reply and an end
    message each."""
    taken = model.simulate([1e-3] * 100, 100, message=10e-3, delay=0.0)
    assert taken == pytest.approx(300 * 10e-3, rel=0.02)


def test_slightly_more_episodes_than_workers_takes_twice_as_long():
    """10,030 episodes of equal length: 9,999 workers need two rounds, 10,030 one."""
    domain = model.Domain("even", 75_016, seconds=1000.0, sigma=0.0)
    costs = model.costs_from(ROWS)
    two_rounds, one_round = (model.generation(domain, 10_000, workers, costs).efficiency
                             for workers in (10_000, 10_031))
    assert two_rounds == pytest.approx(0.5, abs=0.01)
    assert one_round == pytest.approx(1, abs=0.01)
