from dataclasses import dataclass

import numpy as np
import pytest
import synthetic

import mees
from mees.history import common_rows
from mees.origin import Origin, group, repeated

CSV = """\
generation,mode,fitness,best,coverage,qd_offset
0,other,-5.5,-5.5,1,-10
1,exploit,-4.0,-4.0,2,-10
2,explore,-6.0,-4.0,3,-10
"""


def test_history_columns_match_the_file(maze):
    history = maze.history
    assert len(history) == 41
    assert list(history["generation"]) == list(range(41))
    assert "novelty" in history
    assert history.qd_offset == -200
    with pytest.raises(mees.FileError, match="no history column 'wealth'.*best"):
        history["wealth"]


def test_history_as_a_frame(maze):
    pytest.importorskip("pandas")
    frame = maze.history.frame()
    assert len(frame) == 41
    assert frame["best"].is_monotonic_increasing


def test_metrics_csv_with_configuration_in_the_same_folder(tmp_path):
    (tmp_path / "metrics.csv").write_text(CSV)
    (tmp_path / "config.toml").write_text(
        '[run]\nseed = 7\n[domain]\nname = "ant"\n[algorithm]\nname = "me-es"\nmode = "exploit"\n'
    )
    history = mees.open_history(tmp_path)
    assert list(history["best"]) == [-5.5, -4.0, -4.0]
    assert list(history["mode"]) == [2, 0, 1]
    assert history.qd_offset == -10
    assert (history.origin.domain, history.origin.seed) == ("ant", 7)
    assert history.origin.label == "ME-ES exploit"


def test_incomplete_last_line_of_metrics_csv_is_skipped(tmp_path):
    (tmp_path / "metrics.csv").write_text(CSV + "3,explore,-6")
    assert len(mees.open_history(tmp_path / "metrics.csv")) == 3


def test_foreign_csv_files(tmp_path):
    path = tmp_path / "other.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(mees.FileError, match="no column generation"):
        mees.open_history(path)
    path.write_text("")
    with pytest.raises(mees.FileError, match="no table in"):
        mees.open_history(path)


def test_seeds_are_grouped_and_groups_named(seeds):
    groups = group(seeds)
    assert [label for label, _ in groups] == ["ME-ES explore", "ME-ES exploit"]
    assert [len(members) for _, members in groups] == [3, 3]


def test_groups_of_one_algorithm_are_labelled_by_their_differences(tmp_path):
    histories = [
        mees.open_history(synthetic.write_map(tmp_path / f"{size}.h5", population=size))
        for size in (50, 100)
    ]
    assert [label for label, _ in group(histories)] == [
        "ME-ES explore-exploit (population 50)",
        "ME-ES explore-exploit (population 100)",
    ]


def test_runs_of_unequal_length_are_compared_on_common_rows(seeds):
    at, rows = common_rows(seeds[:3], "best")
    assert list(at) == list(range(26))
    assert rows.shape == (3, 26)
    for row, history in zip(rows, seeds[:3]):
        np.testing.assert_array_equal(row, history["best"][:26])


def test_a_history_is_shown_in_one_line(maze):
    shown = repr(maze.history)
    assert "41 rows of best, coverage" in shown and "\n" not in shown and len(shown) < 400


def origin(domain, **settings):
    return Origin(domain, "me-es", 1, {"domain": settings})


def test_custom_robots_are_called_by_their_model():
    assert origin("mjcf", model="/home/me/robots/hexapod.xml").robot == "hexapod"
    assert origin("mjcf", model="menagerie/unitree_go1/scene.xml").robot == "unitree_go1"
    assert origin("mjcf", model="/a/unitree_go1/xmls/scene.xml").robot == "unitree_go1"
    assert origin("mjcf", model="scene.xml").robot == "scene"
    assert origin("process", command="python3 envs/kitchen.py --fast").robot == "kitchen"
    assert origin("process", command=["/opt/arm/server"]).robot == "server"
    assert origin("ant").robot == "ant"


@dataclass
class Item:
    origin: Origin
    length: int = 1

    def __len__(self):
        return self.length


def test_labels_name_the_robot_and_stay_short():
    items = [
        Item(origin("mjcf", model="hexapod.xml", bc_geoms=[f"foot_{i}" for i in range(20)])),
        Item(origin("mjcf", model="hopper.xml", bc_geoms=["foot"])),
    ]
    assert [label for label, _ in group(items)] == ["hexapod: ME-ES", "hopper: ME-ES"]
    items[1] = Item(origin("mjcf", model="hexapod.xml", bc_geoms=["foot"]))
    labels = [label for label, _ in group(items)]
    assert labels[1] == "ME-ES (bc_geoms [foot])" and len(labels[0]) < 50


def test_a_seed_counts_once():
    items = [
        Item(origin("ant")),
        Item(origin("ant"), 5),
        Item(Origin("ant", "me-es", 2, {"domain": {}})),
    ]
    ((_, members),) = group(items)
    assert members == [items[1], items[2]] and repeated(items) == [items[0]]
    unknown = [Item(Origin("unknown", "runs", 0)) for _ in range(2)]
    assert len(group(unknown)[0][1]) == 2 and repeated(unknown) == []
