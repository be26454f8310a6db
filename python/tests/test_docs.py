"""docs/map-format.md: its examples run and print correct values."""

import contextlib
import io
import re
import shutil
import subprocess
from pathlib import Path

import h5py
import numpy as np
import pytest

import mees

DATA = Path(__file__).resolve().parent / "data"
PAGE = Path(__file__).resolve().parents[2] / "docs" / "map-format.md"


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)


@pytest.fixture(params=["synthetic maze", "synthetic ant", "real maze", "real ant"])
def folder(request, tmp_path, monkeypatch):
    """A folder with a map.h5, as the page assumes."""
    kind, name = request.param.split()
    real = DATA / name / "map.h5"
    path = real if kind == "real" else request.getfixturevalue(f"{name}_path")
    shutil.copy(path, tmp_path / "map.h5")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_h5py_examples_agree_with_the_package(folder):
    pytest.importorskip("tomllib", reason="Python older than 3.11 has no tomllib")
    printed, names = io.StringIO(), {}
    with contextlib.redirect_stdout(printed):
        for block in blocks("python"):
            exec(compile(block, str(PAGE), "exec"), names)
    action = names["act"](np.zeros(names["elites"].attrs["layers"][0]))
    names["file"].close()
    with mees.Map("map.h5") as elites:
        best = elites.best
        assert f"best cell {best.cell} fitness {best.fitness}" in printed.getvalue()
        assert f"{len(elites)} of {elites.space.cells} cells filled" in printed.getvalue()
        assert f"best {elites.history['best'][-3:]}" in printed.getvalue()
        assert f"action {action}" in printed.getvalue()
        expected = elites.policy()(np.zeros(elites.layers[0]))
        np.testing.assert_allclose(action, expected, atol=1e-6)


@pytest.mark.skipif(not shutil.which("h5dump"), reason="h5dump (hdf5-tools) is not installed")
def test_h5dump_examples_run_and_show_the_data(folder):
    shown = ""
    for block in blocks("sh"):
        for command in block.strip().splitlines():
            done = subprocess.run(command, shell=True, capture_output=True, text=True)
            assert (done.returncode, done.stderr) == (0, ""), command
            shown += done.stdout
    assert "/map/parameters" in shown and "/history/qd_score" in shown
    with mees.Map("map.h5") as elites:
        assert f'"{elites.domain}"' in shown
        first = [f"{value:g}" for value in elites.parameters[0, :5]]
        assert ", ".join(first) in shown
        best = np.loadtxt("best.txt", delimiter=",", usecols=0)
        np.testing.assert_allclose(best, elites.history["best"], rtol=1e-5)


def test_page_names_every_dataset_and_attribute():
    page = PAGE.read_text()
    with h5py.File(DATA / "ant" / "map.h5") as file:
        for name in file["map"]:
            assert f"/map/{name}`" in page
        for name in [*file["history"], *file["timing"], *file.attrs, *file["map"].attrs]:
            assert f"`{name}`" in page
    with h5py.File(DATA / "ant" / "adapt.h5") as file:
        for name in file["results"]:
            assert f"/results/{name}`" in page
