"""What a study's runs left behind: metrics.csv and adapt.csv of every variant and seed."""

from __future__ import annotations

from pathlib import Path

from ..errors import FileError
from ..history import read_csv_columns, read_metrics


class Results:
    """Histories by variant and seed, and adaptations of the damaged variants."""

    def __init__(self, study, folder):
        self.histories, self.adaptations = {}, {}
        self.versions = _text(Path(folder) / "versions.txt")
        for variant in study.variants:
            self.histories[variant] = {}
            for seed in study.seeds:
                self.histories[variant][seed] = read_metrics(run_folder(folder, variant, seed) / "metrics.csv")
        for variant in study.damages:
            self.adaptations[variant] = {
                seed: read_csv_columns(run_folder(folder, variant, seed) / "adapt.csv")
                for seed in study.seeds
            }

    def __getitem__(self, variant):
        return self.histories[variant]

    @property
    def motionless(self):
        """What standing still is worth: 1 a step, for the steps of an episode."""
        history = next(iter(next(iter(self.histories.values())).values()))
        return float(history["steps"][0] / history["episodes"][0])


def _text(path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise FileError(f"{path}: cannot be read ({error}) check the path") from error


def run_folder(folder, variant, seed) -> Path:
    return Path(folder) / f"{variant}-seed{seed}"


def table(study, results) -> str:
    """The verdicts as a Markdown table."""
    settings = " with " + ", ".join(f"`{setting}`" for setting in study.settings) if study.settings else ""
    lines = [
        f"# {study.name}: what became of the paper's claims",
        "",
        f"Preset `{study.preset}`{settings}, seeds {', '.join(map(str, study.seeds))}. "
        f"Smaller than the paper's: {study.reduction}.",
        "",
        "| claim | verdict | figures | test |",
        "| --- | --- | --- | --- |",
    ]
    for claim in study.claims:
        verdict = claim.decide(results)
        lines.append(f"| {claim.text} | **{verdict.outcome}** | {verdict.figures} | {verdict.test} |")
    lines += ["", f"`./mees reproduce {study.name}`, with", "", "```", results.versions, "```"]
    return "\n".join(lines) + "\n"


def is_finished(folder, generations) -> bool:
    """Whether a run's metrics reach its last generation."""
    try:
        history = read_metrics(Path(folder) / "metrics.csv")
    except FileError:
        return False
    return len(history) > 0 and int(history["generation"][-1]) >= generations
