"""Which studies a command line names, at which budget and with how many seeds."""

from __future__ import annotations

from dataclasses import replace

from .errors import StudyError
from .qd_table import TASKS, published, small
from .studies import GROUPS, STUDIES

TASK_OF = {f"qd_{task}": task for task in TASKS}
SMALL = "small"
PUBLISHED = "published"


def selected(name, budget=SMALL, seeds=None) -> list:
    """The studies of this name. `budget`: small, published, or episodes per run."""
    if name not in STUDIES and name not in GROUPS:
        raise StudyError(
            f"unknown study {name!r}",
            f"known studies: {', '.join([*STUDIES, *GROUPS])}",
            "Choose one of these.",
            2,
        )
    if (budget != SMALL or seeds) and not (name in GROUPS or name in TASK_OF):
        raise StudyError(
            f"invalid {'--budget' if budget != SMALL else '--seeds'} with {name}",
            f"only {', '.join([*TASK_OF, *GROUPS])} have other budgets and seeds",
            "Leave it out.",
            2,
        )
    names = GROUPS.get(name, (name,))
    if name in GROUPS and budget == PUBLISHED:
        names = tuple(TASK_OF)  # the published tables have every task
    studies = [_with_budget(each, budget) for each in names]
    return [_with_seeds(each, seeds) for each in studies] if seeds else studies


def _with_seeds(study, count):
    options = f"{study.command} --seeds {count}"
    return replace(study, seeds=tuple(range(1, count + 1)), options=options)


def _with_budget(name, budget):
    if budget == SMALL:
        return STUDIES[name]
    if budget == PUBLISHED:
        return published(TASK_OF[name])
    if not budget.isdigit() or int(budget) < 1:
        raise StudyError(
            f"invalid --budget {budget}",
            "it is small, published, or the episodes of a run",
            "Use one of these, such as 5000.",
            2,
        )
    return small(TASK_OF[name], int(budget))
