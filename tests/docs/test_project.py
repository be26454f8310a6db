"""Files for contributors and readers: workflow, citation, paper, performance history."""

import json
import re

import history
import test_links

ROOT = test_links.ROOT


def version():
    return re.search(r"project\(mees VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


def test_workflow_runs_exactly_the_two_commands():
    text = (ROOT / ".github" / "workflows" / "test.yml").read_text()
    commands = [line for line in re.findall(r"run: (.*)", text) if "mees" in line]
    assert commands == ["./mees test", "./mees lint"]


def test_citation_has_the_version_of_the_project():
    text = (ROOT / "CITATION.cff").read_text()
    assert re.search(r"^version: (.*)$", text, re.MULTILINE)[1] == version()


def test_changelog_is_headed_by_versions():
    headings = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert all(re.fullmatch(r"\d+\.\d+\.\d+, (unreleased|\d{4}-\d\d-\d\d)", each)
               for each in headings), headings
    numbers = [tuple(map(int, each.split(",")[0].split("."))) for each in headings]
    assert numbers == sorted(numbers, reverse=True)
    assert version() in [each.split(",")[0] for each in headings]


def test_paper_cites_what_its_bibliography_has():
    folder = ROOT / "docs" / "paper"
    listed = set(re.findall(r"^@\w+\{(\w+),", (folder / "paper.bib").read_text(), re.MULTILINE))
    cited = set(re.findall(r"@([a-z]+\d{4})", (folder / "paper.md").read_text()))
    assert cited == listed


def test_history_page_matches_its_data():
    page = history.PAGE.read_text()
    assert history.page_of(history.releases(), page) == page
    assert history.FIGURE.exists()


def test_margin_is_above_1_exactly_where_the_goal_is_met():
    rows = [row for release in history.releases().values() for row in release.values()]
    assert len(rows) > 10
    assert all((history.margin(row) >= 1) == row["met"] for row in rows)


def test_a_new_release_is_a_column(tmp_path):
    for name, median in (("0.9.0", 2.0), ("0.10.0", 0.5)):
        row = {"group": "g", "what": "w", "unit": "s", "median": median, "low": 0, "high": 9,
               "goal": 1.0, "goal_is": "<=", "met": median <= 1}
        other = {**row, "what": "no goal", "goal": None}
        (tmp_path / f"{name}.json").write_text(json.dumps([row, other]))
    assert history.table(history.releases(tmp_path)).splitlines() == [
        "| row | goal | 0.9.0 | 0.10.0 |", "| --- | --- | --- | --- |",
        "| g: w | <= 1 | 2 s (missed) | 0.5 s |"]
