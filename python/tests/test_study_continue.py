"""Continuing a study on another machine from the results that --keep wrote, with fake programs."""

import shutil

import h5py
import pytest
from study_programs import calls, change, files, run, toy


@pytest.fixture
def kept(place, monkeypatch, capsys):
    """The kept results of a study without videos; its runs are gone."""
    change(monkeypatch, place, videos=(), judged=("a",))
    assert run("--keep", "kept") == 0
    shutil.rmtree(place / "runs")
    calls(place / "bin")
    capsys.readouterr()
    return place / "kept" / "toy"


def test_runs_with_kept_results_are_not_repeated(place, kept, capsys):
    before = {name: (kept / name).read_bytes() for name in files(kept)}
    assert run("--keep", "kept") == 0
    shown = capsys.readouterr().out
    names = "a-seed1, b-seed1, a-seed2, b-seed2"
    assert f"complete in the kept results: {names}\n0 of 0 jobs left" in shown
    assert "| a is best | **not decided** |" in shown and not calls(place / "bin")
    assert {name: (kept / name).read_bytes() for name in files(kept)} == before
    assert run() == 0  # the results are in the runs folder now
    assert not calls(place / "bin")


def test_only_what_is_missing_runs(place, kept, capsys):
    """One run was not kept; one has no recovery; one is of a shorter run."""
    shutil.rmtree(kept / "a-seed1")
    (kept / "b-seed1" / "adapt.csv").unlink()
    lines = (kept / "b-seed2" / "metrics.csv").read_text().splitlines()
    (kept / "b-seed2" / "metrics.csv").write_text("\n".join(lines[:-1]) + "\n")
    assert run("--keep", "kept") == 0
    assert "do not count (incomplete): b-seed1, b-seed2\n" in capsys.readouterr().out
    called = [line.split()[0] for line in calls(place / "bin")]
    assert called == ["mees_master", "mees_replay", *["mees_master", "mees_adapt"] * 2]
    assert (kept / "a-seed1" / "judged.txt").exists()
    assert len((kept / "b-seed2" / "metrics.csv").read_text().splitlines()) == len(lines)


@pytest.mark.parametrize(("what", "new"), [("version", "0.2.0"), ("mujoco", "3.2")])
def test_results_of_another_version_do_not_count(place, kept, capsys, what, new):
    (place / "bin" / what).write_text(new)
    assert run("--keep", "kept") == 0
    names = "a-seed1, b-seed1, a-seed2, b-seed2"
    assert f"do not count (written by other versions): {names}\n" in capsys.readouterr().out
    assert len(calls(place / "bin")) == 8
    assert f" {new}" in (kept / "a-seed1" / "versions.txt").read_text()


def test_results_of_another_commit_count(place, kept, capsys):
    """One run is missing: this build adds it, and the table names both commits."""
    shutil.rmtree(kept / "b-seed2")
    (place / "bin" / "commit").write_text("new")
    assert run("--keep", "kept") == 0
    shown = capsys.readouterr().out
    assert "complete in the kept results: a-seed1, b-seed1, a-seed2\n" in shown
    assert [line.split()[0] for line in calls(place / "bin")] == ["mees_master", "mees_adapt"]
    table = (kept / "table.md").read_text()
    rows = {
        line.split(";")[0]: runs.strip()
        for line, runs in zip(table.splitlines(), table.splitlines()[1:])
    }
    assert rows["mees_adapt 0.1.0, commit abc, MuJoCo 3.1"] == "(b seed 1)"
    assert rows["mees_adapt 0.1.0, commit new, MuJoCo 3.1"] == "(b seed 2)"


@pytest.mark.parametrize("commit", ["abc-dirty", "unknown"])
def test_results_of_a_modified_build_count_for_the_same_build_only(place, kept, capsys, commit):
    versions = kept / "a-seed1" / "versions.txt"
    versions.write_text(versions.read_text().replace("commit abc,", f"commit {commit},"))
    assert run("--keep", "kept") == 0
    shown = capsys.readouterr().out
    assert "do not count (written by a build with local changes): a-seed1\n" in shown
    assert len(calls(place / "bin")) == 2
    shutil.rmtree(place / "runs")
    (place / "bin" / "commit").write_text(commit)
    versions.write_text(versions.read_text().replace("commit abc,", f"commit {commit},"))
    assert run("--keep", "kept") == 0
    assert not calls(place / "bin")


def test_copies_of_another_version_make_way(place, kept, capsys):
    """The study was continued, and the programs were built again."""
    assert run("--keep", "kept") == 0
    (place / "bin" / "version").write_text("0.2.0")
    shutil.rmtree(place / "kept")
    assert run() == 0
    assert "do not count (written by other versions): a-seed1, " in capsys.readouterr().out
    versions = (place / "runs" / "toy" / "a-seed1" / "versions.txt").read_text()
    assert "mees_master 0.2.0" in versions and "0.1.0" not in versions
    assert (place / "runs" / "toy" / "a-seed1" / "map.h5").exists()


def test_another_machine_may_have_written_them(place, kept):
    versions = kept / "a-seed1" / "versions.txt"
    lines = [line.split("; ")[0] + "; EPYC, 64 cores" for line in versions.read_text().splitlines()]
    versions.write_text("\n".join(lines) + "\n")
    assert run("--keep", "kept") == 0
    assert not calls(place / "bin")
    assert "EPYC, 64 cores" in (kept / "table.md").read_text()


def test_results_of_other_settings_do_not_count(place, kept, monkeypatch, capsys):
    change(monkeypatch, place, videos=(), judged=("a",), variants={"a": ["es.sigma=3"], "b": []})
    assert run("--keep", "kept") == 0
    assert "do not count (es.sigma differs): a-seed1, a-seed2\n" in capsys.readouterr().out
    assert len(calls(place / "bin")) == 4


def test_a_new_setting_has_its_default_in_kept_results(place, kept, capsys):
    (place / "bin" / "settings").write_text("[new]\nkey = 1\n")
    assert run("--keep", "kept") == 0
    assert not calls(place / "bin")
    (kept / "a-seed1" / "config.toml").write_text("[gone]\nkey = 1\n")
    shutil.rmtree(place / "runs")
    assert run("--keep", "kept") == 0
    assert "do not count (run.seed differs): a-seed1\n" in capsys.readouterr().out


def test_a_run_that_was_started_here_continues(place, kept):
    (place / "runs" / "toy" / "a-seed1").mkdir(parents=True)
    (place / "runs" / "toy" / "a-seed1" / "map.h5").write_text("half")
    assert run("--keep", "kept") == 0
    assert {line.split("--out ")[-1].split("/")[-1] for line in calls(place / "bin")} >= {"a-seed1"}
    assert (place / "runs" / "toy" / "a-seed1" / "map.h5").read_text() == "map 1 of 3"


def test_complete_runs_are_kept_before_the_study_ends(place, monkeypatch, capsys):
    """Another machine continues a study that failed in its second run."""
    change(monkeypatch, place, videos=())
    (place / "bin" / "fails-mees_adapt").write_text("1")
    assert run("--keep", "kept") == 1
    assert files(place / "kept" / "toy") == [
        "a-seed1/config.toml",
        "a-seed1/metrics.csv",
        "a-seed1/versions.txt",
        "table.md",
    ]
    assert "# toy: not complete" in (place / "kept" / "toy" / "table.md").read_text()
    (place / "bin" / "fails-mees_adapt").unlink()
    shutil.rmtree(place / "runs")
    calls(place / "bin")
    assert run("--keep", "kept") == 0
    assert "complete in the kept results: a-seed1\n" in capsys.readouterr().out
    assert len(calls(place / "bin")) == 5
    assert "| a is best |" in (place / "kept" / "toy" / "table.md").read_text()


def test_reevaluated_maps(place, monkeypatch, capsys):
    change(monkeypatch, place, map_episodes=10, damages=(), videos=())
    with h5py.File(place / "bin" / "evaluated.h5", "w") as file:
        for name in ("stored_cell", "cell", "kept", "stored_fitness", "fitness"):
            file[f"evaluation/{name}"] = [1, 0]
    assert run("--keep", "kept") == 0
    shutil.rmtree(place / "runs")
    (place / "kept" / "toy" / "b-seed2" / "evaluated.csv").unlink()
    calls(place / "bin")
    assert run("--keep", "kept", "--jobs", "jobs.sh") == 0
    assert (place / "jobs.sh").read_text().count("sbatch") == 2
    assert run("--keep", "kept") == 0
    assert [line.split()[0] for line in calls(place / "bin")] == ["mees_master", "mees_evaluate"]


def test_the_video_of_a_run_of_another_machine_is_missing(place, kept, monkeypatch, capsys):
    change(monkeypatch, place, judged=("a",))
    assert run("--keep", "kept") == 1
    assert "a-seed2/map.h5 is on the machine of the run). Copy it, " in capsys.readouterr().err


def test_maps_to_start_from_are_trained_for_the_runs_that_are_left(place, monkeypatch):
    first = toy(place / "first.toml", name="first")
    (place / "first.toml").touch()
    change(monkeypatch, place, start=first, damages=(), videos=())
    assert run("--keep", "kept") == 0
    shutil.rmtree(place / "runs")
    shutil.rmtree(place / "kept" / "toy" / "b-seed2")
    calls(place / "bin")
    assert run("--keep", "kept") == 0
    assert [line.split("--out ")[1].split("runs/")[1] for line in calls(place / "bin")] == [
        "first/a-seed2",
        "toy/b-seed2",
    ]


def test_a_kept_configuration_that_cannot_be_read_is_reported(place, kept, capsys):
    (kept / "a-seed1" / "config.toml").write_text("[es")
    assert run("--keep", "kept") == 3
    assert "config.toml (not TOML: " in capsys.readouterr().err
    assert not (place / "runs").exists()
