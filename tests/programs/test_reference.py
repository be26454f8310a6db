"""mees_replay --check-reference: does this build reproduce recorded trajectories?"""

import shutil

import h5py
import numpy as np
import pytest
from harness.configs import settings
from harness.maps import train_map
from harness.programs import ROOT, run

GOLDEN = ROOT / "tests" / "golden"


def engine():
    text = run("mees_replay", "--version").stdout
    return text.split("MuJoCo ")[1].split()[0].rstrip(",;)")


@pytest.fixture
def recording(tmp_path):
    path = tmp_path / "ant.h5"
    shutil.copy(GOLDEN / "ant-1.h5", path)
    with h5py.File(path) as file:
        if file.attrs["mujoco_version"] != engine():
            pytest.skip("recorded with another version of MuJoCo")
    return path


def check(*files):
    return run("mees_replay", "--check-reference", *files)


def test_reproduces(recording):
    result = check(recording, GOLDEN / "ant_maze-4.h5", GOLDEN / "deceptive_humanoid-4.h5")
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.count("  reproduced") == 3
    assert "ant_maze, 200 steps" in result.stdout


def test_reports_a_deviation(recording):
    with h5py.File(recording, "r+") as file:
        file["qvel"][42, 3] += 1e-3
    result = check(recording, GOLDEN / "ant-2.h5")
    assert result.returncode == 1
    assert "NOT reproduced" in result.stdout
    row = next(line.split() for line in result.stdout.splitlines() if "  qvel" in line)
    assert row == ["qvel", "1.0e-03", "1.0e-03", "42"]
    assert result.stdout.count("  reproduced") == 1


def test_reports_another_model(recording):
    with h5py.File(recording, "r+") as file:
        file["model/body_mass"][4] += 1e-6
    result = check(recording)
    assert result.returncode == 1
    assert "model/body_mass" in result.stdout


@pytest.mark.parametrize("damage", ["text", "missing", "short", "domain", "nan", "cut"])
def test_refuses_a_file_that_is_not_a_recording(recording, damage):
    if damage == "text":
        recording.write_text("not HDF5 at all")
    elif damage == "cut":
        recording.write_bytes(recording.read_bytes()[:5000])
    else:
        with h5py.File(recording, "r+") as file:
            if damage == "missing":
                del file["observation"]
            elif damage == "short":
                values = file["qpos"][:-1]
                del file["qpos"]
                file["qpos"] = values
            elif damage == "domain":
                file.attrs["domain"] = "spider"
            else:
                file["action"][0, 0] = float("nan")
    result = check(recording)
    assert result.returncode == 3, result.stdout + result.stderr
    assert result.stderr.startswith("mees_replay: error: ")
    assert result.stderr.count(str(recording)) == 1 and result.stderr.count("\n") == 1


DOMAINS = {
    "euler": {"name": "ant", "integrator": "euler"},
    "damaged": {"name": "ant", "damage": ["J0"]},
    "forces": {"name": "ant", "contact_forces": True},
    "own": {"name": "mjcf", "model": f"{ROOT}/configs/models/walker.xml", "bc": "contact_share",
            "bc_geoms": ["right_foot", "left_foot"], "reward": [{"kind": "forward_velocity"}]},
}


def recorded(folder, domain, *arguments):
    path = folder / "trajectory.h5"
    trained = train_map(folder / "run", settings(
        run={"generations": 1}, domain={**DOMAINS[domain], "episode_steps": 20},
        policy={"hidden": [4]}, noise={"table_size": 10000}, es={"population": 4},
        algorithm={"n_optim_gens": None, "n_eval": 1}, checkpoint=None))
    result = run("mees_replay", trained, "--episodes", 1, "--trajectory", path,
                 *arguments)
    assert result.returncode == 0, result.stderr
    return path


@pytest.mark.parametrize("domain", DOMAINS)
def test_a_recording_contains_the_settings_of_its_domain(tmp_path, domain):
    path = recorded(tmp_path, domain, "--damage", "J1,friction=0.5")
    result = check(path)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "first 20 steps" in result.stdout and "first 100" not in result.stdout
    with h5py.File(path, "r+") as file:
        kind = file.attrs.get_id("config").dtype
        assert kind.kind == "S" and b"J1" in file.attrs["config"]
        del file.attrs["config"]
    result = check(path)
    assert result.returncode == (3 if domain in ("forces", "own") else 1)
    assert "no configuration" in result.stdout + result.stderr or domain == "forces"


@pytest.mark.parametrize("config, words", [
    ("[domain", "TOML syntax"), ("[domain]\nname = 'ant_maze'", "ant_maze"),
    ("[domain]\nname = 'ant'\ndamage = ['tail']", "tail"),
    ("[domain]\nname = 'ant'\nspeed = 3", "domain.speed"),
])
def test_refuses_an_unusable_configuration(recording, config, words):
    with h5py.File(recording, "r+") as file:
        file.attrs["config"] = np.bytes_(config)
    result = check(recording)
    assert result.returncode == 3, result.stdout + result.stderr
    assert result.stderr.startswith(f"mees_replay: error: {recording}: ") and words in result.stderr


def test_a_missing_model_is_named(tmp_path):
    path = recorded(tmp_path, "own")
    with h5py.File(path, "r+") as file:
        text = file.attrs["config"].replace(b"walker.xml", b"gone.xml")
        del file.attrs["config"]
        del file["domain"]  # as in files of 0.1
        file.attrs["config"] = np.bytes_(text)
    result = check(path)
    assert result.returncode == 3 and "gone.xml" in result.stderr and str(path) in result.stderr


@pytest.mark.parametrize("option", [
    ("--damage", "J0"), ("--episodes", 3), ("--trajectory", "new.h5"), ("--video", "new.mp4"),
    ("--cell", "best"), ("--seed", 1), ("--threads", 1),
])
def test_refuses_options_of_replaying(recording, option):
    for arguments in (("--check-reference", recording, *option),
                      (*option, "--check-reference", recording)):
        result = run("mees_replay", *arguments)
        assert result.returncode == 2 and result.stdout == ""
        assert f"{option[0]} cannot be combined with --check-reference" in result.stderr


def test_a_missing_file():
    assert check("/no/such/file.h5").returncode == 3
    assert run("mees_replay", "--check-reference").returncode == 2
