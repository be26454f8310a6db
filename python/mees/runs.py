"""Run folders and their files."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from .adaptation import Adaptation
from .errors import FileError, NewerFormatError
from .files import require_file
from .history import History, read_metrics
from .map import Map
from .origin import Origin

VIDEOS = {".mp4": "video/mp4", ".webm": "video/webm", ".gif": "image/gif"}


@dataclass
class Run:
    """One run: its map, and its adaptations and videos if there are any."""

    name: str
    map: Map
    adaptations: list = field(default_factory=list)
    videos: list = field(default_factory=list)
    notes: list = field(default_factory=list)

    @property
    def origin(self) -> Origin:
        return self.map.origin


def open_map(path) -> Map:
    """The map in a file or in a run folder; if map.h5 is damaged there, map.prev.h5."""
    return _open_map_with_notes(Path(path))[0]


def open_history(path) -> History:
    """The history of a run folder, a map.h5 or a metrics.csv."""
    path = Path(path)
    if path.suffix == ".csv":
        return read_metrics(path)
    if path.is_dir() and not (path / "map.h5").exists() and (path / "metrics.csv").exists():
        return read_metrics(path / "metrics.csv")
    with open_map(path) as source:
        return source.history


def open_adaptation(path) -> Adaptation:
    """The adaptation in a file or in a run folder."""
    path = Path(path)
    if not path.is_dir():
        return Adaptation(path)
    for name in ("adapt.h5", "adapt.csv"):
        if (path / name).exists():
            return Adaptation(path / name)
    raise FileError(
        f"no adaptation in {path}", "no adapt.h5 in this folder", "Run mees_adapt first."
    )


def open_run(path) -> Run:
    """Everything about one run, from its folder or from a single map file."""
    path = Path(path)
    opened, notes = _open_map_with_notes(path)
    if not path.is_dir():
        name = path.stem if path.name != "map.h5" else path.resolve().parent.name
        return Run(name, opened, notes=notes)
    run = Run(path.resolve().name, opened, notes=notes)
    for file in sorted(path.glob("adapt*.h5")):
        try:
            _require_inside(path, file)
            run.adaptations.append(Adaptation(file))
        except FileError as error:
            run.notes.append(str(error))
    for file in sorted(path.rglob("*")):
        if file.suffix.lower() in VIDEOS:
            try:
                _require_inside(path, file)
                require_file(file)
                run.videos.append(file)
            except FileError as error:
                run.notes.append(str(error))
    return run


def _require_inside(folder, file):
    """A run folder may come from someone else, with links to files of this user."""
    if not file.resolve().is_relative_to(folder.resolve()):
        raise FileError(
            f"skipped {file}", "it is a link to a file outside the run folder", "Pass that file."
        )


def _open_map_with_notes(path):
    if not path.is_dir():
        return Map(path), []
    newest, previous = path / "map.h5", path / "map.prev.h5"
    if not newest.exists() and not previous.exists():
        raise FileError(f"no map in {path}", "no map.h5 in this folder", "Pass a run folder.")
    try:
        _require_inside(path, newest)
        return Map(newest), []
    except FileError as error:
        if isinstance(error, NewerFormatError) or not previous.exists():
            raise
        _require_inside(path, previous)
        return Map(previous), [f"showing map.prev.h5: {error}"]
