"""Which experiment a file comes from, and which files are seeds of the same experiment."""

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

NOT_THE_EXPERIMENT = {"run.seed", "run.generations"}
SECTIONS_NOT_THE_EXPERIMENT = ("checkpoint.", "log.")


@dataclass(frozen=True)
class Origin:
    """Domain, algorithm, seed and settings of the run that a file belongs to."""

    domain: str
    algorithm: str
    seed: int
    settings: dict = field(default_factory=dict, compare=False)

    @property
    def label(self) -> str:
        """The algorithm as people write it: 'ME-ES explore-exploit', 'NSRA-ES'."""
        name = NAMES.get(self.algorithm, self.algorithm)
        mode = self.settings.get("algorithm", {}).get("mode")
        return f"{name} {mode}" if mode and self.algorithm == "me-es" else name

    @property
    def fingerprint(self) -> tuple:
        """What two runs share when they differ in seed, length or bookkeeping alone."""
        kept = {
            key: repr(value)
            for key, value in flatten(self.settings).items()
            if key not in NOT_THE_EXPERIMENT and not key.startswith(SECTIONS_NOT_THE_EXPERIMENT)
        }
        return (self.domain, self.algorithm, tuple(sorted(kept.items())))


def parse_settings(text, source) -> dict:
    """The configuration as nested dictionaries."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise FileError(
            f"{source}: the configuration is not TOML ({error}) is the file damaged?"
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

    Labels are unique: groups that share the algorithm's name get the settings by which they differ.
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
        twins = [other for other in origins if other.label == origin.label]
        label = origin.label if len(domains) == 1 else f"{origin.domain}: {origin.label}"
        same_domain = [other for other in twins if other.domain == origin.domain]
        if len(same_domain) > 1:
            label += f" ({_differences(origin, same_domain)})"
        labels.append(label)
    return labels


def _differences(origin, others):
    flat = [dict(other.fingerprint[2]) for other in others]
    own = dict(origin.fingerprint[2])
    keys = sorted({key for settings in flat for key in settings})
    varying = [key for key in keys if len({settings.get(key) for settings in flat}) > 1]
    shown = [f"{key.split('.')[-1]} {own.get(key, 'unset')}".replace("'", "") for key in varying]
    return ", ".join(shown[:3])
