"""mees_navigate --video and --trajectory: a walk, control step by control step."""

import ctypes.util
import shutil
import time

import h5py
import numpy as np
import pytest
from harness.navigation import DAMAGES, QUICK, make_course, make_reference, navigate, refused
from harness.programs import ROOT, run, start

needs_mesa = pytest.mark.skipif(ctypes.util.find_library("OSMesa") is None,
                                reason="libosmesa6 is not installed")


@pytest.fixture
def course():
    return make_course()


@pytest.fixture
def reference():
    return make_reference()


def test_a_video_that_fails_can_be_made_again(tmp_path, course):
    """The trajectory does not stand in the way of the same command, and nothing is finished."""
    out, track = tmp_path / "nav.h5", tmp_path / "walk.h5"
    command = (*course, *QUICK, "--out", out, "--trajectory", track, "--video",
               tmp_path / "walk.png")
    for _ in range(2):
        failed = navigate(*command, env={"MUJOCO_GL": "none"})
        assert failed.returncode == 1 and "MUJOCO_GL" in failed.stderr, failed.stderr
        assert out.exists() and not track.exists()
        assert not (tmp_path / "nav.h5.finished").exists()
    assert not [path for path in tmp_path.iterdir() if path.suffix == ".tmp"]


@needs_mesa
def test_killed_while_it_films(tmp_path, course):
    out, track, video = (tmp_path / name for name in ("nav.h5", "walk.h5", "walk.mp4"))
    command = (*course, *QUICK[:4], "--max-actions", 60, "--rest", 0.5, "--depth", 5, "--out", out,
               "--trajectory", track, "--video", video)
    process = start("mees_navigate", *command)
    while not list(tmp_path.glob(".walk-*.tmp")):  # the trajectory's, written before the frames
        assert process.poll() is None
        time.sleep(0.01)
    process.kill()
    process.communicate()
    assert out.exists() and not track.exists() and not video.exists()
    again = navigate(*command)
    assert again.returncode == 0, again.stderr
    assert track.exists() and video.exists() and (tmp_path / "nav.h5.finished").exists()
    assert not list(tmp_path.glob(".walk-*.tmp"))


def test_the_trajectory_leads_through_the_actions(tmp_path, course, reference):
    """The rest before the first action, then 20 control steps and the rest of each."""
    out, track = tmp_path / "nav.h5", tmp_path / "walk.h5"
    shutil.copy(reference[0], out)
    walked = navigate(*course, *DAMAGES, *QUICK, "--seeds", 2, "--out", out, "--trajectory", track)
    assert walked.returncode == 0, walked.stderr
    assert f"trajectory of the walk of J0, seed 0: {track}" in walked.stdout.replace("\n", " ")
    with h5py.File(track) as walk, h5py.File(out) as file:
        assert walk.attrs["filetype"].decode() == "mees-walk"
        assert (walk.attrs["damage"].decode(), walk.attrs["walk_seed"]) == ("J0", 0)
        assert walk.attrs["learning"] == 1
        chosen = file["actions/walk"][...] == 0
        steps = np.bincount(walk["action"][...] + 1)
        rest = int(np.ceil(0.5 / walk.attrs["seconds_per_step"]))
        assert list(steps) == [rest] + [20 + rest] * chosen.sum()
        last = np.cumsum(steps)[1:] - 1
        for name in ("x", "y", "heading_cos", "heading_sin"):
            np.testing.assert_allclose(walk[name][...][last], file[f"actions/{name}"][chosen],
                                       atol=1e-9)
        assert list(walk["target"][...][last]) == list(file["actions/target"][chosen])
        # Within an action the robot leaves the straight line.
        np.testing.assert_allclose(walk["qpos"][:, :2], np.c_[walk["x"], walk["y"]], atol=1e-9)
        assert np.abs(np.diff(walk["x"], axis=0)).max() > 1e-4
        assert list(walk["targets/x"]) == [0.4, 0]
        assert b"J0" in walk["domain/description"][0]
        names = {*walk, *walk.attrs, "targets/x", "targets/y"} - {"domain", "targets"}
        page = (ROOT / "docs" / "map-format.md").read_text()
        section = page[page.index("## Trajectories of mees_navigate"):]
        for name in names - set(file.attrs):
            assert f"`{name}`" in section or f"`/{name}`" in section, name
    assert run("mees_inspect", "verify", track).returncode == 0
    refused(navigate(*course, *DAMAGES, *QUICK, "--seeds", 2, "--out", out, "--trajectory", track),
            3, "--force")
    plot = pytest.importorskip("mees.plot")
    plain, within = tmp_path / "plain.svg", tmp_path / "within.svg"
    assert plot.main(["path", str(out), "-o", str(plain)]) == 0
    assert plot.main(["path", str(out), "--trajectory", str(track), "-o", str(within)]) == 0
    assert within.stat().st_size > plain.stat().st_size + 1000
    assert plot.main(["path", str(out), "--trajectory", str(track), "--seed", "1", "-o",
                      str(tmp_path / "other.svg")]) == 3
    assert plot.main(["path", str(out), "--trajectory", str(out), "-o",
                      str(tmp_path / "other.svg")]) == 3


def test_any_walk_can_be_shown(tmp_path, course, reference):
    """The trajectory of damage 2, seed 1 without learning, whose actions are in the file."""
    out, track = tmp_path / "nav.h5", tmp_path / "walk.h5"
    shutil.copy(reference[0], out)
    walked = navigate(*course, *DAMAGES, *QUICK, "--seeds", 2, "--no-learning", "--out", out,
                      "--trajectory", track, "--show-damage", DAMAGES[3], "--show-seed", 1)
    assert walked.returncode == 0, walked.stderr
    assert "trajectory of the walk of lock:hip_1,friction=0.5, seed 1" in walked.stdout
    with h5py.File(track) as walk, h5py.File(out) as file:
        assert walk.attrs["damage"].decode() == DAMAGES[3]
        assert (walk.attrs["walk_seed"], walk.attrs["learning"]) == (1, 0)
        chosen = file["actions/walk"][...] == 7  # two damages, each 0 and 1 with, 2 and 3 without
        steps = np.bincount(walk["action"][...] + 1)
        assert len(steps) == 1 + chosen.sum()
        last = np.cumsum(steps)[1:] - 1
        for name in ("x", "y", "heading_cos", "heading_sin"):
            np.testing.assert_allclose(walk[name][...][last], file[f"actions/{name}"][chosen],
                                       atol=1e-9)


@pytest.mark.parametrize("arguments, words", [
    (["--show-damage", "J1", "--trajectory", "walk.h5"],
     ("--show-damage J1", "J0; lock:hip_1,friction=0.5")),
    (["--show-seed", 2, "--trajectory", "walk.h5"], ("--show-seed 2", "0 to 1")),
    (["--show-seed", 1], ("--show-seed", "--trajectory")),
    (["--show-damage", "J0"], ("--show-damage", "--video")),
])
def test_a_walk_that_is_not_made_cannot_be_shown(tmp_path, course, arguments, words):
    refused(navigate(*course, *DAMAGES, *QUICK, "--seeds", 2, "--out", tmp_path / "nav.h5",
                     *arguments, cwd=tmp_path), 2, *words)
    assert not list(tmp_path.iterdir())


@needs_mesa
def test_the_video_shows_obstacles_and_targets(tmp_path, course):
    """Red: the target that the robot walks to. Grey-blue: obstacles, and legs of the robot."""
    image = pytest.importorskip("matplotlib.image")
    (tmp_path / "far.toml").write_text("targets = [[0, -9]]\n")  # behind the camera
    (tmp_path / "near.toml").write_text("targets = [[0.9, 0.3], [9, 9]]\n")
    (tmp_path / "full.toml").write_text(
        "cell = 0.8\n[[box]]\nlower = [-0.4, 0.8]\nupper = [0.4, 1.6]\n"
        "[[circle]]\ncentre = [-1.2, 0]\nradius = 0.3\n")
    (tmp_path / "empty.toml").write_text("cell = 0.8\n")
    seen = {}
    for targets, arena in (("far", "empty"), ("near", "full")):
        strip = tmp_path / f"{targets}.png"
        result = navigate(course[0], "--targets", tmp_path / f"{targets}.toml", "--arena",
                          tmp_path / f"{arena}.toml", *QUICK, "--out", tmp_path / f"{targets}.h5",
                          "--video", strip)
        assert result.returncode == 0, result.stderr
        red, green, blue = np.moveaxis(image.imread(strip)[..., :3], 2, 0)
        seen[targets] = (np.count_nonzero((red > 0.3) & (red > 4 * green) & (red > 4 * blue)),
                         np.count_nonzero((abs(red - green) < 0.03) & (blue > 1.05 * green)
                                          & (blue < 1.2 * green) & (green > 0.2)))
    assert seen["far"][0] < 100 and seen["near"][0] > 1000, seen
    assert seen["near"][1] > seen["far"][1] + 1000, seen
