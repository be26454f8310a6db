"""Checks, when the package is imported, that the packages that it always needs are installed."""

import sys
from importlib.util import find_spec

missing = [name for name in ("numpy", "h5py") if find_spec(name) is None]
if missing:
    message = (
        f"mees needs the packages h5py and numpy ({' and '.join(missing)} not found). "
        f"Run pip install {' '.join(missing)}, or install Debian's python3-h5py."
    )
    if sys.argv[:1] == ["-m"]:  # python -m mees.plot: one line instead of a traceback
        print(f"mees: error: {message}", file=sys.stderr)
        sys.exit(2)
    raise ImportError(message)
