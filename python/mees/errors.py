"""The errors of this package. Messages read '<problem> (<why>). <Remedy>.', as in the programs."""


class MeesError(Exception):
    """Base of every error that this package raises on purpose.

    The remedy is an imperative sentence that ends with a full stop. `exit_code` is that of a
    command line that ends with this error.
    """

    exit_code = 3

    def __init__(self, problem, why="", remedy=""):
        text = problem + (f" ({why})" if why else "") + (f". {remedy}" if remedy else "")
        super().__init__(printable(text))


def printable(text) -> str:
    """Text that may come from a file, for a terminal: control characters are escaped."""
    return "".join(
        letter if letter.isprintable() or letter in "\n\t" else ascii(letter)[1:-1]
        for letter in text
    )


class ArgumentError(MeesError, ValueError):
    """An argument of a function or of a command line is invalid."""

    exit_code = 2


class FileError(MeesError):
    """A file cannot be used."""


class NotAMapError(FileError):
    """The file was not written by mees, or is not of the requested kind."""


class NewerFormatError(FileError):
    """The file was written by a later version of mees, in a layout unknown to this package."""


class DamagedFileError(FileError):
    """The file was written by mees, but is truncated, corrupt or incomplete."""


class EmptyCellError(MeesError, LookupError):
    """The cell holds no elite, or the map has no such cell."""


class MissingPackageError(MeesError, ImportError):
    """An optional package is needed."""

    exit_code = 2


def optional_import(name, purpose):
    """The module `name`, or a MissingPackageError that names its purpose and how to install it."""
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError as error:
        raise MissingPackageError(
            f"{purpose} needs the package {name}", str(error), f"Run pip install {name}."
        ) from error
