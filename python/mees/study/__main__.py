"""Runs a study end to end: python -m mees.study NAME (./mees reproduce NAME)

Runs that are finished are not run again; one that was interrupted goes on where it was.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import textwrap
import time
from pathlib import Path

from .. import figures
from ..adaptation import Adaptation
from ..errors import MeesError, optional_import
from ..history import read_csv_columns
from ..report import duration
from .results import Results, is_finished, run_folder, table
from .studies import STUDIES

KEPT = Path(__file__).resolve().parents[3] / "docs" / "reproduction"


def overrides(settings):
    return [word for setting in settings for word in ("--set", setting)]


class Runner:
    """Runs programs of a build, with MPI on this machine's cores."""

    def __init__(self, binaries, cores):
        self.binaries = Path(binaries).resolve()
        self.cores = cores

    def run(self, program, *arguments):
        command = [str(self.binaries / program), *map(str, arguments)]
        return subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode

    def train(self, study, variant, seed, folder):
        return self.run("mees_master", study.preset, "--seed", seed, "--out", folder, "--threads", self.cores,
                        *overrides([*study.settings, *study.variants[variant]]))

    def adapt(self, folder):
        return self.run("mees_adapt", folder / "map.h5", "--damage", "paper", "--seeds", 1,
                        "--out", folder / "adapt.h5")

    def film(self, folder, name):
        """Films the best elite: NAME.mp4, and NAME.png, a strip of nine pictures."""
        for suffix in ("mp4", "png"):
            self.run("mees_replay", folder / "map.h5", "--cell", "best", "--video", name.with_suffix(f".{suffix}"))

    def versions(self):
        return subprocess.run([str(self.binaries / "mees_master"), "--version"],
                              capture_output=True, text=True, check=True).stdout

    def generations(self, study):
        shown = subprocess.run([str(self.binaries / "mees_master"), study.preset, "--show-config",
                                *overrides(study.settings)],
                               capture_output=True, text=True, check=True).stdout
        line = next(line for line in shown.splitlines() if line.startswith("generations"))
        return int(line.split("=")[1])


def jobs_of(study, folder, generations):
    """(variant, seed, what) of everything that is still to be done, seeds first."""
    jobs = []
    for seed in study.seeds:
        for variant in study.variants:
            run = run_folder(folder, variant, seed)
            if not is_finished(run, generations):
                jobs.append((variant, seed, "train"))
            if variant in study.damages and not (run / "adapt.csv").exists():
                jobs.append((variant, seed, "adapt"))
    return jobs


def carry_out(study, folder, runner) -> bool:
    """Does what is left; whether all of it succeeded."""
    jobs = jobs_of(study, folder, runner.generations(study))
    begun = time.monotonic()
    for number, (variant, seed, what) in enumerate(jobs):
        left = (time.monotonic() - begun) / number * (len(jobs) - number) if number else None
        eta = f", about {duration(left)} left" if left else ""
        print(f"[{number + 1}/{len(jobs)}{eta}] {what} {variant}, seed {seed}", flush=True)
        run = run_folder(folder, variant, seed)
        status = runner.train(study, variant, seed, run) if what == "train" else runner.adapt(run)
        if status != 0:
            print(f"mees.study: error: {what} {variant}, seed {seed} ended with exit code {status} "
                  f"(see {run}/mees.log) run the same command again to go on", file=sys.stderr)
            return False
    return True


def beside_peers(histories, files):
    """Learning curves of plain ES, and those that another program made."""
    figure = figures.history(histories, ["fitness"], "steps")
    panel = figure.axes[0]
    curves = {file.stem: read_csv_columns(file) for file in files}
    lines = [panel.plot(curve["steps"], curve["fitness"], color, linewidth=0.8, label=f"{name} (1 seed)")[0]
             for (name, curve), color in zip(curves.items(), ("black", "tab:red"))]
    panel.legend(handles=lines, loc="upper left")
    return figure


def draw(study, results, target):
    """The figures: curves of every variant; NSRA's weight and damage where there are such."""
    optional_import("matplotlib", "figures")

    def save(figure, name):
        width = int(figure.get_figwidth() * 17)
        figure.supxlabel(textwrap.fill(f"Smaller than the paper's: {study.reduction}.", width), fontsize=7)
        figure.savefig(target / name, dpi=120)

    histories = [run for variant in study.variants for run in results[variant].values()]
    save(figures.history(histories, ["best", "coverage"]), "curves.png")
    if "nsra-es" in study.variants:
        save(figures.nsra_weight(list(results["nsra-es"].values())), "nsra.png")
    peers = [KEPT / study.name / file for file in study.peers]
    if study.peers and all(file.exists() for file in peers):
        save(beside_peers(histories, peers), "es.png")
    if study.damages:
        files = [run_folder(target, variant, seed) / "adapt.csv"
                 for variant in study.damages for seed in study.seeds]
        adaptations = [Adaptation(file) for file in files]
        save(figures.recovery(adaptations), "recovery.png")
        save(figures.gain(adaptations), "gain.png")


def film(study, results, folder, runner):
    """Films of the best elite of each variant that is to be looked at."""
    for variant in study.films:
        best = max(study.seeds, key=lambda seed: results[variant][seed]["best"][-1])
        run = run_folder(folder, variant, best)
        if (run / "map.h5").exists() and not (folder / f"best-{variant}.png").exists():
            runner.film(run, folder / f"best-{variant}")


def keep_strip(source, target):
    """Copies a film strip smaller and in few colours: a fiftieth of the bytes."""
    pictures = optional_import("PIL.Image", "pictures")
    strip = pictures.open(source)
    smaller = strip.resize((strip.width * 3 // 4, strip.height * 3 // 4))
    smaller.quantize(256, pictures.Quantize.FASTOCTREE).save(target, optimize=True)


def keep_data(study, folder, target):
    """Copies table and pictures, and what they come from."""
    target.mkdir(parents=True, exist_ok=True)
    for file in (folder / "table.md", folder / "versions.txt", *folder.glob("*.png")):
        if file.name.startswith("best-"):
            keep_strip(file, target / file.name)
        else:
            shutil.copy(file, target)
    for variant in study.variants:
        for seed in study.seeds:
            source, kept = run_folder(folder, variant, seed), run_folder(target, variant, seed)
            kept.mkdir(parents=True, exist_ok=True)
            for name in ("metrics.csv", "config.toml", "adapt.csv"):
                if (source / name).exists():
                    shutil.copy(source / name, kept / name)


def main(arguments=None) -> int:
    parser = argparse.ArgumentParser(prog="mees.study", description=__doc__)
    parser.add_argument("name", choices=sorted(STUDIES))
    parser.add_argument("--bin", default="build/release/bin", help="folder of the programs")
    parser.add_argument("--runs", default="runs/reproduce", help="folder of the runs")
    parser.add_argument("--keep", help="also copy table, figures and data into this folder")
    parser.add_argument("--cores", type=int, default=os.cpu_count(), help="cores to use")
    options = parser.parse_args(arguments)
    study = STUDIES[options.name]
    folder = Path(options.runs) / study.name
    folder.mkdir(parents=True, exist_ok=True)
    runner = Runner(options.bin, options.cores)
    if not (folder / "versions.txt").exists():
        (folder / "versions.txt").write_text(runner.versions(), encoding="utf-8")
    if not carry_out(study, folder, runner):
        return 1
    try:
        results = Results(study, folder)
        text = table(study, results)
        (folder / "table.md").write_text(text, encoding="utf-8")
        draw(study, results, folder)
        film(study, results, folder, runner)
    except MeesError as error:
        print(f"mees.study: error: {error}", file=sys.stderr)
        return 3
    if options.keep:
        keep_data(study, folder, Path(options.keep) / study.name)
    print(text)
    print(f"table and figures: {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
