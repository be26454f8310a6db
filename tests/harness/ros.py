"""A ROS 2 and an ONNX runtime made of plain objects, for the example node of a deployment."""

import importlib.util
import sys
from types import ModuleType, SimpleNamespace

import numpy as np


class StubNode:
    """Keeps what the node asks for, and what it publishes and logs."""

    def __init__(self, name):
        self.name = name
        self.subscriptions, self.services, self.timers = {}, {}, []
        self.published, self.warnings = [], []

    def declare_parameter(self, name, default):
        return SimpleNamespace(value=default)

    def create_subscription(self, kind, topic, callback, depth):
        self.subscriptions[topic] = callback

    def create_service(self, kind, name, callback):
        self.services[name] = (kind, callback)

    def create_publisher(self, kind, topic, depth):
        assert topic == "commands"
        return SimpleNamespace(publish=lambda message: self.published.append(list(message.data)))

    def create_timer(self, period, callback):
        self.timers.append((period, callback))

    def get_logger(self):
        return SimpleNamespace(warning=lambda text, **options: self.warnings.append(text))


class StubSession:
    """A network whose outputs are all `answers[FILE]`; keeps its inputs."""

    answers = {}
    outputs = 0
    seen = []

    def __init__(self, path, providers):
        self.answer = self.answers[path.rsplit("/", 1)[1]]

    def run(self, names, inputs):
        assert names == ["action"]
        self.seen.append(inputs["observation"][0])
        return [np.full((1, self.outputs), self.answer, dtype=np.float32)]


def node_of(folder, answers, outputs, monkeypatch):
    """The node in `folder`, and the inputs that its networks get."""
    StubSession.answers, StubSession.outputs, StubSession.seen = answers, outputs, []

    def module(name, **content):
        made = ModuleType(name)
        vars(made).update(content)
        monkeypatch.setitem(sys.modules, name, made)

    module("onnxruntime", InferenceSession=StubSession)
    for package in ("rclpy", "nav_msgs", "sensor_msgs", "std_msgs", "std_srvs"):
        module(package)
    module("rclpy.node", Node=StubNode)
    module("nav_msgs.msg", Odometry=SimpleNamespace)
    module("sensor_msgs.msg", JointState=SimpleNamespace)
    module("std_msgs.msg", Float64MultiArray=SimpleNamespace)
    module("std_srvs.srv", Trigger="Trigger")
    spec = importlib.util.spec_from_file_location("mees_node", folder / "mees_node.py")
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded.node_class()(), StubSession.seen


def joint_states(names, positions, velocities):
    return SimpleNamespace(name=names, position=positions, velocity=velocities)


def odometry(position, quaternion, linear, angular):
    """`quaternion` is w, x, y, z; velocities are in the frame of the body."""
    def vector(values):
        return SimpleNamespace(**dict(zip("xyz", values, strict=True)))

    turned = SimpleNamespace(**dict(zip("wxyz", quaternion, strict=True)))
    pose = SimpleNamespace(position=vector(position), orientation=turned)
    twist = SimpleNamespace(linear=vector(linear), angular=vector(angular))
    return SimpleNamespace(pose=SimpleNamespace(pose=pose), twist=SimpleNamespace(twist=twist))
