"""Maps carry their robot: replay, evaluation and recovery need no model file, and read none."""

import shutil

import h5py
import numpy as np
import pytest
from harness.configs import settings, write_config
from harness.maps import LARGE_STEPS, train_map
from harness.programs import refused, run, same_map
from harness.replay import table

MESH = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
ROBOT = """<mujoco model="pusher">
  <include file="parts/assets.xml"/>
  <worldbody>
    <geom name="floor" type="plane" size="9 9 1"/>
    <body name="block" pos="0 0 .6">
      <joint name="x" type="slide" axis="1 0 0" damping="1"/>
      <joint name="y" type="slide" axis="0 1 0" damping="1"/>
      <geom type="mesh" mesh="block" mass="{mass}" contype="0" conaffinity="0"/>
    </body>
  </worldbody>
  <actuator>
    <position joint="x" kp="5" ctrllimited="true" ctrlrange="1 3"/>
    <motor joint="y" ctrllimited="true" ctrlrange="-1 1"/>
  </actuator>
</mujoco>"""
PUSHER = settings(
    LARGE_STEPS,
    run={"generations": 3},
    policy={"hidden": [8]},
    map={"lower": [-4, -4], "upper": [4, 4], "bins": [20, 20]},
    domain={"name": "mjcf", "model": "robot.xml", "frame_skip": 5, "episode_steps": 50,
            "bc": "final_position", "reward": [{"kind": "forward_velocity"}]},
)


def write_robot(folder, mass=1):
    (folder / "parts").mkdir(parents=True)
    (folder / "meshes").mkdir()
    (folder / "robot.xml").write_text(ROBOT.format(mass=mass))
    (folder / "parts" / "assets.xml").write_text(
        '<mujocoinclude><compiler meshdir="meshes"/>'
        '<asset><mesh name="block" file="a.obj"/></asset></mujocoinclude>')
    (folder / "meshes" / "a.obj").write_text(MESH)
    return folder / "robot.xml"


@pytest.fixture(scope="module")
def moved(tmp_path_factory):
    """A map whose model is gone, and the rows that mees_replay printed while it was there."""
    home, elsewhere = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("elsewhere")
    write_robot(home)
    trained = train_map(home / "run", PUSHER, "--threads", 2)
    before = run("mees_replay", trained, "--episodes", 3)
    assert before.returncode == 0, before.stderr
    shutil.copy(trained, elsewhere / "map.h5")
    shutil.rmtree(home)
    return elsewhere / "map.h5", table(before.stdout)


def test_replay_needs_no_model_file(moved, tmp_path):
    path, before = moved
    result = run("mees_replay", path, "--episodes", 3, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert table(result.stdout) == before
    shorter = run("mees_replay", path, "--episodes", 1, "--set", "domain.episode_steps=7")
    assert table(shorter.stdout)["0"]["steps"] == "7"
    damaged = run("mees_replay", path, "--episodes", 1, "--damage", "x")
    assert damaged.returncode == 0 and table(damaged.stdout)["0"] != before["0"]


def test_evaluation_is_the_same_on_ranks_and_carries_on(moved, tmp_path):
    path, _ = moved
    for name, ranks in (("one.h5", 0), ("two.h5", 3)):
        result = run("mees_evaluate", path, "--episodes", 2, "--out", tmp_path / name, ranks=ranks)
        assert result.returncode == 0, result.stderr
    same, differences = same_map(tmp_path / "one.h5", tmp_path / "two.h5")
    assert same, differences
    assert run("mees_replay", tmp_path / "one.h5", "--episodes", 1).returncode == 0


def test_recovery_is_the_same_on_ranks(moved, tmp_path):
    path, _ = moved
    tables = []
    for ranks in (0, 3):
        out = tmp_path / f"{ranks}.h5"
        result = run("mees_adapt", path, "--damage", "x", "--trials", 2, "--score-episodes", 2,
                     "--out", out, ranks=ranks)
        assert result.returncode == 0, result.stderr
        tables.append(out.with_suffix(".csv").read_text())
    assert tables[0] == tables[1]


def test_file_has_the_documented_group(moved):
    path, _ = moved
    assert run("mees_inspect", "verify", path).returncode == 0
    with h5py.File(path) as file:
        assert list(file.attrs["format_version"]) == [1, 1]
        assert b"<include" not in file["domain/model"][0]
        text = file["domain/description"][0].decode()
        assert text.startswith("version = 1\n") and "[action]" in text and "[damage_words]" in text
        assert file["domain/assets/0"].attrs["file"] == b"meshes/a.obj"
        assert file["domain/assets/0"][...].tobytes() == MESH.encode()


def test_another_model_on_request(moved, tmp_path):
    path, before = moved
    same = run("mees_replay", path, "--episodes", 3, "--model", write_robot(tmp_path / "same"))
    assert same.returncode == 0 and table(same.stdout) == before, same.stderr
    heavy = write_robot(tmp_path / "heavy", mass=50)
    other = run("mees_replay", path, "--episodes", 3, "--model", heavy)
    assert other.returncode == 0 and table(other.stdout) != before
    assert "not the model that the map was made with" in other.stderr
    missing = tmp_path / "none.xml"
    refused(run("mees_replay", path, "--model", missing), "mees_replay", 3, missing)


def old_map(path, out):
    """The map as mees 0.1 wrote it."""
    shutil.copy(path, out)
    with h5py.File(out, "a") as file:
        del file["domain"]
        file.attrs["format_version"] = np.array([1, 0])
    return out


def test_old_map_of_a_custom_robot_needs_the_model(moved, tmp_path):
    old = old_map(moved[0], tmp_path / "old.h5")
    for program, options in (("mees_replay", ()), ("mees_evaluate", ("--out", tmp_path / "x.h5")),
                             ("mees_adapt", ("--damage", "x"))):
        refused(run(program, old, *options), program, 3, "does not carry its model", "--model FILE")
    model = write_robot(tmp_path / "robot")
    result = run("mees_replay", old, "--episodes", 1, "--model", model)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize(("member", "old", "new", "why"), [
    ("description", "version = 1", "version = 7", "its version is 7"),
    ("description", 'source = "position"', 'source = "thought"', "must be one of"),
    ("description", 'body = "block"', 'body = "ghost"', "ghost"),
    ("model", "<worldbody>", '<include file="/etc/passwd"/><worldbody>', "includes a file"),
    ("model", 'file="a.obj"', 'file="/etc/passwd"', "refers to the file"),
    ("model", "</mujoco>", "", "does not end"),
], ids=["version", "source", "body", "include", "mesh", "xml"])
def test_domain_that_cannot_be_used_is_refused(moved, tmp_path, member, old, new, why):
    path = tmp_path / "hostile.h5"
    shutil.copy(moved[0], path)
    with h5py.File(path, "a") as file:
        text = file[f"domain/{member}"][0].decode()
        assert old in text
        del file[f"domain/{member}"]
        content = np.array([text.replace(old, new).encode()])
        file.create_dataset(f"domain/{member}", data=content, chunks=(1,), fletcher32=True)
    result = run("mees_replay", path, "--episodes", 1)
    if why == "does not end":  # the engine's own message
        refused(result, "mees_replay", 3, "cannot use the model")
    else:
        refused(result, "mees_replay", 3, why)


def test_warnings_in_the_dry_run_and_in_the_log(tmp_path):
    write_robot(tmp_path)
    config = write_config(tmp_path, settings(PUSHER, run={"generations": 0}), "run.toml")
    text = run("mees_master", config, "--dry-run").stdout
    assert "warning: actions in -1..1 are mapped to the control range" in text
    assert run("mees_master", config, "--out", tmp_path / "run").returncode == 0
    assert "mapped to the control range" in (tmp_path / "run" / "mees.log").read_text()
    text = run("mees_master", config, "--dry-run", "--set", "domain.action=raw").stdout
    assert "warning: actions in -1..1 never reach the control range 1..3 of motor #0" in text
