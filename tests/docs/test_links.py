"""Markdown files of the repository: relative links lead to existing files and headings. Checked
without a network: links to other hosts are not followed."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^(```|~~~).*?^\1[^\n]*$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")
LINK = re.compile(r"!?\[(?:[^][]|\[[^]]*\])*\]\(([^()\s]+)\)")
HEADING = re.compile(r"^#{1,6} +(.+?) *$", re.MULTILINE)


def pages():
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard",
                             "*.md"], cwd=ROOT, capture_output=True, text=True)
    found = [ROOT / line for line in listed.stdout.splitlines()]  # none outside a repository
    found = found or [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    return sorted(path for path in found if path.exists())


def anchors(text):
    """The anchors that repository browsers give to headings."""
    found = set()
    for heading in HEADING.findall(FENCE.sub("", text)):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        anchor = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        number = 0
        while (name := f"{anchor}-{number}" if number else anchor) in found:
            number += 1
        found.add(name)
    return found


def problems(page, text):
    for target in LINK.findall(CODE.sub("", FENCE.sub("", text))):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists():
            yield f"{target}: no such file"
        elif file.is_relative_to(ROOT) is False:
            yield f"{target}: outside the repository"
        elif anchor and file.suffix == ".md" and anchor not in anchors(file.read_text()):
            yield f"{target}: no such heading"


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_links_resolve(page):
    assert list(problems(page, page.read_text())) == []


def test_all_pages_are_listed():
    """docs/README.md links to every page of docs."""
    index = ROOT / "docs" / "README.md"
    linked = {(index.parent / link.partition("#")[0]).resolve()
              for link in LINK.findall(index.read_text())}
    reachable = set(linked)
    for page in linked:
        if page.suffix == ".md":
            reachable |= {(page.parent / link.partition("#")[0]).resolve()
                          for link in LINK.findall(page.read_text())}
    missing = [str(page.relative_to(ROOT)) for page in pages()
               if page.is_relative_to(index.parent) and page != index and page not in reachable]
    assert missing == []


def test_broken_links_are_found():
    page = ROOT / "docs" / "README.md"
    text = "[a](nowhere.md) [b](glossary.md#nothing) [c](glossary.md#search) `[d](no.md)`"
    assert list(problems(page, text)) == ["nowhere.md: no such file",
                                          "glossary.md#nothing: no such heading"]
