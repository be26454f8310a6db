"""The committed part of a study: table and figures, and the small files they are made from."""

from __future__ import annotations

import shutil

from .errors import StudyError
from .judging import JUDGED, REEVALUATED
from .results import VERSIONS, peer_files, run_folder

OF_A_RUN = ("metrics.csv", "config.toml", JUDGED, REEVALUATED, "adapt.csv", VERSIONS)


def check_target(folder, target):
    """Raises StudyError unless the target can be replaced without loss."""
    if folder == target or folder in target.parents or target in folder.parents:
        raise StudyError(
            f"cannot keep the study in {target}",
            f"its runs are in {folder}",
            "Set separate folders with --keep and --runs.",
            2,
        )
    if target.exists() and not (target / "table.md").exists() and any(target.iterdir()):
        raise StudyError(
            f"cannot replace {target}",
            "it is not a kept study: it has no table.md",
            "Set another folder with --keep.",
            3,
        )


def keep(study, folder, target, figures, strips):
    """Makes the target an exact copy of this study; other files in it are removed.

    Files of other programs (study.peers) come from the committed data.
    """
    part = target.with_name(f".{target.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    try:
        part.mkdir(parents=True)
        _copy(study, folder, part, figures, strips)
        if target.exists():
            shutil.rmtree(target)
        part.rename(target)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _copy(study, folder, target, figures, strips):
    for name in ("table.md", VERSIONS, *figures):
        shutil.copy(folder / name, target)
    for name in strips:
        _keep_strip(folder / name, target / name)
    for name in study.peers:
        for file in peer_files(study, name):
            shutil.copy(file, target)
    for variant in study.variants:
        for seed in study.seeds:
            copy_run(run_folder(folder, variant, seed), run_folder(target, variant, seed))


def keep_run(study, run, target):
    """Copies the results of a run as soon as it is complete, so that another machine can continue
    the study; `keep` replaces the note by the table when all runs are complete."""
    target.mkdir(parents=True, exist_ok=True)
    if not (target / "table.md").exists():
        note = f"# {study.name}: not complete\n\nThe runs in this folder are complete. "
        note += f"`./mees reproduce {study.command} --keep` with its parent folder continues.\n"
        (target / "table.md").write_text(note, encoding="utf-8")
    copy_run(run, target / run.name)


def copy_run(source, target):
    """Copies the small files of a run; the target has all of them or does not exist."""
    part = target.with_name(f".{target.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    for name in OF_A_RUN:
        if (source / name).exists():
            shutil.copy(source / name, part)
    shutil.rmtree(target, ignore_errors=True)
    part.rename(target)


def _keep_strip(source, target):
    """Copies a strip of frames at a smaller size with few colours: a fiftieth of the bytes."""
    from PIL import Image  # a dependency of matplotlib

    with Image.open(source) as strip:
        smaller = strip.resize((strip.width * 3 // 4, strip.height * 3 // 4))
    smaller.quantize(256, Image.Quantize.FASTOCTREE).save(target, optimize=True)
