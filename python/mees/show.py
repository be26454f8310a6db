"""The viewer in a notebook: the page that `mees_view --export` writes, in a frame."""

from __future__ import annotations

import html
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from .errors import ArgumentError, FileError

HERE = Path(__file__).resolve()
# Next to this package in the source tree, and where it is installed.
PROGRAMS = (HERE.parents[2] / "build/release/bin/mees_view", HERE.parents[4] / "bin/mees_view")


class Page:
    """A self-contained page with a map; notebooks display it.

    `text` is its HTML, which needs no server and no network; `save(path)` writes it to a file.
    """

    def __init__(self, text: str, height: int):
        self.text = text
        self.height = height

    def save(self, path) -> Path:
        path = Path(path)
        path.write_text(self.text, encoding="utf-8")
        return path

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{html.escape(self.text)}" sandbox="allow-scripts allow-downloads" '
            f'style="width: 100%; height: {int(self.height)}px; border: 0"></iframe>'
        )

    def __repr__(self):
        return f"Page({len(self.text) / 1e6:.1f} MB)"


def find_program(program=None) -> str:
    """The path of mees_view: the one given, that on the path, or that of this tree."""
    if program is not None:
        return os.fspath(program)
    found = shutil.which("mees_view") or next((str(p) for p in PROGRAMS if p.exists()), None)
    if not found:
        raise FileError(
            "missing program mees_view",
            f"it is neither on the PATH nor {PROGRAMS[0]}",
            "Run ./mees view --build-only, or pass its path as program=.",
        )
    return found


def show(map, *, cells="best:100", height=720, program=None) -> Page:
    """The viewer of a map (a Map, a map file or a run folder) for a notebook.

    `cells` are the elites whose controllers are in the page: "best:N", "all", or a list of cells.
    The page works in the notebook's browser alone, so also on a remote notebook server.
    """
    path = getattr(map, "path", map)
    if not isinstance(path, (str, os.PathLike)):
        raise ArgumentError(f"cannot show {path!r}", "expected a map, a file or a folder")
    chosen = cells if isinstance(cells, str) else ",".join(str(int(cell)) for cell in cells)
    with tempfile.TemporaryDirectory(prefix="mees-") as folder:
        out = Path(folder) / "page.html"
        command = [find_program(program), os.fspath(path), "--export", str(out), "--cells", chosen]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            error = ArgumentError if result.returncode == 2 else FileError
            raise error(result.stderr.strip().removeprefix("mees_view: error: ").rstrip("."))
        return Page(out.read_text(encoding="utf-8"), height)
