"""What ends a study before its table."""

from __future__ import annotations

from ..errors import MeesError


class StudyError(MeesError):
    """The study cannot begin or go on; `code` is the exit code."""

    def __init__(self, text, code):
        super().__init__(text)
        self.code = code


class Stopped(Exception):
    """A signal asked the study to stop, and everything is saved."""
