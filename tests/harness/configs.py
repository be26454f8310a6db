"""Small configurations: dictionaries of sections, written as TOML."""

import json
from pathlib import Path

SMALL = {
    "run": {"generations": 6},
    "domain": {"name": "point_maze"},
    "policy": {"hidden": [8]},
    "noise": {"table_size": 100000},
    "es": {"population": 20},
    "algorithm": {"n_optim_gens": 3, "n_eval": 4},
    "checkpoint": {"every_seconds": 0, "every_generations": 1},
}


def settings(base=SMALL, **sections):
    """`base` with these sections' values changed; None removes a section or a value."""
    result = dict(base)
    for name, values in sections.items():
        merged = {**base.get(name, {}), **(values or {})}
        result[name] = {key: value for key, value in merged.items() if value is not None}
        if values is None:
            del result[name]
    return result


def value_text(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {value_text(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(value_text, value)) + "]"
    return json.dumps(value)


def toml(configuration):
    lines = []
    for section, values in configuration.items():
        lines.append(f"[{section}]")
        lines += [f"{key} = {value_text(value)}" for key, value in values.items()]
    return "\n".join(lines) + "\n"


def write_config(folder, configuration=SMALL, name="small.toml"):
    """Writes a configuration, given as a dictionary or as TOML, and returns its path."""
    path = Path(folder) / name
    path.write_text(configuration if isinstance(configuration, str) else toml(configuration))
    return path


def set_options(*changes):
    """The options that make these changes, each "section.key=value"."""
    return [word for change in changes for word in ("--set", change)]
