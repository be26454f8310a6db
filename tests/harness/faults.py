"""For the fault tests: a small training, its processes, and the state of its folder."""

import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path

from harness.configs import settings
from harness.programs import ENVIRONMENT, command_line, is_intact

TRAINING = settings(
    run={"generations": 24},
    policy={"hidden": [64, 64]},
    noise={"table_size": 200000},
    es={"population": 24},
    algorithm={"n_optim_gens": 4},
)


def launch(config, out, ranks, *options, env=None, stdout=subprocess.PIPE):
    """Starts mees_master, under mpirun if there are several ranks, in its own process group."""
    command = command_line("mees_master", [config, "--out", out, *options],
                           ranks if ranks > 1 else 0)
    return subprocess.Popen(command, env={**ENVIRONMENT, **(env or {})}, stdout=stdout,
                            stderr=subprocess.STDOUT, text=True, start_new_session=True)


def train(config, out, *options, env=None):
    """Runs mees_master without mpirun to its end; its exit code and output."""
    process = launch(config, out, 1, *options, env=env)
    output, _ = process.communicate(timeout=300)
    return process.returncode, output


def bad_disk(path, *rules, report=None):
    """The environment in which calls on files whose path contains `path` fail; see
    faults/bad_disk.cpp."""
    return {"LD_PRELOAD": os.environ["MEES_BAD_DISK"], "BAD_DISK_PATH": str(path),
            "BAD_DISK_PLAN": ";".join(rules), "BAD_DISK_REPORT": str(report or "")}


def processes_of(out):
    """Pids of the ranks that work on a folder, by rank; found even after the end of mpirun."""
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
            variables = (entry / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        environment = dict(item.split(b"=", 1) for item in variables if b"=" in item)
        names = (b"OMPI_COMM_WORLD_RANK", b"PMIX_RANK", b"PMI_RANK", b"SLURM_PROCID")
        rank = next((environment[name] for name in names if name in environment), b"0")
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
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def end_of(process, out, seconds=60):
    """Waits for the end of a job with killed processes; its output, and whether mpirun hung.

    When a rank dies during start-up, Open MPI 4.1's mpirun may hang in its own end
    (PMIx_server_finalize); it is killed then, but all ranks must have ended by themselves.
    """
    try:
        return process.communicate(timeout=seconds)[0], False
    except subprocess.TimeoutExpired:
        left = processes_of(out)
        for pid in [process.pid, *left.values()]:
            kill(pid)
        output, _ = process.communicate(timeout=seconds)
        assert not left, f"ranks {sorted(left)} hang: {output}"
        return output, True


def one_is_intact(out):
    """The guarantee: once there is a checkpoint, map.h5 or map.prev.h5 is intact at any moment."""
    names = [out / "map.h5", out / "map.prev.h5"]
    return not any(p.exists() for p in names) or any(is_intact(p) for p in names)


def stopwatch():
    begin = time.monotonic()
    return lambda: time.monotonic() - begin
