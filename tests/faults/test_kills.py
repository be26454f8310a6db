"""kill -9 at moments drawn from a seeded generator: whatever is killed, the run resumes to the same
bits.

MEES_KILLS says how many kills (20 unless told), MEES_SEED which moments.
"""

import os
import random
import time

from harness.faults import end_of, kill, launch, one_is_intact, processes_of, stopwatch, wait_for
from harness.programs import is_intact, same_map

KILLS = int(os.environ.get("MEES_KILLS", "20"))
SEED = int(os.environ.get("MEES_SEED", "7"))


def temporaries(out):
    try:
        return {name for name in os.listdir(out) if name.endswith(".tmp")}
    except FileNotFoundError:
        return set()


def wait_for_moment(process, out, moment, before):
    """Whether the moment has come before the run has ended: seconds from the start, or
    "writing"."""
    elapsed = stopwatch()
    while process.poll() is None:
        if temporaries(out) - before if moment == "writing" else elapsed() >= moment:
            return True
        time.sleep(0 if moment == "writing" else 0.005)
        if elapsed() > 60:
            raise AssertionError("the run neither ended nor wrote a checkpoint within 60 s")
    return False


def strike(process, out, victim, ranks, source):
    """Kills; returns what was killed."""
    found = processes_of(out)
    if victim == "all" or ranks == 1:
        kill(process.pid)
        for pid in found.values():
            kill(pid)
        return "all" if ranks > 1 else "the only process"
    if victim == "mpirun" or not found:
        kill(process.pid)
        return "mpirun"
    workers = sorted(rank for rank in found if rank > 0)
    rank = source.choice(workers) if workers and (victim == "worker" or 0 not in found) else 0
    kill(found[rank])
    return f"rank {rank}"


def test_kills(tmp_path, reference):
    config, expected = reference
    source = random.Random(SEED)
    out = tmp_path / "run-0"
    kills, while_writing, finished, launchers_hung, log = 0, 0, 0, 0, []
    done = False
    while not done:
        ranks = source.choice([1, 2, 3, 4])
        before = temporaries(out)
        process = launch(config, out, ranks, *(["--threads", "2"] if ranks == 1 else []))
        moment = source.choice(["writing", source.uniform(0, 1.5), source.uniform(0.5, 4)])
        victim = source.choice(["master", "worker", "mpirun", "all"])
        struck = kills < KILLS and wait_for_moment(process, out, moment, before)
        if struck:
            what = strike(process, out, victim, ranks, source)
            kills += 1
        output, hung = end_of(process, out, 30 if struck else 300)
        assert struck or not hung, output
        launchers_hung += hung
        if struck:
            wait_for(lambda out=out: not processes_of(out), 5, f"the ranks end after {what} died")
            while_writing += bool(temporaries(out) - before)
            log.append(f"{what} of {ranks} at {moment}")
            assert one_is_intact(out), log
        else:
            assert process.returncode == 0, (output, log)
        if process.returncode == 0:
            same, differences = same_map(expected, out / "map.h5")
            assert same, (differences, log)
            assert is_intact(out / "map.prev.h5")
            finished += 1
            done = kills >= KILLS
            if not done:
                out = tmp_path / f"run-{finished}"
    assert not temporaries(out)
    print(f"{kills} kills, {while_writing} of them in the middle of a checkpoint, "
          f"{finished} runs finished, all bit-identical; mpirun itself hung {launchers_hung} times")
    assert while_writing >= KILLS // 10
