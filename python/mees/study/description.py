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
    options: str = ""  # with which the command runs it, if its name alone is not enough
    settings: tuple = field(default=())  # of all variants
    start: Study | None = None  # its first variant's map of the same seed starts each run
    budget: int = 0  # episodes of a run, which decide its generations; 0: the preset's generations
    map_episodes: int = 0  # new episodes of every elite of every map; 0: none
    reference: str = ""  # the variant that the others are compared with, map by map
    judged: tuple = field(default=())  # variants whose best elite is judged at full length
    damages: tuple = field(default=())  # variants with damage recovery
    full_length: bool = False  # damage recovery from the map re-evaluated at full length
    videos: tuple = field(default=())  # variants whose best elite is recorded
    peers: dict = field(default_factory=dict)  # other programs in the committed data: their seeds

    @property
    def command(self) -> str:
        """The words after `./mees reproduce`."""
        return self.options or self.name
