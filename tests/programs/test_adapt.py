"""mees_adapt: damages, results, resuming, invalid input."""

import csv
import hashlib
import re
import shutil
import signal

import h5py
import numpy as np
import pytest
from harness.configs import settings
from harness.maps import ANT as SHARED
from harness.maps import ant as shared_ant
from harness.maps import train_map
from harness.programs import ROOT, run, same_map, start
from harness.programs import refused as refused_by

ANT = settings(domain={"name": "ant", "integrator": "euler", "episode_steps": 20},
               es={"population": None, "sigma": 0.5},
               algorithm={"name": "me-ga", "children": 6, "n_optim_gens": None, "n_eval": 1},
               checkpoint=None)

WALKER = settings(ANT, map={"bins": [20, 20], "lower": [-0.1, -0.1], "upper": [0.1, 0.1]},
                  domain={"name": "mjcf", "model": str(ROOT / "configs" / "models" / "walker.xml"),
                          "integrator": None, "observation_skip": 1,
                          "reward": [{"kind": "forward_velocity", "body": "torso"}],
                          "bc": "final_position", "bc_body": "torso"})

QUICK = ("--trials", 4, "--score-episodes", 3)
DAMAGES = ("--damage", "J0", "--damage", "J2,J3", "--damage", "lock:hip_1,weak:J4=0.3,friction=0.5",
           "--damage", "shorten:shank_1=0.7,mass:torso=+1.5")


def adapt(*arguments, **keywords):
    return run("mees_adapt", *arguments, **keywords)


def refused(result, code, *words):
    refused_by(result, "mees_adapt", code, *words)


@pytest.fixture(scope="module")
def ant(tmp_path_factory):
    return train_map(tmp_path_factory.mktemp("ant") / "run", ANT)


@pytest.fixture(scope="module")
def reference(ant, tmp_path_factory):
    """All damages on one thread, two seeds each."""
    out = tmp_path_factory.mktemp("reference") / "adapt.h5"
    result = adapt(ant, *DAMAGES, *QUICK, "--seeds", 2, "--threads", 1, "--out", out)
    assert result.returncode == 0, result.stderr
    return out, result.stdout


def changed_map(ant, folder, change):
    """A copy of the map, modified by `change`; its digests no longer match, its shapes do."""
    copy = folder / "map.h5"
    shutil.copy(ant, copy)
    with h5py.File(copy, "r+") as file:
        change(file)
    return copy


def test_help_and_version():
    text = adapt("--help")
    assert text.returncode == 0
    for word in ("--damage", "--seeds", "--out", "--trials", "--episodes-per-trial", "--rho",
                 "--kappa", "--noise-variance", "--acquisition", "--alpha", "--score-episodes",
                 "lock:JOINT", "weak:MOTOR", "friction=", "shorten:BODY", "mass:BODY", "paper"):
        assert word in text.stdout
    assert max(len(line) for line in text.stdout.splitlines()) <= 100
    assert "MuJoCo" in adapt("--version").stdout


def test_intact_score_and_its_error(tmp_path):
    """As stored in the map; of a corrected map, over the episodes of mees_evaluate."""
    mees = pytest.importorskip("mees")
    corrected = tmp_path / "corrected.h5"
    assert run("mees_evaluate", shared_ant(), "--episodes", 5, "--out", corrected).returncode == 0
    for path, episodes in ((shared_ant(), SHARED["algorithm"]["n_eval"]), (corrected, 5)):
        out = tmp_path / f"{episodes}.h5"
        result = adapt(path, "--damage", "J0", *QUICK, "--seeds", 2, "--out", out)
        assert result.returncode == 0, result.stderr
        with h5py.File(path) as source:
            best = int(np.argmax(source["map/fitness"]))
            score, std = source["map/fitness"][best], source["map/fitness_std"][best]
        with h5py.File(out) as file:
            assert file.attrs["intact"] == score and std > 0
            assert file.attrs["intact_se"] == pytest.approx(std / np.sqrt(episodes))
        adaptation = mees.Adaptation(out)
        assert list(adaptation.intact) == [score] * 2
        np.testing.assert_allclose(adaptation.intact_se, [std / np.sqrt(episodes)] * 2)


def test_results(ant, reference):
    out, table = reference
    damages = [*DAMAGES[1::2]]
    lines = table.splitlines()
    assert lines[1].split() == ["damage", "damaged", "recovered", "gain", "cell", "trials", "to",
                                "90", "%"]
    assert [line.split()[0] for line in lines[2:7]] == damages + ["mean"]
    assert "+-: standard error over the seeds of a damage" in table
    assert str(out) in lines[-2] and str(out.with_suffix(".csv")) in lines[-1]
    with h5py.File(out) as file:
        assert file.attrs["filetype"].decode() == "mees-adaptation"
        assert file.attrs["domain"].decode() == "ant"
        assert len(file.attrs["map_sha256"]) == 64
        assert [name.decode() for name in file["results/damage"]] == [d for d in damages
                                                                      for _ in "ab"]
        assert list(file["results/seed"]) == [0, 1] * 4
        assert list(file["results/trials"]) == [4] * 8
        with h5py.File(ant) as source:
            cells = set(source["map/cell"])
            best = source["map/cell"][int(np.argmax(source["map/fitness"]))]
            fitness = dict(zip(source["map/cell"], source["map/fitness"]))
        assert file.attrs["intact"] == fitness[best] and file.attrs["intact_se"] >= 0
        assert lines[0].startswith(f"old controller: cell {best}, the best of {len(cells)} elites; "
                                   f"intact: {fitness[best]:.1f} +- ")
        assert set(file["results/best_cell"]) == {best}
        assert set(file["results/answer_cell"]) <= cells
        for name in damages:
            trials = file[f"damage/{name}/seed_1"]
            assert trials["cell"][0] == best and set(trials["cell"]) <= cells
            assert trials["predicted"][0] == pytest.approx(fitness[best])
            assert {len(trials[column]) for column in trials} == {4}
            assert set(trials) == {"cell", "predicted", "variance", "fitness"}
        assert (file["results/post_se"][...] > 0).all()
        post = file["results/post"][...]
        assert file.attrs["episodes"] == 8 * (4 * 2 + 2 * 3)
        before = float(np.mean(file["results/pre"][:2]))
    assert lines[2].split()[1] == f"{before:.1f}"
    with open(out.with_suffix(".csv"), newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["post"]) for row in rows] == list(post)
    assert [row["damage"] for row in rows] == [d for d in damages for _ in "ab"]


def test_the_map_is_named_by_its_contents(ant, reference):
    with h5py.File(reference[0]) as file:
        assert file.attrs["map_sha256"].decode() == hashlib.sha256(ant.read_bytes()).hexdigest()


@pytest.mark.parametrize("ranks, threads", [(0, 3), (1, 2), (2, 1), (3, 1)])
def test_same_bits_on_any_number_of_ranks_and_threads(tmp_path, ant, reference, ranks, threads):
    result = adapt(ant, *DAMAGES, *QUICK, "--seeds", 2, "--threads", threads, "--out",
                   tmp_path / "adapt.h5", ranks=ranks)
    assert result.returncode == 0, result.stderr
    same, text = same_map(reference[0], tmp_path / "adapt.h5")
    assert same, text
    assert (tmp_path / "adapt.csv").read_bytes() == reference[0].with_suffix(".csv").read_bytes()


def test_stopped_runs_resume(tmp_path, ant, reference):
    """Many trials make it slow enough for a signal to arrive; few damages are lost."""
    slow = (ant, *DAMAGES, "--trials", 100, "--score-episodes", 3)
    whole = adapt(*slow, "--out", tmp_path / "whole.h5")
    assert whole.returncode == 0, whole.stderr
    process = start("mees_adapt", *slow, "--out", tmp_path / "adapt.h5", "--threads", 1)
    assert "(1 of 4 damages)" in process.stderr.readline()
    process.send_signal(signal.SIGTERM)
    output, _ = process.communicate(timeout=10)
    assert process.returncode == 75, output
    assert "run the same command again" in output
    again = adapt(*slow, "--out", tmp_path / "adapt.h5", ranks=2)
    assert again.returncode == 0, again.stderr
    assert "J0:" not in again.stderr
    same, text = same_map(tmp_path / "whole.h5", tmp_path / "adapt.h5")
    assert same, text
    with h5py.File(tmp_path / "adapt.h5") as file:
        assert file.attrs["restarts"] == 1


def test_results_grow(tmp_path, ant, reference):
    out = ("--out", tmp_path / "adapt.h5")
    assert adapt(ant, "--damage", "J2,J3", *QUICK, *out).returncode == 0
    assert adapt(ant, "--damage", "J7", *QUICK, *out).returncode == 0
    result = adapt(ant, *DAMAGES, *QUICK, "--seeds", 2, *out)
    assert result.returncode == 0, result.stderr
    with h5py.File(tmp_path / "adapt.h5") as file, h5py.File(reference[0]) as whole:
        assert file["results/damage"][-1].decode() == "J7"
        assert list(file["results/post"])[:8] == list(whole["results/post"])
    unchanged = (tmp_path / "adapt.h5").read_bytes()
    again = adapt(ant, *DAMAGES, *QUICK, "--seeds", 2, *out, ranks=2)
    assert again.returncode == 0 and again.stdout == result.stdout
    assert (tmp_path / "adapt.h5").read_bytes() == unchanged


def test_results_of_other_settings_or_maps_are_not_mixed(tmp_path, ant, reference):
    out = tmp_path / "adapt.h5"
    shutil.copy(reference[0], out)
    refused(adapt(ant, *DAMAGES, *QUICK, "--rho", 0.5, "--out", out), 3,
            "--rho was 0.03 and is 0.5")
    other = changed_map(ant, tmp_path, lambda file: file.attrs.modify("restarts", 5))
    refused(adapt(other, *DAMAGES, *QUICK, "--out", out), 3, "SHA-256")
    refused(adapt(ant, *DAMAGES, *QUICK, "--out", other), 3, "mees-adaptation")
    assert out.read_bytes() == reference[0].read_bytes()


def test_the_papers_damages_and_the_default_file(tmp_path, ant):
    copy = tmp_path / "map.h5"
    shutil.copy(ant, copy)
    result = adapt(copy, "--damage", "paper", "--trials", 1, "--score-episodes", 2)
    assert result.returncode == 0, result.stderr
    with h5py.File(tmp_path / "adapt.h5") as file:
        names = [name.decode() for name in file["results/damage"]]
    assert names == [f"J{i}" for i in range(8)] + ["J0,J1", "J2,J3", "J4,J5", "J6,J7"]


def test_stopping_early_and_the_standard_deviation(tmp_path, ant):
    result = adapt(ant, "--damage", "J0", "--alpha", 0.01, "--acquisition", "std",
                   "--score-episodes", 2, "--out", tmp_path / "adapt.h5")
    assert result.returncode == 0, result.stderr
    with h5py.File(tmp_path / "adapt.h5") as file:
        assert file["results/trials"][0] < 30
        assert file.attrs["acquisition"].decode() == "std"


def test_a_user_defined_robot_can_be_damaged(tmp_path):
    walker = train_map(tmp_path / "run", WALKER)
    result = adapt(walker, "--damage", "right_knee", "--damage", "lock:right_knee", *QUICK)
    assert result.returncode == 0, result.stderr
    assert "lock:right_knee" in result.stdout
    refused(adapt(walker, "--damage", "paper", *QUICK), 2, "mjcf", "Ant")


def test_results_of_another_model_are_not_mixed(tmp_path):
    """The results are of the robot that --model names."""
    walker, out = train_map(tmp_path / "run", WALKER), tmp_path / "adapt.h5"
    wider = tmp_path / "walker.xml"
    text = (ROOT / "configs" / "models" / "walker.xml").read_text()
    wider.write_text(re.sub(r'gear="(\d+)"', lambda gear: f'gear="{int(gear[1]) + 1}"', text))
    assert wider.read_text() != text
    common = (walker, "--damage", "right_knee", *QUICK, "--out", out)
    assert adapt(*common).returncode == 0
    with h5py.File(walker) as elites, h5py.File(out) as file:
        assert file.attrs["model_sha256"] == elites.attrs["model_sha256"]
    before = out.read_bytes()
    other = adapt(*common, "--model", wider)
    assert other.returncode == 3 and "(the model's SHA-256 was" in other.stderr, other.stderr
    assert out.read_bytes() == before


@pytest.mark.parametrize("damage, words", [
    ("J8", ("J8", "J0..J7")), ("knee", ("knee",)), ("", ("invalid damage",)),
    ("lock:knee", ("knee", "hip_1")), ("weak:J0=3", ("weak:J0=3",)),
    ("melt:torso", ("lock:JOINT",)),
])
def test_invalid_damages_write_nothing(tmp_path, ant, damage, words):
    ranks = 2 if damage == "knee" else 0
    refused(adapt(ant, "--damage", "J0", "--damage", damage, "--out", tmp_path / "adapt.h5",
                  ranks=ranks), 2, *words)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("arguments", [
    [], ["--damage"], ["--damage", "J0", "--seeds", 0], ["--damage", "J0", "--trials", 0],
    ["--damage", "J0", "--alpha", 2], ["--damage", "J0", "--rho", -1],
    ["--damage", "J0", "--quick"],
    ["--damage", "J0", "--acquisition", "entropy"], ["--damage", "J0", "--noise-variance", 0],
    ["--damage", "J0", "--kappa", "much"], ["--damage", "J0", "--time-limit", "soon"],
])
def test_invalid_command_lines(tmp_path, ant, arguments):
    refused(adapt(ant, *arguments, "--out", tmp_path / "adapt.h5"), 2)
    assert not list(tmp_path.iterdir())


def empty(file):
    for name in list(file["map"]):
        data = file["map"][name]
        shape, kind = (0,) + data.shape[1:], data.dtype
        del file["map"][name]
        file["map"].create_dataset(name, shape, kind)


def one_fitness(file):
    file["map/fitness"][...] = 5.0


def another_domain(file):
    file.attrs["domain"] = np.bytes_("point_maze")


def another_model(file):
    file.attrs["model_sha256"] = np.bytes_("0" * 64)


def another_network(file):
    config = file.attrs["config"].decode().replace("hidden = [8]", "hidden = [9]")
    file.attrs["config"] = np.bytes_(config)


@pytest.mark.parametrize("change, words", [
    (empty, ("empty",)), (one_fitness, ("fitness",)), (another_domain, ("point_maze", "ant")),
    (another_network, ("layers",)), (another_model, ("model",)),
])
def test_unusable_maps(tmp_path, ant, change, words):
    source = changed_map(ant, tmp_path, change)
    refused(adapt(source, "--damage", "J0", ranks=2 if change is empty else 0), 3, *words)
    assert [path.name for path in tmp_path.iterdir()] == ["map.h5"]


def test_files_that_are_not_maps(tmp_path):
    refused(adapt(tmp_path / "none.h5", "--damage", "J0"), 3, "none.h5")
    (tmp_path / "text.h5").write_text("not a map")
    refused(adapt(tmp_path / "text.h5", "--damage", "J0"), 3, "text.h5")


def test_a_map_of_a_robot_without_such_joints(tmp_path):
    maze = train_map(tmp_path / "run", settings(ANT, domain={"name": "point_maze"}))
    refused(adapt(maze, "--damage", "paper"), 2, "point_maze")
    refused(adapt(maze, "--damage", "J7"), 2, "J7")


def test_a_missing_folder(tmp_path, ant):
    refused(adapt(ant, "--damage", "J0", "--out", tmp_path / "none" / "adapt.h5"), 3, "none")
