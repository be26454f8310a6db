"""mees.serve and mees.gym: spaces as vectors, behaviour characterisations, and the protocol as
docs/process-domain.md states it, spoken here by hand."""

import os
import socket
import struct
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from mees.errors import ArgumentError
from mees.gym import Behaviour
from mees.spaces import action_decoder, observation_encoder

PACKAGE = Path(__file__).resolve().parents[1]
HELLO, RESET, STEP, END, RENDER, CLOSE, FAILURE = range(1, 8)


def box(low, high, shape, dtype=np.float32):
    return SimpleNamespace(low=np.array(low), high=np.array(high), shape=shape, dtype=dtype)


def discrete(n, start=0):
    return SimpleNamespace(n=n, start=start)


def test_observations_become_vectors_in_a_stated_order():
    inner = SimpleNamespace(spaces=(discrete(3, start=1), box(-1, 1, (2, 2))))
    space = SimpleNamespace(
        spaces={"a": inner, "b": SimpleNamespace(nvec=[2, 3]), "c": box(0, 1, (1,))}
    )
    encode, size = observation_encoder(space)
    value = {"c": [0.5], "b": [1, 0], "a": (2, [[1, 2], [3, 4]])}
    vector = [0, 1, 0, 1, 2, 3, 4, 0, 1, 1, 0, 0, 0.5]
    assert size == 13 and list(encode(value)) == vector
    assert observation_encoder(4)[1] == 4
    with pytest.raises(ArgumentError, match="vectors"):
        observation_encoder(box(0, 255, (8, 8, 3)))


def test_actions_are_made_from_outputs():
    decode, size = action_decoder(box([-2, 0], [2, 1], (2,)))
    assert size == 2 and list(decode(np.array([0.5, -1.5]))) == [1, 0]
    exact, _ = action_decoder(box(-1, 1, (1,), np.float64))
    assert exact(np.array([0.1234567890123]))[0] == 0.1234567890123
    free, _ = action_decoder(box(-np.inf, np.inf, (1,), np.float64))
    assert free(np.array([7.0]))[0] == 7
    decode, size = action_decoder(discrete(3, start=5))
    assert size == 3 and decode(np.array([0.1, 0.9, 0.3])) == 6
    decode, size = action_decoder(SimpleNamespace(nvec=[2, 3]))
    assert size == 5 and list(decode(np.array([1, 0, 0, 0, 1]))) == [0, 2]
    with pytest.raises(ArgumentError, match="parts"):
        action_decoder(SimpleNamespace(spaces={"a": discrete(2)}))


def test_behaviour_of_info_and_observations():
    bc = Behaviour("final:x,obs[1]+mean:obs[0]+max:x")
    assert bc.names == ["final_x", "final_obs1", "mean_obs0", "max_x"]
    one, other = bc.recorder(), bc.recorder()
    for recorder in (one, other):
        recorder.begin(None, np.zeros(2), {})
    for step in range(1, 4):
        for recorder, factor in ((one, 1), (other, 10)):
            recorder.step(None, np.array([step, 2 * step]) * factor, {"x": factor * (5 - step)})
    assert one(None, {}) == [2, 6, 2, 4]
    assert other(None, {}) == [20, 60, 20, 40]
    one.begin(None, np.zeros(2), {})
    assert one(None, {}) == [0, 0, 0, 0]
    with pytest.raises(ArgumentError, match="info has the keys y"):
        one.step(None, np.zeros(2), {"y": 1})
    with pytest.raises(ArgumentError, match="entries"):
        one.step(None, np.zeros(1), {"x": 1})
    for wrong in ("x", "last:x", "final:"):
        with pytest.raises(ArgumentError, match="invalid --bc"):
            Behaviour(wrong)


class Client:
    """mees's side of the protocol."""

    def __init__(self, code):
        self.socket, theirs = socket.socketpair()
        setup = "import os; os.dup2({0}, 3); os.dup2({0}, 4)\n".format(theirs.fileno())
        paths = f"{PACKAGE}:{os.environ.get('PYTHONPATH', '')}"
        self.process = subprocess.Popen(
            [sys.executable, "-c", setup + code],
            pass_fds=[theirs.fileno()],
            env={**os.environ, "MEES_PROTOCOL": "1", "PYTHONPATH": paths},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        theirs.close()
        self.socket.settimeout(60)

    def ask(self, kind, payload=b""):
        self.socket.sendall(struct.pack("<II", kind, len(payload)) + payload)
        if kind == CLOSE:
            return None
        answered, size = struct.unpack("<II", self.receive(8))
        return answered, self.receive(size)

    def receive(self, size):
        data = b""
        while len(data) < size:
            part = self.socket.recv(size - len(data))
            assert part, self.process.communicate()[1].decode()
            data += part
        return data

    def end(self):
        self.ask(CLOSE)
        output, _ = self.process.communicate(timeout=30)
        self.socket.close()
        return self.process.returncode, output.decode()


ENVIRONMENT = """
import numpy as np, mees

class Counter:
    observation_space, action_space = 2, 1
    def __init__(self, damage=()):
        self.damage = damage
        if "broken" in damage:
            raise mees.DamageError("it would not count")
    def reset(self, *, seed):
        self.count = seed
        return np.array([self.count, len(self.damage)]), {}
    def step(self, action):
        print("a step")
        self.count += action[0]
        reward = {"one": 1, "action": action[0]}
        return np.array([self.count, 0]), reward, self.count > 100, False, {}
    def render(self):
        return np.arange(24, dtype=np.uint8).reshape(2, 4, 3)
    render_mode = "rgb_array"

mees.serve(Counter, bc=lambda env, info: [env.count], bc_names=["count"], bc_lower=[0],
           bc_upper=[9], bc_bins=[3], episode_steps=7)
"""


def hello(batch=1, steps=0, damage=()):
    words = b"".join(struct.pack("<I", len(word)) + word.encode() for word in damage)
    return struct.pack("<IIQI", 1, batch, steps, len(damage)) + words


def test_protocol():
    client = Client(ENVIRONMENT)
    kind, payload = client.ask(HELLO, hello(batch=2, damage=["J0"]))
    assert kind == HELLO
    assert struct.unpack_from("<IIIIIIQd", payload) == (1, 1, 2, 1, 2, 1, 7, 0.0)
    names = b"\3\0\0\0one" + b"\6\0\0\0action" + b"\5\0\0\0count"
    assert payload[40:] == names + struct.pack("<ddQ", 0, 9, 3)
    assert client.ask(RESET, struct.pack("<II", 0, 5)) == (RESET, struct.pack("<2d", 5, 1))
    assert client.ask(RESET, struct.pack("<II", 1, 99)) == (RESET, struct.pack("<2d", 99, 1))
    both = struct.pack("<IId", 1, 0, 2.0) + struct.pack("<IId", 0, 0, -1.0)
    answer = struct.pack("<4dQ", 101, 0, 1, 2, 1) + struct.pack("<4dQ", 4, 0, 1, -1, 0)
    assert client.ask(STEP, both) == (STEP, answer)
    assert client.ask(END, struct.pack("<I", 1)) == (END, struct.pack("<d", 101))
    image = struct.pack("<II", 4, 2) + bytes(range(24))
    assert client.ask(RENDER, struct.pack("<I", 0)) == (RENDER, image)
    code, output = client.end()
    assert code == 0 and output.count("a step") == 3


def test_damage_may_be_refused():
    client = Client(ENVIRONMENT)
    kind, payload = client.ask(HELLO, hello(damage=["broken"]))
    assert kind == FAILURE and payload[:4] == b"\1\0\0\0" and b"would not count" in payload
    assert client.process.wait(timeout=30) == 1


def test_an_exception_is_reported():
    client = Client(ENVIRONMENT.replace("self.count = seed", "raise RuntimeError('no seed')"))
    kind, payload = client.ask(HELLO, hello())
    assert kind == FAILURE and b"RuntimeError: no seed" in payload
    assert b"Traceback" in client.process.communicate(timeout=30)[1]


def test_serving_by_hand_is_explained():
    result = subprocess.run(
        [sys.executable, "-c", ENVIRONMENT],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(PACKAGE)},
        check=False,
    )
    assert result.returncode != 0 and "mees did not start this program" in result.stderr
