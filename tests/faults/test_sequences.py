"""Random sequences of faults against a small run, with one oracle: after the sequence the run
resumes to the bits of an undisturbed run, or it says what is wrong; intact states are never lost.

MEES_SEQUENCES says how many (50 unless told), MEES_SEED the seed of the first; each has its own.
"""

import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest
from harness.programs import BIN
from sequences import Generator, Start
from trial import Expected, Trial

SEQUENCES = int(os.environ.get("MEES_SEQUENCES", "50"))
SEED = int(os.environ.get("MEES_SEED", "1"))


def attempt(sequence, expected):
    """Tries a sequence; a description of what went wrong, or None. The folder is kept then."""
    seed = sequence.seed
    base = Path(tempfile.mkdtemp(prefix=f"mees-sequence-{seed}-"))
    try:
        Trial(base, sequence, expected).carry_out()
    except Exception as error:  # whatever it is, its seed is reported
        steps = "\n".join(f"  {step}" for step in sequence.steps)
        command = (f"MEES_BIN={BIN} MEES_BAD_DISK={os.environ['MEES_BAD_DISK']} MEES_SEED={seed} "
                   f"MEES_SEQUENCES=1 {sys.executable} -m pytest -s {Path(__file__).resolve()}")
        return (f"sequence {seed} (checkpoint.keep = {sequence.keep}):\n{steps}\n"
                f"{type(error).__name__}: {error}\nits files: {base}\nto repeat it: {command}\n")
    shutil.rmtree(base)
    return None


def test_sequences(tmp_path):
    expected = Expected(tmp_path)
    generator = Generator(expected.calls())
    failures = []
    sequences = list(map(generator.sequence, range(SEED, SEED + SEQUENCES)))
    for sequence in sequences:
        failure = attempt(sequence, expected)
        if failure:
            print(failure, flush=True)
            failures.append(sequence.seed)
    starts = sum(isinstance(step, Start) for sequence in sequences for step in sequence.steps)
    print(f"{len(sequences)} sequences of {starts} starts, {len(failures)} failed: {failures}")
    if failures:
        pytest.fail(f"the sequences with the seeds {failures} failed: see above", pytrace=False)
