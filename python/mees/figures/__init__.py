"""Plots of maps, histories and damage recovery; every function returns a matplotlib Figure.

All functions draw without a display. Colours are those of Okabe and Ito and of viridis, which
colour-blind readers can distinguish; curves and bars also differ in dash or hatch.
"""

from .curves import history, nsra_weight
from .damage import gain, recovery
from .heatmap import heatmap
from .nested import nested
from .parallel import parallel
from .path import path

__all__ = ["gain", "heatmap", "history", "nested", "nsra_weight", "parallel", "path", "recovery"]
