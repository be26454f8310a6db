"""docs/navigation.md: its tables and figures are those of the files in docs/navigation."""

import csv
import re
import sys

import numpy as np
import tomllib
from harness.programs import ROOT

sys.path.insert(0, str(ROOT / "python"))
from mees import navigation  # noqa: E402
from mees.comparison import rank_sum_p  # noqa: E402

FOLDER = ROOT / "docs" / "navigation"
PAGE = (ROOT / "docs" / "navigation.md").read_text()
DATA = FOLDER / "nav.csv"
NUMBERS = {"all twelve": 12, "eleven": 11, "seven": 7}
AUTHORS = "s2 = 0.5, l = 0.5, no e2 (authors)"
DEFAULT = "s2 = 0.25, l = 0.4, e2 = 0.1 (default)"
KERNELS = [(AUTHORS, "1", "authors_k1"), (AUTHORS, "0", "authors_k0"),
           (DEFAULT, "1", "default_k1"), (DEFAULT, "0.2", "default_k02"),
           (DEFAULT, "0 (default)", "nav")]
ERRORS = [("the map (no learning)", "nav", "0"), ("authors' kernel", "authors_k1", "1"),
          ("default kernel", "nav", "1")]


def kept(name):
    """The table between the page's two comments."""
    return PAGE.split(f"<!-- {name} -->\n")[1].split("<!-- end -->")[0]


def test_page_matches_data():
    table = navigation.Results(DATA).table()
    assert kept("measured") == table, f"python3 -m mees.navigation {DATA} prints\n{table}"


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


def counts(results, others, learning):
    """Of how many damages the walks have significantly fewer, and more, actions than `others`."""
    fewer = more = 0
    for damage in others.damages:
        two = results.actions_per_target(damage, True), others.actions_per_target(damage, learning)
        if rank_sum_p(*two) < 0.05:
            fewer += two[0].mean() < two[1].mean()
            more += two[0].mean() > two[1].mean()
    return fewer, more


def test_the_table_of_kernels_matches_data():
    defaults = navigation.Results(DATA)
    lines = ["| kernel | k | actions per target | fewer than without learning "
             "| fewer than with the defaults | more |", "| --- | --- | --- | --- | --- | --- |"]
    for kernel, curiosity, name in KERNELS:
        results = navigation.Results(FOLDER / f"{name}.csv")
        assert results.damages == defaults.damages
        mean = np.mean([results.actions_per_target(damage, True) for damage in results.damages])
        gains, _ = counts(results, defaults, False)
        fewer, more = counts(results, defaults, True) if name != "nav" else ("", "")
        lines.append(f"| {kernel} | {curiosity} | {mean:.1f} | {gains} | {fewer} | {more} |")
        if name == "authors_k1":
            found = re.search(r"With the authors' kernel learning gains in (\w+) damages instead "
                              r"of (\w+)\.", PAGE)
            most, _ = counts(defaults, defaults, False)
            assert (NUMBERS[found[1]], NUMBERS[found[2]]) == (gains, most)
    table = "\n".join(lines) + "\n"
    assert kept("kernels") == table, table


def test_the_table_of_errors_matches_data():
    lines = ["| prediction | elites tried before in the walk | actions | other elites | actions |",
             "| --- | --- | --- | --- | --- |"]
    for label, name, learning in ERRORS:
        with open(FOLDER / f"{name}.errors.csv", newline="") as file:
            rows = [row for row in csv.DictReader(file) if row["learning"] == learning]
        assert len({row["damage"] for row in rows}) == 12
        cells = []
        for tried in "10":
            chosen = [row for row in rows if row["tried"] == tried]
            count = np.array([int(row["actions"]) for row in chosen])
            squares = np.array([float(row["rms"])**2 for row in chosen])
            rms = np.sqrt(np.sum(count * squares) / count.sum())
            cells += [f"{rms:.2f} m", f"{count.sum():,}"]
        lines.append(f"| {label} | {' | '.join(cells)} |")
    table = "\n".join(lines) + "\n"
    assert kept("errors") == table, table


def test_errors_are_of_the_same_walks():
    for name in ("nav", "authors_k1"):
        with open(FOLDER / f"{name}.errors.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        with open(FOLDER / f"{name}.csv", newline="") as file:
            walked = list(csv.DictReader(file))
        for damage in {row["damage"] for row in walked}:
            for learning in {row["learning"] for row in walked}:
                totals = [sum(int(row["actions"]) for row in each if row["damage"] == damage
                              and row["learning"] == learning) for each in (rows, walked)]
                assert totals[0] == totals[1], (name, damage, learning)


def test_the_versions_are_kept():
    versions = tomllib.loads((FOLDER / "versions.txt").read_text())
    assert re.fullmatch("[0-9a-f]{64}", versions["map_sha256"])
    assert re.fullmatch("[0-9a-f]{12}", versions["git_commit"])
    assert re.fullmatch(r"\d+\.\d+\.\d+", versions["mees_version"])
