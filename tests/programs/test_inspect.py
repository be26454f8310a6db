"""mees_inspect: all subcommands, invalid input."""

import csv
import io
import json
import re
import shutil

import h5py
import numpy as np
import pytest
from harness.maps import ant, maze
from harness.programs import BIN, in_terminal, refused, run

COMMANDS = ["summary", "cells", "heatmap", "history", "export", "verify", "merge", "diff"]


def inspect(*arguments, **options):
    result = run("mees_inspect", *arguments, **options)
    assert result.returncode == 0, result.stderr
    return result.stdout


def newer_version(path):
    shutil.copy(maze(), path)
    with h5py.File(path, "r+") as file:
        file.attrs["format_version"] = np.array([2, 0], dtype=np.int64)
    return path


def test_help_fits():
    text = inspect("--help")
    for command in COMMANDS:
        assert command in text
        text += inspect(command, "--help")
    assert max(map(len, text.splitlines())) <= 100
    assert "MuJoCo" in inspect("--version")


def test_summary():
    text = inspect("summary", maze())
    with h5py.File(maze()) as file:
        fitness = file["map/fitness"][:]
        best = file["map/cell"][np.argmax(fitness)]
        assert f"{len(fitness)} ({len(fitness):.2f} %)" in text
        assert f"in cell {best}" in text
    for word in ("me-es on point_maze", "seed 1", "generation  20 of 20", "offset -10.8",
                 "top cells",
                 "wall time", "exploit", "explore", "workers: physics", "x, y in -5..5"):
        assert word in text, text


def test_cells_as_csv_is_exact():
    rows = list(csv.DictReader(io.StringIO(inspect("cells", maze(), "--csv"))))
    with h5py.File(maze()) as file:
        for name in ("cell", "fitness", "fitness_std", "novelty", "generation", "parent_cell"):
            assert [float(row[name]) for row in rows] == list(file["map"][name])
        for axis, name in enumerate("xy"):
            assert [float(row[name]) for row in rows] == list(file["map/bc"][:, axis])
            assert [int(row[f"bin_{name}"]) for row in rows] == list(file["map/bins"][:, axis])


def test_cells_sorted_filtered_and_cut():
    rows = json.loads(inspect("cells", maze(), "--json"))
    middle = sorted(row["fitness"] for row in rows)[len(rows) // 2]
    chosen = json.loads(inspect("cells", maze(), "--json", "--sort", "fitness", "--filter",
                                f"fitness>={middle}", "--filter", "x != 99", "--limit", 3,
                                "--columns", "cell,fitness"))
    expected = sorted((row for row in rows if row["fitness"] >= middle),
                      key=lambda row: -row["fitness"])[:3]
    assert chosen == [{"cell": row["cell"], "fitness": row["fitness"]} for row in expected]
    rising = json.loads(inspect("cells", maze(), "--json", "--sort", "fitness:asc"))
    assert [row["fitness"] for row in rising] == sorted(row["fitness"] for row in rows)
    falling = json.loads(inspect("cells", maze(), "--json", "--sort", "-x"))
    assert [row["x"] for row in falling] == sorted((row["x"] for row in rows), reverse=True)
    assert json.loads(inspect("cells", maze(), "--json", "--filter", "cell<0")) == []
    text = inspect("cells", maze()).splitlines()
    assert text[0].split() == ["cell", "fitness", "fitness_std", "x", "y", "novelty", "generation",
                               "parent_cell"]
    assert len(text) == 1 + len(rows)


@pytest.mark.parametrize("arguments, words", [
    (["cells", "--sort", "speed"], ["speed", "fitness_std"]),
    (["cells", "--sort", "fitness:up"], ["up", "asc"]),
    (["cells", "--filter", "fitness"], ["fitness", "<="]),
    (["cells", "--filter", "fitness>high"], ["fitness>high"]),
    (["cells", "--columns", "cell,speed"], ["speed"]),
    (["cells", "--csv", "--json"], []),
    (["heatmap", "--axes", "x,z"], ["z", "x, y"]),
    (["heatmap", "--axes", "x"], ["two"]),
    (["heatmap", "--axes", "1,1"], ["two"]),
    (["heatmap", "--others", "nested"], ["two axes"]),
    (["history", "--columns", "speed"], ["speed", "qd_score"]),
    (["export", "--cell", "first", "--out", "a.npz"], ["first", "nearest:x,y"]),
    (["export", "--cell", "nearest:1", "--out", "a.npz"], ["2 numbers"]),
    (["export", "--cell", "nearest:1,b", "--out", "a.npz"], ["nearest"]),
    (["export", "--cell", "all", "--out", "a.npz"], ["folder"]),
])
def test_invalid_arguments(arguments, words):
    result = run("mees_inspect", arguments[0], maze(), *arguments[1:])
    refused(result, "mees_inspect", 2, *words)


def test_bad_files(tmp_path):
    (tmp_path / "text.h5").write_text("no map")
    for name, layout in (("other.h5", "latest"), ("old.h5", "earliest")):
        with h5py.File(tmp_path / name, "w", libver=layout) as file:
            file["data"] = [1, 2, 3]
    newer_version(tmp_path / "newer.h5")
    for command in ("summary", "cells", "heatmap", "history"):
        for name, word in (("none.h5", "none.h5"), ("text.h5", "text.h5"),
                           ("other.h5", "filetype"), ("old.h5", "checksums"), ("newer.h5", "2.0")):
            refused(run("mees_inspect", command, tmp_path / name), "mees_inspect", 3, word)


def test_heatmap_is_plain_when_piped():
    text = inspect("heatmap", maze())
    assert text.isascii() and "\x1b" not in text
    picture = [line.split("|")[1] for line in text.splitlines() if line.count("|") == 2]
    with h5py.File(maze()) as file:
        filled = {(int(x), int(y)) for x, y in file["map/bins"]}
    height, width = len(picture) // 10, len(picture[0]) // 10
    seen = {(x, y) for x in range(10) for y in range(10)
            if picture[(9 - y) * height][x * width] != " "}
    assert seen == filled
    assert "\x1b[38;5;" in inspect("heatmap", maze(), "--colour", "always")


def test_heatmap_of_other_axes():
    best = inspect("heatmap", ant(), "--axes", "contact_leg_2,3")
    assert "leg_2" in best and "leg_4" in best
    assert "the best over contact_leg_1, contact_leg_3" in best
    assert "the mean over" in inspect("heatmap", ant(), "--others", "mean", "--value", "novelty")


def test_nested_heatmap_shows_every_cell():
    text = inspect("heatmap", ant(), "--others", "nested", "--axes", "0,1")
    lines = [line.split("|", 1)[1].rstrip("|") for line in text.splitlines()
             if line.count("|") == 11]
    rows = [line.split("|") for line in lines]
    assert len(rows) == 100 and all(len(row) == 10 for row in rows)
    seen = set()
    for number, row in enumerate(rows):
        y, outer_y = (99 - number) % 10, (99 - number) // 10
        for outer_x, block in enumerate(row):
            seen |= {(x, y, outer_x, outer_y) for x in range(10) if block[2 * x] != " "}
    with h5py.File(ant()) as file:
        assert seen == {tuple(int(b) for b in bins) for bins in file["map/bins"]}
    assert text.splitlines()[-2:] == ["to the right: leg_1 within each leg_3",
                                      "upwards: leg_2 within each leg_4"]


def test_history(tmp_path):
    text = inspect("history", maze())
    assert text.isascii() and "best" in text
    assert "qd_score (sum of fitness - offset; offset -10.8)" in text
    assert text.count("*") > 30 and "20" in text
    assert "coverage (filled cells of 100), now " in text
    assert [line.split() for line in text.splitlines()].count(["0", "generation", "20"]) == 3
    other = inspect("history", maze(), "--columns", "novelty,seconds", "--against", "steps")
    assert "novelty (of the generation's controller), now " in other
    assert "seconds (wall time since the start), now " in other
    assert other.count("steps (control steps since the start)") == 2
    refused(run("mees_inspect", "history", maze(), "--columns", "luck"), "mees_inspect", 2,
            "Use one of seconds, best, coverage")
    assert inspect("history", maze(), "--csv") == (maze().parent / "metrics.csv").read_text()


def test_verify_and_diff(tmp_path):
    assert "intact" in inspect("verify", maze())
    broken = tmp_path / "broken.h5"
    shutil.copy(maze(), broken)
    with open(broken, "r+b") as file:
        file.seek(broken.stat().st_size // 2)
        file.write(b"\xff" * 64)
    assert run("mees_inspect", "verify", broken).returncode == 3
    assert run("mees_inspect", "diff", maze(), ant()).returncode == 1
    inspect("diff", maze(), maze())


def test_export_npz(tmp_path):
    inspect("export", maze(), "--cell", "all", "--out", tmp_path / "all")
    with h5py.File(maze()) as file:
        cells, parameters = file["map/cell"][:], file["map/parameters"][:]
        assert len(list((tmp_path / "all").iterdir())) == 2 * len(cells)
        for row, cell in enumerate(cells):
            arrays = np.load(tmp_path / "all" / f"cell_{cell:06}.npz")
            flat = np.concatenate([arrays[f"{kind}_{layer}"].ravel() for layer in (1, 2)
                                   for kind in ("weights", "biases")])
            assert np.array_equal(flat, parameters[row]) and flat.dtype == np.float32
            assert arrays["weights_1"].shape == (4, 8)
            assert np.array_equal(arrays["observation_std"], file["map/observation_std"][row])
            assert arrays["cell"] == cell and arrays["fitness"] == file["map/fitness"][row]
    refused(run("mees_inspect", "export", maze(), "--cell", "all", "--out", tmp_path / "all"),
            "mees_inspect", 3, "exists")


def test_export_names_cells(tmp_path):
    with h5py.File(maze()) as file:
        cells, bc = file["map/cell"][:], file["map/bc"][:]
        best = cells[np.argmax(file["map/fitness"][:])]
    inspect("export", maze(), "--cell", "best", "--out", tmp_path / "best.npz")
    assert np.load(tmp_path / "best.npz")["cell"] == best
    inspect("export", maze(), "--cell", "nearest:-4,4", "--out", tmp_path / "near.npz")
    near = cells[np.argmin(np.sum((bc - [-4, 4]) ** 2, axis=1))]
    assert np.load(tmp_path / "near.npz")["cell"] == near
    empty = next(cell for cell in range(100) if cell not in cells)
    centre = np.array([empty // 10 - 4.5, empty % 10 - 4.5])
    nearest = cells[np.argsort(np.sum((bc - centre) ** 2, axis=1), kind="stable")][:5]
    refused(run("mees_inspect", "export", maze(), "--cell", empty, "--out", tmp_path / "x.npz"),
            "mees_inspect", 3, "is empty", ", ".join(map(str, nearest)))
    refused(run("mees_inspect", "export", maze(), "--cell", 100, "--out", tmp_path / "x.npz"),
            "mees_inspect", 3, "0 to 99")
    assert not (tmp_path / "x.npz").exists()


def test_a_run_folder_stands_for_its_map():
    folder = maze().parent
    for command in (["summary"], ["cells"], ["heatmap"], ["history"]):
        assert inspect(*command, folder).replace("map.h5", "") == \
            inspect(*command, maze()).replace("map.h5", "")
    assert inspect("verify", folder).startswith(inspect("verify", maze()))  # then map.prev.h5
    inspect("diff", folder, maze())
    refused(run("mees_inspect", "summary", folder.parent), "mees_inspect", 3, "folder")


def test_qd_offset_of_summary_and_history():
    with h5py.File(maze()) as file:
        fitness = file["map/fitness"][:]
        old, coverage = file["history/qd_score"][:], file["history/coverage"][:]
        before = file["map"].attrs["qd_offset"]
    text = inspect("summary", maze(), "--qd-offset", -20)
    score = float(re.search(r"QD score +(\S+) \(offset -20\)", text)[1])
    assert score == pytest.approx(np.sum(fitness + 20), rel=1e-4)
    rows = inspect("history", maze(), "--qd-offset", -20, "--csv").splitlines()
    names = rows[0].split(",")
    scores = [float(row.split(",")[names.index("qd_score")]) for row in rows[1:]]
    np.testing.assert_allclose(scores, old + coverage * (before + 20))
    assert {row.split(",")[names.index("qd_offset")] for row in rows[1:]} == {"-20"}


@pytest.mark.parametrize("command", [["summary"], ["cells"], ["heatmap"], ["history"],
                                     ["cells", "--sort", "fitness", "--limit", "5"]])
def test_output_fits_a_terminal_of_80_columns(command):
    text = in_terminal([BIN / "mees_inspect", command[0], ant(), *command[1:]], rows=24, columns=80)
    lines = re.sub(r"\x1b\[[0-9;]*[mK]", "", text).splitlines()
    assert len(lines) > 3 and max(map(len, lines)) <= 80, lines
    if command in (["heatmap"], ["summary"]):
        assert len(lines) <= 23, lines
    if command == ["summary"]:
        assert re.search(r"top cells +cell +fitness +\+- +generation +leg_1 +leg_2 +leg_3 +leg_4\n",
                         text)
    if command == ["cells"]:
        assert "not shown: " in text
        assert lines[0].split()[:7] == ["cell", "fitness", "fitness_std", "leg_1", "leg_2", "leg_3",
                                        "leg_4"]
