"""The programs of a build as a study runs them."""

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
    """Inside `with`, a signal that asks to stop is noted and passed on to the program that runs.

    The programs save and end on the first one; a second one, as Ctrl-C in a terminal sends it to
    all, does no harm. Signals that are ignored (nohup) stay so.
    """

    def __init__(self):
        self.asked = False
        self.child = None
        self._former = {}

    def __enter__(self):
        for number in SIGNALS:
            if signal.getsignal(number) != signal.SIG_IGN:
                self._former[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *_):
        for number, handler in self._former.items():
            signal.signal(number, handler)

    def _note(self, *_):
        self.asked = True
        if self.child:
            self.child.terminate()

    def check(self):
        if self.asked:
            raise Stopped


class Programs:
    """Calls programs of one folder on this machine's cores; a Stop ends them with Stopped."""

    def __init__(self, folder, cores, stop):
        self.folder = Path(folder).resolve()
        self.cores = cores
        self.stop = stop

    def require(self, *names):
        """StudyError unless these are there."""
        for name in names:
            if not os.access(self.folder / name, os.X_OK):
                raise StudyError(f"{self.folder / name}: no such program (not built?) "
                                 "run ./mees build, or say with --bin where it is", 2)

    def call(self, name, *arguments, watch=lambda: None) -> int:
        """The exit code. Messages of the program are shown; `watch` is called every second and at the end."""
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
        """What a program that only answers prints."""
        self.stop.check()
        with self._start(name, arguments, subprocess.PIPE) as child:
            answer = child.communicate()[0]
            self.stop.child = None
        self.stop.check()
        if child.returncode != 0:
            raise StudyError(f"{name} refuses {' '.join(map(str, arguments))} (exit code {child.returncode}) "
                             "see its message above", 2)
        return answer

    def version(self, name) -> str:
        """A program's version, those of its libraries, and the machine, in one line."""
        return f"{', '.join(self.ask(name, '--version').splitlines())}; {machine()}"

    def _start(self, name, arguments, output):
        command = [str(self.folder / name), *map(str, arguments)]
        try:
            child = subprocess.Popen(command, stdout=output, text=True)
        except OSError as error:
            raise StudyError(f"{command[0]}: cannot be started ({error.strerror}) build it anew", 1) from error
        self.stop.child = child
        if self.stop.asked:  # before there was a child to pass it on to
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
