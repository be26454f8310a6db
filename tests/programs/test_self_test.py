"""mees_master --self-test: passes on a working machine, fails on a broken one, leaves nothing."""

import resource
import subprocess

import pytest
from harness.programs import ENVIRONMENT, command_line, refused, run

DOMAINS = ("ant", "ant_maze", "deceptive_humanoid", "point_maze")


@pytest.mark.parametrize("ranks", [0, 1, 3])
def test_passes_and_leaves_nothing(tmp_path, ranks):
    (tmp_path / "temporary").mkdir()
    (tmp_path / "work").mkdir()
    done = run("mees_master", "--self-test", ranks=ranks, cwd=tmp_path / "work",
               env={"TMPDIR": str(tmp_path / "temporary")} if ranks != 3 else {})
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    words = done.stdout.replace(",", "").split()
    assert set(DOMAINS) <= set(words)
    assert "bit-identical" in words and words.count("checkpoint") == 2
    assert ("mpirun" in words) == (ranks < 2)
    assert done.stdout.count("passed ") == 1
    assert list(tmp_path.glob("*/*")) == []


def test_full_disk_is_reported(tmp_path):
    """A limit of the file size stands for it: writing a map fails in the same place."""
    done = subprocess.run(
        command_line("mees_master", ["--self-test"]), env={**ENVIRONMENT, "TMPDIR": str(tmp_path)},
        capture_output=True, text=True, timeout=60,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192)))
    assert done.returncode == 1
    assert "mees_master: error: cannot write the last checkpoint" in done.stderr
    assert "passed" not in done.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ranks", [0, 3])
def test_folder_that_is_not_writable_is_reported(ranks):
    # Also root cannot create a folder in /proc. Open MPI has temporary files too.
    folder = {"TMPDIR": "/proc", "OMPI_MCA_orte_tmpdir_base": "/tmp"}
    done = run("mees_master", "--self-test", ranks=ranks, env=folder)
    assert done.returncode == 1
    assert "mees_master: error: cannot create a folder in /proc" in done.stderr, done.stderr
    assert "Set TMPDIR" in done.stderr


@pytest.mark.parametrize("words", [["run.toml"], ["--seed", "3"], ["--out", "here"], ["--dry-run"]])
def test_options_that_it_would_ignore_are_refused(words):
    done = run("mees_master", "--self-test", *words)
    refused(done, "mees_master", 2, "--self-test has no use for", words[0].replace("run.toml", ""))
