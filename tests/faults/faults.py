"""What the fault tests share: a small real training, its processes, and the state of its folder."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "programs"))
from programs import BIN, ENVIRONMENT, mpirun, run, same_map  # noqa: E402,F401

BAD_DISK = os.environ.get("MEES_BAD_DISK", "")

TRAINING = """
[run]
generations = 24
[domain]
name = "point_maze"
[policy]
hidden = [64, 64]
[noise]
table_size = 200000
[es]
population = 24
[algorithm]
n_optim_gens = 4
n_eval = 4
[checkpoint]
every_seconds = 0
every_generations = 1
"""


def write_config(folder, text=TRAINING):
    path = Path(folder) / "training.toml"
    path.write_text(text)
    return path


def launch(config, out, ranks, *options, env=None, stdout=subprocess.PIPE):
    """Starts mees_master, alone or under mpirun, in a process group of its own."""
    command = (mpirun(ranks) if ranks > 1 else []) + [str(BIN / "mees_master"), str(config), "--out",
                                                      str(out), *map(str, options)]
    return subprocess.Popen(command, env={**ENVIRONMENT, **(env or {})}, stdout=stdout,
                            stderr=subprocess.STDOUT, text=True, start_new_session=True)


def processes_of(out):
    """Pids of the ranks that work on a folder, by rank; they stay findable when mpirun is gone."""
    ranks = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
            if not words[0].endswith(b"mees_master") or str(out).encode() not in words:
                continue
            if (entry / "stat").read_text().rsplit(")", 1)[1].split()[0] == "Z":
                continue
            environment = dict(item.split(b"=", 1) for item in (entry / "environ").read_bytes().split(b"\0")
                               if b"=" in item)
        except OSError:
            continue
        rank = environment.get(b"OMPI_COMM_WORLD_RANK") or environment.get(b"PMIX_RANK") or b"0"
        ranks[int(rank)] = int(entry.name)
    return ranks


def wait_for(condition, seconds, what):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        result = condition()
        if result:
            return result
        time.sleep(0.01)
    raise AssertionError(f"not within {seconds} s: {what}")


def kill(pid, number=signal.SIGKILL):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def end_of(process, out, seconds=60):
    """Waits for the end of a job some of which was killed; its output, and whether mpirun hung. When a rank
    dies while it starts, Open MPI 4.1's mpirun may lock up in its own end (PMIx_server_finalize); it is
    killed then, but the ranks must all have gone by themselves."""
    try:
        return process.communicate(timeout=seconds)[0], False
    except subprocess.TimeoutExpired:
        left = processes_of(out)
        for pid in [process.pid, *left.values()]:
            kill(pid)
        output, _ = process.communicate(timeout=seconds)
        assert not left, f"ranks {sorted(left)} hang: {output}"
        return output, True


def is_whole(path):
    return Path(path).exists() and run("mees_inspect", "verify", path).returncode == 0


def one_is_whole(out):
    """The promise: once there is a checkpoint, map.h5 or map.prev.h5 is whole at any moment."""
    names = [out / "map.h5", out / "map.prev.h5"]
    return not any(p.exists() for p in names) or any(is_whole(p) for p in names)


def generations_in(out):
    import h5py
    with h5py.File(out / "map.h5", "r") as file:
        return int(file.attrs["generation"])


def stopwatch():
    begin = time.monotonic()
    return lambda: time.monotonic() - begin


def draws(seed):
    return random.Random(seed)
