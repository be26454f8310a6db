"""Files from someone else: they are refused in bounded time and memory, and open no other file."""

import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
import synthetic

import mees
from mees import figures, report
from mees.figures.heatmap import project

PYTHON_FOLDER = Path(__file__).resolve().parents[1]


@pytest.fixture
def foreign(tmp_path, maze_path):
    """A copy of a map to change, as path."""
    return Path(shutil.copy(maze_path, tmp_path / "foreign.h5"))


def change(path, name, **options):
    """Replaces a dataset of a map by one that is created like this."""
    with h5py.File(path, "r+", libver=("v110", "v110")) as file:
        shape, dtype = file[name].shape, file[name].dtype
        del file[name]
        file.create_dataset(name, **{"shape": shape, "dtype": dtype, **options})


def secret(folder):
    path = folder / "secret.txt"
    path.write_bytes(b"private" * 10_000)
    return path


def test_external_storage_is_refused(tmp_path, foreign):
    size = 1 << 20
    change(foreign, "map/fitness", external=[(str(secret(tmp_path)), 0, size)])
    with pytest.raises(mees.DamagedFileError, match="/map/fitness in .* .its data are in other"):
        mees.Map(foreign)


def test_external_storage_of_controllers_is_refused(tmp_path, foreign):
    change(foreign, "map/parameters", external=[(str(secret(tmp_path)), 0, 1 << 24)])
    with pytest.raises(mees.DamagedFileError, match="its data are in other files"):
        mees.Map(foreign)


def test_external_storage_in_a_history_is_refused(tmp_path, foreign):
    change(foreign, "history/best", external=[(str(secret(tmp_path)), 0, 1 << 20)])
    with mees.Map(foreign) as opened, pytest.raises(mees.DamagedFileError, match="other files"):
        assert len(opened.history) > 0


def test_links_to_other_files_are_not_followed(tmp_path, foreign, maze_path):
    for name in ("map/fitness", "map", "history"):
        copy = Path(shutil.copy(foreign, tmp_path / "link.h5"))
        with h5py.File(copy, "r+") as file:
            del file[name]
            file[name] = h5py.ExternalLink(str(maze_path), name)
        with pytest.raises(mees.DamagedFileError), mees.Map(copy) as opened:
            assert len(opened.history) > 0


def test_virtual_datasets_are_refused(foreign, maze_path):
    with h5py.File(foreign, "r+", libver=("v110", "v110")) as file:
        shape, dtype = file["map/fitness"].shape, file["map/fitness"].dtype
        del file["map/fitness"]
        layout = h5py.VirtualLayout(shape, dtype)
        layout[...] = h5py.VirtualSource(str(maze_path), "map/fitness", shape, dtype)
        file.create_virtual_dataset("map/fitness", layout)
    with pytest.raises(mees.DamagedFileError, match="its data are in other files"):
        mees.Map(foreign)


@pytest.mark.parametrize("name", ["map/cell", "map/centroids", "novelty_archive/bc"])
def test_datasets_larger_than_the_file_are_refused(foreign, name):
    shape = (1 << 47,) if name == "map/cell" else (1 << 46, 2)
    chunks = (1 << 16,) if name == "map/cell" else (1 << 16, 2)
    with h5py.File(foreign, "r+", libver=("v110", "v110")) as file:
        if name in file:
            del file[name]
        file.create_dataset(name, shape, "f8", chunks=chunks)
    with pytest.raises(mees.DamagedFileError, match="not stored in full"), mees.Map(foreign) as own:
        assert len(own.novelty_archive) > 0


def test_deep_nesting_is_never_visited(tmp_path):
    path = synthetic.write_adaptation(tmp_path / "adapt.h5")
    with h5py.File(path, "r+", libver=("v110", "v110")) as file:
        group = file["damage"]
        for _ in range(20_000):
            group = group.create_group("a")
    code = f"import mees; print(len(mees.Adaptation({str(path)!r})))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(PYTHON_FOLDER)},
        capture_output=True,
        text=True,
        timeout=20,
    )
    assert done.stdout == "24\n", done.stderr


def test_deeply_nested_configurations_are_refused(foreign):
    for config in ("[a]\nb = " + "[" * 30_000, "[" + ".".join("a" * 30_000) + "]\n", "a = 1\n"):
        with h5py.File(foreign, "r+", libver=("v110", "v110")) as file:
            file.attrs["config"] = synthetic.text(config)
        with mees.Map(foreign) as opened, pytest.raises(mees.FileError, match="configuration"):
            assert opened.label


@pytest.mark.parametrize("name", ["map.h5", "adapt.h5", "metrics.csv", "config.toml"])
def test_pipes_are_refused(tmp_path, name):
    (tmp_path / "metrics.csv").write_text("generation\n1\n")
    (tmp_path / name).unlink(missing_ok=True)
    os.mkfifo(tmp_path / name)
    with pytest.raises(mees.FileError, match="not a regular file"):
        if name == "map.h5":
            mees.Map(tmp_path / name)
        elif name == "adapt.h5":
            mees.Adaptation(tmp_path / name)
        else:
            mees.open_history(tmp_path / "metrics.csv")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("bins", np.array([0, 10])),
        ("bins", np.array([1 << 30, 1 << 30])),
        ("bins", np.int64(3)),
        ("lower", np.array([np.nan, 0.0])),
        ("upper", np.array([-100.0, 5.0])),
        ("layers", np.array([5])),
        ("layers", np.array([5, 0, 2])),
        ("qd_offset", synthetic.text("none")),
    ],
)
def test_impossible_attributes_are_refused(foreign, name, value):
    with h5py.File(foreign, "r+") as file:
        file["map"].attrs[name] = value
    with pytest.raises(mees.DamagedFileError):
        mees.Map(foreign)


def test_cells_that_the_map_does_not_have_are_refused(foreign):
    with h5py.File(foreign, "r+") as file:
        file["map/bins"][3, 1] = 99
    with pytest.raises(mees.DamagedFileError, match="a cell that the map does not have"):
        mees.Map(foreign)


def test_messages_hold_no_control_characters(foreign):
    with h5py.File(foreign, "r+") as file:
        file.attrs["format_version"] = np.array([2, 0])
        file.attrs["mees_version"] = synthetic.text("\x1b]52;c;aGk=\x07")
    with pytest.raises(mees.NewerFormatError) as refused:
        mees.Map(foreign)
    assert r"\x1b]52;c;aGk=\x07" in str(refused.value)


def test_a_sparse_grid_is_drawn_in_little_memory(tmp_path, maze_path):
    path = Path(shutil.copy(maze_path, tmp_path / "sparse.h5"))
    bins = np.array([100_000, 100_000])
    with h5py.File(path, "r+") as file:
        spans = file["map"].attrs["upper"] - file["map"].attrs["lower"]
        index = np.floor((file["map/bc"][:] - file["map"].attrs["lower"]) / spans * bins)
        cell = (index[:, 0] * bins[1] + index[:, 1]).astype(np.int64)
        order = np.argsort(cell)
        file["map"].attrs["bins"] = bins
        file["map/cell"][:] = cell[order]
        file["map/bins"][:] = index.astype(np.int32)[order]
        for name in ("bc", "fitness"):
            file["map"][name][:] = file["map"][name][:][order]
    with mees.Map(path) as sparse:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for reduce in ("best", "mean", "count"):
            table = project(sparse, (0, 1), "fitness", reduce)
            assert table.shape == (1000, 1000)
        assert np.nansum(table) == len(sparse)
        figure = figures.heatmap(sparse)
        figure.savefig(tmp_path / "sparse.png")
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 400_000
    assert "100 x 100 bins per square" in figure.axes[0].get_title()


def test_a_page_embeds_nothing_from_outside_the_run(tmp_path):
    run = tmp_path / "run"
    run.mkdir()
    synthetic.write_map(run / "map.h5")
    (run / "good.mp4").write_bytes(b"own video")
    (run / "linked.mp4").symlink_to(secret(tmp_path))
    (run / "dangling.mp4").symlink_to("nowhere.mp4")
    (run / "folder.mp4").mkdir()
    synthetic.write_adaptation(tmp_path / "other.h5")
    (run / "adapt.h5").symlink_to(tmp_path / "other.h5")
    out = tmp_path / "out.html"
    assert report.main([str(run), "-o", str(out)]) == 0
    page = out.read_text()
    assert "b3duIHZpZGVv" in page  # "own video" in base 64
    assert "cHJpdmF0" not in page  # "privat"
    assert "damage recovery" not in page
    for name in ("linked.mp4", "dangling.mp4", "folder.mp4", "adapt.h5"):
        assert name in page


def test_a_folder_whose_map_is_elsewhere_is_skipped(tmp_path, maze_path):
    (tmp_path / "map.h5").symlink_to(maze_path)
    with pytest.raises(mees.FileError, match="outside the run folder"):
        mees.open_run(tmp_path)


def test_odd_runs_do_not_prevent_the_page(tmp_path, capsys):
    for name in ("good", "formula", "nan", "zero", "odd"):
        (tmp_path / name).mkdir()
        synthetic.write_map(tmp_path / name / "map.h5")
    with h5py.File(tmp_path / "formula" / "map.h5", "r+") as file:
        file["map"].attrs["bc_names"] = synthetic.texts([r"$\foo{$", "y" * 5000])
        file.attrs["domain"] = synthetic.text(r"$\bar{$")
    with h5py.File(tmp_path / "nan" / "map.h5", "r+") as file:
        file.attrs["wall_seconds"] = np.nan
        file.attrs["git_commit"] = np.int64(3)
    with h5py.File(tmp_path / "zero" / "map.h5", "r+") as file:
        file["map"].attrs["bins"] = np.array([0, 10])
    with h5py.File(tmp_path / "odd" / "map.h5", "r+") as file:
        file["history/best"][:] = np.inf
        file["map/fitness"][:] = np.nan
    out = tmp_path / "out.html"
    folders = [str(tmp_path / name) for name in ("good", "formula", "nan", "zero", "odd")]
    assert report.main([*folders, "-o", str(out)]) == 0
    page = out.read_text()
    assert "4 runs; written by" in page and "unknown" in page
    assert "invalid number of bins" in page and "zero" in capsys.readouterr().err
    assert page.count("<img") >= 6
    assert r"$\foo{$" not in page.split("cannot be drawn")[0] or "cannot be drawn" not in page


def test_a_page_replaces_only_pages(tmp_path, maze_path, capsys):
    run = Path(shutil.copy(maze_path, tmp_path / "map.h5"))
    before = run.read_bytes()
    assert report.main([str(run), "-o", str(run)]) == 3
    assert "exists and is not a page" in capsys.readouterr().err
    assert run.read_bytes() == before
    (tmp_path / "out.html").write_text("<!DOCTYPE html>\n<p>an older page</p>\n")
    assert report.main([str(run), "-o", str(tmp_path / "out.html")]) == 0


def test_a_full_disk_leaves_no_part_of_a_page(tmp_path, maze_path):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    for module in (["mees.report"], ["mees.plot", "heatmap"]):
        out = tmp_path / ("out.html" if len(module) == 1 else "out.png")
        done = subprocess.run(
            [sys.executable, "-m", *module, str(maze_path), "-o", str(out)],
            env={**os.environ, "PYTHONPATH": str(PYTHON_FOLDER), "MPLCONFIGDIR": str(tmp_path)},
            capture_output=True,
            text=True,
            preexec_fn=limit,
            restore_signals=False,
            timeout=60,
        )
        assert done.returncode == 1 and "cannot write" in done.stderr, done.stderr
        assert not list(tmp_path.glob("*out*")) and not list(tmp_path.glob(".*out*"))
