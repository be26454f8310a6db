#!/usr/bin/env python3
"""Reads the #includes of lib/mees and apps and fails where a module reaches up, or outside what it
may use.

The order of the modules, from the bottom up, is that of lib/mees/CMakeLists.txt.
"""
import pathlib
import re
import sys

# What only one module may name: a pattern in its code, and that module. MuJoCo draws in a module of
# its own, so that the programs which never draw do not carry it.
RESERVED = [
    (re.compile(r'#\s*include\s*[<"](mpi\.h|mpi/)'), "cluster", "MPI"),
    (re.compile(r"\bMPI_[A-Z][A-Za-z_]*\s*\("), "cluster", "MPI"),
    (re.compile(r'#\s*include\s*[<"]boost/serialization'), "cluster", "Boost.Serialization"),
    (re.compile(r'#\s*include\s*[<"](hdf5|H5)'), "storage", "HDF5"),
    (re.compile(r"\bH5[A-Z][a-z]*_?[a-z0-9_]*\s*\("), "storage", "HDF5"),
    (re.compile(r'#\s*include\s*[<"]mujoco'), "sim", "MuJoCo"),
    (re.compile(r"\bmju?_[a-zA-Z0-9_]+\s*\("), "sim", "MuJoCo"),
    (re.compile(r"\bmj[vr]_[a-zA-Z0-9_]+\s*\("), "video", "MuJoCo's drawing"),
]
INCLUDE = re.compile(r'^\s*#\s*include\s*"mees/([a-z_]+)/', re.MULTILINE)
COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)


def without_comments(text):
    return COMMENT.sub(lambda match: match.group(0) if match.group(0).startswith('"') else "", text)


def module_order(root):
    listing = (root / "lib/mees/CMakeLists.txt").read_text()
    return re.search(r"foreach\(module ([a-z_ \n]+)\)", listing).group(1).split()


def module_of(path, root):
    parts = path.relative_to(root).parts
    return parts[2] if parts[:2] == ("lib", "mees") else "apps"


def problems_in(path, root, order):
    module = module_of(path, root)
    code = without_comments(path.read_text())
    name = path.relative_to(root)
    if module != "apps" and module not in order:
        return [f"{name}: module {module} is not in the list of layers"]
    found = []
    for used in INCLUDE.findall(code):
        if used not in order:
            found.append(f"{name}: includes unknown module {used}")
        elif module != "apps" and order.index(used) > order.index(module):
            found.append(f"{name}: {module} reaches up to {used}")
    for pattern, owner, library in RESERVED:
        if module != owner and pattern.search(code):
            found.append(f"{name}: {library} outside {owner}: {pattern.search(code).group(0)}")
    return found


def check(root):
    root = pathlib.Path(root)
    order = module_order(root)
    files = [path for folder in ("lib/mees", "apps") for path in sorted((root / folder).rglob("*"))
             if path.suffix in (".cpp", ".hpp")]
    return len(files), [problem for path in files for problem in problems_in(path, root, order)]


def main():
    count, problems = check(sys.argv[1])
    for problem in problems:
        print(problem)
    print(f"{count} files, {len(problems)} problems")
    return 1 if problems or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
