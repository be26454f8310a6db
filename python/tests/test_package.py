import re
from pathlib import Path

import mees

PACKAGE = Path(mees.__file__).resolve().parent
PROJECT = PACKAGE.parents[1]


def test_package_has_the_version_of_the_project():
    cmake = re.search(r"project\(mees VERSION ([\d.]+)", (PROJECT / "CMakeLists.txt").read_text())
    metadata = re.search(
        r'^version = "(.*)"', (PACKAGE.parent / "pyproject.toml").read_text(), re.M
    )
    assert mees.__version__ == cmake[1] == metadata[1]


def test_modules_stay_small():
    for module in PACKAGE.rglob("*.py"):
        assert len(module.read_text().splitlines()) < 400, module


def test_public_names_exist():
    for name in mees.__all__:
        assert hasattr(mees, name)
    assert not hasattr(mees, "nonsense")


def test_simulate_takes_the_mujoco_of_the_build():
    pinned = re.search(r"^mujoco==([\d.]+)", (PROJECT / "cmake" / "mujoco.txt").read_text(), re.M)
    metadata = (PACKAGE.parent / "pyproject.toml").read_text()
    assert f'"mujoco=={pinned[1]}"' in metadata and '"gymnasium[mujoco]' in metadata
