"""mees_bench: every group gives plausible rows, the JSON has all of them, failures are reported."""

import functools
import json
import math
import tempfile
from pathlib import Path

import pytest
from harness.programs import run

KEYS = {"group", "what", "unit", "median", "low", "high", "goal", "goal_is", "met"}

# By group: each row's name (or its end), the goal and its direction, as docs/performance.md has
# them.
ROWS = {
    "episode": [(f"{domain}: {what}", goal)
                for domain, least in (("ant", 1.07), ("ant_maze", 1), ("deceptive_humanoid", 0.97))
                for what, goal in (("control steps, over bare mj_step", (">=", least)),
                                   ("policy and observation", None),
                                   ("bare mj_step, one control step", None))]
    + [(f"deceptive_humanoid until it falls: {what}", goal)
       for what, goal in (("control steps, over bare mj_step", (">=", 0.95)), ("untrained", None),
                          ("policy and observation", None),
                          ("bare mj_step, one control step", None))],
    "gradient": [("noise table, one core", None),
                 ("5,000 pairs x 75,016, over one read", ("<=", 1.2)),
                 ("the same on two threads", ("<=", 0.65)), ("two threads that only read", None),
                 ("one read of the 1.5 GB", None),
                 ("the best tenth of the pairs, over all", ("<=", 0.12)),
                 ("one rank's part of 512", None), ("one rank's part of 10,000", None)],
    "novelty": [("10,000 queries, k 10, 1000 entries", ("<=", 10)),
                ("making the tree of 1000 entries", None),
                ("10,000 queries, k 10, 100000 entries", ("<=", 40)),
                ("making the tree of 100000 entries", None)],
    "cvt": [("10000 cells, four dimensions, all cores", ("<=", 2))],
    "process": [("point_maze alone, a control step", None),
                ("overhead in another process", ("<=", 10)),
                ("point_maze alone, a control step, 16 episodes at once", None),
                ("overhead in another process, 16 episodes at once", ("<=", 10))],
    "memory": [(", without the table", ("<=", 60))],
    "startup": [("table filled, first episodes done", ("<=", 6))],
    "checkpoint": [("handing it over", None), ("writing it meanwhile", None),
                   ("stall, share of the cadence", ("<=", 1)),
                   ("file over raw data", ("<=", 1.02)), ("a complete map", None),
                   ("changes of 1 %", None),
                   ("changes of 1 %, share of its time", ("<=", 5)),
                   ("changes of 1 %, share of its bytes", ("<=", 5))],
    "generation": [("update, map and archive of 1,000, one core", ("<=", 0.3)),
                   ("map and archive of 10,000", ("<=", 0.3)),
                   ("growth of a generation on 512 ranks at 10x", ("<=", 1.1)),
                   ("update but for the gradient, 10,000 offspring", None),
                   ("update but for gradient and novelties, 10,000 offspring", None),
                   ("update but for the gradient, 100,000 offspring", None),
                   ("update but for gradient and novelties, 100,000 offspring", None),
                   *((f"novelties, {offspring} offspring, {parameters} parameters", None)
                     for parameters in ("75,528", "166,673")
                     for offspring in ("10,000", "100,000")),
                   ("threads, over bare mj_step", (">=", 1.05)), (", the same", (">=", 1.05))],
    "protocol": [("even episodes: bound over time", (">=", 0.95)), ("master sends batches", None),
                 ("master hands out episodes", None), ("master takes in replies", None),
                 ("master stores results", None), ("master waits", None),
                 ("gradient, on all ranks", None), ("novelties, on all ranks", None),
                 ("rest of the update", None), ("master's processor time", None),
                 ("messages, per 1,000 episodes", None),
                 ("master, per message", None), ("master, per episode", None),
                 ("a batch to all nodes", None),
                 ("uneven episodes: bound over time", (">=", 0.93))],
}
ALONE = ["episode", "gradient", "novelty", "cvt", "process", "memory", "startup", "checkpoint",
         "generation"]


def measured(*arguments, ranks=0):
    """The rows of a run, by group, and what it printed."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rows.json"
        result = run("mees_bench", *arguments, "--quick", "--json", file, "--folder", folder,
                     ranks=ranks)
        assert result.returncode == 0, result.stderr
        assert [path.name
                for path in Path(folder).iterdir()] == ["rows.json"], "nothing is left behind"
        rows = json.loads(file.read_text())
    return {group: [row for row in rows if row["group"] == group] for group in ROWS}, result.stdout


@functools.cache
def measured_alone():
    return measured(*ALONE)


def check(rows, expected, printed):
    assert len(rows) == len(expected), rows
    for row, (name, goal) in zip(rows, expected):
        assert set(row) == KEYS
        assert row["what"].endswith(name)
        assert row["what"] in printed
        assert all(math.isfinite(row[key]) for key in ("low", "median", "high"))
        assert row["low"] <= row["median"] <= row["high"]
        if goal:
            assert (row["goal_is"], row["goal"]) == goal
            better = row["median"] <= goal[1] if goal[0] == "<=" else row["median"] >= goal[1]
            assert row["met"] is better
        else:
            assert row["goal"] is None and row["met"] is True


@pytest.mark.parametrize("group", ALONE)
def test_group(group):
    rows, printed = measured_alone()
    check(rows[group], ROWS[group], printed)
    # Whatever the machine does meanwhile, nothing takes no time, and nothing is far beyond its
    # limit.
    for row in rows[group]:
        assert row["median"] > 0 or row["unit"] == "%" or "making the tree" in row["what"], row
        if row["goal_is"] == ">=" and row["goal"]:
            assert row["median"] < 4, row


def test_ranks_of_a_launcher():
    rows, printed = measured("protocol", ranks=4)
    check(rows["protocol"], ROWS["protocol"], printed)
    assert all(row["what"].startswith("4 ranks, ") for row in rows["protocol"])
    assert printed.count("bound over time") == 2, "rank 0 alone speaks"
    figures = {row["what"].split(": ")[1]: row["median"] for row in rows["protocol"]}
    # The bound takes episodes in their order, which another order may beat a little; the shares are
    # those of a whole.
    assert 0.3 < figures["bound over time"] <= 1.05
    parts = ("master sends batches", "master hands out episodes", "master takes in replies",
             "master stores results", "master waits", "gradient, on all ranks",
             "novelties, on all ranks", "rest of the update")
    assert 99 < sum(figures[part] for part in parts) < 101


def test_short_episodes():
    """They have a goal of their own."""
    rows, printed = measured("protocol", "--seconds", 0.01, ranks=4)
    expected = [(name, (">=", 0.6) if goal else None) for name, goal in ROWS["protocol"]]
    check(rows["protocol"], expected, printed)


def test_goals_are_documented():
    """A goal of a row is in the table of docs/performance.md, in the rows of its group."""
    page = (Path(__file__).parents[2] / "docs/performance.md").read_text()
    for group, rows in ROWS.items():
        text = " ".join(line for line in page.splitlines() if line.startswith(f"| {group} |"))
        for name, goal in rows:
            assert goal is None or f"{goal[0]} {goal[1]:g}" in text, name


def test_ranks_started_by_the_program():
    rows, printed = measured("protocol", "--ranks", 2)
    check(rows["protocol"], ROWS["protocol"], printed)
    assert all(row["what"].startswith("2 ranks, ") for row in rows["protocol"])


@pytest.mark.parametrize("arguments, code, words", [
    (["speed"], 2, ("speed",)),
    (["novelty", "--quickly"], 2, ("--quickly",)),
    (["novelty", "--quick", "--json", "/nowhere/rows.json"], 3,
     ("/nowhere/rows.json", "the folder /nowhere does not exist")),
    (["checkpoint", "--quick", "--folder", "/proc/nowhere"], 3, ("/proc/nowhere", "--folder")),
    (["memory", "--quick", "--launcher", "false"], 1, ("memory on", "failed", "--launcher")),
])
def test_failures_are_reported(arguments, code, words):
    result = run("mees_bench", *arguments)
    assert result.returncode == code, (result.returncode, result.stderr)
    assert result.stderr.count("mees_bench: error: ") == 1
    for word in words:
        assert word in result.stderr


def test_without_a_launcher():
    result = run("mees_bench", "startup", "--launcher", "")
    assert result.returncode == 0
    assert "skipped" in result.stdout and "mpirun -n N mees_bench startup" in result.stdout


def test_help_names_every_group():
    text = run("mees_bench", "--help")
    assert text.returncode == 0
    for word in [*ROWS, "all", "--json", "--quick", "--ranks", "--seconds", "--launcher",
                 "--folder"]:
        assert word in text.stdout
