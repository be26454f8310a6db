"""npm run bench, in apps/viewer: the speed of the viewer, and what it costs a run.

Measures the programs in MEES_BIN (default: the release build), best of several rounds, and prints
a row per figure. Run it on an otherwise idle machine.
"""

import contextlib
import json
import os
import resource
import shutil
import subprocess
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

import h5py
import numpy as np
from harness.configs import settings, write_config
from harness.maps import train_map
from harness.programs import BIN, ENVIRONMENT, command_line
from viewer import CHROMIUM, NODE, SOURCES, build_page, serving

ELITES = 500
ROUNDS = 3
# The networks and the integrator of the paper.
ANT = settings(
    run={"generations": 1},
    domain={"name": "ant", "episode_steps": 1000, "integrator": "rk4"},
    policy={"hidden": [256, 256]},
    noise={"table_size": 1000000},
    es={"population": 2},
    algorithm={"n_optim_gens": 1, "n_eval": 1},
    checkpoint=None,
)
# Some seconds, with a checkpoint whenever the run may write one.
WATCHED = settings(
    run={"generations": 30},
    domain={"name": "ant", "episode_steps": 250},
    policy={"hidden": [64, 64]},
    noise={"table_size": 1000000},
    es={"population": 6},
    algorithm={"n_optim_gens": 5, "n_eval": 2},
    checkpoint={"every_seconds": 0, "every_generations": 1},
)


def enlarge(source, out):
    """A copy of a map with ELITES elites: its own, repeated in other cells."""
    shutil.copy(source, out)
    with h5py.File(out, "r+") as file:
        count = len(file["map/cell"])
        bins, lower, upper = (file["map"].attrs[name] for name in ("bins", "lower", "upper"))
        cells = np.sort(np.random.default_rng(1).permutation(int(np.prod(bins)))[:ELITES])
        where = np.stack(np.unravel_index(cells, bins), axis=1)
        bc = lower + (where + 0.5) / bins * (upper - lower)
        order = np.arange(ELITES)
        columns = {"cell": cells, "bins": where, "bc": bc, "elite_inserted": order}
        for group in (file["map"], file["state"]):
            for name, column in list(group.items()):
                if isinstance(column, h5py.Dataset) and column.shape[:1] == (count,):
                    old = column[:]
                    data = columns.get(name, np.resize(old, (ELITES, *old.shape[1:])))
                    del group[name]
                    group.create_dataset(name, data=data.astype(old.dtype), fletcher32=True)
    return out


def row(name, value, unit, note=""):
    print(f"{name:44} {value:9.3g} {unit:4} {note}".rstrip(), flush=True)


@contextlib.contextmanager
def watching(folder):
    """A server of a run and a page that follows it, without the browser's drawing."""
    with serving(folder) as server:
        ended = threading.Event()

        def follow():
            with contextlib.suppress(OSError, ValueError):
                events = urllib.request.urlopen(f"{server.base}/api/events?token={server.token}")
                while not ended.is_set() and (line := events.readline()):
                    if line.startswith(b"data:"):
                        json.loads(server.get("/api/map?run=0")[2])

        thread = threading.Thread(target=follow, daemon=True)
        thread.start()
        yield
        ended.set()


def cost_of_run(folder, name, watched):
    """Processor seconds of a run."""
    out = folder / name
    config = write_config(folder, WATCHED, f"{name}.toml")
    with contextlib.ExitStack() as stack:
        process = subprocess.Popen(
            command_line("mees_master", [config, "--out", out, "--threads", 1]),
            env=ENVIRONMENT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        while watched and process.poll() is None and not (out / "map.h5").exists():
            time.sleep(0.01)
        if watched:
            stack.enter_context(watching(out))
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, process.stderr.read()
    return usage.ru_utime + usage.ru_stime


def bench_serving(folder):
    alone, watched = [], []
    for index in range(ROUNDS):
        alone.append(cost_of_run(folder, f"alone{index}", False))
        watched.append(cost_of_run(folder, f"watched{index}", True))
    row("a run alone", min(alone), "s", f"processor time, {min(alone):.2f} to {max(alone):.2f}")
    change = 100 * (min(watched) / min(alone) - 1)
    note = f"{min(watched):.2f} to {max(watched):.2f}: {change:+.1f} %"
    row("the same run while it is watched", min(watched), "s", note)


def main():
    build_page()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with tempfile.TemporaryDirectory(prefix="mees-bench-") as name:
        folder = Path(name)
        path = enlarge(train_map(folder / "ant", ANT, "--threads", 2), folder / "large.h5")
        with serving(path) as server:
            subprocess.run(
                ["npm", "run", "--silent", "bench:page"],
                cwd=SOURCES,
                check=True,
                env={**os.environ, "MEES_URL": server.url, "MEES_CHROMIUM": CHROMIUM or ""},
            )
        bench_serving(folder)


if __name__ == "__main__":
    assert NODE, "needs node"
    print(f"mees_view of {BIN}")
    main()
