"""Long runs stay flat: memory and time per generation do not grow beyond what the map itself takes.

MEES_GENERATIONS says how many (2000 unless told).
"""

import os
import statistics
from pathlib import Path

import h5py
from harness.configs import settings, write_config
from harness.faults import launch, processes_of, wait_for

GENERATIONS = int(os.environ.get("MEES_GENERATIONS", "2000"))
TINY = settings(es={"population": 8}, algorithm={"n_optim_gens": 5, "n_eval": 2},
                checkpoint={"every_generations": 20})


def resident_kilobytes(pid):
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) for line in lines if line.startswith("VmRSS")), None)


def generations_done(out):
    path = out / "metrics.csv"
    return len(path.read_text().splitlines()) - 1 if path.exists() else 0


def watch(process, out):
    """Samples (generation, kilobytes by rank) while the run lasts, at most one every 25
    generations."""
    samples, done = [], 0
    while process.poll() is None:
        due = done + 25
        wait_for(lambda due=due: process.poll() is not None or generations_done(out) >= due, 300,
                 "25 more generations")
        done = generations_done(out)
        memory = {rank: resident_kilobytes(pid) for rank, pid in processes_of(out).items()}
        if len(memory) == 3 and None not in memory.values():
            samples.append((done, memory))
    return samples


def test_memory_and_time_stay_flat(tmp_path):
    out = tmp_path / "run"
    with open(tmp_path / "said", "w", encoding="utf-8") as said:  # more than a pipe would hold
        process = launch(write_config(tmp_path, TINY), out, 3, "--generations", GENERATIONS,
                         stdout=said)
    samples = watch(process, out)
    assert process.returncode == 0, (tmp_path / "said").read_text()
    early = [memory for done, memory in samples if GENERATIONS * 0.1 <= done < GENERATIONS * 0.3]
    late = [memory for done, memory in samples if done >= GENERATIONS * 0.8]
    assert early and late, samples
    with h5py.File(out / "map.h5") as file:
        seconds = file["timing/seconds"][1:]
    tenth = len(seconds) // 10
    map_kilobytes = (out / "map.h5").stat().st_size / 1000
    # A quiet one of five: the machine has other things to do too.
    before, after = (statistics.quantiles(part, n=5)[0]
                     for part in (seconds[tenth:3 * tenth], seconds[-2 * tenth:]))
    for rank in (0, 1, 2):
        a, b = (statistics.median(memory[rank] for memory in part) for part in (early, late))
        print(f"rank {rank}: {a / 1000:.2f} MB early, {b / 1000:.2f} MB late")
        # The master holds the map and its history, and a snapshot of both being written.
        assert b - a < (3 * map_kilobytes + 500 if rank == 0 else 200), (rank, a, b)
    print(f"{GENERATIONS} generations: {1000 * before:.2f} ms each early, {1000 * after:.2f} ms "
          f"late; map.h5 {map_kilobytes:.0f} kB")
    assert after < 1.5 * before
