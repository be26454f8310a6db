"""docs/navigation.md: its measured table and figures are those of docs/navigation/nav.csv."""

import csv
import re
import sys

import numpy as np
import tomllib
from harness.programs import ROOT

sys.path.insert(0, str(ROOT / "python"))
from mees import navigation  # noqa: E402

FOLDER = ROOT / "docs" / "navigation"
PAGE = (ROOT / "docs" / "navigation.md").read_text()
DATA = FOLDER / "nav.csv"
NUMBERS = {"all twelve": 12, "eleven": 11}


def test_page_matches_data():
    table = navigation.Results(DATA).table()
    kept = PAGE.split("<!-- measured -->\n")[1].split("<!-- end -->")[0]
    assert kept == table, f"python3 -m mees.navigation {DATA} prints\n{table}"


def test_figures_in_the_text_match_data():
    results = navigation.Results(DATA)
    with open(DATA, newline="") as file:
        rows = list(csv.DictReader(file))
    means, missed = {}, {}
    for learning in "10":
        chosen = [row for row in rows if row["learning"] == learning]
        missed[learning] = sum(row["reached"] == "0" for row in chosen)
        means[learning] = np.mean([int(row["actions"]) if row["reached"] == "1" else 100
                                   for row in chosen])
        assert len(chosen) == 1200
    found = re.search(r"Learning needs fewer actions in (all twelve) damages, significantly "
                      r"\(p < 0\.05\) in (eleven): all but J0\. On average it needs (\S+) actions "
                      r"instead of (\S+)\.\nWith learning the robot reaches all 1,200 targets; "
                      r"without it, (\d+) are missed", PAGE)
    assert [f"{means[key]:.1f}" for key in "10"] == [found[3], found[4]]
    assert (missed["1"], missed["0"]) == (0, int(found[5]))
    table = [line.split(" | ") for line in results.table().splitlines()[2:]]
    fewer = [float(row[3]) < 1 for row in table]
    clearly = [row[0].strip("| ") for row in table if float(row[4].strip(" |")) < 0.05]
    assert sum(fewer) == NUMBERS[found[1]]
    assert len(clearly) == NUMBERS[found[2]] and "J0" not in clearly


def test_the_data_are_of_the_kept_course():
    results = navigation.Results(DATA)
    targets = tomllib.loads((FOLDER / "targets.toml").read_text())["targets"]
    assert len(results) == 12 * 5 * 2
    assert sorted(set(results.results["target"])) == list(range(len(targets)))
    arena = tomllib.loads((FOLDER / "arena.toml").read_text())
    assert arena == {"lower": [-6, -6], "upper": [6, 6]}
    for x, y in targets:
        assert abs(x) < 6 and abs(y) < 6
    summary = results.summary().splitlines()
    assert summary[0].startswith("learning: 6.4 actions per target, 1200 of 1200 targets reached")


def test_another_csv_is_refused(tmp_path):
    bad = tmp_path / "bad.csv"
    bad.write_text("damage,seed\nJ0,0\n")
    assert navigation.main([str(bad)]) == 3
    assert navigation.main([str(DATA)]) == 0
