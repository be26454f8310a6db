"""README.md: its example runs, its figures are those of the measured data, its names exist."""

import json
import re
import subprocess
import sys

import model
import scaling
from test_links import ROOT

TEXT = (ROOT / "README.md").read_text()
ROWS = json.loads(scaling.DATA.read_text())


def test_example_runs(tmp_path):
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "quickstart").symlink_to(ROOT / "python" / "tests" / "data" / "maze")
    (example,) = re.findall(r"^```python\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    assert len(example.splitlines()) <= 10
    done = subprocess.run([sys.executable, "-c", example], cwd=tmp_path, text=True,
                          env={"PYTHONPATH": str(ROOT / "python")}, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert "Map(" in done.stdout and (tmp_path / "map.png").stat().st_size > 1000


def test_speed_is_that_of_the_model():
    episodes, steps, seconds = re.search(
        r"([\d,]+) episodes x ([\d,]+) steps / ([\d.]+) s", TEXT).groups()
    (ant,) = [domain for domain in model.domains_from(ROWS) if domain.name == "Ant"]
    cell = model.generation(ant, model.PAPER_POPULATION, 512, model.costs_from(ROWS))
    assert float(seconds) == round(cell.seconds, 2)
    millions = float(re.search(r"about ([\d.]+) million Ant control steps", TEXT)[1])
    made = int(episodes.replace(",", "")) * int(steps.replace(",", "")) / cell.seconds
    assert millions == round(made / 1e6, 1)


def test_ratios_are_measured():
    ratios = [row["median"] for row in ROWS
              if re.fullmatch(r"\w+: control steps, over bare mj_step", row["what"])]
    low, high = re.search(r"at ([\d.]+) \(humanoid\) to\s+([\d.]+) times \(Ant\)", TEXT).groups()
    assert (float(low), float(high)) == (round(min(ratios), 2), round(max(ratios), 2))


def test_algorithms_exist():
    reference = (ROOT / "docs" / "configuration.md").read_text()
    known = set(re.search(r"one of (me-es[^|]*?) \|", reference)[1].split(", "))
    table = TEXT.partition("## Algorithms")[2].partition("\n\n[docs")[0]
    named = set(re.findall(r"`([a-z-]+)`", table)) & known
    assert {"me-es", "me-ga", "es"} <= named
    assert set(re.findall(r"`([a-z-]+)`", table)) <= known | {"mees_adapt"}


def test_length():
    """A screen and a half of a repository browser."""
    assert len(TEXT.splitlines()) < 100
