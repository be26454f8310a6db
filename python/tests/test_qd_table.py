"""The comparison of quality-diversity algorithms: figures, tests and table from small data, and its
jobs with fake programs."""

import re
from dataclasses import replace
from itertools import combinations
from math import comb

import h5py
import numpy as np
import pytest
from study_programs import STUDIES, calls, change, run

from mees.origin import parse_settings
from mees.study.errors import StudyError
from mees.study.jobs import _length
from mees.study.qd_claims import Run, at_least_times, figures_of, mann_whitney_p, spread
from mees.study.qd_table import CONFIRMED, OFFSETS, REFERENCE, TASKS, VARIANTS, published, small
from mees.study.results import ROOT, Results, run_folder, table
from mees.study.selection import selected
from mees.study.verdict import HELD, NOT_HELD, UNDECIDED

# Of each run: QD score, coverage, best; then the elites' stored and new fitness (the last of them
# loses its cell). The offset is -10.
DATA = {
    "plain": [((30, 2, 6), [(5, 4), (6, 8)]), ((32, 2, 7), [(5, 5), (7, 6)])],
    "wide": [((100, 5, 9), [(1, 1), (9, 10)]), ((99, 5, 8), [(2, 2), (8, 8)])],
}


def write_runs(folder, data=DATA):
    for variant, runs in data.items():
        for seed, (last, elites) in enumerate(runs, 1):
            run_path = run_folder(folder, variant, seed)
            run_path.mkdir(parents=True)
            rows = ["generation,qd_score,coverage,best,qd_offset,seconds,episodes"]
            rows += ["0,0,1,0,-10,60,1", f"1,{last[0]},{last[1]},{last[2]},-10,120,11"]
            (run_path / "metrics.csv").write_text("\n".join(rows) + "\n")
            lines = ["stored_cell,cell,stored_fitness,fitness,kept"]
            for cell, (stored, new) in enumerate(elites):
                lines.append(f"{cell},0,{stored},{new},{int(cell == 0)}")
            (run_path / "evaluated.csv").write_text("\n".join(lines) + "\n")
    (folder / "versions.txt").write_text("mees 0\n")


def toy_study(**changes):
    values = {
        "name": "qd_toy",
        "options": "qd_half_cheetah --budget 50",
        "preset": "toy.toml",
        "settings": (),
        "variants": {name: [] for name in DATA},
        "seeds": (1, 2),
        "budget": 50,
        "map_episodes": 10,
        "reference": "plain",
        "claims": (),
        "reduction": "",
    }
    return replace(STUDIES["qd_half_cheetah"], **{**values, **changes})


def test_figures_of_a_run(tmp_path):
    write_runs(tmp_path)
    results = Results(toy_study(), tmp_path)
    # By hand: (4 - 5 + 8 - 6) / 2 and (0 - 1) / 2; the kept elite's new fitness + 10.
    assert figures_of(results, "plain", "robustness") == [0.5, -0.5]
    assert figures_of(results, "plain", "corrected QD score") == [14, 15]
    assert figures_of(results, "wide", "QD score") == [100, 99]
    assert figures_of(results, "wide", "coverage") == [5, 5]
    assert figures_of(results, "wide", "minutes") == [3, 3]


def test_mann_whitney():
    # By hand: one of the 252 choices of 5 of 10 is as extreme as a full separation.
    assert mann_whitney_p([6, 7, 8, 9, 10], [1, 2, 3, 4, 5]) == pytest.approx(1 / 252)
    assert mann_whitney_p([1, 2, 3, 4, 5], [6, 7, 8, 9, 10]) == 1
    # {1, 4} against {2, 3}: U = 2 of at most 4; 4 of 6 choices have U >= 2.
    assert mann_whitney_p([1, 4], [2, 3]) == pytest.approx(4 / 6)
    # Values far away count by rank alone.
    assert mann_whitney_p([1e9, 4], [2, 3]) == mann_whitney_p([5, 4], [2, 3])
    # {2, 2} against {1, 2}: U = 1 + 1/2 + 1 + 1/2; the 3 choices of two of the three 2s have it.
    assert mann_whitney_p([2, 2], [1, 2]) == pytest.approx(3 / 6)
    assert mann_whitney_p([1, 1], [1, 1]) == 1


def test_mann_whitney_counts_all_relabellings():
    draw = np.random.default_rng(3)
    for sizes in ((3, 5), (4, 4), (6, 2)):
        values = draw.integers(0, 5, sum(sizes)).astype(float)  # with ties

        def u(chosen, values=values):
            others = [values[i] for i in range(len(values)) if i not in chosen]
            return sum((values[i] > x) + (values[i] == x) / 2 for i in chosen for x in others)

        every = [u(chosen) for chosen in combinations(range(sum(sizes)), sizes[0])]
        expected = sum(each >= u(range(sizes[0])) for each in every) / len(every)
        assert mann_whitney_p(values[: sizes[0]], values[sizes[0] :]) == pytest.approx(expected)
    # Many seeds take no time: one choice of C(60, 30).
    p = mann_whitney_p(range(30, 60), range(30))
    assert p == pytest.approx(1 / comb(60, 30))


def test_the_goal():
    def outcome(first, second):
        class Data:
            reevaluated = {"a": dict.fromkeys(range(5)), "b": dict.fromkeys(range(5))}

            def __getitem__(self, name):
                values = first if name == "a" else second
                return {seed: {"qd_score": [0, value]} for seed, value in enumerate(values)}

        return at_least_times(3, "a", "b")(Data()).outcome

    assert outcome([31, 32, 33, 34, 35], [10, 10, 10, 10, 10]) == HELD
    assert outcome([29, 28, 27, 26, 25], [10, 10, 10, 10, 10]) == NOT_HELD
    assert outcome([29, 31, 28, 32, 35], [10, 10, 10, 10, 10]) == UNDECIDED


def test_table(tmp_path):
    write_runs(tmp_path)
    study = toy_study()
    lines = table(study, Results(study, tmp_path)).splitlines()
    assert lines[0] == "# qd_toy: algorithms compared"
    assert "Produced by `./mees reproduce qd_half_cheetah --budget 50` with" in lines
    assert "Preset `toy.toml`, 50 episodes per run, seeds 1, 2." in lines
    assert "Highest median QD score: **wide**. Medians and quartiles over seeds:" in lines
    rows = [line.split(" | ") for line in lines if line.startswith(("| plain", "| wide"))]
    # p of 2 against 2: 1 of 6 choices.
    assert rows[0][:4] == ["| wide", "99.5 [99.2, 99.8]", "11.5 [11.2, 11.8]", "5 [5, 5]"]
    assert rows[0][5:] == ["0.25 [0.125, 0.375]", "3 [3, 3]", "0.167 (0.167) |"]
    assert rows[1][0] == "| plain" and rows[1][-1] == "- |"
    assert rows[1][5] == "0 [-0.25, 0.25]"
    assert spread([1000, 2000, 3000]) == "2,000 [1,500, 2,500]"


def test_every_task_and_variant_has_both_budgets():
    assert set(OFFSETS) == set(TASKS)
    for task in TASKS:
        assert small(task).variants.keys() == published(task).variants.keys() == VARIANTS.keys()
        assert {REFERENCE, CONFIRMED} <= set(small(task).variants)
        assert f"map.qd_offset={OFFSETS[task]}" in published(task).settings


def test_gradients_of_published_emitters_are_divided_by_sigma():
    """In the ES of pyribs, which arXiv 2210.02622 uses; not at the small budget."""
    divide = "es.divide_by_sigma=true"
    divided = {name for name, chosen in published("ant").variants.items() if divide in chosen}
    assert divided == {"cma-mae", "cma-me"}
    assert not any(divide in chosen for chosen in small("ant").variants.values())


def test_every_algorithm_of_the_readme_is_compared():
    listed = (ROOT / "README.md").read_text().split("## Algorithms")[1].split("##")[0]
    rows = [line.split("|")[1] for line in listed.splitlines() if line.startswith("| `")]
    names = {name for row in rows for name in re.findall(r"`([a-z-]+)`", row)}
    assert len(names) == 13
    settings = [setting for each in VARIANTS.values() for setting in each.settings]
    assert names == {
        setting.split("=")[1] for setting in settings if setting.startswith("algorithm.name=")
    }


# Archives and offsets of the tables of Tjanaka et al. (arXiv 2202.03666, appendix); their networks
# are 2 x 128 with Xavier's initialisation, and observations are not normalised.
PUBLISHED = {
    "ant": ([6, 6, 6, 6], -374.70),
    "half_cheetah": ([32, 32], -2797.52),
    "hopper": ([1024], -362.09),
    "walker2d": ([32, 32], -67.17),
}


@pytest.mark.parametrize("task", TASKS)
def test_presets_have_the_published_archives_networks_and_offsets(task):
    """Episodes of the presets have a quarter of the published steps, and so has the offset."""
    bins, offset = PUBLISHED[task]
    preset = ROOT / small(task).preset
    settings = parse_settings(preset.read_text(encoding="utf-8"), preset)
    assert settings["map"]["bins"] == bins
    assert settings["domain"]["episode_steps"] == 250
    assert settings["map"]["qd_offset"] == pytest.approx(offset / 4, abs=0.001)
    assert f"map.qd_offset={offset}" in published(task).settings
    policy = {"hidden": [128, 128], "init": "xavier", "normalise_observations": False}
    assert {key: settings["policy"][key] for key in policy} == policy


def test_selection():
    assert [study.name for study in selected("qd_table")] == ["qd_half_cheetah", "qd_walker2d"]
    every = [f"qd_{task}_published" for task in TASKS]
    assert [study.name for study in selected("qd_table", "published")] == every
    assert [study.name for study in selected("qd_table", "70")] == [
        "qd_half_cheetah_70",
        "qd_walker2d_70",
    ]
    (study,) = selected("qd_ant", "published", 3)
    assert study.name == "qd_ant_published" and study.seeds == (1, 2, 3)
    assert study.command == "qd_ant --budget published --seeds 3"
    assert [study.command for study in selected("qd_table", seeds=6)] == [
        "qd_half_cheetah --seeds 6",
        "qd_walker2d --seeds 6",
    ]
    (study,) = selected("qd_hopper", "500")
    assert (study.name, study.budget, study.seeds) == ("qd_hopper_500", 500, (1, 2, 3, 4, 5))
    assert "500 episodes of 250 steps" in study.reduction
    for words in (("typo",), ("qd_ant", "huge"), ("qd_ant", "0"), ("point_maze", "published")):
        with pytest.raises(StudyError):
            selected(*words)
    with pytest.raises(StudyError, match="invalid --seeds with point_maze"):
        selected("point_maze", "small", 2)


def test_generations_of_a_budget():
    text = "generations  3\nepisodes per generation  1,000\ntotal episodes  3,010\n"
    assert _length(text) == (3, 3010)
    assert _length(text, 9_999) == (9, 9010) and _length(text, 10_010) == (10, 10_010)
    assert _length(text, 1010) == (1, 1010)
    with pytest.raises(StudyError, match="too small for ga .1,010 are needed for one generation"):
        _length(text, 1009, "ga")


@pytest.fixture
def evaluated(place, monkeypatch):
    change(monkeypatch, place, budget=50, map_episodes=10, damages=(), videos=())
    with h5py.File(place / "bin" / "evaluated.h5", "w") as file:
        for name in ("stored_cell", "cell", "kept"):
            file[f"evaluation/{name}"] = np.array([1, 0], np.int64)
        file["evaluation/stored_fitness"] = [1.5, 2]
        file["evaluation/fitness"] = [0.1 + 0.2, 2]
    return place


def test_maps_are_evaluated_again(evaluated, capsys):
    assert run("--keep", "kept") == 0
    assert "8 of 8 jobs left" in capsys.readouterr().out
    called = calls(evaluated / "bin")
    assert [line.split()[0] for line in called] == ["mees_master", "mees_evaluate"] * 4
    assert "--set run.generations=5 --seed 1" in called[0]
    assert "a-seed1/map.h5 --episodes 10 --threads 2 --out" in called[1]
    kept = evaluated / "kept" / "toy" / "a-seed1" / "evaluated.csv"
    assert kept.read_text().splitlines()[1] == "1,1,1.5,0.30000000000000004,1"
    # What is complete is not evaluated again; a map that is newer than its evaluation is.
    assert run() == 0
    assert not [line for line in calls(evaluated / "bin") if "mees_evaluate" in line]
    (evaluated / "runs" / "toy" / "a-seed1" / "map.h5").write_text("older run")
    (evaluated / "runs" / "toy" / "b-seed1" / "evaluated.csv").unlink()  # evaluated.h5 is there
    assert run() == 0
    assert len([line for line in calls(evaluated / "bin") if "mees_evaluate" in line]) == 1
    assert (evaluated / "runs" / "toy" / "b-seed1" / "evaluated.csv").exists()


def test_an_evaluation_that_cannot_be_read_is_reported(evaluated, capsys):
    (evaluated / "bin" / "evaluated.h5").write_text("not HDF5")
    assert run() == 3
    assert "evaluated.h5 (" in capsys.readouterr().err


def test_jobs_for_a_cluster(evaluated):
    assert run("--jobs", "jobs.sh") == 0
    lines = (evaluated / "jobs.sh").read_text().splitlines()
    assert not calls(evaluated / "bin") and not (evaluated / "runs").exists()
    first, *lines = lines
    assert first == f"mkdir -p {evaluated / 'runs' / 'toy'}" and len(lines) == 8
    out = evaluated / "runs" / "toy" / "a-seed1"
    assert lines[0].startswith("job=$(sbatch --parsable slurm/mpirun.sh ")
    assert f"toy.toml {out} --set es.sigma=1 --set run.generations=5 --seed 1)" in lines[0]
    assert "--threads" not in lines[0] and "--out" not in lines[0]
    assert lines[1].startswith("sbatch ${job:+--dependency=afterok:$job} ")
    assert f"mees_evaluate {out}/map.h5 --episodes 10 --out {out}/evaluated.h5 --force'" in lines[1]
    assert run() == 0
    assert run("--jobs", "jobs.sh") == 0
    assert set((evaluated / "jobs.sh").read_text().split()[3:]) == {"job="}


def test_run_uses_the_offset_of_its_history():
    class History(dict):
        qd_offset = -1.0

    elites = {"kept": np.array([1, 0, 1]), "fitness": np.array([1.0, 5.0, 2.0])}
    assert Run(History(), elites).corrected_qd_score == 5
