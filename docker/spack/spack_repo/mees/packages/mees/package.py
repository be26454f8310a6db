# Builds the checkout that contains this file; see docs/installing.md. For Spack 1.0 or later.
from pathlib import Path

from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Mees(CMakePackage):
    """MAP-Elites with Evolution Strategies: evolves maps of thousands of diverse neural-network
    controllers for robots simulated in MuJoCo, on one machine or on hundreds of MPI ranks."""

    git = Path(__file__).resolve().parents[6].as_uri()
    license("Apache-2.0")
    version("main", branch="main")

    variant("tests", default=False, description="Build the tests too")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("mpi")
    depends_on("mujoco@2.2.2:4")
    depends_on("hdf5")
    depends_on("zlib-api")
    depends_on("boost+serialization")
    depends_on("eigen@3.3:3")
    depends_on("fmt")
    depends_on("spdlog")
    depends_on("tomlplusplus@3:")
    depends_on("cli11")
    depends_on("random123")
    depends_on("catch2@2.13:3", when="+tests")

    def cmake_args(self):
        return [
            self.define("MUJOCO_ROOT", self.spec["mujoco"].prefix),
            self.define_from_variant("MEES_TESTS", "tests"),
            # Spack's compiler wrapper selects the CPU.
            self.define("MEES_ARCH", ""),
        ]

    def test_self_test(self):
        """train, resume and compare a small map"""
        which(self.prefix.bin.mees_master, required=True)("--self-test")

    def test_self_test_with_mpi(self):
        """the same on three ranks"""
        which(self.spec["mpi"].prefix.bin.mpirun, required=True)(
            "-n", "3", self.prefix.bin.mees_master, "--self-test")

    def setup_run_environment(self, env):
        env.prepend_path("PYTHONPATH", self.prefix.share.mees.python)
