"""What mees_replay prints."""

import numpy as np

from harness.programs import run


def table(text):
    """{label: {column: value}} of the episodes, the mean and the deviation."""
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(" episode"))
    names = lines[start].split()
    rows = (line.split() for line in lines[start + 1:] if line.startswith("  "))
    return {row[0]: dict(zip(names[1:], row[1:])) for row in rows}


def fitness_of(path, cell, episodes, *options):
    """The fitness of the first episodes of an elite."""
    result = run("mees_replay", path, "--cell", cell, "--episodes", episodes, *options)
    assert result.returncode == 0, result.stderr
    rows = table(result.stdout)
    return np.array([float(rows[str(i)]["fitness"]) for i in range(episodes)])
