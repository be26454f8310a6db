"""The history of a run, one row per generation, from map.h5 or metrics.csv."""

from __future__ import annotations

import csv
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Optional

import numpy as np

from .errors import FileError, optional_import
from .files import read_text
from .origin import Origin, parse_sections

LARGEST_TABLE = 1 << 30  # bytes
LARGEST_CONFIGURATION = 1 << 24

MODES = {0: "exploit", 1: "explore", 2: "other"}


@dataclass(frozen=True, repr=False)
class History:
    """Columns of equal length by name, as in /history, the run they come from, and the offset of
    qd_score if it is known."""

    columns: dict
    origin: Origin
    source: str
    qd_offset: Optional[float] = None

    def __getitem__(self, name) -> np.ndarray:
        try:
            return self.columns[name]
        except KeyError:
            raise FileError(
                f"no history column {name!r} in {self.source}",
                f"known columns: {', '.join(self.columns) or 'none'}",
                "Choose one of these.",
            ) from None

    def __contains__(self, name):
        return name in self.columns

    def __len__(self):
        return len(next(iter(self.columns.values()), ()))

    def __repr__(self):
        return (
            f"History({self.source!r}: {self.origin.robot}, {self.origin.label}, "
            f"{len(self)} rows of {', '.join(self.columns)})"
        )

    def with_qd_offset(self, offset) -> History:
        """The same with QD scores of another offset: each filled cell counts fitness - offset."""
        if self.qd_offset is None or offset == self.qd_offset or "qd_score" not in self:
            return self
        score = self["qd_score"] + self["coverage"] * (self.qd_offset - offset)
        columns = {**self.columns, "qd_score": score}
        if "qd_offset" in columns:
            columns["qd_offset"] = np.full(len(score), float(offset))
        return replace(self, columns=columns, qd_offset=float(offset))

    def frame(self):
        """A pandas DataFrame with one row per generation."""
        return optional_import("pandas", "History.frame()").DataFrame(dict(self.columns))


def read_csv_columns(path, complete_lines=False) -> dict:
    """A CSV file's columns: numbers as float64, anything else as strings.

    With `complete_lines`, a last line that does not end is left out: it is still being written.
    """
    text = read_text(path, LARGEST_TABLE)
    lines = (text[: text.rfind("\n") + 1] if complete_lines else text).splitlines()
    try:
        rows = list(csv.reader(line for line in lines if not line.startswith("#")))
    except csv.Error as error:
        raise FileError(f"cannot read {path}", str(error), "Check the path.") from error
    if not rows:
        raise FileError(f"no table in {path}", "it is empty", "Pass a CSV file with a header.")
    header, body = rows[0], [row for row in rows[1:] if len(row) == len(rows[0])]
    return {name: _numbers_or_text([row[i] for row in body]) for i, name in enumerate(header)}


def read_metrics(path) -> History:
    """The history in a metrics.csv; config.toml in the same folder describes the experiment."""
    path = Path(path)
    columns = read_csv_columns(path)
    if "generation" not in columns:
        raise FileError(
            f"{path} is not a metrics.csv", "no column generation", "Pass a metrics.csv."
        )
    if "mode" in columns and columns["mode"].dtype.kind == "U":
        codes = {name: code for code, name in MODES.items()}
        columns["mode"] = np.array([codes.get(name, 2) for name in columns["mode"]])
    offset = columns["qd_offset"][-1] if len(columns.get("qd_offset", ())) else None
    return History(columns, origin_in_folder_of(path), str(path), offset)


def origin_in_folder_of(path) -> Origin:
    """The experiment that config.toml in the same folder describes; unknown if there is none."""
    config = Path(path).parent / "config.toml"
    if not config.exists():
        return Origin("unknown", Path(path).parent.name or "unknown", 0)
    settings = parse_sections(read_text(config, LARGEST_CONFIGURATION), config)
    try:
        return Origin(
            str(settings.get("domain", {}).get("name", "unknown")),
            str(settings.get("algorithm", {}).get("name", "unknown")),
            int(settings.get("run", {}).get("seed", 0)),
            settings,
        )
    except (AttributeError, TypeError, ValueError) as error:
        raise FileError(f"invalid configuration in {config}", str(error)) from error


def common_rows(histories, column, x="generation"):
    """(x, values[run][row]) on the rows that every run has, for means over seeds.

    The rows are those of the shortest run; other runs are interpolated there (exactly where their
    x values coincide, as generations do).
    """
    shortest = min(histories, key=lambda history: history[x][-1] if len(history) else -np.inf)
    at = np.asarray(shortest[x], dtype=np.float64)
    rows = [np.interp(at, history[x], history[column]) for history in histories]
    return at, np.array(rows)


def _numbers_or_text(values):
    try:
        return np.array([float(value) for value in values])
    except ValueError:
        return np.array(values)
