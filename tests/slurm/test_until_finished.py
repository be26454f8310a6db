"""slurm/until-finished.sh with stubs of SLURM and the command: which ends of the command are final,
requeued or restarted, and that it believes the mark of the run, not its launcher."""

import os
import signal
import subprocess
import time

import pytest
from harness.configs import settings, write_config
from harness.faults import stopwatch, wait_for
from harness.maps import ANT
from harness.programs import BIN, ENVIRONMENT, ROOT, run

SCRIPT = ROOT / "slurm" / "until-finished.sh"

# Node lists are plain ones here, separated by commas.
SCONTROL = """[ "$1" != show ] || {{ tr , '\\n' <<<"$3"; exit; }}
echo "$@" >>{folder}/scontrol.log"""


class Job:
    """A batch job that is requeued as often as the script asks for it."""

    def __init__(self, folder):
        self.folder, self.out = folder, folder / "run"
        self.out.mkdir()
        self.requeues = 0
        self.stub("squeue", "echo 2999-01-01T00:00:00")
        self.stub("scontrol", SCONTROL.format(folder=folder))
        self.environment = {"PATH": f"{folder}:{os.environ['PATH']}", "SLURM_JOB_ID": "7",
                            "MEES_OUT": str(self.out)}

    def stub(self, name, text):
        path = self.folder / name
        path.write_text(f"#!/bin/bash\n{text}\n")
        path.chmod(0o755)

    def start(self, command):
        self.stub("command", command)
        return subprocess.Popen([SCRIPT, self.folder / "command"], cwd=self.folder, text=True,
                                env={**self.environment, "SLURM_RESTART_COUNT": str(self.requeues)},
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def ended(self, process):
        """The exit status, or "requeued"."""
        output, _ = process.communicate(timeout=60)
        log = self.folder / "scontrol.log"
        asked = len(log.read_text().splitlines()) if log.exists() else 0
        if asked > self.requeues:
            assert process.returncode == 0, output
            self.requeues = asked
            return "requeued"
        return process.returncode

    def run(self, command):
        return self.ended(self.start(command))

    def finishes(self):
        return f"touch {self.out}/FINISHED"


@pytest.fixture
def job(tmp_path):
    return Job(tmp_path)


def test_finished(job):
    assert job.run(f"{job.finishes()}; exit 0") == 0


def test_a_launcher_that_exits_with_0_without_the_mark_has_lost_a_node(job):
    assert job.run("exit 0") == "requeued"
    assert job.run(f"{job.finishes()}; exit 0") == 0


def test_a_launcher_that_fails_after_the_mark_has_finished(job):
    assert job.run(f"{job.finishes()}; exit 137") == 0


def test_an_old_mark_proves_nothing(job):
    (job.out / "FINISHED").touch()
    assert job.run("exit 2") == 2
    assert job.run("exit 137") == "requeued"
    assert job.run("exit 0") == "requeued", "a node may be lost before the run removes the mark"
    assert job.run(f"{job.finishes()}; exit 0") == 0, "nothing was left to do"


def finished(job, mark, *command):
    """The command finishes in a job, and again when nothing is left to do."""
    job.environment = {**ENVIRONMENT, **job.environment}
    words = " ".join(map(str, command))
    for _ in range(2):
        before = mark.stat() if mark.exists() else None
        assert job.run(f"exec {words}") == 0
        assert before is None or mark.stat().st_mtime_ns > before.st_mtime_ns


def test_programs_write_their_mark_anew(job):
    config = write_config(job.folder, settings(ANT, run={"generations": 2}))
    finished(job, job.out / "FINISHED", BIN / "mees_master", config, "--out", job.out,
             "--threads", 1)
    results = job.folder / "adapt.h5"
    job.environment["MEES_MARK"] = f"{results}.finished"
    finished(job, results.with_name("adapt.h5.finished"), BIN / "mees_adapt", job.out,
             "--damage", "J0", "--trials", 1, "--score-episodes", 2, "--out", results)


def test_another_mark(job):
    job.environment["MEES_MARK"] = str(job.folder / "results.finished")
    assert job.run(f"{job.finishes()}; exit 0") == "requeued"
    assert job.run(f"touch {job.folder}/results.finished; exit 0") == 0


def test_commands_without_a_mark(job):
    del job.environment["MEES_OUT"]
    assert job.run("exit 0") == 0


@pytest.mark.parametrize("code", [75, 137, 143, 205])
def test_stops_and_losses_are_always_requeued(job, code):
    job.requeues = 50
    (job.folder / "scontrol.log").write_text("\n" * 50)
    assert job.run(f"exit {code}") == "requeued"


@pytest.mark.parametrize("code", [1, 9, 14, 132, 134, 135, 136, 139, 255])
def test_failures_are_retried_three_times_however_often_the_job_was_requeued(job, code):
    for _ in range(5):
        assert job.run("exit 75") == "requeued"
    for _ in range(3):
        assert job.run(f"exit {code}") == "requeued"
        assert job.run("exit 205") == "requeued", "a lost node is no failure"
    assert job.run(f"exit {code}") == code


def test_a_clean_stop_ends_a_row_of_failures(job):
    for code in [1, 134, 1, 75, 1, 1, 1]:
        assert job.run(f"exit {code}") == "requeued"
    assert job.run("exit 1") == 1


@pytest.mark.parametrize("code", [2, 3, 127])
def test_errors_that_a_retry_cannot_fix_are_final(job, code):
    assert job.run(f"exit {code}") == code


def test_losses_without_progress_come_to_an_end(job):
    """Ten in a row, however often the job was requeued."""
    for code in [137, 205, 143, 75, 137] * 2:
        assert job.run(f"exit {code}") == "requeued"
    assert job.run("exit 205") == 205
    assert not list(job.out.glob(".failures-*")), "the next submission starts from scratch"


def test_progress_ends_a_row_of_losses(job):
    for _ in range(25):
        assert job.run(f"date +%N >{job.out}/map.h5; exit 137") == "requeued"


def test_results_of_other_programs_are_progress(job):
    """mees_adapt has no run folder, but a file of results and a mark."""
    del job.environment["MEES_OUT"]
    results = job.folder / "adapt.h5"
    job.environment["MEES_MARK"] = f"{results}.finished"
    for _ in range(12):
        assert job.run(f"date +%N >{results}; exit 137") == "requeued"


def stopped_by(job, reason):
    return f"""echo '{{"stopped_by": "{reason}"}}' >{job.out}/summary.json; exit 75"""


def test_a_folder_that_a_lost_rank_still_uses(cluster):
    """Waited for after a loss only, and not for ever."""
    cluster.stub("sleep", "exec /bin/sleep 0.01")
    assert launches(cluster, "mpirun", "exit 137", "exit 3", "exit 3",
                    f"{cluster.finishes()}; exit 0") == (
        0, ["-x mees_master"] + 3 * ["--host a:4,b:4,c:1 -x mees_master"])


def test_a_folder_that_remains_in_use(cluster):
    cluster.stub("sleep", "exec /bin/sleep 0.01")
    result, calls = launches(cluster, "mpirun", "exit 137", *["exit 3"] * 20)
    assert result == 3
    assert len(calls) == 7


def test_a_folder_that_an_earlier_incarnation_still_uses(job):
    job.stub("sleep", "exec /bin/sleep 0.01")
    assert job.run("exit 75") == "requeued"
    assert job.run(f"[ -e {job.out}/tried ] || {{ touch {job.out}/tried; exit 3; }}; "
                   f"{job.finishes()}; exit 0") == 0


def test_a_stop_file_is_final(job):
    assert job.run(f"touch {job.out}/STOP; exit 75") == 75


SQUEUE = {"answers": "echo 2999-01-01T00:00:00", "fails": "exit 1", "is silent": "exit 0",
          "hangs": "exec sleep 600", "has no limit": "echo NONE", "is missing": "exit 127"}


@pytest.mark.parametrize("how", SQUEUE)
def test_cancelled_while_squeue(job, how):
    """scancel sends TERM: the command gets USR1, and nothing is requeued, whatever squeue does."""
    job.stub("squeue", SQUEUE[how])
    process = job.start(f"trap 'exit 75' USR1; touch {job.out}/runs; while :; do sleep 0.1; done")
    wait_for((job.out / "runs").exists, 20, "the command runs")
    time.sleep(0.3)
    process.send_signal(signal.SIGTERM)
    assert job.ended(process) == 75


def test_the_time_limit_is_not_taken_for_scancel(job):
    job.stub("squeue", "date -d '1 second ago' +%Y-%m-%dT%H:%M:%S")
    process = job.start(f"trap 'exit 75' USR1; touch {job.out}/runs; while :; do sleep 0.1; done")
    wait_for((job.out / "runs").exists, 20, "the command runs")
    time.sleep(0.3)
    process.send_signal(signal.SIGTERM)
    assert job.ended(process) == "requeued"


def test_a_requeue_that_fails_is_tried_again(job):
    job.stub("scontrol", f'[ -e {job.folder}/once ] || {{ touch {job.folder}/once; exit 1; }}\n'
             + SCONTROL.format(folder=job.folder))
    assert job.run("exit 75") == "requeued"


@pytest.fixture
def cluster(job):
    """A job on three nodes; those in the file `down` do not answer, those in `gone` SLURM has
    taken away."""
    for name in ("down", "gone"):
        (job.folder / name).touch()
    job.environment |= {"SLURM_JOB_NODELIST": "a,b,c", "SLURM_TASKS_PER_NODE": "4(x2),1"}
    job.stub("srun", f"""while [ $1 != -w ]; do shift; done
        ! grep -qx $2 {job.folder}/down || sleep 60""")
    job.stub("squeue", f"""[ "$5" = %N ] || {{ echo 2999-01-01T00:00:00; exit; }}
        printf '%s\\n' a b c | grep -vxFf {job.folder}/gone | paste -sd,""")
    return job


def launches(cluster, launcher, *ends):
    """Runs until-finished.sh with a launcher that ends like this, one time after the other; the
    job's end, and how the launcher was called."""
    log = cluster.folder / "calls"
    lines = "\n".join(f"{i + 1}) {end};;" for i, end in enumerate(ends))
    cluster.stub("launcher", f'echo "$@" >>{log}\ncase $(wc -l <{log}) in\n{lines}\nesac')
    (cluster.folder / "launch").mkdir(exist_ok=True)
    program = cluster.folder / "launch" / launcher
    program.write_text(f'#!/bin/bash\nexec {cluster.folder}/launcher "$@"\n')
    program.chmod(0o755)
    process = subprocess.Popen([SCRIPT, program, "-x", "mees_master"], cwd=cluster.folder,
                               env=cluster.environment, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True)
    result = cluster.ended(process)
    return result, log.read_text().splitlines()


@pytest.mark.parametrize("launcher", ["mpirun", "mpiexec", "mpiexec.hydra"])
def test_a_lost_rank_costs_a_restart_on_the_same_nodes(cluster, launcher):
    assert launches(cluster, launcher, "exit 137", f"{cluster.finishes()}; exit 0") == (
        0, ["-x mees_master", "--host a:4,b:4,c:1 -x mees_master"])


def test_a_launcher_that_stops_the_ranks_after_a_loss(cluster):
    """srun, and mpirun of Open MPI 5, send SIGTERM to the other ranks: rank 0 exits with 75."""
    assert launches(cluster, "srun", "exit 75", f"{cluster.finishes()}; exit 0") == (
        0, ["-x mees_master", "-N 3 -n 9 -w a,b,c -x mees_master"])


@pytest.mark.parametrize("reason", ["the time limit", "signal SIGUSR1"])
def test_a_stop_that_was_asked_for_is_no_loss(cluster, reason):
    """By --time-limit, or by a signal to the ranks alone."""
    assert launches(cluster, "srun", stopped_by(cluster, reason)) == ("requeued",
                                                                      ["-x mees_master"])


def test_a_stop_by_the_launcher_is_a_loss(cluster):
    (cluster.out / "summary.json").write_text('{"stopped_by": "the time limit"}')
    assert launches(cluster, "srun", "exit 75", stopped_by(cluster, "signal SIGTERM"),
                    f"{cluster.finishes()}; exit 0") == (
        0, ["-x mees_master"] + 2 * ["-N 3 -n 9 -w a,b,c -x mees_master"])


@pytest.mark.parametrize("launcher, how", [("mpirun", "itself"), ("mpiexec", "itself"),
                                           ("mpiexec.hydra", "proxy"), ("mpirun", "srun")])
def test_a_launcher_that_hangs_after_the_loss_of_its_ranks(cluster, launcher, how):
    """The ranks of MPICH are children of a proxy, which hangs too; it may be a child of SLURM."""
    os.mkfifo(cluster.folder / "silent")
    rank = f"/bin/sleep 3; read -t 100 <>{cluster.folder}/silent"
    (cluster.folder / "hydra_pmi_proxy").write_text(f"#!/bin/bash\n{rank}\n")
    (cluster.folder / "hydra_pmi_proxy").chmod(0o755)
    proxy = cluster.folder / "hydra_pmi_proxy"
    hang = {"itself": rank, "proxy": f"{proxy} & wait $!",
            "srun": f"(setsid {proxy} &); {cluster.folder}/launch/srun & wait $!"}[how]
    cluster.stub("sleep", "exec /bin/sleep 0.3")
    (cluster.folder / "launch").mkdir()
    cluster.stub("launch/srun", f"read -t 20 <>{cluster.folder}/silent")
    result, calls = launches(cluster, launcher, hang, f"{cluster.finishes()}; exit 0")
    assert result == 0
    assert len(calls) == 2
    left = subprocess.run(["pgrep", "-f", str(cluster.folder / "hydra_pmi_proxy")],
                          capture_output=True, check=False)
    assert left.returncode == 1, "the proxy has ended"


def test_a_stop_before_the_time_limit_is_no_loss(cluster):
    cluster.environment["SLURM_JOB_END_TIME"] = str(int(time.time()) + 300)
    assert launches(cluster, "srun", "exit 75") == ("requeued", ["-x mees_master"])


def test_a_lost_node_costs_a_restart_on_the_others(cluster):
    lose = f"echo b >>{cluster.folder}/down; exit 0"
    assert launches(cluster, "mpirun", lose, f"{cluster.finishes()}; exit 0") == (
        0, ["-x mees_master", "--host a:4,c:1 -x mees_master"])


def test_a_lost_node_with_srun(cluster):
    lose = f"echo c >>{cluster.folder}/gone; exit 143"
    assert launches(cluster, "srun", lose, f"{cluster.finishes()}; exit 0") == (
        0, ["-x mees_master", "-N 2 -n 8 -w a,b -x mees_master"])


def test_too_few_nodes(cluster):
    lose = f"printf 'b\\nc\\n' >>{cluster.folder}/down; exit 205"
    assert launches(cluster, "mpirun", lose) == ("requeued", ["-x mees_master"])


def test_a_node_that_slurm_takes_away_ends_the_launcher(cluster):
    """An unplugged node: mpirun alone would wait for ever."""
    lose = f"echo b >>{cluster.folder}/gone; exec sleep 60"
    assert launches(cluster, "mpirun", lose, f"{cluster.finishes()}; exit 0") == (
        0, ["-x mees_master", "--host a:4,c:1 -x mees_master"])


def test_the_guard_requeues_a_job_that_has_lost_its_script(cluster):
    cluster.stub("sleep", "exec /bin/sleep 0.1")
    guard = subprocess.Popen([SCRIPT.with_name("guard-job.sh"), "a"], cwd=cluster.folder,
                             env=cluster.environment)
    log = cluster.folder / "scontrol.log"
    try:
        (cluster.folder / "gone").write_text("b\n")
        time.sleep(2)
        assert not log.exists()
        (cluster.folder / "gone").write_text("a\nb\n")
        wait_for(lambda: log.exists() and "requeue 7" in log.read_text(), 20, "the job is requeued")
    finally:
        guard.kill()
        guard.wait()


def test_failures_without_progress_are_tried_three_times_in_place(cluster):
    result, calls = launches(cluster, "mpirun", *["exit 1"] * 10)
    assert result == 1
    assert len(calls) == 4


def test_progress_ends_a_row_of_failures(cluster):
    fail = f"date +%N >{cluster.out}/map.h5; exit 1"
    result, calls = launches(cluster, "mpirun", *[fail] * 6, f"{cluster.finishes()}; exit 0")
    assert result == 0
    assert len(calls) == 7


def test_a_warning_leaves_no_time_for_a_restart(cluster):
    warned = "trap '' USR1; kill -USR1 $PPID; sleep 0.5; exit 137"
    assert launches(cluster, "mpirun", warned) == ("requeued", ["-x mees_master"])


def test_mees_master_does_not_wait_for_squeue(job):
    job.stub("squeue", "exec sleep 600")
    elapsed = stopwatch()
    done = run("mees_master", write_config(job.folder), "--out", job.out, "--threads", 2,
               "--generations", 1, env={**job.environment, "SLURM_JOB_ID": "7"}, timeout=60)
    assert done.returncode == 0, done.stderr
    assert elapsed() < 30
