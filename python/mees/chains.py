"""Chains of controllers in a map: earlier links are stored once, however many chains share them."""

from __future__ import annotations

import numpy as np

from . import files
from .errors import DamagedFileError, FileError
from .map_layout import exists
from .policy import parameter_count

ROWS = {
    "link_parameters": np.float32,
    "link_observation_mean": np.float64,
    "link_observation_std": np.float64,
}


def require_single(source, purpose):
    """Raises a FileError for a map whose elites have more than one network."""
    if np.any(source.links > 1):
        raise FileError(
            f"cannot use {purpose} with {source.path}",
            "its elites are chains of controllers, and an archive has one solution per elite",
            "Use Map.policy(), or mees_inspect export.",
        )


class Links:
    """`count` has the number of links of each elite: ones in a map without chains."""

    def __init__(self, file, path, elites, layers):
        self._file, self._path = file, path
        self.count = np.ones(elites, dtype=np.int32)
        self._index = np.empty((elites, 0), dtype=np.int32)
        if not exists(file, path, "/map/links"):
            return
        self.count = files.read(file, path, "/map/links", np.int32, (elites,))
        self._index = files.read(file, path, "/map/link_index", np.int32, (elites, None))
        width = {"link_parameters": parameter_count(layers)}
        shapes = {
            files.dataset(file, path, f"/map/{name}").shape[:1]
            for name in ROWS
            if files.dataset(file, path, f"/map/{name}").shape[1:] == (width.get(name, layers[0]),)
        }
        stored = self._index >= 0
        chains = np.arange(self._index.shape[1]) < self.count[:, None] - 1
        if len(shapes) != 1 or self.count.min(initial=1) < 1 or np.any(stored != chains):
            raise self._damaged()
        if self._index.max(initial=-1) >= shapes.pop()[0]:
            raise self._damaged()

    def before(self, row):
        """[(parameters, observation mean, observation std), ...] of the links before the last."""
        links = []
        for index in self._index[row, : self.count[row] - 1]:
            link = []
            for name, dtype in ROWS.items():
                node = files.dataset(self._file, self._path, f"/map/{name}")
                with files.reading(self._path):
                    link.append(np.asarray(node[index], dtype=dtype))
            links.append(tuple(link))
        return links

    def _damaged(self):
        return DamagedFileError(
            f"/map/links does not fit /map/link_index and /map/link_parameters in {self._path}",
            "the file does not follow docs/map-format.md",
            "Copy the file again.",
        )
