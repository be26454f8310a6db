"""Runs the programs of a build for a study."""

from __future__ import annotations

import os
import platform
import signal
import subprocess
from pathlib import Path

from .errors import Stopped, StudyError

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
STOPPED = 75  # exit code of a program that stopped early with everything saved
WATCH_SECONDS = 1


class Stop:
    """Inside `with`, records a signal to stop and forwards it to the running program.

    The programs save and exit on the first one; a second one, such as Ctrl-C in a terminal, which
    all processes receive, does no harm. Ignored signals (nohup) stay ignored.
    """

    def __init__(self):
        self.asked = False
        self.child = None
        self._previous = {}

    def __enter__(self):
        for number in SIGNALS:
            if signal.getsignal(number) != signal.SIG_IGN:
                self._previous[number] = signal.signal(number, self._record)
        return self

    def __exit__(self, *_):
        for number, handler in self._previous.items():
            signal.signal(number, handler)

    def _record(self, *_):
        self.asked = True
        if self.child:
            self.child.terminate()

    def check(self):
        if self.asked:
            raise Stopped


class Programs:
    """Runs programs of one folder on this machine; raises Stopped after a signal to stop."""

    def __init__(self, folder, cores, stop):
        self.folder = Path(folder).resolve()
        self.cores = cores
        self.stop = stop

    def require(self, *names):
        """Raises StudyError unless these exist."""
        for name in names:
            if not os.access(self.folder / name, os.X_OK):
                raise StudyError(
                    f"cannot run {self.folder / name}",
                    "no such program",
                    "Run ./mees build, or set its folder with --bin.",
                    2,
                )

    def call(self, name, *arguments, watch=lambda: None) -> int:
        """Returns the exit code. The program's messages are printed; `watch` is called every second
        and at the end."""
        self.stop.check()
        with self._start(name, arguments, subprocess.DEVNULL) as child:
            try:
                while child.returncode is None:
                    try:
                        child.wait(WATCH_SECONDS)
                    except subprocess.TimeoutExpired:
                        watch()
                watch()
            except BaseException:
                child.terminate()
                raise
            finally:
                self.stop.child = None
        self.stop.check()
        if child.returncode == STOPPED:
            raise Stopped
        return child.returncode

    def ask(self, name, *arguments) -> str:
        """The output of a program that only prints information."""
        self.stop.check()
        with self._start(name, arguments, subprocess.PIPE) as child:
            answer = child.communicate()[0]
            self.stop.child = None
        self.stop.check()
        if child.returncode != 0:
            raise StudyError(
                f"{name} rejects {' '.join(map(str, arguments))}",
                f"exit code {child.returncode}",
                "See its message above.",
                2,
            )
        return answer

    def version(self, name) -> str:
        """A program's version, those of its libraries, and the machine, in one line."""
        return f"{', '.join(self.ask(name, '--version').splitlines())}; {machine()}"

    def _start(self, name, arguments, output):
        command = [str(self.folder / name), *map(str, arguments)]
        try:
            child = subprocess.Popen(command, stdout=output, text=True)
        except OSError as error:
            raise StudyError(
                f"cannot start {command[0]}", error.strerror, "Build it again.", 1
            ) from error
        self.stop.child = child
        if self.stop.asked:  # before there was a child to forward it to
            child.terminate()
        return child


def machine() -> str:
    """The processor's model and its number of cores."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return f"{models[0] if models else platform.machine()}, {os.cpu_count()} cores"
