"""The algorithms of `./mees reproduce qd_table`: mees_master accepts every variant at both budgets,
and a tiny study runs from start to end."""

import os
from pathlib import Path

import pytest
from harness.programs import ROOT

pytest.importorskip("matplotlib")
from mees.study.__main__ import main  # noqa: E402
from mees.study.jobs import Train, jobs_of  # noqa: E402
from mees.study.programs import Programs, Stop  # noqa: E402
from mees.study.qd_table import VARIANTS, published, small  # noqa: E402

BIN = Path(os.environ["MEES_BIN"])


@pytest.mark.parametrize("study", [small("walker2d"), published("ant")], ids=lambda s: s.name)
def test_every_variant_fits_the_budget(study, tmp_path):
    with Stop() as stop:
        jobs = jobs_of(study, tmp_path, Programs(BIN, 1, stop))
    trained = {job.run.name: job for job in jobs if isinstance(job, Train)}
    assert len(trained) == len(VARIANTS) * len(study.seeds)
    for name, job in trained.items():
        episodes = job.total * job.episodes
        assert 0.95 * study.budget < episodes <= study.budget, name


def test_a_tiny_study(tmp_path, monkeypatch, capsys):
    """One seed of two variants with a few episodes, and their maps in new episodes."""
    monkeypatch.setattr("mees.study.__main__.draw", lambda *_: [])
    monkeypatch.setattr("mees.study.selection.STUDIES", {"qd_hopper": tiny()})
    words = ["qd_hopper", "--seeds", "1", "--cores", "2"]
    words += ["--bin", str(BIN), "--runs", str(tmp_path)]
    assert main(words) == 0
    shown = capsys.readouterr().out
    rows = [line for line in shown.splitlines() if line.startswith(("| me-es", "| cma-me"))]
    assert len(rows) == 4  # two claims, two variants
    assert "| me-es-confirmed has 3 times the QD score of me-es | **not decided** |" in shown
    assert main(words) == 0
    assert "0 of 4 jobs left" in capsys.readouterr().out


def tiny():
    from dataclasses import replace

    study = small("hopper")
    kept = ("me-es", "me-es-confirmed")
    return replace(
        study,
        preset=str(ROOT / study.preset),
        budget=60,
        settings=("es.population=10", "algorithm.n_eval=2", "noise.table_size=100000"),
        variants={
            name: [*study.variants[name], *(["algorithm.confirm_offspring=3"] if n else [])]
            for n, name in enumerate(kept)
        },
    )
