"""Recipes of package managers: well-formed, of the project's version, with its dependencies."""

import re
import sys
from types import ModuleType, SimpleNamespace

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


def test_conda_recipe(monkeypatch):
    """The recipe as conda-build reads it: a template of YAML with selectors in comments."""
    monkeypatch.syspath_prepend(str(ROOT / ".deps" / "docs"))
    jinja2, yaml = pytest.importorskip("jinja2"), pytest.importorskip("yaml")
    names = {"compiler": lambda language: f"{language}_compiler",
             "pin_compatible": lambda package, max_pin: f"{package} {max_pin}"}
    template = jinja2.Environment(undefined=jinja2.StrictUndefined).from_string(CONDA.read_text())
    recipe = yaml.safe_load(template.render(**names))
    assert list(recipe) == ["package", "source", "build", "requirements", "test", "about"]
    assert recipe["package"] == {"name": "mees", "version": version()}
    assert (CONDA.parent / recipe["source"]["path"] / "CMakeLists.txt").resolve().exists()
    assert (ROOT / recipe["about"]["license_file"]).exists()
    assert recipe["about"]["license"] == "Apache-2.0" and len(recipe["about"]["summary"]) < 80
    for part in ("build", "host", "run"):
        packages = [line.split()[0] for line in recipe["requirements"][part]]
        assert len(set(packages)) == len(packages)
    tested = " ".join(recipe["test"]["commands"])
    for program in (ROOT / "apps").glob("mees_*.cpp"):
        assert program.stem in tested


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


class Recorder:
    """What a Spack package calls: directives while its class is made, commands in its tests."""

    def __init__(self):
        self.directives, self.commands = [], []

    def directive(self, name):
        return lambda *words, **options: self.directives.append((name, words, options))

    def which(self, program, required):
        assert required
        return lambda *words: self.commands.append((str(program), *map(str, words)))


class Prefix(str):
    def __getattr__(self, name):
        return Prefix(f"{self}/{name}")


def spack_package(monkeypatch):
    """The class of package.py, executed with a stand-in for Spack."""
    recorder = Recorder()
    names = ("license", "version", "variant", "depends_on")
    spack = ModuleType("spack.package")
    spack.__dict__.update({name: recorder.directive(name) for name in names}, which=recorder.which)
    base = SimpleNamespace(define=lambda self, name, value: f"-D{name}={value}",
                           define_from_variant=lambda self, name, variant: f"-D{name}:{variant}")
    cmake = ModuleType("cmake")
    cmake.CMakePackage = type("CMakePackage", (), vars(base))
    for name in ("spack", "spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, "spack.package", spack)
    monkeypatch.setitem(sys.modules, "spack_repo.builtin.build_systems.cmake", cmake)
    names = {"__file__": str(SPACK), "__name__": "package"}
    exec(compile(SPACK.read_text(), SPACK.name, "exec"), names)
    package = names["Mees"]()
    package.prefix = Prefix("/mees")
    package.spec = {"mpi": SimpleNamespace(prefix=Prefix("/mpi")),
                    "mujoco": SimpleNamespace(prefix=Prefix("/mujoco"))}
    return package, recorder


def test_spack_package(monkeypatch):
    package, recorder = spack_package(monkeypatch)
    assert package.git == ROOT.as_uri()
    depended = {words[0].split("@")[0] for name, words, _ in recorder.directives
                if name == "depends_on"}
    assert {needed.split("@")[0] for needed in NEEDED} <= depended
    assert package.cmake_args() == ["-DMUJOCO_ROOT=/mujoco", "-DMEES_TESTS:tests", "-DMEES_ARCH="]
    tests = [getattr(package, name) for name in dir(package) if name.startswith("test_")]
    for test in tests:
        assert test.__doc__  # Spack shows it
        test()
    assert recorder.commands == [
        ("/mees/bin/mees_master", "--self-test"),
        ("/mpi/bin/mpirun", "-n", "3", "/mees/bin/mees_master", "--self-test")]


def test_all_recipes_run_the_self_test():
    for recipe in (CONDA, EASYCONFIG):
        text = recipe.read_text()
        assert text.count("mees_master --self-test") == 2 and "mpirun" in text
