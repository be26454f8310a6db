"""A run that a sequence of faults happens to: its folder, its processes, its intact states."""

import contextlib
import os
import random
import shutil
import signal
import time

import h5py
from harness.faults import bad_disk, kill, launch, processes_of, stopwatch, wait_for
from harness.programs import run

PATIENCE = 60  # seconds after which a run that neither ends nor stops is said to hang


def state_of(pid):
    """The letter with which /proc describes a process; X if there is none."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0]
    except OSError:
        return "X"


def damage_file(path, how, where):
    content = bytearray(path.read_bytes())
    begin = int(where * len(content))
    if not content or how == "truncate":
        del content[begin:]
    elif how == "blank":
        content[begin:begin + 2000] = bytes(len(content[begin:begin + 2000]))
    else:
        content[begin] ^= 1 << begin % 8
    with open(path, "r+b") as file:  # the same file, which the run may have open
        file.truncate(len(content))
        file.write(content)


class Victim:
    """The folder of a run, and the intact states that it must still contain."""

    def __init__(self, base, config):
        self.base, self.config, self.out = base, config, base / "victim"
        self._verified = {}
        self._number = 0

    def files(self, name):
        """The files that a fault called `name` concerns."""
        if name == "changes":
            return sorted(path for path in self.out.glob("map.changes-*.h5") if path.is_file())
        if name != "temporary":
            return [path for path in [self.out / name] if path.is_file()]
        # Not a second name of map.h5: the fault is that one state is damaged.
        return [path for path in sorted(self.out.glob(".map*.tmp")) if path.stat().st_nlink == 1]

    def intact(self):
        """{path: generation} of the intact maps of the folder, whatever their names."""
        paths = [*self.files("map.h5"), *self.files("map.prev.h5"), *self.files("temporary"),
                 *self.files("map.damaged.h5"), *self.files("changes"),
                 *sorted(self.out.glob("checkpoints/*"))]
        found = {path: self._generation(path) for path in paths}
        return {path: generation for path, generation in found.items() if generation is not None}

    def newest(self):
        """The newest generation that an intact map, or one and the intact changes that continue
        it, leads to, or -1."""
        found = self.intact()
        links = [(self._continues(path), found[path]) for path in found
                 if "map.changes-" in path.name]
        reached = {g for path, g in found.items() if "map.changes-" not in path.name}
        for previous, generation in sorted(links):
            if previous in reached:
                reached.add(generation)
        return max(reached, default=-1)

    def _continues(self, changes):
        """The generation that a change file continues."""
        with h5py.File(changes) as file:
            return int(file["changes"].attrs["previous_generation"])

    def _generation(self, path):
        status = path.stat()
        key = (status.st_ino, status.st_size, status.st_ctime_ns)
        if key not in self._verified:
            result = run("mees_inspect", "verify", path)
            assert result.returncode in (0, 3), (path, result.stdout, result.stderr)
            words = result.stdout.split("is intact: generation ")
            self._verified[key] = int(words[1].split(",")[0]) if result.returncode == 0 else None
        return self._verified[key]

    def alter(self, what, name, *detail):
        """Damages, deletes or dates the files of this name."""
        for path in self.files(name):
            if what == "damage":
                damage_file(path, *detail)
            elif what == "delete":
                path.unlink()
            else:
                then = time.time() + detail[0]
                os.utime(path, (then, then))

    def move(self, elsewhere=None):
        """Renames the folder; where it is now."""
        self._number += 1
        target = elsewhere or self.base / f"victim-{self._number}"
        with contextlib.suppress(FileNotFoundError):
            self.out.rename(target)
        return target


class Running:
    """One start of the run. What is done to it is done while rank 0 has stopped itself."""

    def __init__(self, victim, start, number):
        self.victim, self.start = victim, start
        self.log = victim.base / f"output-{number}.txt"
        with open(self.log, "w", encoding="utf-8") as log:
            self.process = launch(victim.config, victim.out, start.ranks, "--threads", 1,
                                  env=bad_disk("/victim", *start.plan), stdout=log)
        self._pids = {0: self.process.pid} if start.ranks == 1 else {}

    def stopped(self):
        """Waits until rank 0 has stopped itself; False if the run ends instead."""
        elapsed = stopwatch()
        while self.process.poll() is None:
            if not self._pids:
                found = processes_of(self.victim.out)
                self._pids = found if len(found) == self.start.ranks else {}
            if self._pids and state_of(self._pids[0]) == "T":
                return True
            if elapsed() > PATIENCE:
                self.end()
                raise AssertionError(f"the run hangs: {self.log.read_text()}")
            time.sleep(0.002 if self.start.ranks == 1 else 0.01)
        return False

    def proceed(self):
        self.signal(0, signal.SIGCONT)

    def signal(self, rank, number):
        kill(self._pids[rank], number)

    def worker(self):
        return random.Random(self.victim.config.name).randrange(1, self.start.ranks)

    def end(self):
        """Ends whatever is left of it."""
        for pid in [self.process.pid, *processes_of(self.victim.out).values()]:
            kill(pid)
        self.process.wait(timeout=30)

    def ended(self):
        """The exit code and the output, once no rank is left."""
        if self.start.ranks > 1:
            try:
                wait_for(lambda: not processes_of(self.victim.out), 20, "all ranks end")
            finally:
                self.end()
        return self.process.returncode, self.log.read_text()


def remove(folder):
    shutil.rmtree(folder, ignore_errors=True)
