#!/usr/bin/env python3
"""check_layers.py ROOT: checks what the files of lib/mees, apps and tests include.

- A module depends only on modules of lower layers in the table of CONTRIBUTING.md.
- The DEPENDS of a module's CMakeLists.txt are exactly the modules whose headers it includes.
- Headers in a folder `detail` are included only by their module and its unit tests, and by no
  header outside `detail`: they are not installed.
- MPI, HDF5, Boost.Serialization and MuJoCo are used in one module each.
- Names of Catch test cases start in lower case.
- No file is longer than LINES.
- The files that CONTRIBUTING.md names exist.
"""

import pathlib
import re
import sys

# A pattern in code, the only module that may contain it, and the name of the library. Rendering is
# a separate module, so that programs that do not render do not link it.
RESERVED = [
    (re.compile(r'#\s*include\s*[<"](mpi\.h|mpi/)'), "cluster", "MPI"),
    (re.compile(r"\bMPI_[A-Z][A-Za-z_]*\s*\("), "cluster", "MPI"),
    (re.compile(r'#\s*include\s*[<"]boost/serialization'), "cluster", "Boost.Serialization"),
    (re.compile(r'#\s*include\s*[<"](hdf5|H5)'), "storage", "HDF5"),
    (re.compile(r"\bH5[A-Z][a-z]*_?[a-z0-9_]*\s*\("), "storage", "HDF5"),
    (re.compile(r'#\s*include\s*[<"]mujoco'), "sim", "MuJoCo"),
    (re.compile(r"\bmju?_[a-zA-Z0-9_]+\s*\("), "sim", "MuJoCo"),
    (re.compile(r"\bmj[vr]_[a-zA-Z0-9_]+\s*\("), "video", "MuJoCo's rendering"),
]
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]mees/([a-z_]+)/([^">]*)', re.MULTILINE)
COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
MODULE = re.compile(r"mees_module\((\w+)([^)]*)\)")
DEPENDS = re.compile(r"\bDEPENDS\b([a-z_\s]*)")
CAPITAL = re.compile(r"""TEST_CASE\("([A-Z][a-z]*)[ ':-]""")
LAYER = re.compile(r"^\| (\d+) \| ([a-z_]+) \|", re.MULTILINE)
PATH = re.compile(r"`((?:cmake|docs|lib|python|tests)/[^`]*)`")
LINES = 400
PROPER_NAMES = {"Adam", "Lloyd", "Philox"}


def without_comments(text):
    return COMMENT.sub(lambda match: match[0] if match[0].startswith('"') else "", text)


class Tree:
    def __init__(self, root):
        self.root = pathlib.Path(root)
        listing = (self.root / "lib/mees/CMakeLists.txt").read_text()
        self.order = re.search(r"foreach\(module ([a-z_ \n]+)\)", listing)[1].split()
        self.guide = (self.root / "CONTRIBUTING.md").read_text()
        self.layers = {module: int(layer) for layer, module in LAYER.findall(self.guide)}
        self.depends = {module: self.declared(module) for module in self.order}
        self.used = {module: set() for module in self.order}

    def declared(self, module):
        path = self.root / "lib/mees" / module / "CMakeLists.txt"
        found = MODULE.search(path.read_text()) if path.exists() else None
        words = DEPENDS.search(found[2]) if found else None
        return words[1].split() if words else []

    def files(self, folder):
        return sorted(path for path in (self.root / folder).rglob("*")
                      if path.suffix in (".cpp", ".hpp"))

    def file_problems(self, path):
        """What is wrong in a file of lib/mees or apps; notes the modules that it includes."""
        name = path.relative_to(self.root)
        module = name.parts[2] if name.parts[0] == "lib" else "apps"
        if module != "apps" and module not in self.order:
            yield f"{name}: module {module} is not in lib/mees/CMakeLists.txt"
            return
        code = without_comments(path.read_text())
        for used, header in INCLUDE.findall(code):
            if used not in self.order:
                yield f"{name}: includes unknown module {used}"
            elif used != module and module != "apps":
                self.used[module].add(used)
                if used not in self.depends[module]:
                    yield f"{name}: includes {used}, which is not in the DEPENDS of {module}"
            public = path.suffix == ".hpp" and "detail" not in name.parts
            if "detail/" in header and (used != module or public):
                yield f"{name}: includes the private header mees/{used}/{header}"
        for pattern, owner, library in RESERVED:
            found = pattern.search(code)
            if found and module != owner:
                yield f"{name}: {library} outside {owner}: {found[0]}"

    def module_problems(self):
        """What is wrong in DEPENDS; call after file_problems of all files."""
        if sorted(self.layers) != sorted(self.order):
            yield "CONTRIBUTING.md: its table does not list the modules of lib/mees/CMakeLists.txt"
            return
        for module in self.order:
            name = f"lib/mees/{module}/CMakeLists.txt"
            for used in self.depends[module]:
                if used not in self.order or self.layers[used] >= self.layers[module]:
                    yield f"{name}: {module} depends on {used}, which is not in a lower layer"
                elif used not in self.used[module]:
                    yield f"{name}: {module} includes nothing of {used}, which is in its DEPENDS"

    def guide_problems(self):
        for path in PATH.findall(self.guide):
            pattern = re.sub(r"NAME|<\w+>", "*", path).rstrip("/")
            if not any(self.root.glob(pattern)):
                yield f"CONTRIBUTING.md: there is no {path}"

    def length_problems(self, path):
        count = len(path.read_text().splitlines())
        if count > LINES:
            yield f"{path.relative_to(self.root)}: {count} lines, at most {LINES}"

    def test_problems(self, path):
        name = path.relative_to(self.root)
        code = path.read_text()
        for used, header in INCLUDE.findall(without_comments(code)):
            if used != name.parts[1] and "detail/" in header:
                yield f"{name}: includes the private header mees/{used}/{header}"
        for word in CAPITAL.findall(code):
            if word not in PROPER_NAMES:
                yield f'{name}: test case "{word} ..." starts with a capital'


def check(root):
    """The number of files read, and the problems."""
    tree = Tree(root)
    sources, tests = [*tree.files("lib/mees"), *tree.files("apps")], tree.files("tests")
    problems = [problem for path in sources for problem in tree.file_problems(path)]
    problems += [*tree.module_problems(), *tree.guide_problems()]
    problems += [problem for path in tests for problem in tree.test_problems(path)]
    problems += [problem for path in sources + tests for problem in tree.length_problems(path)]
    return len(sources) + len(tests), problems


def main():
    count, problems = check(sys.argv[1])
    for problem in problems:
        print(problem)
    print(f"{count} files, {len(problems)} problems")
    return 1 if problems or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
