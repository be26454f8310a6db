"""The Python package reads the files of the fuzzers: each is read or refused with a MeesError, in
bounded time and memory.

MEES_INPUTS says how many of each kind (150 unless told).
"""

import os
import random
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from harness.programs import ROOT

pytest.importorskip("h5py")
import mees  # noqa: E402

INPUTS = int(os.environ.get("MEES_INPUTS", "150"))
FUZZERS = Path(os.environ.get("MEES_FUZZ", ROOT / "build" / "release" / "tests" / "fuzz"))
CORPUS = ROOT / "tests" / "fuzz" / "corpus"
MAPS = [ROOT / "tests" / "storage" / "golden" / "map-1.0.h5",
        CORPUS / "map" / "voronoi-evaluated.h5"]
SECONDS = 20  # for one file, on a busy machine
MEMORY = 1 << 30  # more than the interpreter has already


def read_all(path):
    """Everything that the package offers of a map."""
    with mees.Map(path) as elites:
        assert len(list(elites)) == len(elites)
        str(elites), elites.settings, elites.qd_score, elites.timing, elites.novelty_archive
        history = elites.history
        str(history), len(history)
        for name in ("parameters", "observation_mean", "observation_std"):
            getattr(elites, name)
        if len(elites):
            policy = elites.policy("best")
            policy([0.0] * elites.layers[0])
            elites.nearest(elites.best.bc)
    mees.open_run(path)


def too_slow(*_):
    raise AssertionError(f"not read within {SECONDS} s")


def read_files(folder):
    """Reads the files of a folder, with little memory; prints what is not as it should be."""
    with open("/proc/self/statm", encoding="ascii") as statm:
        used = int(statm.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
    signal.signal(signal.SIGALRM, too_slow)
    read, refused, wrong = 0, 0, 0
    for path in sorted(Path(folder).iterdir()):
        print(path, end=" ", flush=True)
        signal.alarm(SECONDS)
        try:
            read_all(path)
            read += 1
        except mees.MeesError:
            refused += 1
        except BaseException as error:  # what no caller expects
            print(f"{type(error).__name__}: {error}")
            wrong += 1
        finally:
            signal.alarm(0)
    print(f"\n{read} files read, {refused} refused, {wrong} wrong")
    return wrong


def read_in_child(folder):
    """A child of its own: a crash of the library or too little memory is its end alone."""
    result = subprocess.run([sys.executable, __file__, folder], capture_output=True, text=True,
                            timeout=600, check=False,
                            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    last = [line for line in result.stdout.splitlines() if "Error" in line][:5]
    print(result.stdout.splitlines()[-1])
    assert result.returncode == 0, (result.returncode, last, result.stdout[-300:], result.stderr)
    return result.stdout


@pytest.mark.parametrize("target", ["map_structure", "map_content"])
def test_changed_content(tmp_path, target):
    program = FUZZERS / f"fuzz_{target}"
    if not program.exists():
        pytest.skip(f"{program} is not built")
    kept = tmp_path / "kept"
    kept.mkdir()
    subprocess.run([program, CORPUS / target, f"random:{INPUTS}"], check=True,
                   stdout=subprocess.DEVNULL, env={**os.environ, "MEES_FUZZ_KEEP": str(kept)})
    assert len(list(kept.iterdir())) >= INPUTS / 2
    assert " refused, 0 wrong" in read_in_child(kept)


def test_changed_bytes(tmp_path):
    source = random.Random(1)
    contents = [path.read_bytes() for path in MAPS]
    for number in range(INPUTS):
        content = bytearray(source.choice(contents))
        for _ in range(source.choice([1, 1, 3, 20])):
            begin = source.randrange(len(content))
            content[begin:begin + source.choice([1, 1, 4])] = source.choice(
                [b"\0", b"\xff", source.randbytes(1), source.randbytes(8), b"", content[:40]])
        (tmp_path / f"{number:05}.h5").write_bytes(content)
    assert " refused, 0 wrong" in read_in_child(tmp_path)


if __name__ == "__main__":
    sys.exit(1 if read_files(sys.argv[1]) else 0)
