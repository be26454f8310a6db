#!/usr/bin/env python3
"""Runs a controller that mees has exported on a robot with ROS 2: an example to start from.

    python3 mees_node.py --ros-args -r commands:=/effort_controller/commands
    ros2 service call /reset std_srvs/srv/Trigger     # begins an episode

The first episode begins when every input has a value. A chain of controllers starts with its first
link in each episode and keeps its last one to the end.

Reads deploy.yaml next to this file. `Policy` knows nothing of ROS: it takes the robot's state as a
dictionary, such as {"hip_1.position": 0.3, "root.qw": 1.0}, and returns a control per actuator.
Inputs that the robot does not measure must get a value in `UNMEASURED`: choose it deliberately.
"""

from pathlib import Path

UNMEASURED = {}  # such as {"torso.cfrc_ext[0]": 0.0}


class Policy:
    """The controller and what deploy.yaml says about its inputs and outputs."""

    def __init__(self, folder):
        import onnxruntime
        import yaml

        folder = Path(folder)
        self.deploy = yaml.safe_load((folder / "deploy.yaml").read_text())
        self.period = self.deploy["control_period"]
        self.inputs = self.deploy["observations"]
        self.outputs = self.deploy["actuators"]
        files = self.deploy.get("links") or [self.deploy["policy"]]
        self.links = [
            onnxruntime.InferenceSession(str(folder / name), providers=["CPUExecutionProvider"])
            for name in files
        ]
        self.steps = 0

    def reset(self):
        """Begins an episode: a chain of controllers starts with its first link again."""
        self.steps = 0

    def missing(self, state):
        """The inputs for which the state has no value."""
        return [entry["name"] for entry in self.inputs if entry["name"] not in state]

    def observation(self, state):
        values = []
        for entry in self.inputs:
            value = (state[entry["name"]] - entry["offset"]) / entry["scale"]
            if entry["clip"] is not None:
                value = min(max(value, -entry["clip"]), entry["clip"])
            values.append(value)
        return values

    def act(self, observation):
        """The network's outputs; called once per control period."""
        import numpy

        link = min(self.steps // self.deploy.get("chain_steps", 1), len(self.links) - 1)
        self.steps += 1
        inputs = {"observation": numpy.array([observation], dtype=numpy.float64)}
        return self.links[link].run(["action"], inputs)[0][0]

    def controls(self, state):
        """A control per actuator, in the order of deploy.yaml."""
        controls = []
        for output, action in zip(self.outputs, self.act(self.observation(state))):
            control = output["offset"] + output["scale"] * float(action)
            if output["lower"] is not None:
                control = min(max(control, output["lower"]), output["upper"])
            controls.append(control)
        return controls


def rotated(q, vector):
    """`vector` rotated by the quaternion (w, x, y, z)."""
    w, *axis = q
    cross = [
        axis[(i + 1) % 3] * vector[(i + 2) % 3] - axis[(i + 2) % 3] * vector[(i + 1) % 3]
        for i in range(3)
    ]
    again = [
        axis[(i + 1) % 3] * cross[(i + 2) % 3] - axis[(i + 2) % 3] * cross[(i + 1) % 3]
        for i in range(3)
    ]
    return [vector[i] + 2 * (w * cross[i] + again[i]) for i in range(3)]


def base_state(root, position, quaternion, linear, angular):
    """A floating base as MuJoCo describes it: the linear velocity in the world's frame, the angular
    velocity in the body's. Odometry has both in the body's."""
    values = [*position, *quaternion, *rotated(quaternion, linear), *angular]
    fields = ["x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz"]
    return {f"{root}.{field}": value for field, value in zip(fields, values)}


def node_class():
    """The node: subscribes to the robot's state, publishes a control per period."""
    from nav_msgs.msg import Odometry
    from rclpy.node import Node
    from sensor_msgs.msg import JointState
    from std_msgs.msg import Float64MultiArray
    from std_srvs.srv import Trigger

    class MeesNode(Node):
        def __init__(self):
            super().__init__("mees")
            self.policy = Policy(Path(__file__).resolve().parent)
            self.state = dict(UNMEASURED)
            self.root = self.declare_parameter("root", "root").value
            self.create_subscription(JointState, "joint_states", self.on_joints, 1)
            self.create_subscription(Odometry, "odom", self.on_odometry, 1)
            self.create_service(Trigger, "reset", self.on_reset)
            self.publisher = self.create_publisher(Float64MultiArray, "commands", 1)
            self.create_timer(self.policy.period, self.on_timer)

        def on_joints(self, message):
            for name, value in zip(message.name, message.position):
                self.state[f"{name}.position"] = value
            for name, value in zip(message.name, message.velocity):
                self.state[f"{name}.velocity"] = value

        def on_odometry(self, message):
            pose, twist = message.pose.pose, message.twist.twist
            p, q, v, w = pose.position, pose.orientation, twist.linear, twist.angular
            self.state |= base_state(
                self.root, (p.x, p.y, p.z), (q.w, q.x, q.y, q.z), (v.x, v.y, v.z), (w.x, w.y, w.z)
            )

        def on_reset(self, request, response):
            self.policy.reset()
            response.success = True
            response.message = "a new episode begins"
            return response

        def on_timer(self):
            if missing := self.policy.missing(self.state):
                self.get_logger().warning(
                    f"waiting for {', '.join(missing[:5])}", throttle_duration_sec=2.0
                )
                return
            self.publisher.publish(Float64MultiArray(data=self.policy.controls(self.state)))

    return MeesNode


def main():
    import rclpy

    rclpy.init()
    node = node_class()()
    try:
        rclpy.spin(node)
    except KeyboardInterrupt:
        pass
    finally:
        node.destroy_node()


if __name__ == "__main__":
    main()
