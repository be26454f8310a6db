"""Random sequences of faults, drawn from a seed: what they are, not how they are carried out.

A sequence is a list of steps. A step is a start of the run, with what happens to it before its n-th
call that changes a file of its folder, or something that happens to the folder between two starts.
"""

import errno
import random
from dataclasses import dataclass

CHANGES = ["create", "write", "pwrite", "fallocate", "ftruncate", "fsync", "close", "rename",
           "link", "unlink", "lock"]
READS = ["open", "pread"]
ERRORS = ["ENOSPC", "EIO", "EDQUOT", "EROFS", "ESTALE"]
SIGNALS = ["SIGTERM", "SIGINT", "SIGUSR1", "SIGUSR2", "SIGHUP", "SIGXCPU"]
MAPS = ["map.h5", "map.prev.h5", "temporary", "changes"]
# Faults of the folder itself. They do not come between a check of the run whose folder it is and a
# rename that follows at once, which no program can make one call.
FOLDER = ("move away", "move back", "reuse", "remove")
DECADE = 10 * 365 * 86400


@dataclass(frozen=True)
class Moment:
    """Before the `call`-th call the run is stopped, `what` is done to it, and it continues."""
    call: int
    what: str
    detail: tuple = ()


@dataclass(frozen=True)
class Start:
    """A start of the run; `rules` are those of bad_disk.cpp."""
    ranks: int
    rules: tuple = ()
    moments: tuple = ()

    @property
    def plan(self):
        """All rules: the process stops itself for what bad_disk.cpp cannot do."""
        calls = {what: "create,write,pwrite,fallocate,ftruncate,fsync,close" for what in FOLDER}
        return [*self.rules, *(f"{calls.get(moment.what, '')}@{moment.call}=stop"
                               for moment in self.moments)]

    def has(self, *kinds):
        return any(moment.what in kinds for moment in self.moments)

    @property
    def fails_calls(self):
        return any(rule.rsplit("=", 1)[1].isdigit() for rule in self.rules)

    @property
    def kills(self):
        return self.has("kill a worker", "kill mpirun") or any(rule.endswith("=kill")
                                                               for rule in self.rules)


@dataclass(frozen=True)
class Between:
    """Something that happens to the folder while no run uses it."""
    what: str
    detail: tuple = ()


@dataclass(frozen=True)
class Sequence:
    seed: int
    keep: int  # checkpoint.keep of all starts
    steps: tuple
    changes: bool  # whether checkpoints are change files


class Generator:
    """Draws sequences. `calls` is the number of calls that an undisturbed run makes."""

    def __init__(self, calls):
        self._calls = calls

    def sequence(self, seed):
        source = random.Random(seed)
        several = source.random() < 0.08
        starts = source.choice([1, 2, 2] if several else [1, 2, 2, 3, 4])
        steps = []
        for number in range(starts):
            if number > 0 and source.random() < 0.4:
                steps += self._between(source)
            ranks = source.choice([1, 2, 3, 3]) if several else 1
            steps.append(self._start(source, ranks))
        if source.random() < 0.3:
            steps += self._between(source)
        return Sequence(seed, source.choice([0, 0, 2]), tuple(steps), source.random() < 0.4)

    def _call(self, source):
        """Often among the first: start-up, recovery and the first checkpoint."""
        return source.randint(1, self._calls if source.random() < 0.5 else self._calls // 6)

    def _start(self, source, ranks):
        rules, moments = self._fault(source, ranks)
        if source.random() < 0.35:
            more_rules, more_moments = self._fault(source, ranks)
            rules = rules + more_rules
            if any(moment.what in FOLDER for moment in more_moments):
                moments = more_moments  # what else would happen to a folder that is away?
            elif not any(moment.what in FOLDER for moment in moments):
                moments = sorted(moments + more_moments, key=lambda moment: moment.call)
        return Start(ranks, tuple(rules), tuple(moments))

    def _fault(self, source, ranks):
        """Rules and moments of one fault."""
        call = self._call(source)
        kinds = {"kill": 5, "fail": 5, "fail a read": 1, "clock": 1, "signal": 2, "stop file": 1,
                 "pause": 1, "move away": 2, "reuse": 2, "remove": 1, "second run": 1, "damage": 4,
                 "delete": 1}
        if ranks > 1:
            kinds = {"kill": 1, "fail": 1, "signal": 1, "kill a worker": 3, "pause a worker": 3,
                     "freeze a worker": 2, "kill mpirun": 1, "damage": 1, "reuse": 1}
        kind = source.choices(list(kinds), kinds.values())[0]
        if kind == "kill":
            return [f"@{call}=kill"], []
        if kind == "clock":
            return [f"@{call}=clock:{source.choice([-5, -1, 1, 5]) * DECADE}"], []
        if kind == "fail":
            name, number = source.choice(["", *CHANGES]), getattr(errno, source.choice(ERRORS))
            first = call if not name else source.randint(1, 12 if name != "pwrite" else call)
            return [f"{name}@{first}+{source.choice([1, 1, 2, 10**6])}={number}"], []
        if kind == "fail a read":
            name = source.choice(READS)
            return [f"{name}@{source.randint(1, 40)}+{source.choice([1, 1, 5])}={errno.EIO}"], []
        if kind == "move away":
            return [], [Moment(call, kind), Moment(call + self._call(source), "move back")]
        return [], [Moment(call, kind, self._detail(kind, source))]

    def _detail(self, kind, source):
        if kind == "signal":
            return (source.choice(SIGNALS),)
        if kind in ("damage", "delete"):
            name = source.choice(MAPS)
            return (name, *damage(source)) if kind == "damage" else (name,)
        return ()

    def _between(self, source):
        kind = source.choices(["damage", "delete", "date", "move"], [5, 1, 1, 1])[0]
        if kind == "move":
            return [Between(kind)]
        names = source.sample(MAPS, source.choice([1, 1, 1, 2]))
        if kind == "date":
            return [Between(kind, (name, source.choice([-2, 2]) * DECADE)) for name in names]
        return [Between(kind, (name, *damage(source)) if kind == "damage" else (name,))
                for name in names]


def damage(source):
    """How a file is damaged: a bit flipped or a stretch blanked at, or the end cut off from, this
    fraction of its length."""
    return source.choice(["flip", "flip", "blank", "truncate"]), round(source.random(), 6)
