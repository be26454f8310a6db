"""mees_inspect export --deploy: a controller with all that a robot needs to run it."""

import importlib.util
import json
import py_compile

import h5py
import numpy as np
import pytest
import yaml
from harness.configs import settings
from harness.maps import ANT, ant, folder, maze, train_map
from harness.programs import ROOT, refused, run
from harness.ros import joint_states, node_of, odometry

import mees

WALKER = settings(ANT, map={"bins": [5, 5], "lower": [-1, -1], "upper": [1, 1]},
                  domain={"name": "mjcf", "model": str(ROOT / "configs" / "models" / "walker.xml"),
                          "reward": [{"kind": "forward_velocity", "body": "torso"}],
                          "bc": "final_position", "bc_body": "torso"})
JOINTS = ["hip_4", "ankle_4", "hip_1", "ankle_1", "hip_2", "ankle_2", "hip_3", "ankle_3"]


def deploy(path, out):
    result = run("mees_inspect", "export", path, "--deploy", out)
    assert result.returncode == 0, result.stderr
    return yaml.safe_load((out / "deploy.yaml").read_text())


def node_in(out):
    spec = importlib.util.spec_from_file_location("mees_node", out / "mees_node.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_deploy_yaml_of_the_ant(tmp_path):
    description = deploy(ant(), tmp_path)
    assert description["control_period"] == pytest.approx(0.05)
    assert [output["joint"] for output in description["actuators"]] == JOINTS
    assert all((output["lower"], output["upper"]) == (-1, 1) for output in description["actuators"])
    names = [entry["name"] for entry in description["observations"]]
    assert names[:6] == ["root.z", "root.qw", "root.qx", "root.qy", "root.qz", "hip_1.position"]
    assert names[13:19] == ["root.vx", "root.vy", "root.vz", "root.wx", "root.wy", "root.wz"]
    assert len(names) == 27 and len(set(names)) == 27
    with h5py.File(ant()) as file:
        best = int(np.argmax(file["map/fitness"]))
        assert description["cell"] == file["map/cell"][best]
        assert description["fitness"] == file["map/fitness"][best]
        assert description["model_sha256"] == file.attrs["model_sha256"].decode()
    numbers = [entry[key] for entry in description["observations"] for key in ("offset", "scale")]
    assert all(isinstance(number, (int, float)) for number in numbers)


def test_the_example_node_compiles(tmp_path):
    deploy(ant(), tmp_path)
    py_compile.compile(str(tmp_path / "mees_node.py"), doraise=True)
    node = node_in(tmp_path)
    # A base turned by 90 degrees about z that moves along its own x axis moves along the world's y.
    half = np.sqrt(0.5)
    state = node.base_state("root", (1, 2, 3), (half, 0, 0, half), (5, 0, 7), (0.1, 0.2, 0.3))
    assert [state[f"root.{axis}"] for axis in ("vx", "vy", "vz")] == pytest.approx([0, 5, 7])
    assert (state["root.x"], state["root.qz"], state["root.wz"]) == (1, half, 0.3)


def test_the_node_of_the_ant(tmp_path, monkeypatch):
    """Its base is turned by 90 degrees about z and moves along its own x axis: the world's y. The
    stub network answers 0.5 to every observation."""
    description = deploy(ant(), tmp_path)
    node, seen = node_of(tmp_path, {description["policy"]: 0.5}, len(JOINTS), monkeypatch)
    assert set(node.subscriptions) == {"joint_states", "odom"}
    ((period, tick),) = node.timers
    assert period == description["control_period"]
    positions = [0.1 * number for number in range(8)]
    velocities = [-1.0 * number for number in range(8)]
    node.subscriptions["joint_states"](joint_states(JOINTS, positions, velocities))
    tick()
    assert node.published == [] and "root.z" in node.warnings[0] and "hip" not in node.warnings[0]
    half = np.sqrt(0.5)
    node.subscriptions["odom"](odometry((1, 2, 0.75), (half, 0, 0, half), (5, 0, 7),
                                        (0.1, 0.2, 0.3)))
    tick()
    tick()
    assert len(node.published) == 2
    limited = [min(max(output["offset"] + 0.5 * output["scale"], output["lower"]), output["upper"])
               for output in description["actuators"]]
    assert node.published[0] == pytest.approx(limited)
    state = {f"{joint}.position": value for joint, value in zip(JOINTS, positions)}
    state |= {f"{joint}.velocity": value for joint, value in zip(JOINTS, velocities)}
    state |= {"root.z": 0.75, "root.qw": half, "root.qx": 0, "root.qy": 0, "root.qz": half,
              "root.vx": 0, "root.vy": 5, "root.vz": 7, "root.wx": 0.1, "root.wy": 0.2,
              "root.wz": 0.3}
    expected = [(state[entry["name"]] - entry["offset"]) / entry["scale"]
                for entry in description["observations"]]
    assert seen[1] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("make", [ant, maze, lambda: train_map(folder() / "walker", WALKER)],
                         ids=["ant", "maze", "walker"])
def test_the_policy_of_the_example_acts_like_mees(tmp_path, make):
    pytest.importorskip("onnxruntime")
    path = make()
    description = deploy(path, tmp_path)
    policy = node_in(tmp_path).Policy(tmp_path)
    assert policy.period == description["control_period"]
    random = np.random.default_rng(3)
    entries, outputs = description["observations"], description["actuators"]
    with mees.Map(path) as elites:
        own = elites.policy("best")
        for _ in range(20):
            state = {entry["name"]: float(random.normal()) for entry in entries}
            assert policy.missing(state) == []
            raw = np.array([state[entry["name"]] for entry in entries])
            observation = (raw - [entry["offset"] for entry in entries]) \
                / [entry["scale"] for entry in entries]
            limits = [np.inf if entry["clip"] is None else entry["clip"] for entry in entries]
            expected = own(np.clip(observation, -np.array(limits), limits))
            assert np.abs(policy.act(policy.observation(state)) - expected).max() <= 1e-6
            controls = [output["offset"] + output["scale"] * action
                        for output, action in zip(outputs, expected, strict=True)]
            limited = [value if output["lower"] is None
                       else np.clip(value, output["lower"], output["upper"])
                       for value, output in zip(controls, outputs, strict=True)]
            assert policy.controls(state) == pytest.approx(limited, abs=1e-5)
    state.pop(entries[0]["name"])
    assert policy.missing(state) == [entries[0]["name"]]


def test_onnx_files_carry_the_robot(tmp_path):
    onnxruntime = pytest.importorskip("onnxruntime")
    description = deploy(ant(), tmp_path)
    session = onnxruntime.InferenceSession(tmp_path / description["policy"],
                                           providers=["CPUExecutionProvider"])
    notes = session.get_modelmeta().custom_metadata_map
    observations, actuators = description["observations"], description["actuators"]
    assert json.loads(notes["observation_names"]) == [entry["name"] for entry in observations]
    assert json.loads(notes["joint_names"]) == JOINTS
    assert json.loads(notes["actuator_names"]) == [output["name"] for output in actuators]
    for key in ("offset", "scale", "lower", "upper"):
        assert json.loads(notes[f"action_{key}"]) == [output[key] for output in actuators]
    assert float(notes["control_period"]) == description["control_period"]
    assert notes["model_sha256"] == description["model_sha256"]


def test_nothing_is_overwritten(tmp_path):
    deploy(ant(), tmp_path)
    (tmp_path / "mees_node.py").write_text("mine")
    refused(run("mees_inspect", "export", ant(), "--deploy", tmp_path), "mees_inspect", 3, "exists")
    assert (tmp_path / "mees_node.py").read_text() == "mine"
    assert run("mees_inspect", "export", ant(), "--deploy", tmp_path, "--force").returncode == 0
    assert (tmp_path / "mees_node.py").read_text() != "mine"
    for arguments in ((), ("--deploy", tmp_path, "--out", tmp_path / "a.onnx"),
                      ("--deploy", tmp_path, "--cell", "all", "--force")):
        refused(run("mees_inspect", "export", ant(), *arguments), "mees_inspect", 2)


def test_a_refused_deployment_leaves_no_file(tmp_path):
    with h5py.File(ant()) as file:
        first, second = file["map/cell"][:2]
    out = tmp_path / "robot"

    def deployed(cell, folder=out):
        return run("mees_inspect", "export", ant(), "--cell", cell, "--deploy", folder)

    assert deployed(first).returncode == 0
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    refused(deployed(second), "mees_inspect", 3, "deploy.yaml", "exists")
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before
    refused(deployed(first, out / "deploy.yaml"), "mees_inspect", 3, "cannot create the folder",
            "Choose another folder.")


def test_a_map_without_its_robot_is_refused(tmp_path):
    bare = tmp_path / "map.h5"
    bare.write_bytes(ant().read_bytes())
    with h5py.File(bare, "r+") as file:
        del file["domain"]
    refused(run("mees_inspect", "export", bare, "--deploy", tmp_path / "out"), "mees_inspect", 3,
            "does not carry its robot")
    assert run("mees_inspect", "export", bare, "--out", tmp_path / "a.onnx").returncode == 0
