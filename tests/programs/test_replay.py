"""mees_replay on maps: figures, trajectories, damage, videos."""

import ctypes.util
import re
import shutil
import subprocess

import h5py
import numpy as np
import pytest
from harness.configs import set_options, settings
from harness.maps import ANT, ant, maze, train_map
from harness.programs import BIN, in_terminal, refused, run
from harness.replay import table


def replay(*arguments, **options):
    result = run("mees_replay", *arguments, **options)
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_help_fits():
    text = run("mees_replay", "--help").stdout
    for option in ("--cell", "--episodes", "--damage", "--set", "--seed", "--trajectory", "--video",
                   "--force", "--check-reference"):
        assert option in text
    assert max(map(len, text.splitlines())) <= 100


def test_episodes_and_their_mean():
    rows = table(replay(maze(), "--episodes", 5))
    assert list(rows) == ["0", "1", "2", "3", "4", "mean", "std"]
    for name in ("fitness", "x", "y", "distance"):
        values = [float(rows[str(i)][name]) for i in range(5)]
        assert float(rows["mean"][name]) == pytest.approx(np.mean(values), abs=2e-3, rel=2e-4)
        assert float(rows["std"][name]) == pytest.approx(np.std(values, ddof=1), abs=2e-3, rel=2e-2)
    assert rows["0"]["steps"] == "200" and rows["0"]["end"] == "completed"
    assert len({rows[str(i)]["fitness"] for i in range(5)}) > 1


def test_same_on_any_number_of_threads_and_another_with_another_seed():
    first = replay(maze(), "--episodes", 4, "--threads", 1)
    assert replay(maze(), "--episodes", 4, "--threads", 3) == first
    assert replay(maze(), "--episodes", 4, "--seed", 1) == first
    assert replay(maze(), "--episodes", 4, "--seed", 2) != first
    assert table(replay(maze(), "--episodes", 2))["1"] == table(first)["1"]


def test_reward_terms_sum_to_the_fitness():
    for row in table(replay(ant(), "--episodes", 2)).values():
        if "end" in row:
            terms = sum(float(row[name]) for name in ("forward", "control", "contact", "alive"))
            assert float(row["fitness"]) == pytest.approx(terms, abs=0.02)


def test_damage_changes_the_robot():
    intact = replay(ant(), "--episodes", 1)
    damaged = replay(ant(), "--episodes", 1, "--damage", "J0,J1", "--damage", "friction=0.5")
    assert table(intact)["0"] != table(damaged)["0"] and "damage: J0,J1, friction=0.5" in damaged
    refused(run("mees_replay", ant(), "--damage", "lock:tail"), "mees_replay", 2, "tail")


def test_other_conditions_are_those_of_a_run_with_them(tmp_path):
    """The same as a map whose run had these conditions: a copy with their configuration."""
    euler = settings(ANT, run={"generations": 0},
                     domain={"integrator": "euler", "episode_steps": 40})
    shutil.copy(ant(), tmp_path / "map.h5")
    with h5py.File(train_map(tmp_path / "euler", euler)) as like, \
            h5py.File(tmp_path / "map.h5", "r+") as copy:
        for name in ("config", "model_sha256"):
            value = like.attrs[name]
            copy.attrs.create(name, value, dtype=f"S{len(value)}")
        del copy["domain"]
        like.copy("domain", copy)
    conditions = set_options("domain.integrator=euler", "domain.episode_steps=40")
    text = replay(ant(), "--episodes", 3, *conditions)
    assert table(text) == table(replay(tmp_path / "map.h5", "--episodes", 3))
    assert table(text) != table(replay(ant(), "--episodes", 3))
    changes = 'domain.episode_steps = 40, domain.integrator = "euler"'
    assert f"conditions other than the run's: {changes}" in text.splitlines()
    path = tmp_path / "trajectory.h5"
    replay(ant(), "--episodes", 1, *conditions, "--trajectory", path)
    with h5py.File(path) as file:
        assert b"episode_steps = 40\n" in file.attrs["config"]
        assert file["reward"].shape == (int(table(text)["0"]["steps"]),)
    assert run("mees_replay", "--check-reference", path).returncode == 0


def test_the_conditions_of_the_run_are_not_mentioned():
    assert replay(ant(), "--episodes", 1, *set_options("domain.episode_steps=30")) == replay(
        ant(), "--episodes", 1)


@pytest.mark.parametrize("program", ["mees_replay", "mees_evaluate"])
def test_invalid_conditions(program, tmp_path):
    shutil.copy(ant(), tmp_path / "map.h5")
    for change, words in {
        "es.sigma=0.1": ["es.sigma", "only keys of [domain]"],
        "domain.name=ant_maze": ["domain.name", "trained in"],
        "domain.training_without=alive": ["no effect on evaluation episodes"],
        "domain.frame_skip=2": ["domain.frame_skip", "mjcf"],
        "domain.contact_forces=true": ["27 inputs", "111"],
        "domain.integrator=fast": ["rk4"],
        "domain.steps=3": ["unknown key domain.steps"],
        "domain.damage=tail": ["tail"],
    }.items():
        refused(run(program, tmp_path / "map.h5", *set_options(change)), program, 2, *words)
    assert [file.name for file in tmp_path.iterdir()] == ["map.h5"]


def test_trajectory_has_the_layout_of_a_reference_and_is_one(tmp_path):
    path = tmp_path / "trajectory.h5"
    text = replay(ant(), "--episodes", 1, "--trajectory", path)
    row = table(text)["0"]
    with h5py.File(path) as file, h5py.File(ant()) as stored:
        steps = int(row["steps"])
        sizes = {"action": 8, "observation": 27, "bc": 4, "qpos": 15, "qvel": 14}
        for name, width in sizes.items():
            assert file[name].shape == (steps, width) and file[name].dtype == np.float64
        for name, kind in (("reward", "f8"), ("terminated", "u1"), ("contacts", "i4")):
            assert file[name].shape == (steps,) and file[name].dtype == np.dtype(kind)
        assert file["initial_observation"].shape == (27,)
        assert list(file["model/nq_nv_nu_nbody_ngeom"][:3]) == [15, 14, 8]
        assert file["model/body_inertia"].shape == (14, 3)
        assert file["reward"][:].sum() == pytest.approx(float(row["fitness"]), rel=1e-3)
        assert file["qpos"][0, 0] != file["qpos"][-1, 0]
        # The actions are those of the stored network, in numpy.
        best = np.argmax(stored["map/fitness"][:])
        seen = np.vstack([file["initial_observation"][:], file["observation"][:-1]])
        signal = (seen - stored["map/observation_mean"][best]) / stored["map/observation_std"][best]
        signal = np.clip(signal.astype(np.float32), -5, 5)
        layers, rest = stored["map"].attrs["layers"], stored["map/parameters"][best]
        for inputs, outputs in zip(layers, layers[1:]):
            weights, biases, rest = np.split(rest, [inputs * outputs, (inputs + 1) * outputs])
            signal = np.tanh(signal @ weights.reshape(inputs, outputs) + biases)
        assert np.abs(signal - file["action"][:]).max() <= 1e-6
    assert run("mees_replay", "--check-reference", path).returncode == 0


def test_trajectories_are_not_overwritten(tmp_path):
    path = tmp_path / "trajectory.h5"
    path.write_text("mine")
    result = run("mees_replay", maze(), "--episodes", 1, "--trajectory", path)
    refused(result, "mees_replay", 3, "exists", "another name")
    assert result.stdout == "" and path.read_text() == "mine"
    lost = tmp_path / "nowhere" / "trajectory.h5"
    refused(run("mees_replay", maze(), "--episodes", 1, "--trajectory", lost), "mees_replay", 3,
            "folder")


def test_invalid_input(tmp_path):
    with h5py.File(maze()) as file:
        cells = set(file["map/cell"][:])
    empty = next(cell for cell in range(100) if cell not in cells)
    refused(run("mees_replay", maze(), "--cell", empty), "mees_replay", 3, "nearest filled cells")
    refused(run("mees_replay", maze(), "--cell", 100), "mees_replay", 3, "0 to 99")
    refused(run("mees_replay", tmp_path / "none.h5"), "mees_replay", 3, "none.h5")
    refused(run("mees_replay", maze(), "--cell", "middle"), "mees_replay", 2, "middle")
    refused(run("mees_replay", maze(), "--episodes", 0), "mees_replay", 2)
    refused(run("mees_replay", maze(), "--video", "video.avi"), "mees_replay", 2, ".mp4")
    for size in ("640", "641x360", "wide"):
        refused(run("mees_replay", maze(), "--video", "a.mp4", "--size", size), "mees_replay", 2,
                size, "even numbers")
    refused(run("mees_replay", maze(), "--video", "a.mp4", "--fps", 0), "mees_replay", 2, "--fps")
    refused(run("mees_replay"), "mees_replay", 2, "--check-reference")


def test_the_trainer_does_not_link_opengl():
    libraries = subprocess.run(["ldd", BIN / "mees_master"], capture_output=True, text=True,
                               check=True).stdout
    assert not re.search(r"lib(GL|EGL|OSMesa|OpenGL)\b", libraries)
    symbols = subprocess.run(["nm", "-D", "--undefined-only", BIN / "mees_master"],
                             capture_output=True, text=True, check=True).stdout
    assert "mjr_makeContext" not in symbols


needs_mesa = pytest.mark.skipif(ctypes.util.find_library("OSMesa") is None,
                                reason="libosmesa6 is not installed")
needs_ffmpeg = pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="ffmpeg is not installed")


@needs_mesa
def test_strip_of_frames_shows_the_robot_move(tmp_path):
    image = pytest.importorskip("matplotlib.image")
    path = tmp_path / "strip.png"
    replay(maze(), "--episodes", 1, "--video", path)
    strip = image.imread(path)
    assert strip.shape == (720, 1280, 3)
    tiles = [strip[240 * (i // 3):240 * (i // 3) + 240, 427 * (i % 3):427 * (i % 3) + 426]
             for i in range(9)]
    for tile in tiles:
        assert tile.std() > 0.05
    assert np.abs(tiles[0] - tiles[8])[60:].mean() > 0.002


HIDDEN = """<mujoco>
  <worldbody>
    <light pos="0 0 5"/>
    <geom type="plane" size="9 9 .1" rgba=".5 .5 .5 1"/>
    <geom type="box" pos="0 -1 1" size="1 .1 1" rgba=".5 .5 .5 {alpha}"/>
    <body name="ball" pos="0 0 .3">
      <joint name="roll" type="slide" axis="1 0 0"/>
      <geom type="sphere" size=".3" rgba="1 0 0 1"/>
    </body>
  </worldbody>
  <actuator><motor joint="roll"/></actuator>
</mujoco>"""

BALL = settings(run={"generations": 0}, policy={"hidden": [4]}, noise={"table_size": 1000}, es=None,
                algorithm=None, checkpoint=None,
                map={"lower": [-1, -1], "upper": [1, 1], "bins": [2, 2]},
                domain={"name": "mjcf", "frame_skip": 1, "episode_steps": 20,
                        "observation": ["qpos", "qvel"], "bc": "final_position", "bc_body": "ball",
                        "reward": [{"kind": "alive"}]})


@needs_mesa
def test_a_wall_in_front_of_the_robot_is_transparent(tmp_path):
    image = pytest.importorskip("matplotlib.image")
    seen = {}
    for alpha in (0, 1):  # without a wall, and with one
        model = tmp_path / f"{alpha}.xml"
        model.write_text(HIDDEN.format(alpha=alpha))
        trained = train_map(tmp_path / str(alpha), settings(BALL, domain={"model": str(model)}))
        replay(trained, "--episodes", 1, "--video", tmp_path / "strip.png", "--force")
        strip = image.imread(tmp_path / "strip.png")
        seen[alpha] = np.count_nonzero(strip[..., 0] > 1.5 * strip[..., 2])
    assert seen[0] > 1000
    assert seen[1] == pytest.approx(seen[0], rel=0.3)


def facts_of(path):
    facts = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-show_entries",
                            "stream=width,height,nb_read_frames,r_frame_rate", "-of",
                            "default=noprint_wrappers=1", path],
                           capture_output=True, text=True, check=True).stdout
    return dict(line.split("=") for line in facts.split())


@needs_mesa
@needs_ffmpeg
@pytest.mark.parametrize("kind", ["mp4", "gif"])
def test_videos_run_in_real_time(tmp_path, kind):
    path = tmp_path / f"video.{kind}"
    replay(ant(), "--episodes", 1, "--video", path)
    steps = int(table(replay(ant(), "--episodes", 1))["0"]["steps"])
    facts = facts_of(path)
    assert (facts["width"], facts["height"]) == ("1280", "720")
    assert facts["r_frame_rate"] == "20/1" and int(facts["nb_read_frames"]) == steps + 1


@needs_mesa
@needs_ffmpeg
def test_size_frame_rate_and_progress_of_a_video(tmp_path):
    path = tmp_path / "video.mp4"
    result = run("mees_replay", ant(), "--episodes", 1, "--video", path, "--size", "320x180",
                 "--fps", 8)
    steps = int(table(replay(ant(), "--episodes", 1))["0"]["steps"])
    facts = facts_of(path)
    assert (facts["width"], facts["height"]) == ("320", "180")
    # Control steps of 0.05 s: every third one is 6.67 frames per second.
    frames = steps // 3 + 1
    assert facts["r_frame_rate"] == "20/3" and int(facts["nb_read_frames"]) == frames
    assert f"video: frame {frames} of {frames}\n" in result.stdout
    assert result.stdout.count("video: frame") == min(10, frames)


needs_egl = pytest.mark.skipif(ctypes.util.find_library("EGL") is None,
                               reason="libegl1 is not installed")


@pytest.mark.parametrize("library", [pytest.param("osmesa", marks=needs_mesa),
                                     pytest.param("egl", marks=needs_egl)])
def test_either_library_draws_a_strip(tmp_path, library):
    image = pytest.importorskip("matplotlib.image")
    path = tmp_path / "strip.png"
    result = run("mees_replay", maze(), "--episodes", 1, "--video", path, "--size", "640x360",
                 env={"MUJOCO_GL": library})
    assert result.returncode == 0, result.stderr
    strip = image.imread(path)
    assert strip.shape == (360, 640, 3)
    for column in (0, 214, 427):
        assert strip[:120, column:column + 213].std() > 0.05


def test_another_library_is_refused(tmp_path):
    result = run("mees_replay", maze(), "--episodes", 1, "--video", tmp_path / "strip.png",
                 env={"MUJOCO_GL": "glfw"})
    refused(result, "mees_replay", 1, "MUJOCO_GL", "glfw", "egl")


@needs_mesa
def test_without_ffmpeg_the_message_names_the_package(tmp_path):
    result = run("mees_replay", maze(), "--episodes", 1, "--video", tmp_path / "video.mp4",
                 env={"PATH": str(tmp_path)})
    refused(result, "mees_replay", 1, "ffmpeg", ".png")
    assert not (tmp_path / "video.mp4").exists()


def test_map_of_another_model_is_refused(tmp_path):
    shutil.copy(maze(), tmp_path / "map.h5")
    with h5py.File(tmp_path / "map.h5", "r+") as file:
        digest = file.attrs["model_sha256"]
        file.attrs.create("model_sha256", b"0" * len(digest), dtype=f"S{len(digest)}")
    for program in ("mees_replay", "mees_evaluate"):
        refused(run(program, tmp_path / "map.h5", "--episodes", 1), program, 3, "model")


def test_figures_fit_a_terminal_of_80_columns():
    text = in_terminal([BIN / "mees_replay", ant(), "--episodes", 3], columns=80)
    lines = text.splitlines()
    assert max(map(len, lines)) <= 80, lines
    # The map's path may be longer: it is the first line.
    assert "reward terms:" in lines and "leg_1" in text and "contact_leg_1" not in text
    wide = in_terminal([BIN / "mees_replay", ant(), "--episodes", 3], columns=200)
    assert "reward terms:" not in wide
