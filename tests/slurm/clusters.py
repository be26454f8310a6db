"""A real SLURM on this machine (lab.sh), jobs on it, and the MPI libraries that they may use.

Episodes only sleep, so that several ranks can run on two cores.
"""

import os
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from harness.configs import set_options, settings, write_config
from harness.faults import wait_for
from harness.programs import BIN, ENVIRONMENT, ROOT, run, same_map

NEEDED = ["slurmctld", "slurmd", "sbatch", "munged", "unshare", "nsenter", "ip", "mpirun"]
MISSING = [program for program in NEEDED if not shutil.which(program)]


def namespaces_work():
    """Whether this process may make and connect network namespaces; some containers may not."""
    make = "unshare --uts --net ip link add name port type veth"
    return subprocess.run(make.split(), capture_output=True, check=False).returncode == 0


NEEDS_SLURM = [
    pytest.mark.skipif(os.geteuid() != 0, reason="needs root: starts SLURM's daemons"),
    pytest.mark.skipif(bool(MISSING),
                       reason=f"needs {', '.join(MISSING)} (Debian: slurmctld, slurmd, "
                       "slurm-client, munge, iproute2)"),
    pytest.mark.skipif(os.geteuid() == 0 and not MISSING and not namespaces_work(),
                       reason="needs network namespaces"),
]

CONFIG = settings(run=None, domain={"name": "sleep", "sleep_seconds": 0.06}, es={"population": 6},
                  algorithm={"n_optim_gens": 5, "n_eval": 2}, checkpoint=None)
SCRIPT = Path(__file__).with_name("lab.sh")


@dataclass(frozen=True)
class Mpi:
    """An MPI library that can run the programs: the folder of its bin and lib (None: the one with
    which they were built), and the programs that are built with it."""

    name: str
    folder: Path | None = None
    programs: Path = BIN
    variables: dict = field(default_factory=dict)

    def missing(self):
        """What it lacks, or None."""
        if self.folder and not (self.folder / "bin" / "mpirun").exists():
            return f"no {self.name} in {self.folder}; ./mees test fetches it"
        if not (self.programs / "mees_master").exists():
            return f"no mees_master in {self.programs}; ./mees soak builds it"
        return None

    def environment(self):
        variables = {"MEES_BIN": str(self.programs), **self.variables}
        if self.folder:
            variables["PATH"] = f"{self.folder / 'bin'}:{os.environ['PATH']}"
            variables["LD_LIBRARY_PATH"] = str(self.folder / "lib")
        return variables


OPEN_MPI_4 = Mpi("openmpi4")
# Its component for UCX prints a message for every window where there is no such network.
OPEN_MPI_5 = Mpi("openmpi5", ROOT / ".deps" / "openmpi", variables={"OMPI_MCA_osc": "^ucx"})

# Programs built with Open MPI cannot use it. Its launcher would look for host names, which the lab
# does not have, and UCX would connect the nodes through the memory of this machine, which
# unplugging a node does not cut.
MPICH = Mpi("mpich", ROOT / ".deps" / "mpich", programs=ROOT / "build" / "mpich" / "bin",
            variables={"SLURM_MPI_TYPE": "pmi2", "HYDRA_IFACE": "eth0", "UCX_TLS": "tcp",
                       "UCX_NET_DEVICES": "eth0"})


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
                       timeout=90)

    def execute(self, *command, env=None, timeout=60):
        """Runs a command where the commands of SLURM reach the cluster."""
        return subprocess.run([SCRIPT, "in", self.folder / "lab", *map(str, command)],
                              env={**self.environment, **(env or {})}, cwd=ROOT, text=True,
                              capture_output=True, timeout=timeout, check=False)

    def call(self, *command, env=None):
        done = self.execute(*command, env=env)
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        return done.stdout

    def submit(self, name, *options, env=None):
        """Submits a job; options are sbatch's, then the script, then its arguments."""
        output = self.folder / f"{name}.out"
        job = self.call("sbatch", "--parsable", "-o", output, *options, env=env).strip()
        return Job(self, job, output)

    def all_nodes_idle(self):
        return self.call("sinfo", "-h", "-p", "all", "-o", "%t").split() == ["idle"]


class Job:
    def __init__(self, lab, number, output):
        self.lab, self.number, self.output = lab, number, output

    def fields(self):
        text = self.lab.call("scontrol", "show", "job", "-o", self.number).splitlines()[0]
        return dict(word.split("=", 1) for word in text.split() if "=" in word)

    def state(self):
        return self.fields()["JobState"]

    def said(self):
        return self.output.read_text(errors="replace") if self.output.exists() else ""

    def release(self):
        """Releases a requeued job from its delay of two minutes; the job's fields."""
        fields = self.fields()
        if fields["JobState"] == "PENDING" and fields["Reason"] == "BeginTime":
            self.lab.execute("scontrol", "update", f"jobid={self.number}", "StartTime=now")
        return fields

    def wait(self, seconds=240):
        """Waits for the end; releases a requeued job."""
        since = None

        def done():
            nonlocal since
            fields = self.release()
            time.sleep(0.3)
            if fields["JobState"] not in ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT",
                                          "NODE_FAIL"):
                since = None
                return None
            # A job that is being requeued passes through the states of a job that has ended.
            since = since or time.monotonic()
            return fields if time.monotonic() - since > 2 else None
        return wait_for(done, seconds, f"job {self.number} ends; it said {self.said()}")


def cluster():
    """A generator of one Lab, for a fixture."""
    # Not pytest's folder, which is closed to other users.
    folder = tempfile.mkdtemp(prefix="mees-slurm-")
    os.chmod(folder, 0o755)
    lab = Lab(folder)
    (lab.folder / "lab").mkdir()
    try:
        lab.control("up", os.getpid())
        yield lab
    finally:
        subprocess.run([SCRIPT, "down", lab.folder / "lab"], check=False)
        shutil.rmtree(folder, ignore_errors=True)


def reference(lab, generations, seed=1, settings=()):
    """The map of an undisturbed run."""
    out = lab.folder / "-".join(["reference", str(generations), str(seed), *settings])
    if not out.exists():
        done = run("mees_master", lab.config, "--out", out, "--threads", 32, "--seed", seed,
                   "--generations", generations, *set_options(*settings))
        assert done.returncode == 0, done.stderr
    return out / "map.h5"


def arguments(lab, name, generations):
    return [lab.config, lab.folder / name, "--generations", generations]


def completed(job, restarts):
    """Waits for the end of a job that was requeued at least this often."""
    fields = job.wait()
    assert fields["JobState"] == "COMPLETED", f"{fields} {job.said()}"
    assert int(fields["Restarts"]) >= restarts, f"{fields} {job.said()}"
    return fields


def check_map(lab, name, generations, settings=()):
    expected = reference(lab, generations, settings=settings)
    same, differences = same_map(expected, lab.folder / name / "map.h5")
    assert same, differences
