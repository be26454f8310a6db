"""Every preset is complete, and every small one trains."""

import h5py
import pytest
from harness.programs import ROOT, run

# Those of environments in other processes are tried by tests/process.
PRESETS = sorted(path for path in (ROOT / "configs").glob("*.toml")
                 if not path.stem.startswith("gym_"))
SMALL = [path for path in PRESETS if path.stem.endswith("_small")]


def test_presets_of_the_paper_exist():
    names = {path.stem for path in PRESETS}
    mees = ("mees_explore", "mees_exploit", "mees_explore_exploit")
    assert {"quickstart", "ant_mega", *(f"ant_{name}" for name in mees)} <= names
    for domain in ("ant_maze", "deceptive_humanoid"):
        assert {f"{domain}_{name}" for name in (*mees, "nses", "nsres", "nsraes")} <= names
    assert {"ant_small", "ant_maze_small", "deceptive_humanoid_small", "point_maze_small",
            "walker_small", "half_cheetah_small"} <= names


@pytest.mark.parametrize("path", PRESETS, ids=lambda path: path.stem)
def test_dry_run(path, tmp_path):
    result = run("mees_master", path, "--dry-run", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert "episodes per generation" in result.stdout


@pytest.mark.parametrize("name, generations, parameters", [
    ("ant_mees_explore", 500, 75016), ("ant_maze_nsraes", 1000, 75528),
    ("deceptive_humanoid_mees_explore_exploit", 1000, 166673),
])
def test_numbers_of_the_paper(name, generations, parameters):
    text = run("mees_master", ROOT / "configs" / f"{name}.toml", "--dry-run").stdout
    found = dict(line.split(None, 1) for line in text.splitlines() if line)
    assert found["generations"] == str(generations)
    assert found["parameters"] == str(parameters)
    assert "10030" in text


@pytest.mark.parametrize("path", SMALL, ids=lambda path: path.stem)
def test_small_presets_train(path, tmp_path):
    result = run("mees_master", path, "--out", tmp_path / "run", "--generations", 2,
                 "--set", "es.population=4", "--set", "algorithm.n_eval=2",
                 "--set", "domain.episode_steps=40", "--set", "noise.table_size=1000000")
    assert result.returncode == 0, result.stderr
    with h5py.File(tmp_path / "run" / "map.h5") as file:
        assert file.attrs["generation"] == 2
        assert file.attrs["domain"].decode() in (path.stem.removesuffix("_small"), "mjcf")
