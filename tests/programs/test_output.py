"""Output that cannot be written, is not read, would replace files, or comes from foreign files."""

import contextlib
import csv
import fcntl
import io
import json
import os
import resource
import shutil
import signal
import subprocess
import sys

import h5py
import numpy as np
import pytest
from harness.configs import SMALL, settings, write_config
from harness.faults import wait_for
from harness.maps import ant, maze
from harness.programs import ENVIRONMENT, command_line, refused, run

TINY = settings(
    domain={"name": "point_maze", "episode_steps": 5},
    policy={"hidden": [4]},
    noise={"table_size": 1000},
    es={"population": 4},
    algorithm={"n_optim_gens": 3, "n_eval": 1},
    checkpoint={"every_seconds": 300, "every_generations": 0},
)
ESCAPES = "\x1b]52;c;aGk=\x07\x1b[2J"


def call(program, *arguments, **options):
    """Runs a program with these options of subprocess.run."""
    return subprocess.run(command_line(program, arguments),
                          **{"env": ENVIRONMENT, "timeout": 120, "text": True, **options})


@contextlib.contextmanager
def unread_pipe():
    """The write end of a small pipe that nobody reads."""
    reading, writing = os.pipe()
    fcntl.fcntl(writing, 1031, 4096)  # F_SETPIPE_SZ
    try:
        yield reading, writing
    finally:
        os.close(reading)
        os.close(writing)


@pytest.mark.parametrize("both", [False, True])
def test_a_run_does_not_need_a_reader(tmp_path, both):
    config = write_config(tmp_path, settings(TINY, run={"generations": 200}))
    with unread_pipe() as (reading, writing):
        result = call("mees_master", config, "--out", tmp_path / "run", "--threads", 1,
                      stdout=writing, stderr=writing if both else subprocess.PIPE)
        assert result.returncode == 0
        written = os.read(reading, 1 << 16).decode()
    assert written.startswith("me-es") and 2000 < len(written) <= 4096
    assert len((tmp_path / "run" / "metrics.csv").read_text().splitlines()) == 202


def test_a_run_without_a_reader_is_stopped_by_a_signal(tmp_path):
    config = write_config(tmp_path, settings(TINY, run={"generations": 10_000_000}))
    metrics = tmp_path / "run" / "metrics.csv"
    with unread_pipe() as (_, writing):
        command = command_line("mees_master", [config, "--out", tmp_path / "run", "--threads", 1])
        process = subprocess.Popen(command, env=ENVIRONMENT, stdout=writing,
                                   stderr=subprocess.DEVNULL)
        try:
            wait_for(lambda: metrics.exists() and metrics.read_bytes().count(b"\n") > 100, 60,
                     "a hundred generations")
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=20) == 75
        finally:
            process.kill()
            process.wait()
    with h5py.File(tmp_path / "run" / "map.h5") as file:
        assert file.attrs["generation"] >= 99


def test_the_summary_waits_for_a_slow_reader(tmp_path):
    config = write_config(tmp_path, settings(TINY, run={"generations": 100}))
    with unread_pipe() as (reading, writing):
        command = command_line("mees_master", [config, "--out", tmp_path / "run", "--threads", 1])
        process = subprocess.Popen(command, env=ENVIRONMENT, stdout=writing)
        wait_for(lambda: (tmp_path / "run" / "mees.log").exists()
                 and "finished" in (tmp_path / "run" / "mees.log").read_text(), 60, "the end")
        os.set_blocking(reading, False)
        text = b""
        while process.poll() is None:
            with contextlib.suppress(BlockingIOError):
                text += os.read(reading, 1 << 16)
        with contextlib.suppress(BlockingIOError):
            text += os.read(reading, 1 << 16)
    assert process.returncode == 0
    lines = text.decode().splitlines()
    assert any(line.startswith("Finished after generation 100") for line in lines)
    assert lines[-1].startswith("  mees_replay ")
    assert all(line.startswith("gen ") for line in lines[2:12])


@pytest.mark.parametrize("program, arguments, code", [
    ("mees_master", ["absent.toml"], 2),
    ("mees_master", ["--seeds"], 2),
    ("mees_inspect", ["summary", "absent.h5"], 3),
    ("mees_replay", ["absent.h5"], 3),
    ("mees_replay", ["--check-reference", "absent.h5"], 3),
    ("mees_evaluate", ["absent.h5"], 3),
    ("mees_refine", ["absent.h5", "--cells", "0", "--out", "new.h5"], 3),
    ("mees_adapt", ["absent.h5", "--damage", "J0"], 3),
    ("mees_bench", ["speed"], 2),
])
def test_exit_codes_do_not_depend_on_stderr(tmp_path, program, arguments, code):
    with open("/dev/full", "w") as full:
        assert call(program, *arguments, cwd=tmp_path, stderr=full).returncode == code
        assert call(program, *arguments, cwd=tmp_path, stderr=full, stdout=full).returncode == code


def test_runs_and_recoveries_do_not_depend_on_full_disks_under_their_streams(tmp_path):
    config = write_config(tmp_path, TINY)
    with open("/dev/full", "w") as full:
        streams = {"stdout": full, "stderr": full}
        assert call("mees_master", config, "--out", tmp_path / "run", **streams).returncode == 0
        result = call("mees_adapt", ant(), "--damage", "friction=0.5", "--damage", "friction=0.7",
                      "--trials", 1, "--episodes-per-trial", 1, "--score-episodes", 2, "--out",
                      tmp_path / "a.h5", stdout=subprocess.PIPE, stderr=full)
    assert result.returncode == 0 and "2 of 2 damages" in result.stdout
    assert run("mees_inspect", "verify", tmp_path / "run" / "map.h5").returncode == 0


@pytest.mark.parametrize("program, arguments", [
    ("mees_master", ["--help"]),
    ("mees_master", ["CONFIG", "--dry-run"]),
    ("mees_master", ["CONFIG", "--show-config"]),
    ("mees_inspect", ["--version"]),
    ("mees_inspect", ["summary", "MAP"]),
    ("mees_inspect", ["cells", "MAP", "--csv"]),
    ("mees_inspect", ["cells", "MAP", "--json"]),
    ("mees_inspect", ["heatmap", "MAP"]),
    ("mees_inspect", ["history", "MAP"]),
    ("mees_inspect", ["verify", "MAP"]),
    ("mees_inspect", ["diff", "MAP", "MAP"]),
    ("mees_inspect", ["export", "MAP", "--out", "a.npz"]),
    ("mees_replay", ["MAP", "--episodes", 1]),
    ("mees_evaluate", ["MAP", "--episodes", 1, "--out", "a.h5"]),
    ("mees_adapt", ["--version"]),
    ("mees_bench", ["--help"]),
])
def test_lost_output_is_a_failure(tmp_path, program, arguments):
    names = {"MAP": maze(), "CONFIG": write_config(tmp_path)}
    words = [names.get(word, word) for word in arguments]
    with open("/dev/full", "w") as full:
        result = call(program, *words, cwd=tmp_path, stdout=full, stderr=subprocess.PIPE)
    refused(result, program, 1, "output", "No space left on device")


def test_closed_streams_are_safe(tmp_path):
    config = write_config(tmp_path, TINY)
    shell = ["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh"]
    command = command_line("mees_master", [config, "--out", tmp_path / "run"])
    assert subprocess.run([*shell, *command], env=ENVIRONMENT, timeout=120).returncode == 0
    assert (tmp_path / "run" / ".lock").read_text().startswith("process ")
    assert len((tmp_path / "run" / ".lock").read_text().split()) == 4
    assert run("mees_inspect", "verify", tmp_path / "run" / "map.h5").returncode == 0
    shell = ["sh", "-c", 'exec "$@" >&-', "sh"]
    result = subprocess.run([*shell, *command_line("mees_inspect", ["summary", maze()])],
                            env=ENVIRONMENT, timeout=120, stderr=subprocess.PIPE, text=True)
    refused(result, "mees_inspect", 1, "output")


def test_nothing_is_overwritten_without_force(tmp_path):
    mine = tmp_path / "mine.h5"
    video, csv_file = tmp_path / "strip.png", tmp_path / "a.csv"
    recovery = ["--damage", "J0", "--trials", 1, "--score-episodes", 2]
    for path in (mine, video, csv_file):
        path.write_text("mine")
    for program, arguments in [
        ("mees_replay", [maze(), "--episodes", 1, "--video", video]),
        ("mees_replay", [maze(), "--episodes", 1, "--trajectory", mine]),
        ("mees_evaluate", [maze(), "--episodes", 1, "--out", mine]),
        ("mees_refine", [maze(), "--cells", 0, "--steps", 1, "--out", mine]),
        ("mees_adapt", [ant(), *recovery, "--out", tmp_path / "a.h5"]),
        ("mees_inspect", ["export", maze(), "--out", tmp_path / "a.npz"]),
        ("mees_bench", ["novelty", "--quick", "--json", mine]),
    ]:
        if program == "mees_inspect":
            (tmp_path / "a.npz").write_text("mine")
        result = run(program, *arguments)
        refused(result, program, 3, "exists", "--force")
        assert result.stdout == ""
    assert {path.read_text() for path in (mine, video, csv_file)} == {"mine"}
    assert run("mees_replay", maze(), "--episodes", 1, "--trajectory", mine, "--force"
               ).returncode == 0
    assert run("mees_evaluate", maze(), "--episodes", 1, "--out", mine, "--force").returncode == 0
    assert run("mees_inspect", "verify", mine).returncode == 0
    assert run("mees_inspect", "export", maze(), "--out", tmp_path / "a.npz", "--force"
               ).returncode == 0
    assert run("mees_adapt", ant(), *recovery, "--out", tmp_path / "a.h5", "--force"
               ).returncode == 0
    assert csv_file.read_text().startswith("damage,")


def test_a_run_does_not_replace_a_config_that_no_run_wrote(tmp_path):
    config = write_config(tmp_path, TINY, "config.toml")
    before = config.read_text()
    refused(run("mees_master", config, "--out", ".", cwd=tmp_path), "mees_master", 2,
            "config.toml", "--out")
    assert config.read_text() == before and list(tmp_path.iterdir()) == [config]
    # That of a run that ended before its first checkpoint is replaced, and a run's own resumes it.
    assert run("mees_master", config, "--out", tmp_path / "run").returncode == 0
    (tmp_path / "run" / "map.h5").unlink()
    (tmp_path / "run" / "map.prev.h5").unlink(missing_ok=True)
    for file in (config, tmp_path / "run" / "config.toml"):
        result = run("mees_master", file, "--out", tmp_path / "run")
        assert result.returncode == 0, result.stderr


def test_inputs_are_never_overwritten(tmp_path):
    own = tmp_path / "map.png"  # a name that --video accepts
    shutil.copy(maze(), own)
    before = own.read_bytes()
    for program, arguments in [
        ("mees_replay", [own, "--episodes", 1, "--video", own]),
        ("mees_replay", [own, "--episodes", 1, "--trajectory", own]),
        ("mees_evaluate", [own, "--episodes", 1, "--out", own]),
        ("mees_refine", [own, "--cells", 0, "--steps", 1, "--out", own]),
        ("mees_adapt", [own, "--damage", "friction=0.5", "--out", own]),
    ]:
        refused(run(program, *arguments, "--force"), program, 3, "it is the input")
    assert own.read_bytes() == before


def test_a_full_disk_leaves_no_part_of_a_file(tmp_path):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (8000, 8000))

    for option, name in (("--trajectory", "a.h5"), ("--video", "a.png")):
        result = call("mees_replay", ant(), "--episodes", 1, option, tmp_path / name,
                      preexec_fn=limit, restore_signals=False, capture_output=True)
        if "OSMesa" in result.stderr:
            pytest.skip("libosmesa6 is not installed")
        refused(result, "mees_replay", 1, "cannot write", tmp_path, "File too large")
        assert list(tmp_path.iterdir()) == []


def test_what_killed_processes_left_is_removed(tmp_path):
    ended = subprocess.Popen(["true"])
    ended.wait()
    host = f"{os.uname().nodename}.{os.stat('/proc/self/ns/pid').st_ino:x}"

    def temporary(stem, pid):
        path = tmp_path / f".{stem}-{host}-{pid}-1f-0.tmp"
        path.write_text("left behind")
        return path

    gone = [temporary(stem, ended.pid) for stem in ("new", "a")]
    kept = [temporary("new", os.getpid()), temporary("other", ended.pid)]
    assert run("mees_evaluate", maze(), "--episodes", 1, "--out", tmp_path / "new.h5"
               ).returncode == 0
    assert run("mees_adapt", ant(), "--damage", "J0", "--trials", 1, "--score-episodes", 2, "--out",
               tmp_path / "a.h5").returncode == 0
    assert not any(path.exists() for path in gone)
    assert all(path.exists() for path in kept)


@pytest.fixture(scope="module")
def foreign(tmp_path_factory):
    """A map whose texts would change the terminal, and whose names need quotes."""
    path = tmp_path_factory.mktemp("foreign") / "map.h5"
    shutil.copy(maze(), path)
    with h5py.File(path, "r+") as file:
        for name in ("git_commit", "created", "mees_version", "mujoco_version", "algorithm"):
            file.attrs[name] = np.bytes_(ESCAPES)
        names = [f'hind,"foot{ESCAPES}', "y"]
        file["map"].attrs["bc_names"] = np.array([name.encode() for name in names])
        file.attrs[f"new{ESCAPES}"] = 1
    return path


@pytest.mark.parametrize("program, arguments", [
    ("mees_inspect", ["summary"]),
    ("mees_inspect", ["cells"]),
    ("mees_inspect", ["cells", "--csv"]),
    ("mees_inspect", ["cells", "--json"]),
    ("mees_inspect", ["cells", "--sort", "none"]),
    ("mees_inspect", ["heatmap"]),
    ("mees_inspect", ["heatmap", "--axes", "x,z"]),
    ("mees_inspect", ["history"]),
    ("mees_inspect", ["diff"]),
    ("mees_replay", ["--episodes", 1]),
    ("mees_evaluate", ["--episodes", 1]),
    ("mees_refine", ["--cells", "0", "--steps", 1]),
    ("mees_adapt", ["--damage", "friction=0.5", "--trials", 1, "--score-episodes", 2]),
])
def test_texts_of_files_do_not_reach_the_terminal_as_they_are(tmp_path, foreign, program,
                                                              arguments):
    command, *options = arguments if program == "mees_inspect" else ["", *arguments]
    out = ["--out", tmp_path / "new.h5"] if program in ("mees_evaluate", "mees_refine", "mees_adapt"
                                                          ) else []
    second = [maze()] if command == "diff" else []
    words = [command] if command else []
    result = run(program, *words, foreign, *second, *options, *out)
    assert result.returncode in (0, 1, 2, 3), result.stderr
    assert "\\x1b" in result.stdout + result.stderr or command == "history"
    for text in (result.stdout, result.stderr):
        assert "\x1b" not in text and "\x07" not in text


def test_names_are_quoted(foreign):
    table = list(csv.reader(io.StringIO(run("mees_inspect", "cells", foreign, "--csv").stdout)))
    assert {len(row) for row in table} == {len(table[0])}
    assert any(name.startswith('hind,"foot') for name in table[0])
    rows = json.loads(run("mees_inspect", "cells", foreign, "--json").stdout)
    assert len(rows) == len(table) - 1
    assert any(name.startswith('hind,"foot') for name in rows[0])


@pytest.mark.parametrize("seed", ["9223372036854775808", "99999999999999999999999", "-1"])
def test_seeds_that_do_not_fit_are_refused(tmp_path, seed):
    config = write_config(tmp_path)
    long = run("mees_master", config, "--set", f"run.seed={seed}", "--show-config")
    result = run("mees_master", config, "--seed", seed, "--show-config")
    refused(result, "mees_master", 2, "must be an integer of at least 0")
    assert result.stderr == long.stderr
    for program in ("mees_replay", "mees_evaluate"):
        refused(run(program, maze(), "--seed", seed), program, 2,
                f"--seed: {seed}: must be an integer of at least 0")


@pytest.mark.parametrize("threads", ["-1", "100000", "two"])
def test_impossible_numbers_of_threads_are_refused(tmp_path, threads):
    refused(run("mees_master", write_config(tmp_path), "--threads", threads), "mees_master", 2,
            f"--threads: {threads}: must be an integer from 0 to 4096")


def test_threads_that_cannot_be_started_name_the_option(tmp_path):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))

    config = write_config(tmp_path, SMALL)
    result = call("mees_master", config, "--out", tmp_path / "run", "--threads", 2000,
                  preexec_fn=limit, capture_output=True)
    refused(result, "mees_master", 1, "threads", "--threads")


# The peak of a process includes that of the one that started it, which is therefore a small one.
MEASURE = """import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"""


def peak(*arguments):
    """Most kilobytes that a program used."""
    command = [sys.executable, "-c", MEASURE, *command_line(*arguments)]
    return int(subprocess.run(command, env=ENVIRONMENT, check=True, stdout=subprocess.PIPE).stdout)


def test_a_sparse_grid_takes_no_more_memory_than_a_small_one(tmp_path):
    config = write_config(tmp_path, TINY)

    def training(name, bins):
        return peak("mees_master", [config, "--out", tmp_path / name, "--threads", 1, "--set",
                                    f"map.bins={bins},{bins}"])

    assert training("sparse", 100_000) < training("small", 10) + 20_000
    drawn = {name: peak("mees_inspect", ["heatmap", tmp_path / name / "map.h5"])
             for name in ("sparse", "small")}
    assert drawn["sparse"] < drawn["small"] + 20_000


def test_reading_a_map_back_does_not_keep_it(tmp_path):
    """50 controllers of 1 MB: checking a map needs little memory, also that of the first checkpoint
    of a run that resumes."""
    config = write_config(tmp_path, settings(
        run={"generations": 2}, policy={"hidden": [512, 512]}, noise={"table_size": 1_000_000},
        es={"population": None, "sigma": 0.3}, checkpoint=None,
        algorithm={"name": "me-ga", "children": 100, "n_optim_gens": None, "n_eval": 1}))
    out = tmp_path / "run"
    assert run("mees_master", config, "--out", out, "--threads", 1).returncode == 0
    size = (out / "map.h5").stat().st_size // 1024
    assert size > 40_000
    assert peak("mees_inspect", ["verify", out]) < size
    resumed = peak("mees_master", [config, "--out", out, "--threads", 1, "--set",
                                   "map.qd_offset=-20"])
    assert (out / "map.prev.h5").stat().st_size // 1024 > 40_000, "it wrote a checkpoint"
    assert size < resumed < size + 60_000


def test_a_dry_run_estimates_the_memory_of_a_run(tmp_path):
    """The noise table counts once, also while it is made."""
    config = write_config(tmp_path, settings(TINY, noise={"table_size": 20_000_000}))
    lines = run("mees_master", config, "--dry-run").stdout.splitlines()
    words = {line[:25].strip(): line[25:].split() for line in lines}
    assert words["noise table"][:2] == ["80", "MB"]
    assert words["memory of the master"][-1] == "MB"
    estimated = 80 + float(words["memory of the master"][-2])
    used = peak("mees_master", [config, "--out", tmp_path / "run", "--threads", 1]) / 1000
    assert 0.6 * estimated < used < 1.2 * estimated


needs_ffmpeg = pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="ffmpeg is not installed")


@needs_ffmpeg
def test_names_of_videos_are_names_of_files(tmp_path):
    name = "-md5:a%d.gif"  # an option, a protocol, a pattern
    result = run("mees_replay", ant(), "--episodes", 1, f"--video={name}", cwd=tmp_path)
    if "OSMesa" in result.stderr:
        pytest.skip("libosmesa6 is not installed")
    assert result.returncode == 0, result.stderr
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_bytes().startswith(b"GIF89a")
