"""Reset-free navigation as written by mees_navigate: nav.h5.

python -m mees.navigation NAV.h5 prints actions per target with and without learning, per damage.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from . import files
from .command_line import make_parser, write_output
from .comparison import rank_sum_p
from .errors import DamagedFileError, FileError
from .origin import tomllib

INTEGERS = {
    "walks": ("seed", "learning", "actions"),
    "results": ("walk", "target", "actions", "reached", "collisions"),
    "actions": ("walk", "target", "cell", "collision"),
}
FLAGS = ("learning", "reached", "collision")
NUMBERS = ("x", "y", "heading_cos", "heading_sin", "predicted_x", "predicted_y")


class Navigation:
    """The walks of one nav.h5.

    `damage`, `seed` and `learning` have an entry per walk. `results` and `actions` are dictionaries
    of columns; their column `walk` is the index of the walk. `targets` is n x 2, `arena` the
    arena's description as nested dictionaries. Everything is read at once; no file is kept open.
    """

    def __init__(self, path):
        self.path = Path(path)
        with files.open_file(self.path, "mees-navigation") as file:
            with files.reading(self.path):
                self.attributes = files.read_attributes(file)
                names = files.dataset(file, self.path, "/walks/damage")
                self.damage = np.array(files.decode(names[...]), dtype=str).reshape(-1)
            walks = self._table(file, "walks")
            self.seed, self.learning = walks["seed"], walks["learning"].astype(bool)
            self.results, self.actions = self._table(file, "results"), self._table(file, "actions")
            self.targets = np.stack([self._column(file, f"/targets/{axis}") for axis in "xy"], 1)
        try:
            self.arena = tomllib.loads(self.attributes["arena"])
            self.max_actions = int(self.attributes["max_actions"])
        except (KeyError, TypeError, tomllib.TOMLDecodeError) as error:
            raise DamagedFileError(
                f"the root lacks {error} in {self.path}",
                "the file is incomplete",
                "Copy the file again.",
            ) from error

    def __len__(self):
        return len(self.damage)

    def _column(self, file, name):
        return files.read(file, self.path, name, np.float64, (None,))

    def _table(self, file, group):
        columns = {}
        for name in INTEGERS[group]:
            kind = np.uint8 if name in FLAGS else np.int64
            columns[name] = files.read(file, self.path, f"/{group}/{name}", kind, (None,))
        if group == "actions":
            columns.update({name: self._column(file, f"/actions/{name}") for name in NUMBERS})
        return columns

    @property
    def damages(self) -> list:
        """In the order of the command line."""
        return list(dict.fromkeys(self.damage))

    def actions_per_target(self, damage, learning) -> np.ndarray:
        """The mean of each walk, by seed; a target that was not reached counts as max_actions."""
        chosen = np.flatnonzero((self.damage == damage) & (self.learning == learning))
        results = self.results
        counted = np.where(results["reached"] > 0, results["actions"], self.max_actions)
        return np.array([counted[results["walk"] == walk].mean() for walk in chosen])

    def walk(self, damage, seed, learning=True) -> dict:
        """The columns of the actions of one walk."""
        rows = (self.damage == damage) & (self.seed == seed) & (self.learning == learning)
        found = np.flatnonzero(rows)
        if len(found) != 1:
            raise FileError(
                f"no walk with damage {damage}, seed {seed} and learning {learning} in {self.path}",
                f"damages: {', '.join(self.damages)}",
                "Choose one that the file has.",
            )
        chosen = self.actions["walk"] == found[0]
        return {name: column[chosen] for name, column in self.actions.items()}

    def table(self) -> str:
        """A Markdown table: per damage, means over walks and the p of a rank-sum test."""
        lines = [
            "| damage | learning | no learning | ratio | p |",
            "| --- | --- | --- | --- | --- |",
        ]
        for damage in self.damages:
            two = [self.actions_per_target(damage, learning) for learning in (True, False)]
            cells = [_mean_and_error(values) for values in two]
            both = all(len(values) for values in two)
            ratio = f"{two[0].mean() / two[1].mean():.2f}" if both else "-"
            p = f"{rank_sum_p(*two):.3f}" if both else "-"
            lines.append(f"| {damage} | {cells[0]} | {cells[1]} | {ratio} | {p} |")
        return "\n".join(lines) + "\n"


def _mean_and_error(values):
    if not len(values):
        return "-"
    error = np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else 0.0
    return f"{values.mean():.1f} ± {error:.1f}"


def main(arguments=None) -> int:
    parser = make_parser("mees.navigation", __doc__)
    parser.add_argument("file", metavar="NAV.h5", help="results of mees_navigate")
    options = parser.parse_args(arguments)
    return write_output("mees.navigation", None, lambda: print(Navigation(options.file).table()))


if __name__ == "__main__":
    sys.exit(main())
