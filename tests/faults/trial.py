"""Carries out a sequence of faults and checks what comes of it."""

import functools
import signal
import time

from harness.configs import settings, write_config
from harness.faults import bad_disk, train
from harness.programs import run, same_map
from sequences import Between
from victim import Running, Victim, remove

GENERATIONS = 6
# Generations take longer than checkpoints, so that most of them are saved.
SMALL = settings(run={"generations": GENERATIONS}, es={"population": 10},
                 algorithm={"n_optim_gens": 2, "n_eval": 2})


class Expected:
    """Undisturbed runs, made when they are needed."""

    def __init__(self, folder):
        self.folder = folder

    @functools.cache  # noqa: B019
    def config(self, keep, changes, seed=1):
        changed = settings(SMALL, checkpoint={"keep": keep,
                                              "changes_above_megabytes": 0.001 * changes},
                           run={"seed": seed})
        return write_config(self.folder, changed, f"keep-{keep}-{changes:d}-seed-{seed}.toml")

    @functools.cache  # noqa: B019
    def run(self, keep, changes, seed=1):
        """The folder of an undisturbed run."""
        out = self.folder / f"victim-{keep}-{changes:d}-{seed}"
        code, output = train(self.config(keep, changes, seed), out, "--threads", 1,
                             env=bad_disk("/victim", report=self.folder / f"calls-{out.name}"))
        assert code == 0, output
        return out

    def calls(self):
        out = self.run(0, False)
        return len((self.folder / f"calls-{out.name}").read_text().split())


def metrics(folder):
    """The rows of metrics.csv without the seconds."""
    return [line.rsplit(",", 1)[0] for line in (folder / "metrics.csv").read_text().splitlines()]


class Trial:
    """Carries out one sequence and checks what comes of it."""

    def __init__(self, base, sequence, expected):
        self.sequence, self.expected = sequence, expected
        self.kind = sequence.keep, sequence.changes
        self.victim = Victim(base, expected.config(*self.kind))
        self.floor = -1  # an intact state at least this new must be there
        self.away = None  # where the folder is if it was moved and not yet moved back

    def carry_out(self):
        for number, step in enumerate(self.sequence.steps):
            if isinstance(step, Between):
                self._between(step)
            else:
                self._start(step, number)
        self._finish()

    def _between(self, step):
        if step.what == "move":
            self.victim.out = self.victim.move()
        else:
            self.victim.alter(step.what, *step.detail)
            self.floor = self.victim.newest()

    def _start(self, start, number):
        had_intact = self.floor >= 0
        running = Running(self.victim, start, number)
        done = []
        try:
            for moment in start.moments:
                if not running.stopped():
                    break
                done.append(moment.what)
                self._act(running, moment)
                running.proceed()
            assert not running.stopped(), "the run stopped once more than planned"
            code, output = running.ended()
        finally:
            running.end()
        finished_elsewhere = self._settle(done)
        self._judge(start, done, code, output, had_intact)
        if code == 0 and not finished_elsewhere:
            self._must_be_finished(start)
        newest = self.victim.newest()
        assert newest >= self.floor, f"generation {self.floor} was intact, now {newest} is"
        marked = (self.victim.out / "FINISHED").exists()
        assert marked or code != 0 or finished_elsewhere, "FINISHED is missing"
        assert not marked or code != 75 or newest == GENERATIONS, "FINISHED is there too early"
        self.floor = newest

    def _act(self, running, moment):
        kind, detail = moment.what, moment.detail
        if kind == "signal":
            running.signal(0, getattr(signal, detail[0]))
        elif kind == "stop file":
            (self.victim.out / "STOP").touch()
        elif kind in ("pause", "pause a worker"):
            rank = 0 if kind == "pause" else running.worker()
            running.signal(rank, signal.SIGSTOP)
            time.sleep(0.05)
            running.signal(rank, signal.SIGCONT)
        elif kind in ("damage", "delete"):
            self.victim.alter(kind, *detail)
            self.floor = self.victim.newest()
        elif kind in ("kill a worker", "kill mpirun"):
            if kind == "kill mpirun":
                running.process.kill()
            else:
                running.signal(running.worker(), signal.SIGKILL)
        elif kind == "freeze a worker":
            running.signal(running.worker(), signal.SIGSTOP)
            running.signal(0, signal.SIGTERM)
        else:
            self._act_on_folder(kind, moment.call)

    def _act_on_folder(self, kind, call):
        if kind == "second run":
            if call > 2 and (self.victim.out / ".lock").exists():  # the first two calls lock it
                result = run("mees_master", self.victim.config, "--out", self.victim.out)
                assert result.returncode == 3 and "is in use" in result.stderr, result
        elif kind in ("move away", "reuse"):
            self.away = self.victim.move()
            if kind == "reuse":
                code, output = train(self.expected.config(*self.kind, 2), self.victim.out,
                                     "--threads", 1)
                assert code == 0, output
        elif kind == "move back":
            self._move_back()
        else:
            assert kind == "remove", kind
            self.removed_when_finished = self.victim.newest() == GENERATIONS
            remove(self.victim.out)
            self.floor = -1

    def _move_back(self):
        if self.away and self.away.exists():
            remove(self.victim.out)  # the run may have made another
            self.away.rename(self.victim.out)
        self.away = None

    def _settle(self, done):
        """Checks what a run whose folder was moved or removed has left behind, and puts the folder
        back; whether its absence excuses that there is no final map."""
        if "reuse" in done:
            other = self.expected.run(*self.kind, 2)
            same, differences = same_map(other / "map.h5", self.victim.out / "map.h5")
            assert same, f"the other run's map was changed: {differences}"
            assert metrics(other) == metrics(self.victim.out), "the other run's metrics changed"
            theirs = [(folder / "config.toml").read_text() for folder in (other, self.victim.out)]
            assert theirs[0] == theirs[1], "the other run's configuration changed"
        self._move_back()
        return "remove" in done and self.removed_when_finished

    def _judge(self, start, done, code, output, had_intact):
        """The exit code must be one that these faults explain, with a message."""
        allowed = {0}
        if start.kills:
            allowed |= {-9, 137} if start.ranks == 1 else set(range(-64, 256)) - {0}
        if start.fails_calls or {"move away", "reuse", "remove"} & set(done):
            allowed |= {1, 3}
        if {"signal", "stop file", "freeze a worker"} & set(done):
            allowed |= {75}
        if not had_intact or {"damage", "delete"} & set(done):
            allowed |= {3}
        if any(m.detail[:1] == ("temporary",) for m in start.moments):
            allowed |= {1}  # the first checkpoint of a start is read back
        assert code in allowed, f"exit code {code}, not one of {sorted(allowed)}: {output}"
        if code in (1, 2, 3):
            assert "mees_master: error: " in output, output

    def _must_be_finished(self, start):
        if not start.has("damage", "delete"):
            same, differences = same_map(self.expected.run(*self.kind) / "map.h5",
                                         self.victim.out / "map.h5")
            assert same, differences

    def _finish(self):
        """An undisturbed start, which must end the run."""
        out, newest = self.victim.out, self.victim.newest()
        code, output = train(self.victim.config, out, "--threads", 1)
        if code == 3:
            assert newest < 0 and "no checkpoint is usable" in output, output
            code, output = train(self.victim.config, out, "--threads", 1, "--resume", "never")
        assert code == 0, output
        undisturbed = self.expected.run(*self.kind)
        same, differences = same_map(undisturbed / "map.h5", out / "map.h5")
        assert same, differences
        assert metrics(out) == metrics(undisturbed), "metrics.csv differs"
        assert not list(out.glob(".*.tmp")), "temporaries are left"
        assert (out / "FINISHED").exists(), "FINISHED is missing"
