#!/usr/bin/env python3
"""Generates the tables and the figure of docs/scaling.md from measured.json in this folder.

    scaling.py measure BIN   measures everything again with the programs in BIN (idle machine;
                             15 minutes), writes measured.json, then the page and the figure
    scaling.py write         writes the page and the figure from measured.json
    scaling.py check         fails if the page does not match measured.json
"""

import importlib.util
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
import model  # noqa: E402

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
DATA = HERE / "measured.json"
PAGE = ROOT / "docs" / "scaling.md"
FIGURE = ROOT / "docs" / "images" / "scaling.png"
RANKS = (512, 2048, 10_000)
ENOUGH_RANKS = 10_040  # one for each episode of the paper's generation
POPULATIONS = (model.PAPER_POPULATION, 10 * model.PAPER_POPULATION)
SHORT = "protocol, 10 ms"  # a group of its own: the model's ranks do not share cores
DURATIONS = {"protocol": "300 ms", SHORT: "10 ms"}


def measure(programs):
    """All rows of mees_bench, then the protocol on four virtual nodes: of 128 ranks, and of 64 with
    episodes of 10 ms."""
    programs = Path(programs).resolve()
    bench, nodes = programs / "mees_bench", ROOT / "tests" / "cluster" / "bench_on_nodes.sh"
    rows = rows_of([bench, "all", "--ranks", "16,64,256"])
    rows += rows_of([nodes, "4x128", bench, "protocol"])
    short = rows_of([nodes, "4x64", bench, "protocol", "--seconds", "0.01"])
    rows += [{**row, "group": SHORT} for row in short]
    version = subprocess.run([bench, "--version"], check=True, text=True,
                             capture_output=True).stdout.split()[1]
    for row in rows:
        row["when"] = f"{version}, idle"
    DATA.write_text("[\n" + ",\n".join("  " + json.dumps(row) for row in rows) + "\n]\n")


def rows_of(command):
    """The rows that this command measures."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rows.json"
        status = subprocess.run([*command, "--json", file], check=False).returncode
        if not file.exists():
            sys.exit(f"scaling.py: error: {command[0]} failed (exit code {status}). "
                     "See its output above.")
        return json.loads(file.read_text())


def table(header, rows):
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def seconds(value):
    if value < 0.9995e-3:
        return f"{value * 1e6:.3g} us"
    return f"{value * 1e3:.3g} ms" if value < 0.9995 else f"{value:.3g} s"


def inputs(rows):
    costs = model.costs_from(rows)

    def line(name, value, remark, group, end):
        when = {row["when"] for row in rows
                if row["group"] == group and row["what"].endswith(end)}
        return [name, seconds(value), remark, "; ".join(sorted(when))]
    lines = [line(f"episode: {domain.name}", domain.seconds, f"{domain.parameters:,} parameters",
                  "episode", "over bare mj_step") for domain in model.domains_from(rows)]
    lines += [line("rank 0, per message", costs.message, "giving a share, or receiving a report",
                   "protocol", "master, per message"),
              line("rank 0, per episode", costs.store, "storing its result",
                   "protocol", "master, per episode")]
    lines += [line(f"rank 0, update, {update.offspring:,} offspring, "
                   f"{update.parameters:,} parameters", update.seconds,
                   "without gradient and novelties" + scaling_of(update), "generation", update.row)
              for update in costs.updates]
    lines += [line(f"novelties of {count:,} offspring", value, "on one core",
                   "generation", f"and novelties, {count:,} offspring")
              for count, value in costs.novelty]
    lines += [line("gradient, per slice of noise at a rank", costs.slice_,
                   f"plus {costs.value * 1e9:.2g} ns per value", "gradient",
                   "one rank's part of 10,000")]
    return table(["quantity", "value", "remark", "measured"], lines)


def scaling_of(update):
    return f"; scaled linearly from {model.ANT_PARAMETERS:,} parameters" if update.scaled else ""


def predictions(rows):
    costs = model.costs_from(rows)
    columns = (*RANKS, ENOUGH_RANKS)
    lines = []
    for domain in model.domains_from(rows):
        for population in POPULATIONS:
            cells = [model.generation(domain, population, ranks, costs) for ranks in columns]
            lines.append([domain.name, f"{population:,}",
                          *(f"{cell.efficiency:.2f} ({seconds(cell.seconds)})" for cell in cells)])
    return table(["domain", "offspring", *(f"{ranks:,} ranks" for ranks in columns)], lines)


def hours(seconds_):
    return f"{seconds_ / 3600:.3g} h" if seconds_ >= 3600 else f"{seconds_ / 60:.0f} min"


def jobs(rows):
    """The paper's runs on 512 ranks: predicted time per generation times their number."""
    costs = model.costs_from(rows)
    domains = {domain.name: domain for domain in model.domains_from(rows)}
    lines = []
    for presets, generations, name in (
            ("`ant_mees_*.toml`, `ant_mega.toml`", 500, "Ant"),
            ("`ant_maze_*.toml`", 1000, "Ant Maze"),
            ("`deceptive_humanoid_*.toml`, never falling", 1000, "Humanoid, walking"),
            ("`deceptive_humanoid_*.toml`, always falling", 1000, "Humanoid, falling")):
        cell = model.generation(domains[name], model.PAPER_POPULATION, RANKS[0], costs)
        taken = generations * cell.seconds
        core_hours = RANKS[0] * taken / 3600
        lines.append([presets, f"{generations:,}", hours(taken), f"{core_hours:,.0f}",
                      f"{5 * core_hours:,.0f}"])
    return table(["presets", "generations", "one run on 512 ranks", "core-hours",
                  "core-hours, five seeds"], lines)


def losses(rows):
    costs = model.costs_from(rows)
    parts = ("schedule", "master", "batch", "gradient", "novelty", "update")
    lines = []
    for domain in model.domains_from(rows):
        for population in POPULATIONS:
            cell = model.generation(domain, population, RANKS[-1], costs)
            lines.append([domain.name, f"{population:,}",
                          *(f"{100 * getattr(cell, part) / cell.seconds:.0f} %" for part in parts)])
    return table(["domain", "offspring", *parts], lines)


def protocol(rows):
    """Measured efficiency, and master times of even episodes, by number of ranks."""
    lines = []
    for row in rows:
        found = re.fullmatch(r"(\d+ ranks(?: on \d+ nodes)?), (even|uneven) episodes: "
                             "bound over time", row["what"])
        if found:
            lines.append([found[1].replace(" ranks", ""),
                          f"{DURATIONS[row['group']]}, {found[2]}", f"{row['median']:.3f}",
                          *master_times(rows, row["group"], f"{found[1]}, {found[2]}"),
                          row["when"]])
    return table(["ranks", "episodes", "bound over time", "sends batches", "assigns", "receives",
                  "waits", "gradient", "rest of the update", "per message", "measured"], lines)


def master_times(rows, group, name):
    """The cells of that table; empty where mees_bench does not measure them."""
    medians = {row["what"].removeprefix(f"{name}: "): row["median"] for row in rows
               if row["group"] == group and row["what"].startswith(f"{name}: ")}
    if not medians:
        return [""] * 7

    def percent(*whats):
        return f"{sum(medians[what] for what in whats):.2f} %"
    return [percent("master sends batches"), percent("master hands out episodes"),
            percent("master takes in replies", "master stores results"), percent("master waits"),
            percent("gradient, on all ranks"), percent("rest of the update"),
            seconds(medians["master, per message"] / 1e6)]


def page_of(rows, text):
    """The page with its parts between <!-- NAME --> and <!-- end --> generated again."""
    for make in (inputs, predictions, jobs, losses, protocol):
        name = make.__name__
        text, count = re.subn(rf"(<!-- {name} -->\n).*?(\n<!-- end -->)",
                              lambda found, make=make: found[1] + make(rows) + found[2], text,
                              flags=re.DOTALL)
        assert count == 1, name
    return text


def draw(rows):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    costs = model.costs_from(rows)
    ranks = sorted({*RANKS, *(round(64 * 2 ** (i / 2)) for i in range(17))})
    figure, axes = pyplot.subplots(1, 2, figsize=(10, 4), sharey=True, layout="constrained")
    for axis, population in zip(axes, POPULATIONS):
        for domain in model.domains_from(rows):
            cells = [model.generation(domain, population, count, costs) for count in ranks]
            axis.plot(ranks, [cell.efficiency for cell in cells], label=domain.name)
        axis.set_xscale("log", base=2)
        axis.set_xticks([64, *RANKS], labels=["64", *(f"{count:,}" for count in RANKS)])
        axis.minorticks_off()
        axis.set_ylim(0, 1.02)
        axis.grid(alpha=0.3)
        axis.set_xlabel("ranks")
        axis.set_title(f"{population:,} offspring")
    axes[0].set_ylabel("efficiency")
    axes[0].legend(frameon=False, loc="lower left")
    figure.savefig(FIGURE, dpi=110)


def main(arguments):
    measuring = arguments[:1] == ["measure"] and len(arguments) == 2
    if not measuring and arguments not in (["write"], ["check"]):
        sys.exit(__doc__)
    if arguments != ["check"] and not importlib.util.find_spec("matplotlib"):
        sys.exit(f"scaling.py: error: missing package matplotlib (Python is {sys.executable}). "
                 "Use a Python that has it, such as /usr/bin/python3.")
    if measuring:
        measure(arguments[1])
    rows = json.loads(DATA.read_text())
    page = page_of(rows, PAGE.read_text())
    if arguments == ["check"]:
        if page != PAGE.read_text():
            sys.exit("scaling.py: error: docs/scaling.md is out of date (its tables do not match "
                     "docs/scaling/measured.json). Run docs/scaling/scaling.py write.")
        return
    PAGE.write_text(page)
    draw(rows)


if __name__ == "__main__":
    main(sys.argv[1:])
