"""Fake programs for tests of studies.

`build` writes them into a folder; files next to them control their behaviour: `version`, `commit`
and `mujoco` are what they print as such, `settings` is added to --show-config, `fails-PROGRAM` is
the exit code to fail with, `waits` makes mees_master wait for a signal after its first generation,
and all of them append their command lines to `calls`.
"""

import sys

from mees.study.__main__ import main
from mees.study.studies import STUDIES, Claim, Study, more

SOURCE = """#!{python} -IS
import os, signal, sys, time
from pathlib import Path
here, name, words = Path(sys.argv[0]).parent, Path(sys.argv[0]).name, sys.argv[1:]
def told(file):
    return (here / file).read_text() if (here / file).exists() else None
def option(word):
    return words[words.index(word) + 1]
if "--version" in words:
    print(name, told("version") or "0.1.0")
    print("commit", told("commit") or "abc")
    print("MuJoCo", told("mujoco") or "3.1")
    sys.exit()
settings = dict(word.split("=") for word in words if "=" in word)
generations = int(settings.get("run.generations", 3))
if "--dry-run" in words:
    print("generations              %d\\nepisodes per generation  10\\ntotal episodes           %d"
          % (generations, generations * 10))
    sys.exit()
config = "[run]\\nseed = %s\\n[algorithm]\\nname = 'es'\\n[es]\\nsigma = %s\\n" % (
    option("--seed") if "--seed" in words else 0, settings.get("es.sigma", 2))
if "--show-config" in words:
    given = Path(words[0])
    print(given.read_text() if given.name == "config.toml" else config + "[log]\\nlevel = 'here'")
    print(told("settings") or "")
    sys.exit()
with open(here / "calls", "a") as calls:
    print(name, *words, file=calls)
if told("fails-" + name):
    print(name + ": error: told to fail", file=sys.stderr)
    if name == "mees_replay":
        Path(option("--video")).write_text("cut short")
    sys.exit(int(told("fails-" + name)))
if name == "mees_replay" and "--video" not in words:
    print("a map\\n episode  fitness  steps  end")
    for episode in range(int(option("--episodes"))):
        print(episode, 1000 + episode, 1000, "completed")
    print("mean", 0, 1000)
    sys.exit()
out = Path(option("--video" if name == "mees_replay" else "--out"))
def train():
    out.mkdir(parents=True, exist_ok=True)
    seed = int(option("--seed"))
    def rows(last):
        header = "generation,best,fitness,coverage,episodes,steps"
        lines = ["%d,%d,%d,1,%d,%d" % (g, g * seed, g * seed, g * 10 + 10, g * 1000 + 1000)
                 for g in range(last + 1)]
        (out / "metrics.csv").write_text("\\n".join([header, *lines, ""]))
    content = "map %d of %d" % (seed, generations)
    if (out / "map.h5").exists() and (out / "map.h5").read_text() == content:
        return
    (out / "config.toml").write_text(config)
    (out / "mees.log").write_text("starts")
    if told("waits"):
        asked = []
        signal.signal(signal.SIGTERM, lambda *_: asked.append(1))
        signal.signal(signal.SIGINT, lambda *_: asked.append(1))
        rows(1)
        while not asked:
            time.sleep(0.01)
        time.sleep(0.5)
        (out / "saved").touch()
        sys.exit(75)
    rows(generations)
    (out / "map.h5").write_text(content)
def adapt():
    if not out.exists():
        header = "damage,seed,pre,pre_se,post,post_se,gain,trials"
        rows = ["J%d,0,1,0.1,2,0.1,1,30" % i for i in range(12)]
        out.with_suffix(".csv").write_text("\\n".join([header, *rows, ""]))
        out.write_text("adaptation")
def replay():
    out.write_bytes((here / "image.png").read_bytes())
def evaluate():
    if out.exists():
        sys.exit(3)
    stored = here / "evaluated.h5"
    out.write_bytes(stored.read_bytes() if stored.exists() else b"evaluated")
jobs = {{"mees_master": train, "mees_adapt": adapt, "mees_replay": replay}}
jobs.get(name, evaluate)()
"""


def build(folder):
    """The folder, with the programs in it."""
    from PIL import Image

    folder.mkdir()
    Image.new("RGB", (90, 10), "red").save(folder / "image.png")
    for name in ("mees_master", "mees_adapt", "mees_replay", "mees_evaluate"):
        (folder / name).write_text(SOURCE.format(python=sys.executable))
        (folder / name).chmod(0o755)
    return folder


def calls(folder):
    """The command lines since the last call of this function, one per line."""
    file = folder / "calls"
    lines = file.read_text().splitlines() if file.exists() else []
    file.unlink(missing_ok=True)
    return lines


def toy(preset, **changes):
    """A study of two variants and two seeds."""
    return Study(
        **{
            "name": "toy",
            "preset": str(preset),
            "variants": {"a": ["es.sigma=1"], "b": []},
            "seeds": (1, 2),
            "claims": (Claim("a is best", more("a", "b", "best")),),
            "reduction": "toy",
            "damages": ("b",),
            "videos": ("a",),
            **changes,
        }
    )


def change(monkeypatch, place, **changes):
    monkeypatch.setitem(STUDIES, "toy", toy(place / "toy.toml", **changes))


def run(*options):
    return main(["toy", "--bin", "bin", "--runs", "runs", "--cores", "2", *options])


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
