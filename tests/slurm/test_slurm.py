"""The job scripts of slurm/ on a real SLURM: however a job ends, the run resumes to the same bits.
"""

import time

import pytest
from clusters import NEEDS_SLURM, arguments, check_map, completed, reference
from harness.faults import kill, processes_of, wait_for
from harness.programs import BIN, is_intact, same_map

pytestmark = NEEDS_SLURM

TWO_NODES = ["-N2", "--ntasks-per-node=2"]
TWO_RANKS = ["-N1", "--ntasks-per-node=2"]


@pytest.fixture(scope="module")
def limited(lab):
    """Reaches its time limit of a minute while the other tests run. mees_master stops in time by
    itself; the script's signal is replaced by one without effect."""
    return lab.submit("limit", *TWO_NODES, "-t1", "--signal=B:URG@1", "slurm/mpirun.sh",
                      *arguments(lab, "limit", 400))


def started(lab, name, *options, generations=100000, script="slurm/mpirun.sh"):
    """Submits a training and waits for its first generations."""
    job = lab.submit(name, *options, script, *arguments(lab, name, generations))
    path = lab.folder / name / "metrics.csv"
    wait_for(lambda: path.exists() and len(path.read_text().splitlines()) > 3, 60, f"{name} trains")
    return job


@pytest.mark.usefixtures("limited")
def test_requeue_and_lost_ranks(lab):
    """scontrol requeue; then a rank dies during the run, and one while the ranks start. Lost ranks
    cost a restart within the job."""
    out = lab.folder / "requeue"
    job = started(lab, "requeue", *TWO_NODES, generations=100, script="slurm/srun.sh")
    lab.call("scontrol", "requeue", job.number)
    wait_for(lambda: job.state() == "PENDING", 60, "the job is in the queue again")
    assert is_intact(out / "map.h5"), job.said()
    lab.call("scontrol", "update", f"jobid={job.number}", "StartTime=now")
    wait_for(lambda: len(processes_of(out)) == 4, 60, "the second incarnation runs")
    time.sleep(1)
    kill(processes_of(out)[2])
    wait_for(lambda: "restart 1 on" in job.said(), 60, "the run is started again")
    wait_for(lambda: len(processes_of(out)) == 4, 60, "the third incarnation starts")
    kill(processes_of(out)[3])
    fields = completed(job, restarts=1)
    assert int(fields["Restarts"]) == 1, job.said()
    check_map(lab, "requeue", 100)


def test_unconnected_processes(lab):
    """Without PMIx the tasks of srun are not connected: none runs, and one prints what to do."""
    out = lab.folder / "singletons"
    done = lab.execute("srun", "--mpi=none", "-N2", "-n512", "--overcommit", BIN / "mees_master",
                       lab.config, "--out", out, timeout=120)
    assert done.returncode == 1, done.stderr
    said = [line for line in done.stderr.splitlines() if line.startswith("mees_master: ")]
    assert len(said) == 1, done.stderr
    assert "this is one of 512 processes that do not see each other" in said[0]
    assert "srun --mpi=pmix" in said[0]
    assert not out.exists()


def test_preemption(lab):
    job = started(lab, "preempted", "-p", "low", "--exclusive", "-N1", "--ntasks-per-node=4",
                  generations=100)
    urgent = lab.submit("urgent", "-p", "high", "--exclusive", "--wrap", "sleep 1")
    assert urgent.wait()["JobState"] == "COMPLETED"
    assert is_intact(lab.folder / "preempted" / "map.h5"), job.said()
    completed(job, restarts=1)
    assert "Stopped by signal SIGUSR1" in job.said(), job.said()
    check_map(lab, "preempted", 100)


def test_cancelling_is_final(lab):
    out = lab.folder / "cancelled"
    job = started(lab, "cancelled", *TWO_RANKS)
    lab.call("scancel", job.number)
    assert job.wait()["JobState"] == "CANCELLED", job.said()
    wait_for(lambda: not processes_of(out), 15, "no rank outlives its job")
    assert is_intact(out / "map.h5"), job.said()


def test_an_array_of_seeds(lab):
    job = lab.submit("array-%a", "--array=1-3", *TWO_RANKS, "slurm/array.sh", lab.config,
                     lab.folder / "array",
                     "--generations", 30)
    wait_for(lambda: "JobState=RUNNING" not in (text := lab.call("scontrol", "show", "job",
                                                                 job.number))
             and "JobState=PENDING" not in text, 120, "the array ends")
    for seed in (1, 2, 3):
        same, differences = same_map(reference(lab, 30, seed),
                                     lab.folder / f"array-seed{seed}" / "map.h5")
        assert same, (differences, (lab.folder / f"array-{seed}.out").read_text())


def test_time_limit(lab, limited):
    job = limited
    completed(job, restarts=1)
    assert "Stopped by the time limit" in job.said(), job.said()
    check_map(lab, "limit", 400)


def test_a_stop_file_ends_the_requeueing(lab):
    out = lab.folder / "stopped"
    job = started(lab, "stopped", *TWO_RANKS)
    (out / "STOP").touch()
    fields = job.wait()
    assert fields["ExitCode"] == "75:0" and fields["Restarts"] == "0", (fields, job.said())
    assert is_intact(out / "map.h5")
