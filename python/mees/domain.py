"""What a map carries of its domain: the group /domain."""

from __future__ import annotations

import posixpath
from xml.etree import ElementTree

from . import files
from .errors import DamagedFileError, FileError

MOST_ASSETS = 1000
LARGEST_ASSETS = 256 << 20
LARGEST_MODEL = 64 << 20


class Domain(str):
    """The name of a domain. `model` is the MJCF text of its robot, `description` the text of its
    task (docs/domain-description.md), `assets` the files of the model by name; None and empty if
    the map does not carry them. `program` is what the map says of an environment in another
    process (docs/map-format.md), a dictionary; None for other domains."""

    model = None
    description = None
    assets = {}
    program = None

    def __new__(cls, name, model=None, description=None, assets=None, program=None):
        domain = super().__new__(cls, name)
        domain.model, domain.description = model, description
        domain.assets = dict(assets or {})
        domain.program = program
        return domain


def read_domain(file, path, name):
    with files.reading(path):
        carried = "domain" in file
    if not carried:
        return Domain(name)
    with files.reading(path):
        program = files.member(file, "/domain/program")
        if program is not None:
            return Domain(name, program=files.read_attributes(program))
    texts = []
    for member in ("model", "description"):
        node = files.dataset(file, path, f"/domain/{member}")
        if node.shape != (1,) or node.dtype.kind != "S" or node.dtype.itemsize > LARGEST_MODEL:
            raise DamagedFileError(f"/domain/{member} is not one text in {path}")
        with files.reading(path):
            texts.append(files.decode(node[0]))
    return Domain(name, *texts, _read_assets(file, path))


def _read_assets(file, path):
    assets, size = {}, 0
    for index in range(MOST_ASSETS):
        place = f"domain/assets/{index}"
        with files.reading(path):
            if place not in file:
                break
        node = files.dataset(file, path, f"/{place}")
        size += node.size
        if size > LARGEST_ASSETS:
            raise FileError(f"the files of the model in {path} are too large")
        with files.reading(path):
            assets[files.decode(node.attrs["file"])] = node[...].tobytes()
    return assets


def require_self_contained(model, assets, source):
    """A FileError if compiling the model would read a file from disk."""

    def refuse(why):
        raise FileError(f"cannot use the model of {source}", why)

    if "<!" in model.replace("<!--", ""):
        refuse("it has a document type or a CDATA section")
    try:
        elements = list(ElementTree.fromstring(model).iter())
    except ElementTree.ParseError as error:
        refuse(str(error))
    carried = {posixpath.basename(name) for name in assets}
    for element in elements:
        if element.tag == "include":
            refuse("it includes a file")
        for name, value in element.attrib.items():
            if name.startswith("file") and value and posixpath.basename(value) not in carried:
                refuse(f"it refers to the file {value}, which is not part of it")
