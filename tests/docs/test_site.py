"""The documentation site: Sphinx builds it without a warning, and everything in it links to things
that exist. Needs the packages that `./mees test` puts into .deps/docs."""

import html
import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote

import pytest
from harness.programs import BIN, ROOT

FETCHED = ROOT / ".deps" / "docs"
ADDRESS = re.compile(r'\b(?:href|src)="([^"]*)"')
NAME = re.compile(r'\bid="([^"]*)"')

if not (FETCHED / "sphinx").is_dir() and not find_spec("sphinx"):
    pytest.skip("Sphinx is not installed", allow_module_level=True)


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site") / "docs"
    done = subprocess.run(
        [sys.executable, ROOT / "docs" / "site" / "build.py", BIN, folder],
        env={**os.environ, "PYTHONPATH": f"{ROOT / 'python'}:{FETCHED}"},
        capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert ("Doxygen is not installed" in done.stderr) == (not shutil.which("doxygen"))
    return folder / "html"


def words(page):
    """The text of a page, with single spaces."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", "", page.read_text())).split())


def test_every_page_of_the_repository_is_in_the_site(site):
    pages = [*(ROOT / "docs").rglob("*.md"), *(ROOT / "docs").rglob("*.ipynb"), ROOT / "README.md",
             ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", ROOT / "python" / "README.md"]
    for page in pages:
        assert (site / page.relative_to(ROOT)).with_suffix(".html").exists(), page


def test_four_parts(site):
    index = (site / "index.html").read_text()
    for part in ("tutorials", "how-to-guides", "reference", "explanation"):
        assert f'href="{part}.html"' in index
        assert ADDRESS.search((site / f"{part}.html").read_text())


def test_programs_are_described_by_their_help(site):
    page = words(site / "reference" / "programs.html")
    for program in sorted(BIN.glob("mees_*")):
        shown = subprocess.run([program, "--help"], capture_output=True, text=True).stdout
        assert " ".join(shown.split()) in page, program
    assert "mees_inspect heatmap" in page and "--others" in page


def test_python_interface_is_that_of_the_docstrings(site):
    import mees

    page = words(site / "reference" / "python.html")
    for name in mees.__all__:
        assert name in page
    assert " ".join(mees.Map.nearest.__doc__.replace("`", "").split()) in page


@pytest.mark.skipif(not shutil.which("doxygen"), reason="Doxygen is not installed")
def test_cpp_interface_has_the_contracts_of_the_headers(site):
    folder = site / "reference" / "cpp"
    assert "class EliteMap" in words(folder / "qd.html")
    assert "A controller enters when its cell is empty" in words(folder / "qd.html")
    assert "Offers an elite; its inserted is set here" in words(folder / "qd.html")  # a member
    assert "CheckpointWriter" in words(folder / "storage.html")
    assert "remove_old_temporaries" not in words(folder / "storage.html")  # a private member
    modules = {path.parent.name for path in (ROOT / "lib" / "mees").glob("*/*.hpp")}
    assert {path.stem for path in folder.glob("*.html")} == modules


def test_the_map_of_the_viewer_can_be_clicked(site):
    if not (BIN.parent.parent / "viewer" / "page.html").exists():
        pytest.skip("the page of the viewer is not built: ./mees view --build-only")
    assert 'href="../ant.html"' in (site / "docs" / "viewer.html").read_text()
    assert '"controllers":{"' in (site / "ant.html").read_text()
    assert 'href="ant.html"' in (site / "gallery.html").read_text()


def test_gallery_has_figures_and_a_video(site):
    page = (site / "gallery.html").read_text()
    assert page.count("<img") >= 5
    if shutil.which("ffmpeg"):
        assert 'src="ant.mp4"' in page
        assert (site / "ant.mp4").stat().st_size > 10_000


def test_search_finds_terms(site):
    index = (site / "searchindex.js").read_text()
    for term in ("damag", "checkpoint", "noveltyarchiv" if shutil.which("doxygen") else "novelti"):
        assert term in index.lower(), term


def test_links_resolve(site):
    names = {page: set(NAME.findall(page.read_text())) for page in site.rglob("*.html")}
    broken = []
    for page in names:
        for address in ADDRESS.findall(page.read_text()):
            path, _, name = unquote(html.unescape(address)).partition("#")
            if re.match(r"[a-z]+:", path) or address in ("#", ""):
                continue
            target = Path(os.path.normpath(page.parent / path.partition("?")[0])) if path else page
            if not target.exists() or (name and name not in names.get(target, {name})):
                broken.append(f"{page.relative_to(site)}: {address}")
    assert broken == []
    assert sum(map(len, names.values())) > 500
