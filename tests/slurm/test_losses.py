"""Lost ranks and nodes on a real SLURM, launcher by launcher: the job continues on the nodes that
are left, without the queue, and its map is bit-identical to that of an undisturbed run.

Prints what was measured: the launcher's exit code, the seconds until the command was started again
and until the run had passed the generation of the loss, and the generations that were lost.
"""

import signal
import time

import h5py
import pytest
from clusters import MPICH, NEEDS_SLURM, OPEN_MPI_4, OPEN_MPI_5, arguments, check_map, completed
from harness.configs import set_options
from harness.faults import kill, processes_of, stopwatch, wait_for

pytestmark = NEEDS_SLURM
GENERATIONS = 60
NODES = ["-p", "all", "--ntasks-per-node=2"]
# A script of slurm/, or a command for until-finished.sh.
LAUNCHERS = {
    "openmpi4-mpirun": (OPEN_MPI_4, "mpirun"),
    "openmpi4-srun": (OPEN_MPI_4, "srun"),
    "openmpi5-mpirun": (OPEN_MPI_5, "mpirun"),
    "openmpi5-srun": (OPEN_MPI_5, "srun"),
    "mpich-mpirun": (MPICH, "mpirun"),
    "mpich-srun": (MPICH, "srun"),
}
# These let the other ranks live after a loss.
TOLERANT_LAUNCHERS = {
    "openmpi4-recovery": (OPEN_MPI_4, "mpirun --enable-recovery"),
    "openmpi5-ulfm": (OPEN_MPI_5, "mpirun --with-ft ulfm"),
}


class Training:
    """A run on three nodes of two ranks."""

    def __init__(self, lab, name, launcher):
        self.lab, self.name, self.out = lab, name, lab.folder / name
        self.mpi, self.launcher = {**LAUNCHERS, **TOLERANT_LAUNCHERS}[launcher]
        self.restarts = 0
        self.lost_nodes = []
        if reason := self.mpi.missing():
            pytest.skip(reason)

    def submit(self, *settings, nodes="-N3"):
        self.settings = settings
        words = [*arguments(self.lab, self.name, GENERATIONS), *set_options(*settings)]
        script = [f"slurm/{self.launcher}.sh"]
        if " " in self.launcher:
            config, out, *rest = map(str, words)
            program = str(self.mpi.programs / "mees_master")
            script, words = ["--requeue", "--no-kill", "--wrap"], [" ".join(
                ["exec slurm/until-finished.sh", self.launcher, program, config, "--out", out,
                 *rest])]
        self.job = self.lab.submit(self.name, *NODES, nodes, *script, *words,
                                   env={**self.mpi.environment(), "MEES_MIN_NODES": "1",
                                        "MEES_OUT": str(self.out)})

    def ranks(self):
        return processes_of(self.out)

    def rows(self):
        path = self.out / "metrics.csv"
        return len(path.read_text().splitlines()) - 1 if path.exists() else 0

    def saved_rows(self):
        try:
            with h5py.File(self.out / "map.h5") as file:
                return len(file["/history/generation"])
        except FileNotFoundError:
            return 0

    def changes(self):
        """The newest generation in a change file, or -1."""
        return max((int(path.stem.split("-")[1]) for path in self.out.glob("map.changes-*.h5")),
                   default=-1)

    def trains(self):
        before = self.rows()
        wait_for(lambda: self.rows() >= before + 4, 90, f"it trains; {self.job.said()}")

    def other_node(self):
        """A node that is still in use and is not that of the batch script."""
        host = self.job.fields()["BatchHost"]
        return next(i for i in (2, 1, 0)
                    if not host.endswith("abc"[i]) and i not in self.lost_nodes)

    def lose_node(self, how="kill"):
        """The name of the node."""
        self.lost_nodes.append(self.other_node())
        self.lab.control(how, self.lost_nodes[-1])
        return self.job.fields()["BatchHost"][:-1] + "abc"[self.lost_nodes[-1]]

    def restarted(self, what):
        """Waits until the run is past the generation in which it was interrupted. Prints how long
        that took, without a limit: it depends on what else the machine does. On two busy cores the
        start of the ranks alone takes up to ten seconds (docs/fault-tolerance.md)."""
        self.restarts += 1
        elapsed = stopwatch()
        words = f"; restart {self.restarts} on"
        wait_for(lambda: words in self.job.said(), 150, f"restart; {self.job.said()}")
        again, rows = elapsed(), self.rows()
        saved = max(self.saved_rows(), self.changes() + 1)  # generation 0 has a row
        code = self.job.said().split(words)[0].rsplit(" ", 1)[1]
        wait_for(lambda: self.rows() > rows, 90, f"it trains; {self.job.said()}")
        print(f"\nMEASURED {self.name} {what}: exit {code}, restart {again:.1f} s, "
              f"training {elapsed():.1f} s, lost {rows - saved} of {rows} generations", flush=True)
        return code

    def finishes(self, requeues=0):
        fields = completed(self.job, restarts=requeues)
        assert int(fields["Restarts"]) == requeues, self.job.said()
        assert (self.out / "FINISHED").exists()
        check_map(self.lab, self.name, GENERATIONS, self.settings)


@pytest.fixture
def training(lab, request):
    launcher, name = request.param, request.node.name
    made = Training(lab, name.split("[")[0][5:] + "-" + launcher, launcher)
    try:
        yield made
    finally:
        if hasattr(made, "job"):
            lab.execute("scancel", "--full", "-s", "KILL", made.job.number)
            lab.execute("scancel", made.job.number)
        for node in made.lost_nodes:
            lab.control("revive", node)
        for pid in made.ranks().values():
            kill(pid)
        wait_for(lab.all_nodes_idle, 120, "the nodes are back")


launchers = pytest.mark.parametrize("training", LAUNCHERS, indirect=True)


@launchers
def test_lost_rank(training):
    training.submit()
    training.trains()
    kill(training.ranks()[5])
    training.restarted("rank")
    training.finishes()


@launchers
def test_lost_rank_0(training):
    training.submit()
    training.trains()
    kill(training.ranks()[0])
    training.restarted("rank 0")
    training.finishes()


@launchers
def test_lost_node(training):
    training.submit()
    training.trains()
    training.lose_node()
    training.restarted("node")
    training.finishes()


@pytest.mark.parametrize("training", ["openmpi4-mpirun"], indirect=True)
def test_loss_of_the_script_and_its_node(training):
    """guard-job.sh requeues the job, which waits for as many nodes as it had."""
    training.submit()
    training.trains()
    host = training.job.fields()["BatchHost"]
    training.lost_nodes.append("abc".index(host[-1]))
    training.lab.control("kill", training.lost_nodes[-1])
    wait_for(lambda: training.job.state() == "PENDING", 120, "the job is in the queue again")
    training.lab.control("revive", training.lost_nodes.pop())
    training.finishes(requeues=1)


@launchers
def test_unplugged_node(training):
    """The limit of silence is shorter than SLURM's."""
    training.submit("cluster.silence_seconds=8")
    training.trains()
    training.lose_node("unplug")
    training.restarted("unplugged")
    training.finishes()


@pytest.mark.parametrize("training", ["openmpi4-mpirun", "openmpi4-srun"], indirect=True)
def test_node_that_slurm_takes_away(training):
    """An unplugged node again: the script notices what SLURM notices."""
    training.submit("cluster.silence_seconds=0")
    training.trains()
    training.lose_node("unplug")
    training.restarted("taken away")
    training.finishes()


@launchers
def test_two_losses_in_a_row(training):
    training.submit()
    training.trains()
    training.lose_node()
    training.restarted("first of two nodes")
    training.lose_node()
    training.restarted("second of two nodes")
    training.finishes()


@launchers
def test_during_start_up(training):
    training.submit()
    wait_for(lambda: 5 in training.ranks(), 60, "the ranks appear")
    kill(training.ranks()[5])
    training.restarted("rank during start-up")
    training.finishes()


@launchers
def test_node_during_start_up(training):
    training.submit()
    wait_for(lambda: len(training.ranks()) == 6, 60, "the ranks appear")
    assert training.rows() == 0
    training.lose_node()
    training.restarted("node during start-up")
    training.finishes()


def stop_with_changes(training):
    """Stops rank 0 when its newest state is in change files only; that generation."""
    pid = training.ranks()[0]

    def stopped():
        kill(pid, signal.SIGSTOP)
        time.sleep(0.1)
        if training.changes() > training.saved_rows():
            return True
        kill(pid, signal.SIGCONT)
        time.sleep(0.05)
        return False
    wait_for(stopped, 60, f"changes are saved; {training.job.said()}")
    return training.changes()


@launchers
def test_loss_with_change_files(training):
    """Rank 0 is lost, so that no complete map is written any more. Controllers are large enough for
    change files to be smaller than maps."""
    training.submit("checkpoint.every_generations=1", "checkpoint.changes_above_megabytes=0.001",
                    "algorithm.name=me-ga", "algorithm.children=6", "policy.hidden=[128,128]")
    training.trains()
    newest = stop_with_changes(training)
    kill(training.ranks()[0])
    training.restarted("rank 0 with change files")
    resumed = [int(text.split()[0])
               for text in training.job.said().split("resuming after generation ")[1:]]
    assert len(resumed) == 1 and resumed[0] >= newest, training.job.said()
    training.finishes()


@pytest.mark.parametrize("training", ["openmpi4-mpirun"], indirect=True)
def test_requeued_job_takes_what_is_free(lab, training):
    """It starts on two of two or three nodes, because another job uses the third."""
    other = lab.submit("other", "-p", "all", "-N1", "--exclusive", "--wrap", "exec sleep 600")
    wait_for(lambda: other.state() == "RUNNING", 30, "the other job runs")
    training.submit(nodes="--nodes=2-3")
    training.trains()
    assert len(training.ranks()) == 4
    lab.call("scancel", other.number)
    lab.call("scontrol", "requeue", training.job.number)
    wait_for(lambda: training.job.release() and len(training.ranks()) == 6, 120,
             f"it runs on three nodes; {training.job.said()}")
    training.finishes(requeues=1)


@pytest.mark.parametrize("training", TOLERANT_LAUNCHERS, indirect=True)
def test_launchers_that_tolerate_losses(training):
    """No notice of a loss reaches the ranks: rank 0 ends the run because of the silence. mpirun
    may then hang."""
    training.submit("cluster.silence_seconds=8")
    training.trains()
    host = training.lose_node("unplug")
    elapsed = stopwatch()
    wait_for(lambda: f"on host {host} has not answered for 8 s" in training.job.said(), 60,
             f"the error; {training.job.said()}")
    print(f"\nMEASURED {training.name}: error after {elapsed():.1f} s", flush=True)
    wait_for(lambda: 0 not in training.ranks(), 60, "rank 0 ends")
    assert training.saved_rows() == training.rows() >= 4


def stop_in_checkpoint(training):
    """Stops rank 0 between the first and the last call that write a checkpoint."""
    pid = training.ranks()[0]
    for _ in range(10000):
        if any(training.out.glob(".map*.tmp")):
            kill(pid, signal.SIGSTOP)
            time.sleep(0.1)
            if any(training.out.glob(".map*.tmp")):
                return pid
            kill(pid, signal.SIGCONT)
        time.sleep(0.0005)
    raise AssertionError("no checkpoint was written")


@launchers
def test_node_during_a_checkpoint(training):
    training.submit("checkpoint.every_generations=1")
    training.trains()
    pid = stop_in_checkpoint(training)
    training.lose_node()
    kill(pid, signal.SIGCONT)
    training.restarted("node during a checkpoint")
    training.finishes()
