"""Human-readable durations."""

import math


def duration(seconds) -> str:
    """'2 h 05 min', '3 min 20 s' or '4.2 s'; 'unknown' if it is not a finite number."""
    if not math.isfinite(seconds):
        return "unknown"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    return f"{minutes // 60} h {minutes % 60:02d} min"
