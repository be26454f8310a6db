"""The change files next to a map (docs/map-format.md), which this package does not apply."""

from __future__ import annotations

import warnings

from . import files
from .errors import FileError

FILETYPE = "mees-map-changes"


def reached_generation(path, generation) -> int:
    """The generation to which the change files in the folder of a map of this generation lead.

    By what they say of generations; mees_master goes by digests. Unreadable ones are ignored.
    """
    steps = {}
    for candidate in path.parent.glob("map.changes-*.h5"):
        try:
            with files.open_file(candidate, FILETYPE) as file, files.reading(candidate):
                before = files.read_attributes(file["changes"])["previous_generation"]
                after = files.read_attributes(file)["generation"]
        except FileError:
            continue
        steps[int(before)] = max(int(after), steps.get(int(before), 0))
    while steps.get(generation, generation) > generation:
        generation = steps[generation]
    return generation


def warn_of_newer_changes(path, generation, stacklevel=3):
    """Warns if change files next to this map lead to a newer state."""
    reached = reached_generation(path, generation)
    if reached > generation:
        warnings.warn(
            f"{path} has the state of generation {generation}, but the change files next to it "
            f"lead to generation {reached}: use the file that "
            f"`mees_inspect merge {path.parent} --out newest.h5` writes",
            stacklevel=stacklevel,
        )
