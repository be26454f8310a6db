"""The command lines, run in a subprocess if that matters, otherwise in process."""

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
import synthetic

from mees import plot, report

PYTHON_FOLDER = Path(__file__).resolve().parents[1]
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def runs(tmp_path):
    """A folder of runs: two seeds on point_maze, an Ant run with an adaptation and a video."""
    for seed in (1, 2):
        folder = tmp_path / f"maze-{seed}"
        folder.mkdir()
        synthetic.write_map(folder / "map.h5", seed=seed)
    folder = tmp_path / "ant-1"
    folder.mkdir()
    synthetic.write_map(folder / "map.h5", domain="ant", algorithm="nsra-es", mode="explore")
    synthetic.write_adaptation(folder / "adapt.h5")
    (folder / "best.mp4").write_bytes(b"\0\0\0\x18ftypisom not really a video")
    (folder / "best.gif").write_bytes(b"GIF89a not really either")
    return tmp_path


def run_module(name, *arguments):
    environment = {**os.environ, "PYTHONPATH": str(PYTHON_FOLDER), "MPLBACKEND": "Agg"}
    environment.pop("DISPLAY", None)
    return subprocess.run(
        [sys.executable, "-m", name, *map(str, arguments)],
        capture_output=True,
        text=True,
        env=environment,
        timeout=120,
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ["heatmap", "maze-1"],
        ["heatmap", "ant-1/map.h5", "--axes", "leg_2,3", "--reduce", "mean", "--value", "novelty"],
        ["nested", "ant-1"],
        ["parallel", "ant-1"],
        ["history", "maze-1", "maze-2", "--column", "best,novelty", "--x", "steps"],
        ["nsra", "ant-1"],
        ["recovery", "ant-1", "--motionless", "900"],
        ["gain", "ant-1/adapt.h5"],
    ],
)
def test_every_kind_of_plot(runs, arguments, monkeypatch, capsys):
    monkeypatch.chdir(runs)
    assert plot.main([*arguments, "-o", "out.png"]) == 0
    assert Path("out.png").read_bytes().startswith(PNG)
    assert capsys.readouterr().out == "wrote out.png\n"


def test_plot_from_the_shell_without_a_display(runs):
    out = runs / "shell.pdf"
    done = run_module("mees.plot", "heatmap", runs / "maze-1" / "map.h5", "-o", out)
    assert (done.returncode, done.stderr) == (0, "")
    assert out.read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize(
    ("arguments", "code", "reason"),
    [
        (["heatmap", "absent.h5"], 3, "cannot open absent.h5 (no such file"),
        (
            ["heatmap", "notes.txt"],
            3,
            "notes.txt is not a map (it is not an HDF5 file). Pass a file",
        ),
        (["recovery", "maze-1"], 3, "no adapt.h5 in this folder"),
        (["nsra", "maze-1"], 3, "none of these runs has an NSRA weight"),
        (["history", "maze-1", "--column", "wealth"], 3, "no history column 'wealth'"),
        (
            ["heatmap", "maze-1", "maze-2"],
            2,
            "heatmap shows one map (2 files were given). Pass one file or",
        ),
        (
            ["heatmap", "maze-1", "--axes", "0,7"],
            2,
            "unknown BC axis '7' (known axes: 0 (x), 1 (y))",
        ),
    ],
)
def test_invalid_input(runs, arguments, code, reason, monkeypatch, capsys):
    monkeypatch.chdir(runs)
    Path("notes.txt").write_text("no map")
    assert plot.main([*arguments, "-o", "out.png"]) == code
    said = capsys.readouterr().err
    assert said.startswith("mees.plot: error: ")
    assert reason in said
    assert not Path("out.png").exists()


def test_unknown_kind_or_suffix_is_rejected_before_reading(capsys):
    for arguments in (["pie", "x.h5", "-o", "a.png"], ["heatmap", "x.h5", "-o", "a.jpeg2"]):
        with pytest.raises(SystemExit) as stop:
            plot.main(arguments)
        assert stop.value.code == 2
    assert "must end in .png, .pdf or .svg" in capsys.readouterr().err


class Reader(HTMLParser):
    """Collects what a browser would fetch, and the text of the table."""

    def __init__(self):
        super().__init__()
        self.addresses, self.cells, self.tags, self._in_cell = [], [], [], False

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.addresses += [value for name, value in attributes if name in ("src", "href", "poster")]
        self._in_cell = tag == "td"

    def handle_data(self, data):
        if self._in_cell:
            self.cells.append(data)

    def handle_endtag(self, tag):
        self._in_cell = False


def test_report_is_self_contained(runs):
    out = runs / "report.html"
    done = run_module("mees.report", *sorted(runs.iterdir()), "-o", out)
    assert (done.returncode, done.stderr) == (0, "")
    page = out.read_text(encoding="utf-8")
    reader = Reader()
    reader.feed(page)
    assert all(address.startswith("data:") for address in reader.addresses)
    assert not re.search(r"(https?:)?//[a-z]|@import|url\(", re.sub(r"base64,[^\"]*", "", page))
    images = [a for a in reader.addresses if a.startswith("data:image/png")]
    # maze: 2 curve figures, 2 maps; ant: 2 curve figures, NSRA, nested, parallel, 2 damage figures.
    assert len(images) == 11
    assert sum(a.startswith("data:video/mp4") for a in reader.addresses) == 1
    assert sum(a.startswith("data:image/gif") for a in reader.addresses) == 1
    assert {"maze-1", "maze-2", "ant-1", "NSRA-ES", "ME-ES explore-exploit"} <= set(reader.cells)
    assert "52 of 200 (26 %)" in reader.cells
    assert "8 min 20 s" in reader.cells  # 40 generations of 12.5 s


def test_report_names_robots_and_counts_a_seed_once(runs):
    folder = runs / "maze-again"
    folder.mkdir()
    synthetic.write_map(folder / "map.h5", seed=1)
    out = runs / "report.html"
    done = run_module("mees.report", runs / "maze-1", runs / "maze-2", folder, "-o", out)
    assert (done.returncode, done.stderr) == (0, "")
    page = out.read_text(encoding="utf-8")
    assert "Seeds: ME-ES explore-exploit: 2." in page
    assert page.count("(another run has the same experiment and seed)") == 1
    assert "nowrap" not in page  # the table breaks its lines instead of being cut


def test_a_repeated_run_is_noted(runs, monkeypatch, capsys):
    monkeypatch.chdir(runs)
    assert plot.main(["history", "maze-1", "maze-1", "--qd-offset", "-250", "-o", "out.png"]) == 0
    assert "maze-1/map.h5 is left out (another file" in capsys.readouterr().err


def test_a_missing_package_is_named_in_one_line(tmp_path):
    (tmp_path / "mees").symlink_to(PYTHON_FOLDER / "mees")
    code = (
        "import sys, runpy, importlib.util as util; find = util.find_spec;"
        "util.find_spec = lambda name, *rest: None if name == 'h5py' else find(name, *rest);"
        "sys.argv = ['-m']; runpy.run_module('mees.plot')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        timeout=120,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("mees: error: mees needs the packages h5py and numpy (h5py not ")
    assert done.stderr.count("\n") == 1


def test_report_skips_and_names_invalid_runs(runs, capsys):
    (runs / "notes.txt").write_text("no map")
    (runs / "empty <b>folder").mkdir()
    out = runs / "report.html"
    given = [runs / "notes.txt", runs / "empty <b>folder", runs / "maze-1"]
    assert report.main([*map(str, given), "-o", str(out)]) == 0
    said = capsys.readouterr().err
    assert said.count("mees.report: warning: skipped: no map in ") == 1
    assert said.count("skipped: ") == 2
    assert "empty &lt;b&gt;folder (no map.h5 in this folder)" in out.read_text()


def test_report_without_runs_fails(tmp_path, capsys):
    assert report.main([str(tmp_path), "-o", str(tmp_path / "report.html")]) == 3
    assert "no run to report on" in capsys.readouterr().err
    assert not (tmp_path / "report.html").exists()


def test_large_videos_are_listed_but_not_embedded(runs):
    out = runs / "report.html"
    (runs / "ant-1" / "best.mp4").rename(runs / "maze-1" / "best.mp4")
    assert report.main([str(runs / "maze-1"), "-o", str(out), "--film-megabytes", "0"]) == 0
    page = out.read_text()
    assert "data:video" not in page
    assert "best.mp4 (0 MB) is too large to embed" in page


@pytest.mark.parametrize(
    ("seconds", "shown"), [(4.21, "4.2 s"), (200, "3 min 20 s"), (7500, "2 h 05 min")]
)
def test_durations(seconds, shown):
    assert report.duration(seconds) == shown
