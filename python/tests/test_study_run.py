"""Running a study with fake programs: what is called, written and kept."""

import sys

import pytest
from study_programs import STUDIES, calls, change, files, run, toy

from mees.study.drawing import draw
from mees.study.jobs import Adapt, Train
from mees.study.results import Results
from mees.study.running import SHOW_SECONDS, Progress


@pytest.fixture
def drawn(monkeypatch):
    """Draws the figures, which takes seconds."""
    monkeypatch.setattr("mees.study.__main__.draw", draw)


def test_a_study_end_to_end(place, drawn, capsys):
    assert run() == 0
    shown = capsys.readouterr().out
    assert "6 of 6 jobs left" in shown and "[2/6, about " in shown and "] train b-seed1" in shown
    assert "| a is best | **not decided** |" in (place / "runs" / "toy" / "table.md").read_text()
    assert {"best-a.mp4", "best-a.png", "curves.png", "gain.png", "recovery.png"} <= set(
        files(place / "runs" / "toy")
    )
    called = calls(place / "bin")
    assert [line.split()[0] for line in called] == [
        "mees_master",
        "mees_master",
        "mees_adapt",
    ] * 2 + ["mees_replay"] * 2
    assert all("--threads 2" in line for line in called)
    assert "--set es.sigma=1" in called[0] and "a-seed1" in called[0]


def test_programs_decide_what_is_complete(place, capsys):
    assert run() == 0
    calls(place / "bin")
    (place / "runs" / "toy" / "a-seed1" / "map.h5").write_text("older than metrics.csv")
    (place / "runs" / "toy" / "b-seed1" / "adapt.h5").unlink()  # adapt.csv is there
    assert run() == 0
    assert "0 of 6 jobs left" in capsys.readouterr().out
    assert len([line for line in calls(place / "bin") if "replay" not in line]) == 6
    assert (place / "runs" / "toy" / "a-seed1" / "map.h5").read_text() == "map 1 of 3"
    assert (place / "runs" / "toy" / "b-seed1" / "adapt.h5").exists()


@pytest.mark.parametrize(
    "program, status, expected", [("master", 3, 3), ("adapt", 2, 2), ("master", 9, 1)]
)
def test_failure_of_a_program_is_reported(place, capfd, program, status, expected):
    (place / "bin" / f"fails-mees_{program}").write_text(str(status))
    assert run() == expected
    shown = capfd.readouterr().err
    assert f"mees_{program}: error: told to fail" in shown
    assert f"mees_{program} failed with exit code {status} (see its message above). " in shown
    assert not (place / "runs" / "toy" / "table.md").exists()


def test_the_best_is_judged_at_full_length(place, monkeypatch, capsys):
    change(monkeypatch, place, judged=("a",), damages=(), videos=())
    assert run("--keep", "kept") == 0
    assert "6 of 6 jobs left" in capsys.readouterr().out
    judged = [line for line in calls(place / "bin") if "replay" in line]
    assert len(judged) == 2 and "a-seed1/map.h5 --cell best --episodes 100" in judged[0]
    assert "--set domain.episode_steps=1000 --set domain.integrator=rk4" in judged[0]
    kept = place / "kept" / "toy" / "a-seed1" / "judged.txt"
    assert kept.read_bytes() == (place / "runs" / "toy" / "a-seed1" / "judged.txt").read_bytes()
    assert run() == 0
    assert "0 of 6 jobs left" in capsys.readouterr().out
    assert not [line for line in calls(place / "bin") if "replay" in line]
    # A map that is newer than its judgement, and one without any.
    (place / "runs" / "toy" / "a-seed1" / "map.h5").write_text("older run")
    (place / "runs" / "toy" / "a-seed2" / "judged.txt").unlink()
    assert run() == 0
    assert len([line for line in calls(place / "bin") if "replay" in line]) == 2


def test_damage_at_full_length(place, drawn, monkeypatch, capsys):
    change(monkeypatch, place, full_length=True, videos=())
    assert run() == 0
    assert "8 of 8 jobs left" in capsys.readouterr().out
    full = place / "runs" / "toy" / "b-seed1" / "full.h5"
    called = [line for line in calls(place / "bin") if "b-seed1" in line]
    assert [line.split()[0] for line in called] == ["mees_master", "mees_evaluate", "mees_adapt"]
    assert "b-seed1/map.h5 --episodes 10 --set domain.episode_steps=1000" in called[1]
    assert f"--out {full}" in called[1] and f"{full} --damage paper" in called[2]
    assert Results(STUDIES["toy"], place / "runs" / "toy").motionless == 1000
    assert run() == 0
    assert not [line for line in calls(place / "bin") if "mees_evaluate" in line]
    (full.parent / "map.h5").write_text("older run")  # so that it is trained again
    assert run() == 0
    assert len([line for line in calls(place / "bin") if "mees_evaluate" in line]) == 1


def test_runs_that_start_from_those_of_another_study(place, monkeypatch, capsys):
    first = toy(place / "first.toml", name="first", judged=("a",))
    (place / "first.toml").touch()
    change(monkeypatch, place, start=first, damages=(), videos=())
    assert run() == 0
    assert "6 of 6 jobs left" in capsys.readouterr().out
    called = calls(place / "bin")
    assert [line.split("--out ")[1].split("runs/")[1] for line in called] == [
        "first/a-seed1",
        "first/a-seed2",
        "toy/a-seed1",
        "toy/b-seed1",
        "toy/a-seed2",
        "toy/b-seed2",
    ]
    assert "run.start_from" not in called[0] and "first.toml" in called[0]
    started = f"--set run.start_from={place / 'runs' / 'first' / 'a-seed2' / 'map.h5'}"
    assert started in called[4] and started in called[5] and started not in called[3]


def test_a_judgement_that_cannot_be_read_is_reported(place, monkeypatch, capsys):
    change(monkeypatch, place, judged=("a",), damages=(), videos=())
    assert run() == 0
    (place / "runs" / "toy" / "a-seed1" / "judged.txt").write_text("cut sh")
    assert run() == 3
    assert "judged.txt (it is not the output of mees_replay). Remove it." in capsys.readouterr().err


def test_longer_run_is_rejected(place, monkeypatch, capsys):
    change(monkeypatch, place, settings=("run.generations=5",))
    assert run() == 0
    change(monkeypatch, place)
    (place / "bin" / "mees_master").write_text(
        "#!/bin/sh\ncase $* in *dry-run*) echo 'generations  3'; echo 'total episodes  30';; esac\n"
    )
    assert run() == 3
    assert "metrics.csv ends at generation 5 (the study has 3). " in capsys.readouterr().err


def test_versions_are_recorded_where_files_changed(place):
    assert run() == 0
    (place / "bin" / "commit").write_text("new")
    (place / "runs" / "toy" / "a-seed1" / "map.h5").unlink()
    assert run() == 0
    versions = {
        name: (place / "runs" / "toy" / name / "versions.txt").read_text()
        for name in ("a-seed1", "a-seed2")
    }
    assert versions["a-seed2"].startswith("mees_master 0.1.0, commit abc, ") and versions[
        "a-seed2"
    ].endswith(" cores\n")
    assert [line.split(";")[0] for line in versions["a-seed1"].splitlines()] == [
        "mees_master 0.1.0, commit abc, MuJoCo 3.1",
        "mees_master 0.1.0, commit new, MuJoCo 3.1",
    ]
    table = (place / "runs" / "toy" / "table.md").read_text()
    assert (
        table.count("commit abc") == 2 and table.count("commit new") == 1
    )  # mees_master and mees_adapt
    assert f"Python {sys.version.split()[0]}, numpy " in table


def test_videos_are_recorded_again_for_another_best(place, monkeypatch, capsys):
    assert run() == 0
    assert "[video 1/1] a-seed2" in capsys.readouterr().out
    calls(place / "bin")
    assert run() == 0
    assert not [line for line in calls(place / "bin") if "replay" in line]
    change(monkeypatch, place, seeds=(1, 2, 3))
    (place / "bin" / "fails-mees_replay").write_text("1")
    assert run() == 1
    shown = capsys.readouterr()
    assert "[video 1/1] a-seed3" in shown.out and "**not decided**" in shown.out
    assert (
        "mees.study: warning: " in shown.err
        and "best-a (see mees_replay's message above). " in shown.err
    )
    assert not [name for name in files(place / "runs" / "toy") if "best-a" in name]
    (place / "bin" / "fails-mees_replay").unlink()
    assert run() == 0
    assert "a-seed3/map.h5" in (place / "runs" / "toy" / "best-a.txt").read_text()


def test_kept_folder_matches_the_study(place, drawn, monkeypatch):
    assert run("--keep", "kept") == 0
    of_runs = [
        f"{run}-seed{seed}/{name}"
        for run in "ab"
        for seed in (1, 2)
        for name in ("adapt.csv", "config.toml", "metrics.csv", "versions.txt")
        if run == "b" or name != "adapt.csv"
    ]
    images = ["best-a.png", "curves.png", "gain.png", "recovery.png"]
    assert files(place / "kept") == sorted(
        f"toy/{name}" for name in [*images, "table.md", "versions.txt", *of_runs]
    )
    monkeypatch.setattr("mees.study.results.KEPT", place / "committed")
    (place / "committed" / "toy").mkdir(parents=True)
    (place / "committed" / "toy" / "peer-seed1.csv").write_text("steps,fitness\n1,1\n")
    (place / "kept" / "toy" / "stale.png").touch()
    change(monkeypatch, place, seeds=(1,), damages=(), videos=(), peers={"peer": (1, 2)})
    assert run("--keep", "kept") == 0
    assert files(place / "kept" / "toy") == sorted(
        ["curves.png", "es.png", "table.md", "versions.txt", "peer-seed1.csv"]
        + [
            f"{run}-seed1/{name}"
            for run in "ab"
            for name in ("config.toml", "metrics.csv", "versions.txt")
        ]
        + ["b-seed1/adapt.csv"]
    )
    assert [path.name for path in (place / "kept").iterdir()] == ["toy"]


def test_time_left_weighs_jobs_by_their_episodes(tmp_path):
    now = [0.0]
    train = Train(tmp_path / "a-seed1", (), 100, 10)  # 1000 episodes
    adapt = Adapt(tmp_path / "a-seed1", (), 12, 120)  # 1440
    progress = Progress([train, adapt], lambda: now[0])
    assert progress.time_left == "" and progress.jobs_left == 2
    train.run.mkdir()
    (train.run / "metrics.csv").write_text("generation,best\n0,1\n50,2\n")
    now[0] = 50.0
    progress.update(train)
    # By hand: 500 episodes in 50 s, so the other 500 and 1440 take 194 s.
    assert progress.time_left == ", about 3 min 14 s left"
    assert progress.is_left(train) and SHOW_SECONDS <= 60
