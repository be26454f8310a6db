"""The errors that end a study early."""

from __future__ import annotations

from ..errors import MeesError


class StudyError(MeesError):
    """The study cannot start or continue."""

    def __init__(self, problem, why, remedy, exit_code):
        super().__init__(problem, why, remedy)
        self.exit_code = exit_code


class Stopped(Exception):  # noqa: N818 - not an error
    """A signal stopped the study, and everything is saved."""
