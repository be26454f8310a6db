"""What a study consists of."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Study:
    """Runs of one preset: variants (different settings) times seeds."""

    name: str
    preset: str
    variants: dict
    seeds: tuple
    claims: tuple
    reduction: str
    settings: tuple = field(default=())  # of all variants
    start: Study | None = None  # its first variant's map of the same seed starts each run
    judged: tuple = field(default=())  # variants whose best elite is judged at full length
    damages: tuple = field(default=())  # variants with damage recovery
    full_length: bool = False  # damage recovery from the map re-evaluated at full length
    videos: tuple = field(default=())  # variants whose best elite is recorded
    peers: dict = field(default_factory=dict)  # other programs in the committed data: their seeds
