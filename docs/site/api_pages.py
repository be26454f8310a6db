"""Pages made from the programs, the Python package and the C++ headers."""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]
COMMENT = re.compile(r"//[/!]<?.*")
UNKNOWN_SCOPE = "scope for class std::"  # Doxygen 1.9 does not know std: harmless
INITIALISER = re.compile(r"<initializer>.*?</initializer>", re.DOTALL)
PRIVATE = re.compile(r'<sectiondef kind="private-.*?</sectiondef>', re.DOTALL)
IMAGE = re.compile(r"!\[([^]]*)\]\(([^()\s:]+)\)")
SUBCOMMAND = re.compile(r"^  ([a-z_]+) ", re.MULTILINE)
MADE = {
    ".html": """## A map to click

<a href="{0}">Open a map of running Ants</a> in the viewer: click a cell and its robot walks,
simulated in the browser. `mees_view --export` wrote the page, which needs no server
([the viewer](docs/viewer.md)).

""",
    ".mp4": """## A video

<video controls loop muted width="480" src="{0}"></video>

The best elite of the same map, recorded with `mees_replay --video`
([replaying](docs/looking-at-maps.md)).

""",
}
PROGRAMS = [path.stem for path in sorted((ROOT / "apps").glob("mees_*.cpp"))]


def run_doxygen(folder):
    """The folder of Doxygen's XML; None, with a message, if Doxygen is not installed."""
    program = shutil.which("doxygen")
    if not program:
        print("build.py: Doxygen is not installed: the site has no reference of the C++ interface",
              file=sys.stderr)
        return None
    headers = folder / "headers"
    for header in public_headers():
        copied = headers / header.relative_to(ROOT / "lib")
        copied.parent.mkdir(parents=True, exist_ok=True)
        copied.write_text(COMMENT.sub(lambda line: plain(line[0]), header.read_text()))
    settings = (ROOT / "docs" / "site" / "Doxyfile").read_text()
    settings += f'OUTPUT_DIRECTORY = "{folder}"\n'
    settings += f'INPUT = "{headers}"\nSTRIP_FROM_PATH = "{headers}"\n'
    done = subprocess.run([program, "-"], input=settings, capture_output=True, text=True)
    problems = [line for line in done.stderr.splitlines() if line and UNKNOWN_SCOPE not in line]
    if done.returncode or problems:
        sys.exit("\n".join(["build.py: error: Doxygen reports problems.", *problems]))
    name_files_by_path(folder / "xml")
    remove_unreadable(folder / "xml")
    return str(folder / "xml")


def name_files_by_path(folder):
    """Gives files their paths in Doxygen's index: Breathe looks for them there."""
    def changed(found):
        description = (folder / f"{found[2]}.xml").read_text()
        return found[1] + re.findall(r'<location file="([^"]*)"/>', description)[-1]
    index = folder / "index.xml"
    compound = re.compile(r'(<compound refid="([^"]*)" kind="file"><name>)[^<]*')
    index.write_text(compound.sub(changed, index.read_text()))


def remove_unreadable(folder):
    """Removes private members, and initialisers with a lambda, which Sphinx cannot parse."""
    for path in folder.glob("*.xml"):
        text = PRIVATE.sub("", path.read_text())
        path.write_text(INITIALISER.sub(lambda it: "" if "[](" in it[0] else it[0], text))


def public_headers():
    found = sorted((ROOT / "lib" / "mees").rglob("*.hpp"))
    return [header for header in found if "detail" not in header.parts]


def plain(comment):
    """A comment in which Doxygen sees neither tags nor commands."""
    return comment.replace("\\", "\\\\").replace("<", "&lt;").replace("///&lt;", "///<")


def write(source, programs, extras, with_cpp):
    """Writes all pages and returns the names of those that the reference lists."""
    names = [write_programs(source / "reference", programs), write_python(source / "reference")]
    if with_cpp:
        names.append(write_cpp(source / "reference" / "cpp"))
    write_gallery(source, extras)
    return [str(path.relative_to(source)) for path in names]


def page(path, title, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"# {title}\n\n{text}")
    return path


# Programs

def help_of(program, *words):
    return subprocess.run([program, *words, "--help"], capture_output=True, text=True,
                          check=True).stdout.rstrip()


def write_programs(folder, programs):
    """One page: the --help of every program and subcommand."""
    text = "The output of `--help` of every program and subcommand.\n\n"
    for name in PROGRAMS:
        shown = help_of(programs / name)
        text += f"## {name}\n\n```text\n{shown}\n```\n\n"
        listed = shown.partition("Subcommands:\n")[2].partition("\n\n")[0]
        for subcommand in SUBCOMMAND.findall(listed):
            text += f"### {name} {subcommand}\n\n```text\n"
            text += f"{help_of(programs / name, subcommand)}\n```\n\n"
    return page(folder / "programs.md", "Programs", text)


# Python

def write_python(folder):
    """The public names of the package, from their docstrings."""
    import mees

    text = "Generated from the docstrings of the package `mees`.\n\n"
    for name in mees.__all__:
        thing = getattr(mees, name)
        if isinstance(thing, ModuleType):
            continue
        directive = "autoclass" if isinstance(thing, type) else "autofunction"
        options = ":members:\n" if directive == "autoclass" else ""
        text += f"## {name}\n\n```{{eval-rst}}\n.. {directive}:: mees.{name}\n"
        text += "".join(f"   {line}\n" for line in options.splitlines()) + "```\n\n"
    text += "## Figures\n\n```{eval-rst}\n.. automodule:: mees.figures\n   :members:\n"
    text += "   :imported-members:\n```\n\n"
    text += "## Tracking tools\n\n```{eval-rst}\n.. autofunction:: mees.log.follow\n```\n"
    return page(folder / "python.md", "Python interface", text)


# C++

def write_cpp(folder):
    """One page per module, with all its public headers."""
    modules = {}
    for header in public_headers():
        name = header.relative_to(ROOT / "lib")
        modules.setdefault(name.parts[1], []).append(name)
    table = (ROOT / "CONTRIBUTING.md").read_text()
    for module, headers in modules.items():
        found = re.search(rf"^\| \d+ \| {module} \| (.*) \|$", table, re.MULTILINE)
        text = f"{found[1][0].upper()}{found[1][1:]}.\n\n" if found else ""
        for header in headers:
            text += f"## {header}\n\n```{{doxygenfile}} {header}\n```\n\n"
        page(folder / f"{module}.md", module, text)
    entries = "\n".join(f"cpp/{module}" for module in modules)
    return page(folder.parent / "cpp.md", "C++ interface",
                "Generated from the public headers. Link the module's target, such as `mees::qd`, "
                "after `find_package(mees)`: see [custom domains](../docs/own-domain.md).\n\n"
                f"```{{toctree}}\n:maxdepth: 1\n\n{entries}\n```\n")


# Gallery

def write_gallery(source, extras):
    """The exported map, the video, and all figures of the pages with their captions."""
    text = "Maps, videos and figures, made by the programs and by the Python package.\n\n"
    for name in extras:
        text += MADE[Path(name).suffix].format(name)
    text += "## Figures\n\n"
    shown = set()
    for path in sorted((source / "docs").rglob("*.md")):
        for caption, target in IMAGE.findall(path.read_text()):
            image = (path.parent / target).resolve()
            if image in shown or not image.exists():
                continue
            shown.add(image)
            name = image.relative_to(source)
            text += f"![{caption}]({name})\n\n{caption} ([page]({path.relative_to(source)}))\n\n"
    return page(source / "gallery.md", "Gallery", text)
