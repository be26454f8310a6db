"""Films of the best of a study's variants."""

from __future__ import annotations

import hashlib
import sys

from .results import run_folder

SUFFIXES = (".mp4", ".png")  # a film, and a strip of nine of its pictures


def film(study, results, folder, programs) -> list:
    """Films the best elite of each variant that is to be looked at; the strips' names.

    best-VARIANT.txt says which map a film shows; one of another map is made anew. What cannot be
    filmed is named in a warning and left out.
    """
    strips = []
    for number, variant in enumerate(study.films, 1):
        best = max(study.seeds, key=lambda seed, runs=results[variant]: runs[seed]["best"][-1])
        source = run_folder(folder, variant, best) / "map.h5"
        name = f"best-{variant}"
        if not _shows(folder / name, _subject(source)):
            print(f"[film {number}/{len(study.films)}] {source.parent.name}", flush=True)
            if not _make(folder / name, source, programs):
                print(f"mees.study: warning: {folder / name} could not be filmed (see mees_replay's message above) "
                      "run the same command again once this is mended; the table stands", file=sys.stderr)
                continue
        strips.append(f"{name}.png")
    return strips


def _subject(source):
    return f"{source.parent.name}/{source.name}, SHA-256 {hashlib.sha256(source.read_bytes()).hexdigest()}\n"


def _with(name, suffix):
    return name.with_name(name.name + suffix)


def _shows(name, subject) -> bool:
    note = _with(name, ".txt")
    return (all(_with(name, suffix).exists() for suffix in SUFFIXES)
            and note.exists() and note.read_text(encoding="utf-8") == subject)


def _make(name, source, programs) -> bool:
    for suffix in (".txt", *SUFFIXES):
        _with(name, suffix).unlink(missing_ok=True)
    for suffix in SUFFIXES:
        part = _with(name, f".part{suffix}")
        try:
            status = programs.call("mees_replay", source, "--cell", "best", "--threads", programs.cores, "--video", part)
            if status != 0 or not part.exists():
                return False
            part.replace(_with(name, suffix))
        finally:
            part.unlink(missing_ok=True)
    _with(name, ".txt").write_text(_subject(source), encoding="utf-8")
    return True
