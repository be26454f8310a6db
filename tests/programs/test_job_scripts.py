"""The job scripts of slurm/ without SLURM: which program they start, with which arguments."""

import subprocess

import pytest
from harness.programs import ROOT

RUN = ["runs/a b/map.h5"]
OUT = ["--out", "runs/a b/adapt.h5"]


def started(tmp_path, script, *arguments):
    """The words after mpirun and its options, and the file that marks the end."""
    stub = tmp_path / "until-finished.sh"
    stub.write_text('#!/usr/bin/env bash\nprintf "%s\\n" "$@" "$MEES_MARK"\n')
    stub.chmod(0o755)
    done = subprocess.run(["bash", ROOT / "slurm" / script, *arguments], capture_output=True,
                          text=True, check=True, timeout=60,
                          env={"PATH": "/usr/bin:/bin", "MEES_SLURM": str(tmp_path)})
    words = done.stdout.splitlines()
    return words[next(i for i, word in enumerate(words) if word.startswith("mees_")):]


@pytest.mark.parametrize("given, expected", [
    ([], ["--damage", "paper", "--seeds", "5", *OUT]),
    (["--seeds", "3"], ["--seeds", "3", "--damage", "paper", *OUT]),
    (["--damage", "lock:hip", "--damage=J0", "--kappa", "0.1"],
     ["--damage", "lock:hip", "--damage=J0", "--kappa", "0.1", "--seeds", "5", *OUT]),
    (["--out=x.h5", "--seeds=2"], ["--out=x.h5", "--seeds=2", "--damage", "paper"]),
])
def test_recovery_passes_arguments_on(tmp_path, given, expected):
    *words, mark = started(tmp_path, "adapt.sh", "runs/a b", *given)
    assert words == ["mees_adapt", *RUN, *expected]
    # mees_adapt marks the end next to its results.
    assert mark == ("x.h5" if "--out=x.h5" in given else OUT[1]) + ".finished"
