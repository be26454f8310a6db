"""Shared parts of the package's command lines."""

from __future__ import annotations

import argparse
import os
import sys

from .errors import MeesError, printable


def make_parser(module, description) -> argparse.ArgumentParser:
    """The parser of `python -m MODULE`; the description keeps its line breaks."""
    return argparse.ArgumentParser(
        prog=f"python -m {module}",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def write_file(path, content):
    """Writes bytes to a file in one step: a full disk leaves the old file, or none."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(content)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def write_output(module, output, write) -> int:
    """Calls write(), which makes the file `output`, and returns the exit code.

    Prints an error as one line, like the programs, with their exit codes: 2 for an invalid
    argument, 3 for a file that cannot be used, 1 if the output cannot be written.
    """
    try:
        write()
        return 0
    except MeesError as error:
        message, code = str(error), error.exit_code
    except ValueError as error:
        message, code = printable(str(error)), 2
    except OSError as error:
        message, code = f"cannot write {output} ({error.strerror}). Choose another file.", 1
    print(f"{module}: error: {message}", file=sys.stderr)
    return code
