"""Videos of the best elites of a study's variants."""

from __future__ import annotations

import hashlib
import sys

from .results import run_folder

SUFFIXES = (".mp4", ".png")  # a video, and a strip of nine of its frames


def record_videos(study, results, folder, programs) -> list:
    """Records the best elite of each variant in study.videos; returns the names of the strips.

    best-VARIANT.txt names the map that a video shows; a video of another map is recorded again. A
    video that cannot be recorded is reported in a warning and left out.
    """
    strips = []
    for number, variant in enumerate(study.videos, 1):
        best = max(study.seeds, key=lambda seed, runs=results[variant]: runs[seed]["best"][-1])
        source = run_folder(folder, variant, best) / "map.h5"
        name = f"best-{variant}"
        if not source.exists():
            _warn(folder / name, f"{source} is on the machine of the run", "Copy it")
            continue
        if not _shows(folder / name, _subject(source)):
            print(f"[video {number}/{len(study.videos)}] {source.parent.name}", flush=True)
            if not _record(folder / name, source, programs):
                _warn(folder / name, "see mees_replay's message above", "Fix the cause")
                continue
        strips.append(f"{name}.png")
    return strips


def _warn(name, why, remedy):
    print(
        f"mees.study: warning: cannot record {name} ({why}). {remedy}, then run the same command "
        "again; the table is complete.",
        file=sys.stderr,
    )


def _subject(source):
    digest = hashlib.sha256(source.read_bytes()).hexdigest()
    return f"{source.parent.name}/{source.name}, SHA-256 {digest}\n"


def _with(name, suffix):
    return name.with_name(name.name + suffix)


def _shows(name, subject) -> bool:
    note = _with(name, ".txt")
    return (
        all(_with(name, suffix).exists() for suffix in SUFFIXES)
        and note.exists()
        and note.read_text(encoding="utf-8") == subject
    )


def _record(name, source, programs) -> bool:
    for suffix in (".txt", *SUFFIXES):
        _with(name, suffix).unlink(missing_ok=True)
    for suffix in SUFFIXES:
        part = _with(name, f".part{suffix}")
        try:
            status = programs.call(
                "mees_replay",
                source,
                "--cell",
                "best",
                "--threads",
                programs.cores,
                "--video",
                part,
                "--force",
            )
            if status != 0 or not part.exists():
                return False
            part.replace(_with(name, suffix))
        finally:
            part.unlink(missing_ok=True)
    _with(name, ".txt").write_text(_subject(source), encoding="utf-8")
    return True
