"""mees_navigate: walks, results, resuming, invalid input."""

import csv
import os
import re
import shutil
import signal

import h5py
import numpy as np
import pytest
import tomllib
from harness.configs import settings
from harness.maps import ant as contact_map
from harness.maps import train_map
from harness.navigation import (
    DAMAGES,
    QUICK,
    make_course,
    make_reference,
    navigate,
    refused,
)
from harness.programs import ROOT, run, same_map, start


@pytest.fixture
def course():
    return make_course()


@pytest.fixture
def reference():
    return make_reference()


def test_help_and_version():
    text = navigate("--help")
    assert text.returncode == 0
    for word in ("--targets", "--arena", "--damage", "--no-learning", "--out", "--video",
                 "--iterations", "--trees", "never reset", "targets = [[x, y], ...]"):
        assert word in text.stdout
    assert "MuJoCo" in navigate("--version").stdout


def test_results(course, reference):
    out, table = reference
    damages = [*DAMAGES[1::2]]
    assert [line.split()[0] for line in table.splitlines()[1:4]] == ["damage", *damages]
    with h5py.File(out) as file:
        assert file.attrs["filetype"].decode() == "mees-navigation"
        walks = [name.decode() for name in file["walks/damage"]]
        assert walks == [name for name in damages for _ in range(4)]
        assert list(file["walks/learning"]) == [1, 1, 0, 0] * 2
        assert list(file["walks/seed"]) == [0, 1] * 4
        with h5py.File(course[0]) as source:
            assert set(file["actions/cell"]) <= set(source["map/cell"])
        x, y = file["actions/x"][...], file["actions/y"][...]
        assert np.hypot(x, y).max() > 0.02
        heading = np.hypot(file["actions/heading_cos"], file["actions/heading_sin"])
        np.testing.assert_allclose(heading, 1)
        actions, reached = file["results/actions"][...], file["results/reached"][...]
        assert (actions <= 4).all() and (actions[reached == 0] == 4).all()
        # The last place of each walk decides whether its second target was reached.
        last = np.flatnonzero(np.diff(np.r_[file["actions/walk"], 99]))
        assert list(np.hypot(x[last], y[last] - 0.5) < 0.2) == list(reached[1::2] > 0)
        results = [(name.decode(), int(count))
                   for name, count in zip(file["results/damage"], actions)]
    with open(out.with_suffix(".csv"), newline="") as file:
        rows = [(row["damage"], int(row["actions"])) for row in csv.DictReader(file)]
    assert rows == results
    assert run("mees_inspect", "verify", out).returncode == 0


def test_walks_with_and_without_learning_begin_alike_and_differ(reference):
    with h5py.File(reference[0]) as file:
        walk = file["actions/walk"][...]
        x, predicted = file["actions/x"][...], file["actions/predicted_x"][...]
        assert not np.array_equal(x[walk == 0], x[walk == 2])
        assert not np.array_equal(predicted[walk == 0], predicted[walk == 2])


@pytest.mark.parametrize("ranks, threads", [(0, 3), (2, 1), (3, 1)])
def test_same_bits_on_any_number_of_ranks_and_threads(tmp_path, course, reference, ranks, threads):
    common = (*course, *DAMAGES, *QUICK, "--seeds", 2, "--threads", threads, "--out",
              tmp_path / "nav.h5")
    for options in ((), ("--no-learning",)):
        result = navigate(*common, *options, ranks=ranks)
        assert result.returncode == 0, result.stderr
    same, text = same_map(reference[0], tmp_path / "nav.h5")
    assert same, text
    assert (tmp_path / "nav.h5.finished").exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_stopped_runs_resume(tmp_path, course, reference, number):
    command = (*course, *DAMAGES, "--iterations", 400, *QUICK[2:], "--seeds", 4)
    whole = navigate(*command, "--out", tmp_path / "whole.h5")
    assert whole.returncode == 0, whole.stderr
    process = start("mees_navigate", *command, "--out", tmp_path / "nav.h5", "--threads", 1)
    assert "3 of 8 walks" in process.stderr.readline()
    process.send_signal(number)
    output, _ = process.communicate(timeout=20)
    assert process.returncode == (75 if number == signal.SIGTERM else -number), output
    assert not (tmp_path / "nav.h5.finished").exists()
    again = navigate(*command, "--out", tmp_path / "nav.h5", ranks=2)
    assert again.returncode == 0, again.stderr
    same, text = same_map(tmp_path / "whole.h5", tmp_path / "nav.h5")
    assert same, text


def test_the_intact_robot_and_defaults(tmp_path, course):
    copy = tmp_path / "map.h5"
    shutil.copy(course[0], copy)
    result = navigate(copy, *course[1:3], *QUICK)
    assert result.returncode == 0, result.stderr
    with h5py.File(tmp_path / "nav.h5") as file:
        assert [name.decode() for name in file["walks/damage"]] == ["intact"]
        assert "lower = [-10, -10]" in file.attrs["arena"].decode()


def test_results_of_other_settings_are_not_mixed(tmp_path, course, reference):
    out = tmp_path / "nav.h5"
    shutil.copy(reference[0], out)
    refused(navigate(*course, *DAMAGES, *QUICK, "--discount", 0.8, "--out", out), 3,
            "--discount was 0.9 and is 0.8")
    refused(navigate(*course[:3], *DAMAGES, *QUICK, "--out", out), 3, "the arena is another one")
    refused(navigate(*course, *DAMAGES, *QUICK, "--out", course[0]), 3)
    refused(navigate(*course, *DAMAGES, *QUICK, "--out", out, "--min-fitness", -5), 3,
            "--min-fitness was -inf and is -5")
    weaker = tmp_path / "models" / "weaker.xml"
    weaker.parent.mkdir()
    text = (ROOT / "configs" / "models" / "servo_ant.xml").read_text()
    weaker.write_text(re.sub(r'kp="(\d+)"', lambda gain: f'kp="{int(gain[1]) + 1}"', text))
    assert weaker.read_text() != text
    other = navigate(*course, *DAMAGES, *QUICK, "--out", out, "--model", weaker)
    assert other.returncode == 3 and "(the model's SHA-256 was" in other.stderr, other.stderr
    assert out.read_bytes() == reference[0].read_bytes()


def test_the_file_says_which_robot_and_elites(tmp_path, course, reference):
    out = tmp_path / "nav.h5"
    assert navigate(*course, *QUICK, "--min-fitness", -5, "--out", out).returncode == 0
    with h5py.File(course[0]) as elites, h5py.File(reference[0]) as all_used, \
            h5py.File(out) as file:
        assert all_used.attrs["min_fitness"] == -np.inf and file.attrs["min_fitness"] == -5
        assert file.attrs["model_sha256"] == elites.attrs["model_sha256"]
    refused(navigate(*course, *QUICK, "--out", out), 3, "--min-fitness was -5 and is -inf")
    page = (ROOT / "docs" / "map-format.md").read_text()
    assert "`min_fitness`" in page[page.index("## nav.h5"):]
    with h5py.File(out, "r+") as file:  # as an earlier version wrote it
        del file.attrs["min_fitness"]
    again = navigate(*course, *QUICK, "--out", out)
    assert again.returncode == 0, again.stderr


@pytest.mark.parametrize("arguments, words", [
    (["--trajectory", "nav.h5"], ("--trajectory nav.h5", "the file of --out")),
    (["--trajectory", "../{name}/./nav.h5"], ("--trajectory", "the file of --out")),
    (["--trajectory", "nav.csv"], ("--trajectory nav.csv", "the table of --out")),
    (["--trajectory", "walk.png", "--video", "walk.png"],
     ("--video walk.png", "the file of --trajectory")),
])
def test_outputs_must_differ(tmp_path, course, arguments, words):
    arguments = [word.format(name=tmp_path.name) for word in arguments]
    refused(navigate(*course, *QUICK, "--out", tmp_path / "nav.h5", *arguments, cwd=tmp_path), 2,
            *words)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("targets, words", [
    ("targets = [[9, 9]]", ("target [9, 9]", "outside")),
    ("targets = [[1, 1.1]]", ("target [1, 1.1]", "obstacle")),
    ("targets = []", ("no target",)), ("target = [[1, 1]]", ("unknown key target",)),
    ("targets = [[1]]", ("line 1", "two numbers")), ("targets", ("line 1",)),
])
def test_invalid_targets_write_nothing(tmp_path, course, targets, words):
    inputs = tmp_path / "in"
    inputs.mkdir()
    (inputs / "targets.toml").write_text(targets)
    out = tmp_path / "out"
    out.mkdir()
    refused(navigate(course[0], "--targets", inputs / "targets.toml", *course[3:], "--out",
                     out / "nav.h5", ranks=2 if targets == "targets = []" else 0), 2, *words)
    assert not list(out.iterdir())


@pytest.mark.parametrize("arena, words", [
    ("lower = [1, 1]", ("start, [0, 0]",)), ("walls = 3", ("unknown key walls",)),
    ("cell = \"wide\"", ("cell must be a number",)),
    ("[[box]]\nlower = [0, 0]\nupper = [0, 1]", ("lower must be below upper",)),
])
def test_invalid_arenas_write_nothing(tmp_path, course, arena, words):
    (tmp_path / "arena.toml").write_text(arena)
    refused(navigate(*course[:3], "--arena", tmp_path / "arena.toml", "--out",
                     tmp_path / "nav.h5"), 2, *words)
    assert os.listdir(tmp_path) == ["arena.toml"]


@pytest.mark.parametrize("arguments, words", [
    (["--damage", "J8"], ("J8", "J0..J7")), (["--seeds", 0], ()), (["--trees", "x"], ()),
    (["--max-actions", 10_000, "--seeds", 1, "--rest", -1], ()), (["--discount", 2], ()),
    (["--time-limit", "soon"], ()), (["--video", "walk.avi"], ("walk.avi",)),
    (["--out", "nav.csv"], ("nav.csv",)), (["--min-fitness", "nan"], ("finite number",)),
    (["--variance", "nan"], ("--variance",)), (["--rest", "inf"], ("--rest",)),
])
def test_invalid_command_lines(tmp_path, course, arguments, words):
    out = [] if "--out" in arguments else ["--out", tmp_path / "nav.h5"]
    refused(navigate(*course, *arguments, *out, cwd=tmp_path), 2, *words)
    assert not list(tmp_path.iterdir())


def test_missing_files(tmp_path, course):
    refused(navigate(course[0], "--out", tmp_path / "nav.h5"), 2, "--targets")
    refused(navigate(course[0], "--targets", tmp_path / "none.toml"), 2, "none.toml")
    refused(navigate(tmp_path / "none.h5", *course[1:]), 3, "none.h5")


BUILT_IN = settings(run={"generations": 4},
                    domain={"name": "ant", "episode_steps": 20, "bc": "displacement"},
                    map={"bins": [10, 10, 1, 1], "lower": [-1, -1, -1, -1],
                         "upper": [1, 1, 1, 1]},
                    policy={"init": "xavier"},
                    es={"population": None, "sigma": 0.5},
                    algorithm={"name": "me-ga", "children": 20, "n_optim_gens": None, "n_eval": 1},
                    checkpoint=None)


def test_the_built_in_ant_has_the_displacement(tmp_path, course):
    """Its map carries the description, mees_replay measures the same, and it walks."""
    elites = train_map(tmp_path / "run", BUILT_IN)
    with h5py.File(elites) as file:
        names = [name.decode() for name in file["map"].attrs["bc_names"]]
        assert names == ["dx", "dy", "cos_turn", "sin_turn"]
        assert len(file["map/cell"]) > 3
        task = tomllib.loads(file["domain/description"][0].decode())
    assert [(part["kind"], part["source"], part["body"]) for part in task["bc"]] == [
        ("relative", "ground_pose", "torso")]
    result = run("mees_replay", elites, "--episodes", 1, "--trajectory", tmp_path / "walk.h5")
    assert result.returncode == 0, result.stderr
    with h5py.File(tmp_path / "walk.h5") as file:
        start, end = file["initial_qpos"][...], file["qpos"][-1]
        # The angle of the x axis of a quaternion (w, x, y, z) on the ground.
        angles = [np.arctan2(2 * (q[4] * q[5] + q[3] * q[6]),
                             q[3]**2 + q[4]**2 - q[5]**2 - q[6]**2) for q in (start, end)]
        turned = np.exp(-1j * angles[0]) * complex(*(end - start)[:2])
        turn = angles[1] - angles[0]
        expected = [turned.real, turned.imag, np.cos(turn), np.sin(turn)]
        # The engine's poses are those of the beginning of its last step of 0.01 s.
        np.testing.assert_allclose(file["bc"][-1], expected, atol=0.02)
        assert np.abs(file["bc"][-1][[0, 1, 3]]).min() > 0.1
    walked = navigate(elites, *course[1:], "--damage", "J0", *QUICK, "--out", tmp_path / "nav.h5")
    assert walked.returncode == 0, walked.stderr
    with h5py.File(tmp_path / "nav.h5") as file:
        assert np.hypot(file["actions/x"], file["actions/y"]).max() > 0.02


def test_maps_without_a_displacement(tmp_path, course):
    refused(navigate(contact_map(), *course[1:], "--out", tmp_path / "nav.h5"), 3,
            "does not contain the displacement")
    refused(navigate(*course, "--min-fitness", 1e9, "--out", tmp_path / "nav.h5"), 3,
            "--min-fitness")
    assert not list(tmp_path.iterdir())


def test_reading_and_plotting_in_python(tmp_path, reference):
    mees = pytest.importorskip("mees.navigation")
    navigation = mees.Navigation(reference[0])
    assert navigation.damages == [*DAMAGES[1::2]] and len(navigation) == 8
    with h5py.File(reference[0]) as file:
        counted = np.where(file["results/reached"][...] > 0, file["results/actions"][...], 4)
    np.testing.assert_allclose(navigation.actions_per_target("J0", True),
                               [counted[:2].mean(), counted[2:4].mean()])
    assert len(navigation.walk("J0", 1)["x"]) > 0
    assert "| J0 | " in navigation.table()
    with_csv = mees.Results(reference[0].with_suffix(".csv"), max_actions=4)
    assert (with_csv.table(), with_csv.summary()) == (navigation.table(), navigation.summary())
    errors, tried = navigation.prediction_errors()
    made, seen = navigation.actions, set()
    for row, (walk, cell) in enumerate(zip(made["walk"], made["cell"], strict=True)):
        assert tried[row] == ((walk, cell) in seen)
        seen.add((walk, cell))
        away = [made[axis][row] - made[f"predicted_{axis}"][row] for axis in "xy"]
        assert errors[row] == pytest.approx(np.hypot(*away))
    assert tried.any() and not tried.all()
    rows = list(csv.DictReader(navigation.errors_table().splitlines()))
    assert sum(int(row["actions"]) for row in rows) == len(errors)
    total = sum(int(row["actions"]) * float(row["rms"])**2 for row in rows)
    assert total == pytest.approx(np.sum(errors**2), rel=1e-3)
    plot = pytest.importorskip("mees.plot")
    out = tmp_path / "path.png"
    assert plot.main(["path", str(reference[0]), "--damage", "J0", "-o", str(out)]) == 0
    assert out.stat().st_size > 1000
