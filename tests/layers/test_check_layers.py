#!/usr/bin/env python3
"""The layer check itself: it must find what it is there for, and nothing else."""
import pathlib
import tempfile
import unittest

import check_layers


class CheckLayers(unittest.TestCase):
    def problems(self, path, text):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / path
            file.parent.mkdir(parents=True)
            listing = pathlib.Path(folder) / "lib/mees/CMakeLists.txt"
            listing.parent.mkdir(parents=True, exist_ok=True)
            listing.write_text("foreach(module core policy es sim cluster report video)\n")
            file.write_text(text)
            return check_layers.check(folder)[1]

    def test_downwards_is_allowed(self):
        self.assertEqual(self.problems("lib/mees/cluster/a.cpp",
                                       '#include "mees/es/gradient.hpp"\n'), [])

    def test_upwards_is_found(self):
        found = self.problems("lib/mees/core/a.hpp", '#include "mees/policy/network.hpp"\n')
        self.assertEqual(found, ["lib/mees/core/a.hpp: core reaches up to policy"])

    def test_a_module_without_a_layer_is_found(self):
        found = self.problems("lib/mees/other/a.hpp", "")
        self.assertEqual(found, ["lib/mees/other/a.hpp: module other is not in the list of layers"])

    def test_a_library_outside_its_module_is_found(self):
        for text in ("#include <mpi.h>\n", "int x = MPI_Init(0, 0);\n", "#include <hdf5.h>\n",
                     "auto f = H5Fopen(name);\n", "#include <mujoco/mujoco.h>\n",
                     "mj_step(model, data);\n"):
            self.assertEqual(len(self.problems("lib/mees/report/a.cpp", text)), 1, text)
            self.assertEqual(len(self.problems("apps/a.cpp", text)), 1, text)

    def test_each_library_is_allowed_at_home(self):
        self.assertEqual(self.problems("lib/mees/cluster/a.cpp",
                                       "#include <mpi.h>\nint a = MPI_Init(0, 0);\n"), [])
        self.assertEqual(self.problems("lib/mees/sim/tasks/a.cpp", "void f() { mj_step(m, d); }\n"),
                         [])
        self.assertEqual(self.problems("lib/mees/video/a.cpp",
                                       "void f() { mjr_render(v, s, c); }\n"), [])

    def test_the_engine_draws_in_one_module_and_computes_in_another(self):
        self.assertEqual(len(self.problems("lib/mees/video/a.cpp", "mj_step(model, data);\n")), 1)
        for drawing in ("mjv_makeScene(model, scene, 10);\n",
                        "mjr_makeContext(model, context, 150);\n"):
            self.assertEqual(len(self.problems("lib/mees/sim/a.cpp", drawing)), 1)
            self.assertEqual(len(self.problems("apps/a.cpp", drawing)), 1)

    def test_comments_do_not_count(self):
        self.assertEqual(self.problems("lib/mees/es/a.cpp",
                                       "// before MPI_Init(...) \n/* mj_step(m, d) */\n"), [])


if __name__ == "__main__":
    unittest.main()
