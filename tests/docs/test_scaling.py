"""docs/scaling.md: its tables match the measured data, and its model agrees with calculations by
hand."""

import dataclasses
import json
import subprocess
from pathlib import Path

import model
import pytest
import scaling

ROWS = json.loads(scaling.DATA.read_text())


def costs(**changes):
    return dataclasses.replace(model.costs_from(ROWS), **changes)


def test_page_matches_data():
    assert scaling.page_of(ROWS, scaling.PAGE.read_text()) == scaling.PAGE.read_text()
    assert scaling.FIGURE.exists()


def test_other_data_changes_page():
    rows = [{**row, "median": 1.1 * row["median"]} if row["group"] == "episode" else row
            for row in ROWS]
    assert scaling.inputs(rows) not in scaling.PAGE.read_text()


def test_all_of_the_protocol_is_on_the_page():
    short = [{**row, "group": scaling.SHORT, "median": row["median"] / 2} for row in ROWS
             if row["what"].startswith("64 ranks, ")]
    lines = [[cell.strip() for cell in line.split("|")[1:4]]
             for line in scaling.protocol(ROWS + short).splitlines()[2:]]
    measured = [row for row in ROWS + short if "episodes: bound over time" in row["what"]]
    assert len(lines) == len(measured) == 10
    assert lines[:3:2] == [["16", "300 ms, even", "0.994"], ["64", "300 ms, even", "0.990"]]
    assert lines[-2:] == [["64", "10 ms, even", "0.495"], ["64", "10 ms, uneven", "0.493"]]


def test_measure(tmp_path, monkeypatch):
    """Short episodes are measured too, and do not change the model's costs."""
    short = [{**row, "median": 2 * row["median"]} for row in ROWS if row["group"] == "protocol"]
    measured = {"mees_bench all --ranks 16,64,256": ROWS,
                "bench_on_nodes.sh 4x128 mees_bench protocol": [],
                "bench_on_nodes.sh 4x64 mees_bench protocol --seconds 0.01": short}
    commands = []

    def bench(command, **_):
        if command[-1] != "--version":
            commands.append(" ".join(Path(word).name for word in command[:-2]))
            command[-1].write_text(json.dumps(measured[commands[-1]]))
        return subprocess.CompletedProcess(command, 0, "mees 9.9 (x)\n")
    monkeypatch.setattr(subprocess, "run", bench)
    monkeypatch.setattr(scaling, "DATA", tmp_path / "measured.json")
    scaling.measure("bin")
    assert commands == list(measured)
    rows = json.loads(scaling.DATA.read_text())
    assert len(rows) == len(ROWS) + len(short)
    assert {row["when"] for row in rows} == {"9.9, idle"}
    assert model.costs_from(rows) == costs()


def test_free_messages_give_optimal_schedule():
    lengths = [0.1 + 0.01 * (i * 7 % 10) for i in range(1000)]
    for nodes in ([50], [10] * 5, [1] * 50):
        taken = model.Dispatch(lengths, nodes, costs(message=0.0, store=0.0)).run()
        assert taken == pytest.approx(model.bound(lengths, 50), rel=0.02)


def test_every_episode_is_run_once():
    dispatch = model.Dispatch([1e-3] * 5000, [63, 64, 64, 5], costs(message=1e-6, store=0.0))
    dispatch.run()
    assert dispatch.done_episodes == 5000


def test_bound():
    # Three workers: 3, then 1 + 2, then 1 + 1 + 1.
    assert model.bound([3, 1, 1, 2, 1, 1], 3) == 3


def test_rank_0_can_be_the_bottleneck():
    """100 nodes of a worker with 1 ms of work each, 10 ms per message: each asks for its episode,
    all but the last ask again and learn that none is left, and all report their results."""
    taken = model.Dispatch([1e-3] * 100, [1] * 100, costs(message=10e-3, store=0.0)).run()
    assert taken == pytest.approx((200 + 198 + 100) * 10e-3, rel=0.01)


def test_storing_occupies_rank_0():
    """One node of ten workers does 1,000 short episodes, whose results take 1 ms each."""
    taken = model.Dispatch([1e-6] * 1000, [10], costs(message=0.0, store=1e-3)).run()
    assert taken == pytest.approx(1.0, rel=0.02)


def test_update_of_other_networks_is_scaled_where_it_was_not_measured():
    """0.1 us per offspring, and 9 ms that do not depend on them."""
    ant = {"update but for gradient and novelties, 10,000 offspring": 0.010,
           "update but for gradient and novelties, 100,000 offspring": 0.019}
    rows = [{**row, "median": ant.get(row["what"], row["median"])} for row in ROWS
            if not row["what"].endswith(" parameters")]
    updates = {(update.parameters, update.offspring): update
               for update in model.updates_from(rows)}
    assert sorted(updates) == [(parameters, count) for parameters in (75_016, 75_528, 166_673)
                               for count in (10_000, 100_000)]
    assert updates[75_016, 10_000].seconds == 0.010 and not updates[75_016, 10_000].scaled
    for count, offspring in ((10_000, 0.001), (100_000, 0.010)):
        humanoid = updates[166_673, count]
        assert humanoid.scaled
        assert humanoid.seconds == pytest.approx(offspring + 0.009 * 166_673 / 75_016)
    lines = [line for line in scaling.inputs(rows).splitlines() if "update" in line]
    assert len(lines) == 6 and sum("scaled linearly" in line for line in lines) == 4
    assert "scaled linearly from 75,016 parameters" in lines[-1] and "166,673" in lines[-1]
    assert not any("scaled" in line for line in lines[:2])


def test_measured_update_of_other_networks_is_used():
    row = next(row for row in ROWS if row["what"].startswith("update but for gradient and nov"))
    what = "update but for gradient and novelties, 10,000 offspring, 166,673 parameters"
    rows = [*ROWS, {**row, "what": what, "median": 0.5, "when": "today"}]
    walking = model.domains_from(rows)[2]
    assert model.generation(walking, 10_000, 512, model.costs_from(rows)).update == 0.5
    assert "| 500 ms | without gradient and novelties | today |" in scaling.inputs(rows)
    # Costs of the Ant are the same.
    assert model.costs_from(rows).novelty == costs().novelty
    assert model.costs_from(rows).update(75_016, 10_000) == costs().update(75_016, 10_000)


def test_slightly_more_episodes_than_workers_takes_twice_as_long():
    """10,030 episodes of equal length: 9,999 workers need two rounds, 10,030 one."""
    domain = model.Domain("even", 75_016, bc=2, seconds=1000.0, sigma=0.0)
    measured = model.costs_from(ROWS)
    two_rounds, one_round = (model.generation(domain, 10_000, workers, measured).efficiency
                             for workers in (10_000, 10_031))
    assert two_rounds == pytest.approx(0.5, abs=0.01)
    assert one_round == pytest.approx(1, abs=0.01)
