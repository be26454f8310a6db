"""The layer check finds what it is for, and nothing else."""

import check_layers
import pytest

MODULES = {
    "core": "", "policy": "DEPENDS core", "es": "DEPENDS core", "sim": "PUBLIC lib",
    "cluster": "DEPENDS core es\n    PRIVATE MPI::MPI_CXX", "report": "", "video": "",
}
GUIDE = "".join(f"| {layer} | {module} | what |\n" for layer, module in enumerate(MODULES))


@pytest.fixture
def problems(tmp_path):
    """Checks a tree of seven modules with these files, next to files that use all DEPENDS."""
    listing = tmp_path / "lib/mees/CMakeLists.txt"
    listing.parent.mkdir(parents=True)
    listing.write_text(f"foreach(module {' '.join(MODULES)})\nendforeach()\n")
    (tmp_path / "CONTRIBUTING.md").write_text(GUIDE)
    for module, declared in MODULES.items():
        folder = listing.parent / module
        folder.mkdir()
        (folder / "CMakeLists.txt").write_text(f"mees_module({module} {declared})\n")
        used = [word for word in declared.split() if word in MODULES]
        (folder / "used.cpp").write_text("".join(f'#include "mees/{m}/a.hpp"\n' for m in used))

    def check(files):
        for path, text in files.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(text)
        return check_layers.check(tmp_path)[1]
    return check


def test_declared_modules_may_be_included(problems):
    assert problems({"lib/mees/cluster/a.cpp": '#include "mees/es/gradient.hpp"\n'}) == []


@pytest.mark.parametrize("module, used", [("core", "policy"), ("cluster", "policy")])
def test_other_modules_may_not(problems, module, used):
    """Neither a higher one nor a lower one that is not in DEPENDS."""
    assert problems({f"lib/mees/{module}/a.hpp": f'#include "mees/{used}/network.hpp"\n'}) == [
        f"lib/mees/{module}/a.hpp: includes {used}, which is not in the DEPENDS of {module}"]


def test_a_module_that_is_reached_through_another_must_be_declared(problems):
    found = problems({"lib/mees/report/CMakeLists.txt": "mees_module(report DEPENDS es)",
                      "lib/mees/report/a.cpp": '#include "mees/es/a.hpp"\n'
                                               '#include "mees/core/b.hpp"\n'})
    assert found == ["lib/mees/report/a.cpp: includes core, which is not in the DEPENDS of report"]


def test_dependencies_point_down(problems):
    assert problems({"lib/mees/core/CMakeLists.txt": "mees_module(core DEPENDS es)",
                     "lib/mees/core/a.cpp": '#include "mees/es/a.hpp"\n'}) == [
        "lib/mees/core/CMakeLists.txt: core depends on es, which is not in a lower layer"]


def test_dependencies_within_a_layer_are_found(problems):
    assert problems({"CONTRIBUTING.md": GUIDE.replace("| 2 | es", "| 0 | es")}) == [
        "lib/mees/es/CMakeLists.txt: es depends on core, which is not in a lower layer"]


def test_the_guide_lists_all_modules(problems):
    assert problems({"CONTRIBUTING.md": GUIDE.replace("| 2 | es", "| 2 | gone")}) == [
        "CONTRIBUTING.md: its table does not list the modules of lib/mees/CMakeLists.txt"]


@pytest.mark.parametrize("path, missing", [
    ("lib/mees/es/used.cpp", False), ("lib/mees/es/NAME.cpp", False), ("lib/mees/es/", False),
    ("tests/<module>/test_*.cpp", True), ("lib/mees/es/gone.cpp", True),
])
def test_files_in_the_guide_exist(problems, path, missing):
    expected = [f"CONTRIBUTING.md: there is no {path}"] if missing else []
    assert problems({"CONTRIBUTING.md": f"{GUIDE}Write `{path}`.\n"}) == expected


def test_dependencies_are_used(problems):
    assert problems({"lib/mees/es/used.cpp": ""}) == [
        "lib/mees/es/CMakeLists.txt: es includes nothing of core, which is in its DEPENDS"]


def test_a_module_outside_the_list_is_found(problems):
    assert problems({"lib/mees/other/a.hpp": ""}) == [
        "lib/mees/other/a.hpp: module other is not in lib/mees/CMakeLists.txt"]


@pytest.mark.parametrize("header", ["detail/a.hpp", "grid/detail/a.hpp"])
@pytest.mark.parametrize("file, private", [
    ("lib/mees/core/a.cpp", False), ("lib/mees/core/detail/b.hpp", False),
    ("tests/core/a.cpp", False), ("lib/mees/core/grid/b.hpp", True),
    ("lib/mees/es/a.cpp", True), ("apps/a.cpp", True), ("tests/es/a.cpp", True),
    ("tests/consumer/project/a.cpp", True),
])
def test_private_headers(problems, file, private, header):
    expected = [f"{file}: includes the private header mees/core/{header}"] if private else []
    assert problems({file: f'#include "mees/core/{header}"\n'}) == expected


@pytest.mark.parametrize("code", [
    "#include <mpi.h>", "int x = MPI_Init(0, 0);", "#include <hdf5.h>", "auto f = H5Fopen(name);",
    "#include <mujoco/mujoco.h>", "mj_step(model, data);", "mjv_makeScene(model, scene, 10);",
])
@pytest.mark.parametrize("file", ["lib/mees/report/a.cpp", "apps/a.cpp"])
def test_a_library_outside_its_module_is_found(problems, file, code):
    assert len(problems({file: code})) == 1


@pytest.mark.parametrize("file, code", [
    ("lib/mees/cluster/a.cpp", "#include <mpi.h>\nint a = MPI_Init(0, 0);\n"),
    ("lib/mees/sim/tasks/a.cpp", "void f() { mj_step(m, d); }\n"),
    ("lib/mees/video/a.cpp", "void f() { mjr_render(v, s, c); }\n"),
    ("lib/mees/es/a.cpp", "// before MPI_Init(...) \n/* mj_step(m, d) */\n"),
])
def test_a_library_in_its_module_and_comments_are_allowed(problems, file, code):
    assert problems({file: code}) == []


@pytest.mark.parametrize("file, code", [
    ("lib/mees/video/a.cpp", "mj_step(model, data);\n"),
    ("lib/mees/sim/a.cpp", "mjr_makeContext(model, context, 150);\n"),
])
def test_simulation_and_rendering_are_apart(problems, file, code):
    assert len(problems({file: code})) == 1


@pytest.mark.parametrize("name, wrong", [
    ("a map is written", False), ("The map is written", True), ("A map", True),
    ("ME-ES inserts", False),
    ("Philox gives the known answers", False), ("EliteMap keeps the fitter", False),
])
def test_case_names_start_in_lower_case(problems, name, wrong):
    assert bool(problems({"tests/qd/a.cpp": f'TEST_CASE("{name}")\n'})) == wrong


@pytest.mark.parametrize("lines, wrong", [(400, False), (401, True)])
@pytest.mark.parametrize("file", ["lib/mees/core/a.cpp", "tests/qd/a.cpp"])
def test_long_files_are_found(problems, file, lines, wrong):
    assert bool(problems({file: "\n" * lines})) == wrong
