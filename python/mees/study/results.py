"""The results of a study: metrics.csv, judged.txt and adapt.csv of every variant and seed."""

from __future__ import annotations

from pathlib import Path

from ..errors import FileError
from ..history import read_csv_columns, read_metrics
from .judging import JUDGED, REEVALUATED, STEPS, fitness_in, text_of
from .qd_claims import qd_lines
from .verdict import correct

ROOT = Path(__file__).resolve().parents[3]
KEPT = ROOT / "docs" / "reproduction"
VERSIONS = "versions.txt"


class Results:
    """Histories, fitness of each episode of full length, and adaptations by variant and seed, and
    learning curves of other programs."""

    def __init__(self, study, folder):
        self.histories, self.adaptations, self.judged, self.reevaluated = {}, {}, {}, {}
        self.versions = _versions(study, folder)
        self.full_length = study.full_length
        for variant in study.variants:
            self.histories[variant] = {}
            for seed in study.seeds:
                self.histories[variant][seed] = read_metrics(
                    run_folder(folder, variant, seed) / "metrics.csv"
                )
        self.peers = {
            name: [read_csv_columns(file) for file in peer_files(study, name)]
            for name in study.peers
        }
        for variant in study.damages:
            self.adaptations[variant] = {
                seed: read_csv_columns(run_folder(folder, variant, seed) / "adapt.csv")
                for seed in study.seeds
            }
        for variant in study.variants if study.map_episodes else ():
            self.reevaluated[variant] = {
                seed: read_csv_columns(run_folder(folder, variant, seed) / REEVALUATED)
                for seed in study.seeds
            }
        for variant in study.judged:
            files = {seed: run_folder(folder, variant, seed) / JUDGED for seed in study.seeds}
            self.judged[variant] = {
                seed: fitness_in(text_of(file), file) for seed, file in files.items()
            }

    def __getitem__(self, variant):
        return self.histories[variant]

    @property
    def motionless(self):
        """The fitness of a motionless robot after damage: 1 per step of an episode."""
        if self.full_length:
            return float(STEPS)
        history = next(iter(next(iter(self.histories.values())).values()))
        return float(history["steps"][0] / history["episodes"][0])


def run_folder(folder, variant, seed) -> Path:
    return Path(folder) / f"{variant}-seed{seed}"


def peer_files(study, name) -> list:
    """Learning curves of another program in the committed data; no study creates them."""
    files = [KEPT / study.name / f"{name}-seed{seed}.csv" for seed in study.peers[name]]
    return [file for file in files if file.exists()]


def record_version(folder, version):
    """Adds a version to those that wrote the files of this folder, if it is new."""
    file = Path(folder) / VERSIONS
    known = _lines(file) if file.exists() else []
    if version not in known:
        file.write_text("\n".join([*known, version]) + "\n", encoding="utf-8")


def _versions(study, folder) -> str:
    """The study's own versions.txt, then each version of its runs and which runs it wrote. Old data
    has no versions of runs; the study's are then those of its first session."""
    written, unrecorded = {}, {}
    for variant in study.variants:
        for seed in study.seeds:
            file = run_folder(folder, variant, seed) / VERSIONS
            for line in _lines(file) if file.exists() else ():
                written.setdefault(line, {}).setdefault(variant, []).append(seed)
            if not file.exists():
                unrecorded.setdefault(variant, []).append(seed)
    lines = _lines(Path(folder) / VERSIONS)
    if unrecorded:
        lines.append(f"    (first session; not recorded per run: {_names(unrecorded)})")
    for version, runs in written.items():
        lines += [version, f"    ({_names(runs)})"]
    return "\n".join(lines)


def _names(runs) -> str:
    return "; ".join(
        f"{variant} seed{'s' if len(seeds) > 1 else ''} {', '.join(map(str, seeds))}"
        for variant, seeds in runs.items()
    )


def _lines(path) -> list:
    try:
        return path.read_text(encoding="utf-8").strip().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"cannot read {path}", str(error), "Check the path.") from error


def table(study, results) -> str:
    """The verdicts as a Markdown table."""
    settings = ", ".join(f"`{setting}`" for setting in study.settings)
    settings = f" with {settings}" if settings else ""
    reduction = study.reduction and f" Reductions compared with the paper: {study.reduction}."
    budget = f", {study.budget:,} episodes per run" if study.budget else ""
    what = "algorithms compared" if study.reference else "results for the paper's claims"
    lines = [
        f"# {study.name}: {what}",
        "",
        f"Preset `{study.preset}`{settings}{budget}, seeds {', '.join(map(str, study.seeds))}."
        f"{reduction}",
        "",
        "| claim | verdict | figures | test |",
        "| --- | --- | --- | --- |",
    ]
    verdicts = correct([claim.decide(results) for claim in study.claims])
    for claim, verdict in zip(study.claims, verdicts):
        lines.append(
            f"| {claim.text} | **{verdict.outcome}** | {verdict.figures} | {verdict.test} |"
        )
    if study.reference:
        lines += qd_lines(study, results)
    lines += [
        "",
        f"Produced by `./mees reproduce {study.command}` with",
        "",
        "```",
        results.versions,
        "```",
    ]
    return "\n".join(lines) + "\n"
