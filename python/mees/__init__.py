"""Read, run and plot maps of mees.

    import mees

    with mees.Map("runs/ant-1/map.h5") as elites:
        policy = elites.policy("best")
        action = policy(observation)

Plots are in mees.figures; `python -m mees.plot` and `python -m mees.report` create them from files.
`python -m mees.log` sends the progress of runs to TensorBoard, Weights & Biases or MLflow.
"""

from . import requirements as requirements
from .adaptation import Adaptation
from .domain import Domain
from .errors import (
    ArgumentError,
    DamagedFileError,
    EmptyCellError,
    FileError,
    MeesError,
    MissingPackageError,
    NewerFormatError,
    NotAMapError,
)
from .history import History
from .map import Elite, Map
from .policy import Chain, Policy
from .runs import open_adaptation, open_history, open_map, open_run
from .serve import DamageError, serve
from .show import show
from .space import Cvt, Grid
from .trials import Trials

__version__ = "0.1.0"


def __getattr__(name):
    """Imports on first use what needs packages that not everybody has."""
    if name in ("figures", "log"):
        from importlib import import_module

        return import_module(f".{name}", __name__)
    if name in ("Environment", "make"):
        from . import simulation

        return getattr(simulation, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "Adaptation",
    "ArgumentError",
    "Chain",
    "Cvt",
    "DamageError",
    "DamagedFileError",
    "Domain",
    "Elite",
    "EmptyCellError",
    "Environment",
    "FileError",
    "Grid",
    "History",
    "Map",
    "MeesError",
    "MissingPackageError",
    "NewerFormatError",
    "NotAMapError",
    "Policy",
    "Trials",
    "figures",
    "log",
    "make",
    "open_adaptation",
    "open_history",
    "open_map",
    "open_run",
    "serve",
    "show",
]
