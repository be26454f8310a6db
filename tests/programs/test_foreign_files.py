"""Files that were made to do harm: refused within seconds, and nothing but the file is read."""

import os
import shutil
import subprocess

import h5py
import numpy as np
import pytest
from harness.configs import settings, write_config
from harness.maps import maze
from harness.programs import ENVIRONMENT, command_line, refused, run

WITHIN = 20  # seconds, on a busy machine; without the checks most of these never end
CONFIG = settings(run={"generations": 20})


def endless(file):
    """97 kB that claim 2^47 rows."""
    file.create_dataset("/extra", (1 << 47,), "S1", chunks=(1 << 20,))


def wide(file):
    file.create_dataset("/extra", (1, 1 << 36), "S1", chunks=(1, 1 << 20))


def odd_type(file):
    """Values that are no numbers of ours were neither read nor counted."""
    file.create_dataset("/extra", (1 << 47,), np.dtype([("a", "f4"), ("b", "i2")]),
                        chunks=(1 << 20,))


def nested(file):
    group = file["/"]
    for _ in range(3000):
        group = group.create_group("g")


def external(file):
    """/map/parameters, read from a file of the reader."""
    shape = file["/map/parameters"].shape
    with open("secret", "wb") as secret:
        secret.write(b"secret!!" * (shape[0] * shape[1] // 2 + 1))
    replaced_by_external(file, "secret")


def external_pipe(file):
    os.mkfifo("pipe")
    replaced_by_external(file, "pipe")


def replaced_by_external(file, name):
    shape = file["/map/parameters"].shape
    del file["/map/parameters"]
    file.create_dataset("/map/parameters", shape, "f4",
                        external=[(name, 0, h5py.h5f.UNLIMITED)])


@pytest.fixture(params=[endless, wide, odd_type, nested, external, external_pipe],
                ids=lambda craft: craft.__name__)
def crafted(request, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run").mkdir()
    path = tmp_path / "run" / "map.h5"
    shutil.copy(maze(), path)
    with h5py.File(path, "r+", libver=("v110", "v110")) as file:
        request.param(file)
    return path


def test_crafted_maps_are_refused(tmp_path, crafted):
    result = run("mees_inspect", "verify", crafted, cwd=tmp_path, timeout=WITHIN)
    assert result.returncode == 3, result.stdout + result.stderr
    result = run("mees_evaluate", crafted, "--episodes", 1, "--out", tmp_path / "new.h5",
                 cwd=tmp_path, timeout=WITHIN)
    refused(result, "mees_evaluate", 3)
    assert not (tmp_path / "new.h5").exists()
    result = run("mees_master", write_config(tmp_path, CONFIG), "--out", crafted.parent,
                 "--generations", 21, cwd=tmp_path, timeout=WITHIN)
    refused(result, "mees_master", 3)
    assert b"secret!!" not in crafted.read_bytes()


@pytest.mark.parametrize("name", ["mees.log", "metrics.csv"])
@pytest.mark.parametrize("kind", ["pipe", "link"])
def test_outputs_are_not_written_through_pipes_and_links(tmp_path, name, kind):
    out = tmp_path / "run"
    out.mkdir()
    (tmp_path / "mine").write_text("precious")
    if kind == "pipe":
        os.mkfifo(out / name)
    else:
        (out / name).symlink_to(tmp_path / "mine")
    result = run("mees_master", write_config(tmp_path), "--out", out, "--generations", 2,
                 timeout=WITHIN)
    reason = "named pipe" if kind == "pipe" else "symbolic link"
    assert reason in result.stderr and name in result.stderr, result.stderr
    assert result.returncode == (3 if name == "mees.log" else 0)
    assert (tmp_path / "mine").read_text() == "precious"


@pytest.mark.parametrize("name", ["map.h5", "map.prev.h5", "config.toml"])
def test_pipes_in_a_run_folder_do_not_hang_it(tmp_path, name):
    out = tmp_path / "run"
    out.mkdir()
    os.mkfifo(out / name)
    result = run("mees_master", write_config(tmp_path), "--out", out, "--generations", 2,
                 timeout=WITHIN)
    assert result.returncode == (2 if name == "config.toml" else 3), result.stderr


def test_pipes_as_input(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    refused(run("mees_master", pipe, timeout=WITHIN), "mees_master", 2, "pipe")
    refused(run("mees_inspect", "summary", pipe, timeout=WITHIN), "mees_inspect", 3, "named pipe")
    config = write_config(tmp_path)
    mjcf = ["--set", "domain.name=mjcf", "--set", f"domain.model={pipe}"]
    refused(run("mees_master", config, *mjcf, "--dry-run", timeout=WITHIN), "mees_master", 3,
            "named pipe")
    cvt = ["--set", "map.type=cvt", "--set", f"map.cvt_file={pipe}"]
    refused(run("mees_master", config, *cvt, "--dry-run", timeout=WITHIN), "mees_master", 3,
            "named pipe")


REPLICATED = "".join(['<replicate count="1000">'] * 5 + ["<site/>"] + ["</replicate>"] * 5)
FLEX = '<flexcomp name="f" type="grid" count="2000 2000 2000" spacing="1 1 1" dim="3" mass="1"/>'


SLOW = pytest.mark.skipif("MEES_SLOW" not in os.environ, reason="takes a minute")


@pytest.mark.parametrize("content", [pytest.param(REPLICATED, marks=SLOW), FLEX],
                         ids=["replicate", "flexcomp"])
def test_models_that_never_end_are_refused(tmp_path, content):
    model = tmp_path / "bomb.xml"
    model.write_text(f"<mujoco><worldbody><body><joint/><geom size='1'/></body>{content}"
                     "</worldbody></mujoco>")
    options = ["--set", "domain.name=mjcf", "--set", f"domain.model={model}", "--dry-run"]
    command = command_line("mees_master", [write_config(tmp_path), *options])
    # With less memory than it allows itself, which would take longer to fill.
    result = subprocess.run(["bash", "-c", 'ulimit -v 1500000; exec "$@"', "bash", *command],
                            env=ENVIRONMENT, capture_output=True, text=True, timeout=100,
                            check=False)
    refused(result, "mees_master", 3, "bomb.xml", "MuJoCo fails on it, or needs more than")


def test_models_that_multiply_a_little_are_used(tmp_path):
    model = tmp_path / "sites.xml"
    model.write_text("<mujoco><worldbody><body><joint name='j'/><geom size='1'/></body>"
                     "<replicate count='10'><site/></replicate></worldbody>"
                     "<actuator><motor joint='j'/></actuator></mujoco>")
    config = settings(domain={"name": "mjcf", "model": str(model),
                              "reward": [{"kind": "alive"}]})
    result = run("mees_master", write_config(tmp_path, config), "--dry-run", timeout=WITHIN)
    assert result.returncode == 0, result.stderr
