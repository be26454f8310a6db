"""The figures of a study."""

from __future__ import annotations

import textwrap
from dataclasses import replace

from ..adaptation import Adaptation
from .results import run_folder


def draw(study, results, folder) -> list:
    """Draws learning curves, and NSRA's weight and damage recovery if the study has them; returns
    the file names."""
    from .. import figures  # imports matplotlib

    drawn = []

    def save(figure, name):
        width = int(figure.get_figwidth() * 17)
        if study.reduction:
            note = f"Smaller than the paper's: {study.reduction}."
            figure.supxlabel(textwrap.fill(note, width), fontsize=7)
        figure.savefig(folder / name, dpi=120)
        drawn.append(name)

    histories = histories_of(study, results)
    columns = ["best", "coverage", *(["qd_score"] if study.reference else [])]
    over = "episodes" if study.budget else "generation"
    save(figures.history(histories, columns, over), "curves.png")
    if "nsra-es" in study.variants:
        save(figures.nsra_weight(list(results["nsra-es"].values())), "nsra.png")
    if any(results.peers.values()):
        save(add_peers(figures.history(histories, ["fitness"], "steps"), results.peers), "es.png")
    if study.damages:
        adaptations = adaptations_of(study, folder)
        motionless = results.motionless if study.full_length else None
        save(figures.recovery(adaptations, motionless), "recovery.png")
        save(figures.gain(adaptations), "gain.png")
    return drawn


def histories_of(study, results) -> list:
    """The histories of all runs."""
    return [
        replace(run, origin=origin)
        for variant in study.variants
        for run, origin in _as_one_experiment(results[variant].values())
    ]


def adaptations_of(study, folder) -> list:
    """The adaptations of all runs."""
    adaptations = []
    for variant in study.damages:
        files = (run_folder(folder, variant, seed) / "adapt.csv" for seed in study.seeds)
        for adaptation, origin in _as_one_experiment(Adaptation(file) for file in files):
            adaptation.origin = origin
            adaptations.append(adaptation)
    return adaptations


def _as_one_experiment(runs):
    """Each run with an origin of the same settings. The seeds of a variant are one experiment, even
    if an older version of mees, whose configuration lacks newer keys, has run some of them."""
    runs = list(runs)
    settings = runs[0].origin.settings
    return [(run, replace(run.origin, settings=settings)) for run in runs]


def add_peers(figure, peers):
    """Adds learning curves of other programs, by the program's name."""
    figure.set_size_inches(9, 5.5)  # space for the names of all curves
    panel = figure.axes[0]
    lines = []
    for (name, curves), color in zip(peers.items(), ("black", "tab:red")):
        label = f"{name} (each of {len(curves)} seeds)" if len(curves) > 1 else f"{name} (1 seed)"
        drawn = [
            panel.plot(curve["steps"], curve["fitness"], color, linewidth=0.8, label=label)[0]
            for curve in curves
        ]
        lines += drawn[:1]
    panel.legend(handles=lines, loc="upper left", fontsize="small")
    return figure
