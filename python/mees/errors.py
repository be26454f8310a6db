"""What can be wrong with a file or a request; every text reads 'problem (why) what to do'."""


class MeesError(Exception):
    """Base of every error that this package raises on purpose."""


class FileError(MeesError):
    """A file cannot be used."""


class NotAMapError(FileError):
    """The file is none of ours, or not of the kind that was asked for."""


class NewerFormatError(FileError):
    """The file was written by a later version of mees, in a layout unknown here."""


class DamagedFileError(FileError):
    """The file began as one of ours, but is truncated, corrupt or incomplete."""


class EmptyCellError(MeesError, LookupError):
    """The cell holds no elite, or the map has no such cell."""


class MissingPackageError(MeesError, ImportError):
    """An optional package is needed for what was asked."""


def optional_import(name, purpose):
    """The module `name`, or a MissingPackageError that says what it is for and how to get it."""
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError as error:
        raise MissingPackageError(
            f"{purpose} needs the package {name} ({error}) install it with: pip install {name}"
        ) from error
