"""The experiment that a file comes from, and the files that are seeds of one experiment."""

from __future__ import annotations

from dataclasses import dataclass, field

from .errors import FileError

try:
    import tomllib
except ImportError:
    import tomli as tomllib

NAMES = {
    "me-es": "ME-ES",
    "me-ga": "ME-GA",
    "ns-es": "NS-ES",
    "nsr-es": "NSR-ES",
    "nsra-es": "NSRA-ES",
    "es": "ES",
    "memes": "MEMES",
}

IGNORED_KEYS = {"run.seed", "run.generations"}  # they may differ between runs of one experiment
IGNORED_SECTIONS = ("checkpoint.", "log.")


@dataclass(frozen=True)
class Origin:
    """Domain, algorithm, seed and settings of the run that a file belongs to."""

    domain: str
    algorithm: str
    seed: int
    settings: dict = field(default_factory=dict, compare=False)

    @property
    def label(self) -> str:
        """The algorithm's usual name: 'ME-ES explore-exploit', 'NSRA-ES'."""
        name = NAMES.get(self.algorithm, self.algorithm)
        mode = self.settings.get("algorithm", {}).get("mode")
        return f"{name} {mode}" if mode and self.algorithm == "me-es" else name

    @property
    def fingerprint(self) -> tuple:
        """Equal for two runs that differ only in seed, length, checkpoints or logging."""
        kept = {
            key: repr(value)
            for key, value in flatten(self.settings).items()
            if key not in IGNORED_KEYS and not key.startswith(IGNORED_SECTIONS)
        }
        return (self.domain, self.algorithm, tuple(sorted(kept.items())))


def parse_settings(text, source) -> dict:
    """The configuration as nested dictionaries."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise FileError(
            f"invalid configuration in {source}", f"not TOML: {error}", "Copy the file again."
        ) from error


def flatten(settings, prefix="") -> dict:
    """{'es.population': 100, ...} from nested tables."""
    flat = {}
    for key, value in settings.items():
        if isinstance(value, dict):
            flat.update(flatten(value, f"{prefix}{key}."))
        else:
            flat[prefix + key] = value
    return flat


def group(items) -> list:
    """[(label, [item, ...]), ...]: items (each with an .origin) that are seeds of one experiment.

    Labels are unique: those of groups with the same algorithm include the settings that differ.
    """
    groups = {}
    for item in items:
        groups.setdefault(item.origin.fingerprint, []).append(item)
    origins = [members[0].origin for members in groups.values()]
    return list(zip(_distinct_labels(origins), groups.values()))


def _distinct_labels(origins):
    labels = []
    domains = {origin.domain for origin in origins}
    for origin in origins:
        label = origin.label if len(domains) == 1 else f"{origin.domain}: {origin.label}"
        same = [
            other
            for other in origins
            if (other.label, other.domain) == (origin.label, origin.domain)
        ]
        if len(same) > 1:
            label += f" ({_differences(origin, same)})"
        labels.append(label)
    return labels


def _differences(origin, others):
    flat = [dict(other.fingerprint[2]) for other in others]
    own = dict(origin.fingerprint[2])
    keys = sorted({key for settings in flat for key in settings})
    varying = [key for key in keys if len({settings.get(key) for settings in flat}) > 1]
    shown = [f"{key.split('.')[-1]} {own.get(key, 'unset')}".replace("'", "") for key in varying]
    return ", ".join(shown[:3])
