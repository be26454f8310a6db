"""Runs the programs under test; shared by the suites in this folder."""

import os
import subprocess
from pathlib import Path

BIN = Path(os.environ.get("MEES_BIN", "build/release/bin")).resolve()
ROOT = Path(__file__).resolve().parents[2]

ENVIRONMENT = {
    **{k: v for k, v in os.environ.items() if not k.startswith(("SLURM_", "OMPI_", "PMIX_"))},
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_btl": "self,vader",
    # Open MPI's way of copying between processes is not allowed in every container.
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
}

SMALL = """
[run]
generations = 6
[domain]
name = "point_maze"
[policy]
hidden = [8]
[noise]
table_size = 100000
[es]
population = 20
[algorithm]
n_optim_gens = 3
n_eval = 4
[checkpoint]
every_seconds = 0
every_generations = 1
"""


def mpirun(ranks):
    return ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(ranks)]


def run(program, *arguments, ranks=0, cwd=None, env=None, timeout=240):
    """Runs a program to its end, under mpirun if `ranks` says so."""
    command = (mpirun(ranks) if ranks else []) + [str(BIN / program), *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, env={**ENVIRONMENT, **(env or {})}, timeout=timeout,
                          capture_output=True, text=True, check=False)


def start(program, *arguments, ranks=0, cwd=None, env=None):
    """Starts a program and returns its process."""
    command = (mpirun(ranks) if ranks else []) + [str(BIN / program), *map(str, arguments)]
    return subprocess.Popen(command, cwd=cwd, env={**ENVIRONMENT, **(env or {})},
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def small_config(folder, text=SMALL, name="small.toml"):
    path = Path(folder) / name
    path.write_text(text)
    return path


def same_map(a, b):
    """Whether two map files are the same but for clock and host."""
    result = run("mees_inspect", "diff", a, b)
    assert result.returncode in (0, 1), result.stderr
    return result.returncode == 0, result.stdout
