"""Reset-free navigation as written by mees_navigate: nav.h5.

python -m mees.navigation NAV.h5 prints actions per target with and without learning, per damage.
The nav.csv next to it has all that is needed, too. With --errors: how far from the predicted place
the actions ended.
"""

from __future__ import annotations

import csv
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
CSV_INTEGERS = ("target", "actions", "reached", "collisions")
FLAGS = ("learning", "reached", "collision")
NUMBERS = ("x", "y", "heading_cos", "heading_sin", "predicted_x", "predicted_y")


class Results:
    """Actions per target of the walks in one nav.csv.

    `damage`, `seed` and `learning` have an entry per walk. `results` is a dictionary of columns;
    its column `walk` is the index of the walk. `max_actions` is what a target that was not reached
    counts as; nav.csv does not have it.
    """

    def __init__(self, path, max_actions=100):
        self.path = Path(path)
        self.max_actions = max_actions
        files.require_file(self.path)
        try:
            with open(self.path, newline="", encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
            columns = {name: np.array([int(row[name]) for row in rows]) for name in CSV_INTEGERS}
            walks = [(row["damage"], int(row["seed"]), row["learning"] == "1") for row in rows]
        except (OSError, ValueError, KeyError, TypeError, csv.Error) as error:
            raise DamagedFileError(
                f"cannot read {self.path}",
                f"it is not a nav.csv of mees_navigate: {error}",
                "Pass a file written by mees_navigate.",
            ) from error
        index = {walk: number for number, walk in enumerate(dict.fromkeys(walks))}
        self.results = {"walk": np.array([index[walk] for walk in walks], int), **columns}
        self.damage = np.array([walk[0] for walk in index], dtype=str)
        self.seed = np.array([walk[1] for walk in index], int)
        self.learning = np.array([walk[2] for walk in index], bool)

    def __len__(self):
        return len(self.damage)

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

    def summary(self) -> str:
        """A line for walks with and without learning: means over all, and targets reached."""
        lines = []
        for learning in (True, False):
            walks = np.flatnonzero(self.learning == learning)
            if not len(walks):
                continue
            chosen = np.isin(self.results["walk"], walks)
            reached = self.results["reached"][chosen] > 0
            counted = np.where(reached, self.results["actions"][chosen], self.max_actions)
            lines.append(
                f"{'learning' if learning else 'no learning'}: {counted.mean():.1f} actions per "
                f"target, {reached.sum()} of {len(reached)} targets reached"
            )
        return "\n".join(lines) + "\n"


class Navigation(Results):
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
        with files.using_attributes(self.path):
            self.arena = tomllib.loads(self.attributes["arena"])
            self.max_actions = int(self.attributes["max_actions"])

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

    def prediction_errors(self) -> tuple:
        """(errors, tried), an entry per action: the distance between the predicted and the actual
        place, and whether the walk had tried that elite before."""
        made = self.actions
        errors = np.hypot(made["x"] - made["predicted_x"], made["y"] - made["predicted_y"])
        _, first = np.unique(np.stack([made["walk"], made["cell"]]), axis=1, return_index=True)
        tried = np.ones(len(errors), bool)
        tried[first] = False
        return errors, tried

    def errors_table(self) -> str:
        """CSV: root mean square of the errors, per damage, with and without learning, of elites
        tried before and of others."""
        errors, tried = self.prediction_errors()
        walk = self.actions["walk"]
        lines = ["damage,learning,tried,actions,rms"]
        for damage in self.damages:
            for learning in (True, False):
                rows = ((self.damage == damage) & (self.learning == learning))[walk]
                for before in (True, False):
                    these = errors[rows & (tried == before)]
                    if len(these):
                        rms = np.sqrt(np.mean(these**2))
                        name = f'"{damage}"' if "," in damage else damage
                        lines.append(f"{name},{learning:d},{before:d},{len(these)},{rms:.4f}")
        return "\n".join(lines) + "\n"


class Walk:
    """One walk, control step by control step: the file of mees_navigate --trajectory.

    `action` (-1: the rest before the first), `target`, `x`, `y`, `heading_cos` and `heading_sin`
    have an entry per control step, `qpos` a row. `damage`, `seed` and `learning` say which walk it
    is.
    """

    def __init__(self, path):
        self.path = Path(path)
        with files.open_file(self.path, "mees-walk") as file:
            with files.reading(self.path):
                self.attributes = files.read_attributes(file)
            for name in ("action", "target"):
                setattr(self, name, files.read(file, self.path, f"/{name}", np.int64, (None,)))
            steps = (len(self.action),)
            for name in ("x", "y", "heading_cos", "heading_sin"):
                setattr(self, name, files.read(file, self.path, f"/{name}", np.float64, steps))
            self.qpos = files.read(file, self.path, "/qpos", np.float64, (*steps, None))
        with files.using_attributes(self.path):
            self.damage = self.attributes["damage"]
            self.seed = int(self.attributes["walk_seed"])
            self.learning = bool(self.attributes["learning"])
            self.seconds_per_step = float(self.attributes["seconds_per_step"])


def _mean_and_error(values):
    if not len(values):
        return "-"
    error = np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else 0.0
    return f"{values.mean():.1f} ± {error:.1f}"


def main(arguments=None) -> int:
    parser = make_parser("mees.navigation", __doc__)
    parser.add_argument("file", metavar="NAV.h5", help="results of mees_navigate, or their nav.csv")
    parser.add_argument(
        "--max-actions",
        type=int,
        default=100,
        help="of a nav.csv: what a target that was not reached counts as (default: 100)",
    )
    parser.add_argument(
        "--errors",
        action="store_true",
        help="print the errors of predicted places, as CSV; needs the nav.h5",
    )
    options = parser.parse_args(arguments)

    def show():
        if options.errors:
            print(Navigation(options.file).errors_table(), end="")
            return
        csv_file = Path(options.file).suffix == ".csv"
        found = Results(options.file, options.max_actions) if csv_file else Navigation(options.file)
        print(found.table() + "\n" + found.summary())

    return write_output("mees.navigation", None, show)


if __name__ == "__main__":
    sys.exit(main())
