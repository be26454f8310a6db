"""Opens the HDF5 files of mees and reports every defect as a FileError.

A file from someone else is read like any other: nothing outside it is opened, and time and memory
are bounded by its size.
"""

from __future__ import annotations

import math
from contextlib import contextmanager
from pathlib import Path

import h5py
import numpy as np

from .errors import DamagedFileError, FileError, NewerFormatError, NotAMapError

FORMAT_MAJOR = 1

KINDS = {
    "mees-map": "a map",
    "mees-map-changes": "a change file of a map",
    "mees-adaptation": "an adaptation",
    "mees-trials": "an adapt.h5 of mees_adapt --ask",
    "mees-navigation": "a nav.h5 of mees_navigate",
    "mees-walk": "a trajectory of mees_navigate",
}
REMEDY = "Pass a file written by mees."
COPY = "Copy the file again."
LARGEST_ATTRIBUTE = 1 << 26  # bytes
MOST_TEXTS = 1000  # of variable length, which may all be the same bytes of the file
DEFLATE = 1032  # how many bytes one compressed byte can represent


@contextmanager
def reading(path):
    """Turns any failure of HDF5 inside the block into a DamagedFileError about `path`."""
    try:
        yield
    except (
        OSError,
        LookupError,
        RuntimeError,
        ValueError,
        TypeError,
        ArithmeticError,
        MemoryError,
    ) as error:
        raise DamagedFileError(
            f"cannot read {path}",
            _short(error),
            "Use map.prev.h5 next to it, or copy the file again.",
        ) from error


@contextmanager
def using_attributes(path):
    """Turns a missing or unusable attribute of the root into a DamagedFileError about `path`."""
    try:
        yield
    except (KeyError, TypeError, ValueError) as error:
        raise DamagedFileError(
            f"the root lacks {error} in {path}",
            "the file is incomplete",
            "Copy the file again.",
        ) from error


def open_file(path, filetype) -> h5py.File:
    """The open file, after checking that it has kind `filetype` and a known format version.

    Works on file systems without locks: mees replaces its files atomically, so a reader needs none.
    """
    path = Path(path)
    require_file(path)
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
    return {name: decode(_attribute(node, name)) for name in node.attrs}


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
    """The dataset `name`, or a DamagedFileError that names it: its data are in this file, in
    full."""
    with reading(path):
        node = member(file, name)
    if not isinstance(node, h5py.Dataset):
        raise DamagedFileError(
            f"dataset {name} is missing in {path}",
            "the file is incomplete",
            COPY,
        )
    with reading(path):
        why = _not_stored(node)
    if why:
        raise DamagedFileError(f"cannot read dataset {name} in {path}", why, REMEDY)
    return node


def member(file, name):
    """The object `name`, or None. Links are not followed: they may name other files."""
    node = file
    for part in name.strip("/").split("/"):
        if not isinstance(node, h5py.Group):
            return None
        if not isinstance(node.get(part, getlink=True), h5py.HardLink):
            return None
        node = node[part]
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
            COPY,
        )
    with reading(path):
        return np.asarray(node[...], dtype=dtype)


def require_file(path):
    """A FileError unless `path` is a regular file: anything else may never end, or never begin."""
    if path.is_dir():
        raise FileError(f"cannot read {path}", "it is a folder", f"Pass {path / 'map.h5'}.")
    if not path.exists():
        raise FileError(
            f"cannot open {path}", "no such file, or its folder cannot be read", "Check the path."
        )
    if not path.is_file():
        raise FileError(f"cannot read {path}", "it is not a regular file", "Check the path.")


def read_text(path, largest) -> str:
    """The content of a text file of at most `largest` bytes."""
    path = Path(path)
    require_file(path)
    try:
        with open(path, "rb") as stream:
            content = stream.read(largest + 1)
        if len(content) > largest:
            raise FileError(
                f"cannot read {path}", f"more than {largest:,} bytes", "Check the path."
            )
        return content.decode("utf-8")
    except (OSError, UnicodeDecodeError, MemoryError) as error:
        raise FileError(f"cannot read {path}", _short(error), "Check the path.") from error


def _attribute(node, name):
    raw = h5py.h5a.open(node.id, name.encode("utf-8", "surrogateescape"))
    count, kind = raw.get_space().get_simple_extent_npoints(), raw.get_type()
    varies = isinstance(kind, h5py.h5t.TypeVlenID) or (
        isinstance(kind, h5py.h5t.TypeStringID) and kind.is_variable_str()
    )
    if count * kind.get_size() > LARGEST_ATTRIBUTE or (varies and count > MOST_TEXTS):
        raise ValueError(f"attribute {name} is too large")
    return node.attrs[name]


def _not_stored(node):
    """Why reading this dataset would read other files or more than this file holds, if it would."""
    properties = node.id.get_create_plist()
    if node.is_virtual or properties.get_external_count() > 0:
        return "its data are in other files"
    if node.dtype.hasobject:
        return "its values have no fixed length"
    packed = DEFLATE if node.compression == "gzip" else 1
    if math.prod(node.shape) * node.dtype.itemsize > packed * node.id.get_storage_size():
        return "it is not stored in full"
    return ""


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
    with reading(path):
        version = [int(part) for part in np.ravel(attributes.get("format_version", 0))]
    if not version or version[0] < 1:
        raise DamagedFileError(
            f"invalid format_version in {path}", "the file may be damaged", "Copy the file again."
        )
    if version[0] > FORMAT_MAJOR:
        shown = ".".join(map(str, version))
        raise NewerFormatError(
            f"cannot read {path}",
            f"its format {shown} is newer than the {FORMAT_MAJOR}.x that this package reads",
            f"Install the Python package of mees {attributes.get('mees_version', '')}.",
        )


def _short(error):
    text = str(error).strip("'\"") or type(error).__name__
    return " ".join(text.split())[:200]
