#!/usr/bin/env python3
"""Builds the documentation site with Sphinx. Warnings are errors.

    build.py BIN OUTPUT   BIN: folder of the programs, whose --help becomes pages;
                          OUTPUT: folder of the site, created again

The four parts of the site are those of docs/README.md. Pages are staged in OUTPUT/source at the
paths that they have in the repository, so that links between them work in both places.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import api_pages

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "python/README.md")
PART = re.compile(r"^## (.+?)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(!?\[(?:[^][]|\[[^]]*\])*\]\()([^()\s]+)(\))")
MAP = ROOT / "docs" / "maps" / "ant.h5"
MAP_PAGE = "ant.html"
MAP_VIDEO = "ant.mp4"
MAP_HEADING = re.compile(r"^## An Ant map to try\n", re.MULTILINE)
INTRODUCTION = """# mees

MAP-Elites with Evolution Strategies: maps of diverse, high-performing neural-network controllers
for robots simulated in MuJoCo, on one machine or on hundreds of MPI ranks. [What it is and how to
start](README.md).

![the viewer](docs/images/viewer.png)
"""


class BuildError(Exception):
    """A program that the site needs is missing or has failed."""


def stage(source):
    """Copies the pages, and all files of the repository that they link to."""
    shutil.copytree(ROOT / "docs", source / "docs",
                    ignore=shutil.ignore_patterns("site", "__pycache__", "*.py", "*.json"))
    for name in PAGES:
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, source / name)
    for page in sorted(source.rglob("*.md")):
        page.write_text(with_links(page.read_text(), page.relative_to(source).parent, source))


def with_links(text, folder, source):
    """A page whose links to folders lead to their README.md, and whose linked files are staged."""
    def changed(found):
        path, hash_, anchor = found[2].partition("#")
        if not path or re.match(r"[a-z]+:", path):
            return found[0]
        target = Path(os.path.normpath(ROOT / folder / path))
        if target.is_dir():
            if not (target / "README.md").exists():
                return found[0][:-len(found[2]) - 2].lstrip("![").rstrip("]")
            path, target = f"{path.rstrip('/')}/README.md", target / "README.md"
        staged = source / target.relative_to(ROOT)
        if not staged.exists() and target.exists():
            staged.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(target, staged)
        return f"{found[1]}{path}{hash_}{anchor}{found[3]}"
    return LINK.sub(changed, text)


def parts(text):
    """The parts of docs/README.md: name, text, and the pages it links to."""
    for name, body in PART.findall(text):
        yield name, body.strip(), [link for _, link, _ in LINK.findall(body)]


def toctree(entries, options="maxdepth: 1"):
    return f"```{{toctree}}\n:{options}\n\n" + "\n".join(entries) + "\n```\n"


def write_parts(source, references):
    """One page per part, and the index."""
    names = []
    for name, body, links in parts((source / "docs" / "README.md").read_text()):
        entries = [os.path.normpath(f"docs/{link}") for link in links]
        entries += references if name == "Reference" else []
        body = LINK.sub(
            lambda found: f"{found[1]}{os.path.normpath('docs/' + found[2])}{found[3]}", body)
        if name == "Reference":
            body += "\n" + "\n".join(f"| [{page}]({page}) | generated |" for page in references)
        names.append(f"{name.lower().replace(' ', '-')}.md")
        (source / names[-1]).write_text(f"# {name}\n\n{body}\n\n{toctree(entries, 'hidden:')}")
    (source / "index.md").write_text(f"{INTRODUCTION}\n{toctree([*names, 'gallery.md'])}")


def write_folders(source):
    """README.md of a folder of docs lists the other pages of the folder."""
    for page in (source / "docs").glob("*/README.md"):
        others = [path for path in sorted(page.parent.rglob("*.md")) if path != page]
        entries = [str(path.relative_to(page.parent)) for path in others]
        if entries:
            page.write_text(f"{page.read_text()}\n{toctree(entries, 'hidden:')}")
    for page in (source / "README.md", source / "docs" / "README.md"):  # index.md stands for both
        page.write_text(f"---\norphan: true\n---\n\n{page.read_text()}")


def version():
    text = (ROOT / "CMakeLists.txt").read_text()
    return re.search(r"project\(mees VERSION ([\d.]+)", text)[1]


def made(what, *command):
    """Whether the command has made this part of the site; a site without it is complete."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        print(f"build.py: warning: the site has no {what}. {done.stderr.strip()}")
    return done.returncode == 0


def export_map(programs, page):
    """Makes the page of docs/maps/ant.h5 that docs/viewer.md describes."""
    return made("map to click", programs / "mees_view", MAP, "--export", page,
                "--cells", "best:100")


def record_video(programs, video):
    """Records the first seconds of the best elite of the same map."""
    return made("video", programs / "mees_replay", MAP, "--cell", "best", "--episodes", "1",
                "--set", "domain.episode_steps=80", "--size", "480x360", "--video", video)


def link_map(page):
    """Puts a link to the exported map below its heading."""
    text, count = MAP_HEADING.subn(f'\\g<0>\n<a href="../{MAP_PAGE}">Open the map.</a>\n',
                                   page.read_text())
    if count != 1:
        raise BuildError(f"{page.name} has no section for the exported map")
    page.write_text(text)


def build(programs, output):
    if output.exists() and any(output.iterdir()) and not (output / "source").exists():
        raise BuildError(f"{output} is not a site made by this script")
    shutil.rmtree(output, ignore_errors=True)
    source = output / "source"
    source.mkdir(parents=True)
    stage(source)
    doxygen = api_pages.run_doxygen(output / "doxygen")
    exported = export_map(programs, output / MAP_PAGE)
    recorded = record_video(programs, output / MAP_VIDEO)
    extras = [name for name, there in ((MAP_PAGE, exported), (MAP_VIDEO, recorded)) if there]
    references = api_pages.write(source, programs, extras, with_cpp=bool(doxygen))
    write_parts(source, references)
    write_folders(source)
    if exported:
        link_map(source / "docs" / "viewer.md")
    environment = {**os.environ, "MEES_SITE": json.dumps({"version": version(),
                                                          "doxygen": doxygen})}
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-j", "auto", "-b", "html",
         "-c", ROOT / "docs" / "site", "-d", output / "cache", source, output / "html"],
        env=environment)
    if done.returncode:
        raise BuildError("Sphinx reports warnings or errors, see above")
    for name in extras:
        (output / name).rename(output / "html" / name)


def main(arguments):
    if len(arguments) != 2:
        sys.exit(__doc__)
    programs, output = (Path(argument).resolve() for argument in arguments)
    try:
        build(programs, output)
    except BuildError as error:
        sys.exit(f"build.py: error: cannot build the site ({error}).")
    print(f"The site is in {output / 'html' / 'index.html'}")


if __name__ == "__main__":
    main(sys.argv[1:])
