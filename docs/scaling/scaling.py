#!/usr/bin/env python3
"""Keeps docs/scaling.md: its tables and its picture come from measured.json, beside this file.

    scaling.py measure BIN   measures everything anew with the programs in BIN (a quiet machine; a quarter of an hour),
                             writes measured.json, then the page and the picture
    scaling.py write         the page and the picture from measured.json
    scaling.py check         fails if the page is not what measured.json says
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
PICTURE = ROOT / "docs" / "images" / "scaling.png"
RANKS = (512, 2048, 10_000)
ENOUGH_RANKS = 10_040  # one for each episode of the paper's generation
POPULATIONS = (model.PAPER_POPULATION, 10 * model.PAPER_POPULATION)


def measure(programs):
    """All rows of mees_bench, then the protocol on four virtual nodes of 128 ranks."""
    programs = Path(programs).resolve()
    with tempfile.TemporaryDirectory() as folder:
        rows = []
        for number, command in enumerate((
                [programs / "mees_bench", "all", "--ranks", "16,64,256"],
                [ROOT / "tests" / "cluster" / "bench_on_nodes.sh", "4x128", programs / "mees_bench", "protocol"])):
            file = Path(folder) / f"{number}.json"
            status = subprocess.run([*command, "--json", file], check=False).returncode
            if not file.exists():
                sys.exit(f"{command[0]} failed with {status}")
            rows += json.loads(file.read_text())
    DATA.write_text("[\n" + ",\n".join("  " + json.dumps(row) for row in rows) + "\n]\n")


def table(header, rows):
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def seconds(value):
    if value < 0.9995e-3:
        return f"{value * 1e6:.3g} us"
    return f"{value * 1e3:.3g} ms" if value < 0.9995 else f"{value:.3g} s"


def inputs(rows):
    costs = model.costs_from(rows)
    lines = [[f"an episode: {domain.name}", seconds(domain.seconds), f"{domain.parameters:,} parameters"]
             for domain in model.domains_from(rows)]
    lines += [["rank 0, a message", seconds(costs.message), "handing out, or taking in and storing; median of the runs below"]]
    lines += [[f"rank 0, update, {count:,} offspring", seconds(value), "gradient aside"]
              for count, value in costs.update]
    lines += [["gradient, a slice of noise at a rank", seconds(costs.slice_), f"and {costs.value * 1e9:.2g} ns a value"]]
    return table(["what", "measured", ""], lines)


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
    """The paper's runs on 512 ranks: each generation as predicted, times their number."""
    costs = model.costs_from(rows)
    domains = {domain.name: domain for domain in model.domains_from(rows)}
    lines = []
    for presets, generations, name in (("`ant_mees_*.toml`, `ant_mega.toml`", 500, "Ant"), ("`ant_maze_*.toml`", 1000, "Ant Maze"),
                                       ("`deceptive_humanoid_*.toml`, never falling", 1000, "Humanoid, walking"),
                                       ("`deceptive_humanoid_*.toml`, always falling", 1000, "Humanoid, falling")):
        taken = generations * model.generation(domains[name], model.PAPER_POPULATION, RANKS[0], costs).seconds
        core_hours = RANKS[0] * taken / 3600
        lines.append([presets, f"{generations:,}", hours(taken), f"{core_hours:,.0f}", f"{5 * core_hours:,.0f}"])
    return table(["presets", "generations", "a run on 512 ranks", "core-hours", "five seeds"], lines)


def losses(rows):
    costs = model.costs_from(rows)
    parts = ("schedule", "master", "batch", "gradient", "update")
    lines = []
    for domain in model.domains_from(rows):
        for population in POPULATIONS:
            cell = model.generation(domain, population, RANKS[-1], costs)
            lines.append([domain.name, f"{population:,}",
                          *(f"{100 * getattr(cell, part) / cell.seconds:.0f} %" for part in parts)])
    return table(["domain", "offspring", *parts], lines)


def protocol(rows):
    """Efficiency of runs that were really made: figures by number of ranks."""
    lines = []
    for row in rows:
        found = re.fullmatch(r"(\d+) ranks( on \d+ nodes)?, even episodes: bound over time", row["what"])
        if not found:
            continue
        name = row["what"].split(" episodes")[0]

        def figure(what, name=name):
            return next(other["median"] for other in rows if other["what"] == f"{name}: {what}")

        def percent(*whats):
            return f"{sum(figure(what) for what in whats):.2f} %"
        lines.append([found[1] + (found[2] or ""), f"{row['median']:.3f}",
                      percent("master sends batches"), percent("master hands out episodes"),
                      percent("master takes in replies", "master stores results"), percent("master waits"),
                      percent("gradient, on all ranks"), percent("rest of the update"),
                      seconds(figure("master, per message") / 1e6)])
    return table(["ranks", "bound over time", "sends batches", "hands out", "takes in", "waits", "gradient",
                  "rest of the update", "a message"], lines)


def page_of(rows, text):
    """The page with its parts between <!-- NAME --> and <!-- end --> made anew."""
    for make in (inputs, predictions, jobs, losses, protocol):
        name = make.__name__
        text, count = re.subn(rf"(<!-- {name} -->\n).*?(\n<!-- end -->)",
                              lambda found, make=make: found[1] + make(rows) + found[2], text, flags=re.DOTALL)
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
            axis.plot(ranks, [model.generation(domain, population, count, costs).efficiency for count in ranks],
                      label=domain.name)
        axis.set_xscale("log", base=2)
        axis.set_xticks([64, *RANKS], labels=["64", *(f"{count:,}" for count in RANKS)])
        axis.minorticks_off()
        axis.set_ylim(0, 1.02)
        axis.grid(alpha=0.3)
        axis.set_xlabel("ranks")
        axis.set_title(f"{population:,} offspring")
    axes[0].set_ylabel("efficiency")
    axes[0].legend(frameon=False, loc="lower left")
    figure.savefig(PICTURE, dpi=110)


def main(arguments):
    measuring = arguments[:1] == ["measure"] and len(arguments) == 2
    if not measuring and arguments not in (["write"], ["check"]):
        sys.exit(__doc__)
    if arguments != ["check"] and not importlib.util.find_spec("matplotlib"):
        sys.exit(f"{sys.executable} has no matplotlib: start this with a Python that has, perhaps /usr/bin/python3")
    if measuring:
        measure(arguments[1])
    rows = json.loads(DATA.read_text())
    page = page_of(rows, PAGE.read_text())
    if arguments == ["check"]:
        if page != PAGE.read_text():
            sys.exit("docs/scaling.md is not what docs/scaling/measured.json says: run docs/scaling/scaling.py write")
        return
    PAGE.write_text(page)
    draw(rows)


if __name__ == "__main__":
    main(sys.argv[1:])
