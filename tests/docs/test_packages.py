"""Recipes of package managers: well-formed, of the project's version, with its dependencies."""

import ast
import re

import pytest
from harness.programs import ROOT
from test_project import version

PACKAGES = ROOT / "cmake" / "packages"
(EASYCONFIG,) = (PACKAGES / "easybuild").glob("*.eb")
CONDA = PACKAGES / "conda" / "meta.yaml"
SPACK = ROOT / "docker" / "spack" / "spack_repo" / "mees" / "packages" / "mees" / "package.py"

# What CMake finds, as each package manager calls it. EasyBuild lacks those that its file lists.
NEEDED = {
    "mpi": ("openmpi", "usempi"), "mujoco": ("libmujoco", "MEES_MUJOCO"),
    "hdf5": ("hdf5", "HDF5"), "zlib-api": ("zlib", "zlib"),
    "boost+serialization": ("libboost-devel", "Boost"), "eigen": ("eigen", "Eigen"),
    "fmt": ("fmt", "fmt"), "spdlog": ("spdlog", "spdlog"),
    "tomlplusplus": ("tomlplusplus", "tomlplusplus"), "cli11": ("cli11", "CLI11"),
    "random123": ("RANDOM123_INCLUDE", "Random123"),
}


def easyconfig():
    names = {"SOURCE_TAR_GZ": "%(name)s-%(version)s.tar.gz"}
    exec(compile(EASYCONFIG.read_text(), EASYCONFIG.name, "exec"), names)
    return names


def test_easyconfig_has_the_mandatory_parameters():
    given = easyconfig()
    for name in ("easyblock", "name", "version", "homepage", "description", "toolchain", "sources",
                 "sanity_check_paths", "moduleclass"):
        assert given[name], name
    toolchain = "-".join(given["toolchain"].values())
    assert EASYCONFIG.name == f"{given['name']}-{given['version']}-{toolchain}.eb"
    assert given["version"] == version()
    programs = {path.stem for path in (ROOT / "apps").glob("mees_*.cpp")}
    assert set(given["sanity_check_paths"]["files"]) == {f"bin/{name}" for name in programs}


def test_conda_recipe():
    text = CONDA.read_text()
    assert f'set version = "{version()}"' in text
    plain = re.sub(r"\{[%{].*?[%}]\}", "x", text)  # templates of conda-build
    sections = re.findall(r"^(\w+):$", plain, re.MULTILINE)
    assert sections == ["package", "source", "build", "requirements", "test", "about"]
    assert (CONDA.parent / "../../.." / "CMakeLists.txt").resolve().exists()


@pytest.mark.parametrize("needed", NEEDED)
def test_all_recipes_have_the_dependencies_of_cmake(needed):
    conda, easybuild = NEEDED[needed]
    assert f'"{needed}' in SPACK.read_text()
    assert conda in CONDA.read_text() and easybuild in EASYCONFIG.read_text()


def test_every_package_that_cmake_requires_is_in_the_list():
    found = re.findall(r"find_package\((\w+)[^)]*REQUIRED", (ROOT / "CMakeLists.txt").read_text())
    names = {"Threads", "MPI", "Eigen3", "fmt", "spdlog", "tomlplusplus", "CLI11", "Random123",
             "MuJoCo", "Boost", "HDF5", "ZLIB"}
    assert set(found) == names, "update NEEDED and the recipes"
    assert len(NEEDED) == len(names) - 1  # threads come with the compiler


def test_all_recipes_run_the_self_test():
    (package,) = [node for node in ast.parse(SPACK.read_text()).body
                  if isinstance(node, ast.ClassDef)]
    tests = [node.name for node in package.body if isinstance(node, ast.FunctionDef)
             and node.name.startswith("test_")]
    assert len(tests) == 2
    for recipe in (SPACK, CONDA, EASYCONFIG):
        text = recipe.read_text()
        assert text.count("--self-test") == 2 and "mpirun" in text
