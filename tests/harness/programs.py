"""Runs the programs under test and checks what they report."""

import fcntl
import os
import pty
import struct
import subprocess
import termios
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("MEES_BIN", ROOT / "build" / "release" / "bin")).resolve()

ENVIRONMENT = {
    **{k: v for k, v in os.environ.items() if not k.startswith(("SLURM_", "OMPI_", "PMIX_"))},
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_btl": "self,vader",
    # Some containers forbid the system call with which Open MPI copies between processes.
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
}


def command_line(program, arguments, ranks=0):
    launcher = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(ranks)] if ranks else []
    return [*launcher, str(BIN / program), *map(str, arguments)]


def run(program, *arguments, ranks=0, cwd=None, env=None, timeout=240):
    """Runs a program to its end, under mpirun if `ranks` is not 0."""
    return subprocess.run(command_line(program, arguments, ranks), cwd=cwd,
                          env={**ENVIRONMENT, **(env or {})}, timeout=timeout,
                          capture_output=True, text=True, check=False)


def start(program, *arguments, ranks=0, cwd=None, env=None):
    """Starts a program and returns its process."""
    return subprocess.Popen(command_line(program, arguments, ranks), cwd=cwd,
                            env={**ENVIRONMENT, **(env or {})},
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def same_map(a, b):
    """Whether two map files are equal apart from clock and host, and the differences."""
    result = run("mees_inspect", "diff", a, b)
    assert result.returncode in (0, 1), result.stderr
    return result.returncode == 0, result.stdout


def is_intact(path):
    return Path(path).exists() and run("mees_inspect", "verify", path).returncode == 0


def refused(result, program, code, *words):
    """The program ended with this code and one error message, which contains these words."""
    assert result.returncode == code, (result.returncode, result.stdout, result.stderr)
    assert result.stderr.startswith(f"{program}: error: "), result.stderr
    assert result.stderr.count(f"{program}: error: ") == 1, result.stderr
    for word in words:
        assert str(word) in result.stderr, result.stderr


def in_terminal(command, rows=24, columns=80, timeout=60):
    """What a program writes to a terminal of this size."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    child = subprocess.Popen([str(word) for word in command], stdout=slave, stderr=slave,
                             env={**ENVIRONMENT, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"})
    os.close(slave)
    text = b""
    try:
        while part := os.read(master, 65536):
            text += part
    except OSError:  # the end of a terminal whose program has ended
        pass
    os.close(master)
    assert child.wait(timeout) == 0, text
    return text.decode().replace("\r\n", "\n")
