"""The tutorials of docs/tutorials, executed: the shell commands of pages, the cells of notebooks.
Their C++ is that of the test `consumer`."""

import json
import os
import re
import subprocess
import sys

import h5py
import pytest
from harness.programs import BIN, ENVIRONMENT, ROOT

FOLDER = ROOT / "docs" / "tutorials"
NOTEBOOKS = sorted(path.name for path in FOLDER.glob("*.ipynb"))
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

# Runs the tasks of an array one after the other, as SLURM would, with two ranks at most.
SBATCH = r"""#!/bin/bash
while [[ $1 == -* ]]; do shift; done
for task in $(sed -n 's/^#SBATCH --array=\([0-9]*\)-\([0-9]*\)$/\1 \2/p' "$1" | xargs seq); do
    SLURM_JOB_ID=$task SLURM_ARRAY_TASK_ID=$task bash "$@" || exit
done
"""


@pytest.fixture
def place(tmp_path):
    """A folder that looks like the root of the source tree, without runs."""
    for name in ("configs", "slurm", "python", "tests"):
        (tmp_path / name).symlink_to(ROOT / name)
    stubs = tmp_path / "stubs"
    stubs.mkdir()
    texts = {"sbatch": SBATCH, "squeue": "#!/bin/bash\necho 2999-01-01T00:00:00\n",
             "scontrol": "#!/bin/bash\n", "python3": f'#!/bin/bash\nexec {sys.executable} "$@"\n'}
    for name, text in texts.items():
        (stubs / name).write_text(text)
        (stubs / name).chmod(0o755)
    return tmp_path


def environment(place):
    paths = [str(ROOT / "python"), str(ROOT / ".deps" / "notebook"), str(ROOT / ".deps" / "mujoco"),
             str(ROOT / ".deps" / "gym"), os.environ.get("PYTHONPATH", "")]
    return {**ENVIRONMENT, "PATH": f"{place / 'stubs'}:{BIN}:{os.environ['PATH']}",
            "PYTHONPATH": ":".join(filter(None, paths)), "MEES_BIN": str(BIN), "HOME": str(place),
            "OMPI_MCA_rmaps_base_oversubscribe": "1", "PYTHONDONTWRITEBYTECODE": "1",
            "OMPI_MCA_hwloc_base_binding_policy": "none", "MPLBACKEND": "Agg"}


def blocks(name, language):
    return [text for kind, text in BLOCK.findall((FOLDER / name).read_text()) if kind == language]


def follow(name, place):
    """Runs all commands of a page in one shell, which stops at the first that fails."""
    script = "set -euo pipefail\n" + "".join(blocks(name, "sh"))
    done = subprocess.run(["bash", "-c", script], cwd=place, env=environment(place), text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600)
    assert done.returncode == 0, done.stdout[-3000:]
    return done.stdout


def generation(path):
    with h5py.File(path) as file:
        return int(file.attrs["generation"])


def test_first_map(place):
    output = follow("first-map.md", place)
    assert generation(place / "runs" / "first" / "map.h5") == 60
    assert "identical" in output
    for name in ("map.png", "curves.png", "best.onnx"):
        assert (place / name).stat().st_size > 1000


def test_own_robot(place):
    output = follow("own-robot.md", place)
    assert generation(place / "elsewhere" / "map.h5") == 30
    assert "warning" not in output.lower()
    assert "forward_velocity" in output


def test_gymnasium(place):
    if not (ROOT / ".deps" / "gym" / "gymnasium").is_dir():
        pytest.importorskip("gymnasium", reason="Gymnasium is not installed")
    output = follow("gymnasium.md", place)
    assert output.count("deterministic") == 2
    for name in ("cartpole", "swing"):
        assert generation(place / "runs" / name / "map.h5") == 30
    with h5py.File(place / "runs" / "cartpole" / "map.h5") as file:
        assert len(file["map/fitness"]) > 10 and file["map/fitness"][...].max() > 100
    assert "weak" in (place / "runs" / "swing" / "adapt.csv").read_text()


def test_slurm_campaign(place):
    output = follow("slurm-campaign.md", place)
    assert re.search(r"^10$", output, re.MULTILINE)
    assert len(list(place.glob("runs/*/corrected.h5"))) == 10
    page = (place / "report.html").read_text()
    assert "Median over seeds" in page and "Mann-Whitney" in page
    assert page.count("exploit-seed") >= 5


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_notebook(name, place):
    if not (ROOT / ".deps" / "notebook" / "nbclient").is_dir():
        pytest.importorskip("nbclient", reason="nbclient is not installed")
    if "simulate" in (FOLDER / name).read_text() and not (ROOT / ".deps" / "mujoco").is_dir():
        pytest.importorskip("mujoco", reason="MuJoCo's Python package is not installed")
    script = ("import nbformat, nbclient, sys\n"
              "notebook = nbformat.read(sys.argv[1], as_version=4)\n"
              "nbformat.validate(notebook)\n"
              "nbclient.NotebookClient(notebook, timeout=300, kernel_name='python3').execute()\n"
              "print(nbformat.writes(notebook))\n")
    done = subprocess.run([sys.executable, "-c", script, FOLDER / name], cwd=place, text=True,
                          env=environment(place), capture_output=True, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]
    outputs = [output for cell in json.loads(done.stdout)["cells"]
               for output in cell.get("outputs", [])]
    assert not [output for output in outputs if output["output_type"] == "error"]
    assert [output for output in outputs if "image/png" in output.get("data", {})], "no figure"


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_notebook_is_stored_without_outputs(name):
    notebook = json.loads((FOLDER / name).read_text())
    for cell in notebook["cells"]:
        assert cell.get("outputs", []) == [] and cell.get("execution_count") is None
    assert set(notebook["metadata"]) == {"kernelspec", "language_info"}


def test_cpp_page_shows_the_project_that_is_compiled():
    project = ROOT / "tests" / "consumer" / "project"
    assert len(blocks("cpp-domain.md", "cpp")) > 5
    for language, file in (("cpp", "pendulum.cpp"), ("cmake", "CMakeLists.txt")):
        for block in blocks("cpp-domain.md", language):
            assert block in (project / file).read_text(), block


def test_all_tutorials_are_tested():
    pages = {path.name for path in FOLDER.glob("*.md")}
    assert pages == {"first-map.md", "own-robot.md", "gymnasium.md", "slurm-campaign.md",
                     "cpp-domain.md"}
