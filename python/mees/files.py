"""Opens the HDF5 files of mees and reports every defect as a FileError."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path

import h5py
import numpy as np

from .errors import DamagedFileError, FileError, NewerFormatError, NotAMapError

FORMAT_MAJOR = 1

KINDS = {"mees-map": "a map", "mees-adaptation": "an adaptation"}
REMEDY = "Pass a file written by mees."


@contextmanager
def reading(path):
    """Turns any failure of HDF5 inside the block into a DamagedFileError about `path`."""
    try:
        yield
    except (OSError, KeyError, RuntimeError, ValueError, TypeError) as error:
        raise DamagedFileError(
            f"cannot read {path}",
            _short(error),
            "Use map.prev.h5 next to it, or copy the file again.",
        ) from error


def open_file(path, filetype) -> h5py.File:
    """The open file, after checking that it has kind `filetype` and a known format version.

    Works on file systems without locks: mees replaces its files atomically, so a reader needs none.
    """
    path = Path(path)
    _check_exists(path)
    if not h5py.is_hdf5(path):
        why = "it is empty" if path.stat().st_size == 0 else "it is not an HDF5 file"
        raise NotAMapError(f"{path} is not {KINDS[filetype]}", why, REMEDY)
    with reading(path):
        file = _open(path)
    try:
        _check_kind(file, path, filetype)
    except Exception:
        file.close()
        raise
    return file


def read_attributes(node) -> dict:
    """The attributes of an HDF5 object as str, numbers or numpy arrays."""
    return {name: decode(value) for name, value in node.attrs.items()}


def decode(value):
    """Fixed-length HDF5 strings become str; scalars become Python scalars."""
    if isinstance(value, bytes):
        return value.rstrip(b"\0").decode("utf-8")
    array = np.asarray(value)
    if array.dtype.kind in "SO":
        texts = [decode(entry) if isinstance(entry, bytes) else str(entry) for entry in array.flat]
        return texts if array.ndim else texts[0]
    return array if array.ndim else array.item()


def dataset(file, path, name) -> h5py.Dataset:
    """The dataset `name`, or a DamagedFileError that names it."""
    with reading(path):
        node = file.get(name)
    if not isinstance(node, h5py.Dataset):
        raise DamagedFileError(
            f"dataset {name} is missing in {path}",
            "the file is incomplete",
            "Copy the file again.",
        )
    return node


def read(file, path, name, dtype, shape) -> np.ndarray:
    """The complete dataset `name`, which must have this `shape`; None stands for any length."""
    node = dataset(file, path, name)
    expected = tuple(shape)
    fits = len(node.shape) == len(expected) and all(
        want is None or want == have for want, have in zip(expected, node.shape)
    )
    if not fits:
        shown = " x ".join("any" if want is None else str(want) for want in expected)
        have = " x ".join(map(str, node.shape)) or "a scalar"
        raise DamagedFileError(
            f"dataset {name} has the wrong shape in {path}",
            f"{have}, not {shown}: the file does not follow docs/map-format.md",
            "Copy the file again.",
        )
    with reading(path):
        return np.asarray(node[...], dtype=dtype)


def _check_exists(path):
    if path.is_dir():
        raise FileError(f"cannot read {path}", "it is a folder", f"Pass {path / 'map.h5'}.")
    if not path.exists():
        raise FileError(
            f"cannot open {path}", "no such file, or its folder cannot be read", "Check the path."
        )


def _open(path):
    try:
        return h5py.File(path, "r")
    except OSError as error:
        if "lock" not in str(error):
            raise
        return h5py.File(path, "r", locking=False)


def _check_kind(file, path, filetype):
    with reading(path):
        attributes = read_attributes(file)
    kind = attributes.get("filetype")
    if kind != filetype:
        why = f"filetype is {kind!r}" if kind else "it has no attribute filetype"
        raise NotAMapError(f"{path} is not {KINDS[filetype]}", why, REMEDY)
    version = np.atleast_1d(attributes.get("format_version", 0))
    if int(version[0]) < 1:
        raise DamagedFileError(
            f"invalid format_version in {path}", "the file may be damaged", "Copy the file again."
        )
    if int(version[0]) > FORMAT_MAJOR:
        shown = ".".join(str(int(part)) for part in version)
        raise NewerFormatError(
            f"cannot read {path}",
            f"its format {shown} is newer than the {FORMAT_MAJOR}.x that this package reads",
            f"Install the Python package of mees {attributes.get('mees_version', '')}.",
        )


def _short(error):
    text = str(error).strip("'\"")
    return " ".join(text.split())[:200] or type(error).__name__
