"""Damage recovery as written by mees_adapt: adapt.h5, or adapt.csv without the single trials."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np

from . import files
from .errors import FileError
from .history import origin_in_folder_of, read_csv_columns
from .map_layout import table
from .origin import Origin, group, parse_sections

NUMBERS = ("seed", "pre", "pre_se", "post", "post_se", "trials")


class Adaptation:
    """The results of one mees_adapt, one row per damage and seed.

    `damage` (strings), `seed`, `pre` and `post` (scores of the old controller, the best of the map,
    and of the recovered one, both in the damaged robot), `pre_se` and `post_se` (their standard
    errors over episodes) and `trials` are arrays of equal length. `intact` and `intact_se` are the
    score of the old controller in the intact robot, as stored in the map; None in an adapt.csv and
    in files of mees 0.1. Everything is read at once; no file is kept open.
    """

    intact = intact_se = None

    def __init__(self, path):
        self.path = Path(path)
        if self.path.suffix == ".csv":
            self._read_csv()
        else:
            self._read_hdf5()

    def __len__(self):
        return len(self.damage)

    @property
    def label(self) -> str:
        return self.origin.label

    @property
    def damages(self) -> list:
        """The damages in the order of the command line."""
        return list(dict.fromkeys(self.damage))

    @property
    def motionless(self):
        """Score of a robot that neither moves nor falls: Ant's alive bonus of 1 per step."""
        if self.origin.domain != "ant":
            return None
        return float(self.origin.settings.get("domain", {}).get("episode_steps", 0) or 1000)

    def trial_log(self, damage, seed) -> dict:
        """The columns cell, predicted, variance, fitness of one adaptation, one row per trial."""
        name = f"/damage/{damage}/seed_{seed}"
        if name not in self._trials:
            raise FileError(
                f"no trials under {name} in {self.path}",
                f"known: {', '.join(self._trials) or 'none'}",
                "Choose one of these.",
            )
        return self._trials[name]

    def _read_hdf5(self):
        with files.open_file(self.path, "mees-adaptation") as file:
            with files.reading(self.path):
                self.attributes = files.read_attributes(file)
            names = files.dataset(file, self.path, "/results/damage")
            with files.reading(self.path):
                self.damage = np.array(files.decode(names[...]), dtype=str).reshape(-1)
            for name in NUMBERS:
                kind = np.int64 if name in ("seed", "trials") else np.float64
                column = files.read(file, self.path, f"/results/{name}", kind, self.damage.shape)
                setattr(self, name, column)
            self._trials = self._read_trials(file)
        with files.using_attributes(self.path):
            settings = parse_sections(self.attributes["config"], self.path)
            self.origin = Origin(
                self.attributes["domain"],
                self.attributes["algorithm"],
                int(self.attributes["seed"]),
                settings,
            )
            if "intact" in self.attributes:
                for name in ("intact", "intact_se"):
                    setattr(self, name, np.full(len(self.damage), float(self.attributes[name])))

    def _read_trials(self, file):
        trials = {}
        for damage, seed in zip(self.damage, self.seed):
            name = f"/damage/{damage}/seed_{seed}"
            with files.reading(self.path):
                exists = isinstance(files.member(file, name), h5py.Group)
            if exists:
                trials[name] = table(file, self.path, name)
        return trials

    def _read_csv(self):
        columns = read_csv_columns(self.path)
        missing = [name for name in ("damage",) + NUMBERS[:5] if name not in columns]
        if missing:
            raise FileError(
                f"{self.path} is not an adapt.csv",
                f"no column {', '.join(missing)}",
                "Pass an adapt.csv.",
            )
        self.attributes, self._trials = {}, {}
        self.damage = np.array(columns["damage"], dtype=str)
        for name in NUMBERS:
            setattr(self, name, columns.get(name, np.zeros(len(self.damage))))
        self.origin = origin_in_folder_of(self.path)


@dataclass(frozen=True)
class Bars:
    """One experiment's bars: a mean and a standard error per damage, over `maps` maps."""

    label: str
    maps: int
    error_of: str
    mean: np.ndarray
    error: np.ndarray


def all_damages(adaptations) -> list:
    """Every damage of these files, in order of first appearance."""
    return list(dict.fromkeys(name for each in adaptations for name in each.damages))


def summarise(adaptations, score) -> list:
    """[Bars, ...], one per experiment; `score` is 'intact', 'pre', 'post' or 'gain'
    (post - pre).

    The error is the standard error over maps (of each map's mean over its adaptation seeds); for
    one map, over its adaptation seeds; for one seed, over the episodes of the score.
    """
    damages = all_damages(adaptations)
    return [_bars(label, members, damages, score) for label, members in group(adaptations)]


def _bars(label, members, damages, score):
    means, errors, kinds = [], [], set()
    for damage in damages:
        mean, error, kind = _mean_and_error(members, damage, score)
        means.append(mean)
        errors.append(error)
        kinds.add(kind)
    kinds.discard(None)
    return Bars(label, len(members), " or ".join(sorted(kinds)), np.array(means), np.array(errors))


def _mean_and_error(members, damage, score):
    per_map, episodes_error = [], []
    for member in members:
        rows = member.damage == damage
        if rows.any():
            per_map.append(_values(member, score)[rows])
            episodes_error.append(_errors(member, score)[rows])
    if not per_map:
        return np.nan, np.nan, None
    means = np.array([values.mean() for values in per_map])
    if len(per_map) > 1:
        return means.mean(), _standard_error(means), "maps"
    if len(per_map[0]) > 1:
        return means[0], _standard_error(per_map[0]), "adaptation seeds"
    return means[0], float(episodes_error[0][0]), "episodes"


def _values(member, score):
    return member.post - member.pre if score == "gain" else getattr(member, score)


def _errors(member, score):
    if score == "gain":
        # Where the answer is the controller from before, both are one score: its gain is exactly 0.
        return np.where(member.post == member.pre, 0.0, np.hypot(member.post_se, member.pre_se))
    return getattr(member, f"{score}_se")


def _standard_error(values):
    return float(np.std(values, ddof=1) / np.sqrt(len(values)))
