"""Judging controllers at full length: the best of a run by mees_replay, whose output is kept as it
is, and a map by mees_evaluate."""

from __future__ import annotations

import numpy as np

from ..errors import FileError, optional_import

STEPS = 1000
FULL_LENGTH = (f"domain.episode_steps={STEPS}", "domain.integrator=rk4")  # the paper's conditions
EPISODES = 100
JUDGED = "judged.txt"
MAP_EPISODES = 10  # of each elite
FULL_MAP = "full.h5"
EVALUATED = "evaluated.h5"  # the map in new episodes of the run's own conditions
REEVALUATED = "evaluated.csv"  # its elites


def is_newer(file, source) -> bool:
    """Whether both exist and the file was written after its source."""
    try:
        return file.stat().st_mtime_ns >= source.stat().st_mtime_ns
    except OSError:
        return False


def text_of(path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"cannot read {path}", str(error), "Check the path.") from error


def write_reevaluated(source, target):
    """Writes what mees_evaluate found about each elite as a table."""
    h5py = optional_import("h5py", "a study")
    columns = ("stored_cell", "cell", "stored_fitness", "fitness", "kept")
    try:
        with h5py.File(source, "r") as file:
            values = [file[f"evaluation/{name}"][...].tolist() for name in columns]
    except (OSError, KeyError) as error:
        raise FileError(f"cannot read {source}", str(error), "Remove it.") from error
    rows = [",".join(map(repr, row)) for row in zip(*values)]
    part = target.with_name(f".{target.name}.part")
    part.write_text("\n".join([",".join(columns), *rows]) + "\n", encoding="utf-8")
    part.replace(target)


def fitness_in(text, source) -> np.ndarray:
    """The fitness of each episode in the table that mees_replay prints."""
    lines = [line.split() for line in text.splitlines()]
    head = next((i for i, words in enumerate(lines) if words[:2] == ["episode", "fitness"]), None)
    try:
        return np.array([float(words[1]) for words in lines[head + 1 :] if words[0].isdigit()])
    except (TypeError, IndexError, ValueError) as error:
        raise FileError(
            f"invalid {source}", "it is not the output of mees_replay", "Remove it."
        ) from error
