"""The job scripts of slurm/ on a real SLURM: however a job ends, the run resumes to the same bits.

Episodes only sleep, so that several jobs can run on two cores.
"""

import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
from harness.configs import settings, write_config
from harness.faults import kill, processes_of, wait_for
from harness.programs import BIN, ENVIRONMENT, ROOT, is_intact, run, same_map

NEEDED = ["slurmctld", "slurmd", "sbatch", "munged", "unshare", "mpirun"]
MISSING = [program for program in NEEDED if not shutil.which(program)]
pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="needs root: starts SLURM's daemons"),
    pytest.mark.skipif(bool(MISSING),
                       reason=f"needs {', '.join(MISSING)} (Debian: slurmctld, slurmd, "
                       "slurm-client, munge)"),
]

CONFIG = settings(run=None, domain={"name": "sleep", "sleep_seconds": 0.06}, es={"population": 6},
                  algorithm={"n_optim_gens": 5, "n_eval": 2}, checkpoint=None)


SCRIPT = Path(__file__).with_name("lab.sh")


class Lab:
    """A cluster, and a folder that its jobs share."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.config = write_config(folder, CONFIG)
        # OMPI_MCA_btl is for ranks of one node.
        self.environment = {**ENVIRONMENT, "SLURM_CONF": str(self.folder / "lab" / "slurm.conf"),
                            "MEES_BIN": str(BIN)}
        del self.environment["OMPI_MCA_btl"]

    def control(self, action, *arguments):
        subprocess.run([SCRIPT, action, self.folder / "lab", *map(str, arguments)], check=True,
                       timeout=60)

    def call(self, *command):
        done = subprocess.run(list(map(str, command)), env=self.environment, cwd=ROOT, text=True,
                              capture_output=True, timeout=60, check=False)
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        return done.stdout

    def submit(self, name, *options):
        """Submits a job; options are sbatch's, then the script, then its arguments."""
        output = self.folder / f"{name}.out"
        job = self.call("sbatch", "--parsable", "-o", output, *options).strip()
        return Job(self, job, output)


class Job:
    def __init__(self, lab, number, output):
        self.lab, self.number, self.output = lab, number, output

    def fields(self):
        text = self.lab.call("scontrol", "show", "job", "-o", self.number).splitlines()[0]
        return dict(word.split("=", 1) for word in text.split() if "=" in word)

    def state(self):
        return self.fields()["JobState"]

    def said(self):
        return self.output.read_text() if self.output.exists() else ""

    def wait(self, seconds=240):
        """Waits for the end; releases a requeued job from its delay of two minutes."""
        since = None

        def done():
            nonlocal since
            fields = self.fields()
            if fields["JobState"] == "PENDING" and fields["Reason"] == "BeginTime":
                subprocess.run(["scontrol", "update", f"jobid={self.number}", "StartTime=now"],
                               env=self.lab.environment, capture_output=True, check=False)
            time.sleep(0.3)
            if fields["JobState"] not in ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT",
                                          "NODE_FAIL"):
                since = None
                return None
            # A job that is being requeued passes through the states of a job that has ended.
            since = since or time.monotonic()
            return fields if time.monotonic() - since > 2 else None
        return wait_for(done, seconds, f"job {self.number} ends; it said {self.said()}")


@pytest.fixture(scope="module")
def lab():
    # Not pytest's folder, which is closed to other users.
    folder = tempfile.mkdtemp(prefix="mees-slurm-")
    os.chmod(folder, 0o755)
    lab = Lab(folder)
    (lab.folder / "lab").mkdir()
    try:
        lab.control("up")
        yield lab
    finally:
        subprocess.run([SCRIPT, "down", lab.folder / "lab"], check=False)
        shutil.rmtree(folder, ignore_errors=True)


def reference(lab, generations, seed=1):
    out = lab.folder / f"reference-{generations}-{seed}"
    if not out.exists():
        done = run("mees_master", lab.config, "--out", out, "--threads", 32, "--seed", seed,
                   "--generations", generations)
        assert done.returncode == 0, done.stderr
    return out / "map.h5"


def arguments(lab, name, generations):
    return [lab.config, lab.folder / name, "--generations", generations]


TWO_NODES = ["-N2", "-n4", "--ntasks-per-node=2"]


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


def completed(job, restarts):
    """Waits for the end of a job that was requeued at least this often."""
    fields = job.wait()
    assert fields["JobState"] == "COMPLETED", f"{fields} {job.said()}"
    assert int(fields["Restarts"]) >= restarts, f"{fields} {job.said()}"
    return fields


def check_map(lab, name, generations):
    same, differences = same_map(reference(lab, generations), lab.folder / name / "map.h5")
    assert same, differences


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


@pytest.mark.parametrize("script", ["mpirun", "srun"])
def test_a_lost_node(lab, script):
    """A power cut on one of two nodes: the run goes on with the other one, without the queue."""
    name = f"lost-node-{script}"
    job = started(lab, name, *TWO_NODES, "--no-kill", generations=150, script=f"slurm/{script}.sh")
    first = job.fields()["BatchHost"]
    victim = 1 if first.endswith("a") else 0
    lab.control("kill", victim)
    began = time.monotonic()
    try:
        wait_for(lambda: "restart 1 on" in job.said(), 90, "the run is started again")
        print(f"{script}: restarted after {time.monotonic() - began:.1f} s")
        fields = completed(job, restarts=0)
    finally:
        lab.control("revive", victim)
    assert int(fields["Restarts"]) == 0, job.said()
    assert (lab.folder / name / "FINISHED").exists()
    check_map(lab, name, 150)
    wait_for(lambda: lab.call("sinfo", "-h", "-p", "main", "-o", "%t").split() == ["idle"], 120,
             "the node is back")


def test_unconnected_processes(lab):
    """Without PMIx the tasks of srun are not connected: none runs, and one prints what to do."""
    out = lab.folder / "singletons"
    done = subprocess.run(["srun", "--mpi=none", "-N2", "-n512", "--overcommit",
                           str(BIN / "mees_master"),
                           str(lab.config), "--out", str(out)], env=lab.environment, cwd=ROOT,
                          text=True,
                          capture_output=True, timeout=120, check=False)
    assert done.returncode == 1, done.stderr
    said = [line for line in done.stderr.splitlines() if line.startswith("mees_master: ")]
    assert len(said) == 1, done.stderr
    assert "this is one of 512 processes that do not see each other" in said[0]
    assert "srun --mpi=pmix" in said[0]
    assert not out.exists()


def test_preemption(lab):
    job = started(lab, "preempted", "-p", "low", "--exclusive", "-n", "4", generations=100)
    urgent = lab.submit("urgent", "-p", "high", "--exclusive", "--wrap", "sleep 1")
    assert urgent.wait()["JobState"] == "COMPLETED"
    assert is_intact(lab.folder / "preempted" / "map.h5"), job.said()
    completed(job, restarts=1)
    assert "Stopped by signal SIGUSR1" in job.said(), job.said()
    check_map(lab, "preempted", 100)


def test_cancelling_is_final(lab):
    out = lab.folder / "cancelled"
    job = started(lab, "cancelled", "-n", "2")
    lab.call("scancel", job.number)
    assert job.wait()["JobState"] == "CANCELLED", job.said()
    wait_for(lambda: not processes_of(out), 15, "no rank outlives its job")
    assert is_intact(out / "map.h5"), job.said()


def test_an_array_of_seeds(lab):
    job = lab.submit("array-%a", "--array=1-3", "-n", "2", "slurm/array.sh", lab.config,
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
    job = started(lab, "stopped", "-n", "2")
    (out / "STOP").touch()
    fields = job.wait()
    assert fields["ExitCode"] == "75:0" and fields["Restarts"] == "0", (fields, job.said())
    assert is_intact(out / "map.h5")
