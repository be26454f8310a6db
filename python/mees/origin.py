"""The experiment that a file comes from, and the files that are seeds of one experiment."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import PurePath

from .errors import FileError

try:
    import tomllib
except ImportError:
    import tomli as tomllib

# Folders that do not name a robot.
FOLDERS = ("", "assets", "mjcf", "model", "models", "urdf", "xml", "xmls")
NAMES = {
    "me-es": "ME-ES",
    "me-ga": "ME-GA",
    "ns-es": "NS-ES",
    "nsr-es": "NSR-ES",
    "nsra-es": "NSRA-ES",
    "es": "ES",
    "memes": "MEMES",
    "ga": "GA",
    "ns": "NS",
    "nslc": "NSLC",
    "cma-mae": "CMA-MAE",
    "cma-me": "CMA-ME",
    "cma-mega": "CMA-MEGA",
}

# These may differ between runs of one experiment.
IGNORED_KEYS = {"run.seed", "run.generations", "map.qd_offset"}
IGNORED_SECTIONS = ("checkpoint.", "cluster.", "log.")

LONGEST_VALUE = 24  # characters of a setting in a label


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
    def robot(self) -> str:
        """The domain as people call it: a custom model by its file ('go1' of go1.xml, or of
        go1/scene.xml), a process by its script."""
        domain = self.settings.get("domain", {})
        if self.domain == "mjcf" and domain.get("model"):
            model = PurePath(domain["model"])
            folders = (folder.name for folder in model.parents if folder.name not in FOLDERS)
            return next(folders, model.stem) if model.stem == "scene" else model.stem
        if self.domain == "process" and domain.get("command"):
            command = domain["command"]
            words = command.split() if isinstance(command, str) else list(command)
            scripts = [word for word in words if word.endswith(".py")]
            return PurePath((scripts or words or ["process"])[0]).stem
        return self.domain

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
        settings = tomllib.loads(text)
        flatten(settings)  # Anything nested too deeply fails here, not later.
    except RecursionError as error:
        raise FileError(
            f"invalid configuration in {source}", "nested too deeply", "Copy the file again."
        ) from error
    except tomllib.TOMLDecodeError as error:
        raise FileError(
            f"invalid configuration in {source}", f"not TOML: {error}", "Copy the file again."
        ) from error
    return settings


def parse_sections(text, source) -> dict:
    """The same for a complete configuration, in which every key has a section."""
    settings = parse_settings(text, source)
    if not all(isinstance(section, dict) for section in settings.values()):
        raise FileError(
            f"invalid configuration in {source}", "a key outside a section", "Copy the file again."
        )
    return settings


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

    A seed counts once: of several items with the same seed the longest is kept. Labels are unique:
    those of groups with the same algorithm include the settings that differ.
    """
    groups = {}
    for item in items:
        groups.setdefault(item.origin.fingerprint, []).append(item)
    origins = [members[0].origin for members in groups.values()]
    return list(zip(_distinct_labels(origins), map(_one_per_seed, groups.values())))


def repeated(items) -> list:
    """The items that group() leaves out, because another one has the same experiment and seed."""
    kept = {id(item) for _, members in group(items) for item in members}
    return [item for item in items if id(item) not in kept]


def _one_per_seed(members):
    """Runs without a configuration have no known seed: they are all kept."""
    kept = {}
    for place, member in enumerate(members):
        seed = member.origin.seed if member.origin.settings else ("unknown", place)
        if seed not in kept or len(member) > len(kept[seed]):
            kept[seed] = member
    return list(kept.values())


def _distinct_labels(origins):
    labels = []
    robots = {origin.robot for origin in origins}
    for origin in origins:
        label = origin.label if len(robots) == 1 else f"{origin.robot}: {origin.label}"
        same = [
            other for other in origins if (other.label, other.robot) == (origin.label, origin.robot)
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
    return ", ".join(_setting(key, own.get(key, "unset")) for key in varying[:3])


def _setting(key, value):
    value = value.replace("'", "")
    if len(value) > LONGEST_VALUE:
        value = value[: LONGEST_VALUE - 3] + "..."
    return f"{key.split('.')[-1]} {value}"
