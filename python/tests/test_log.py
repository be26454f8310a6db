"""mees.log: TensorBoard with its real writer (needs tensorboardX), the others with stand-ins."""

import shutil
import struct
import sys
import threading
import types
from pathlib import Path

import pytest

from mees import MissingPackageError, log

DATA = Path(__file__).resolve().parent / "data" / "maze"
ROWS = (DATA / "metrics.csv").read_text().splitlines(True)


@pytest.fixture
def run(tmp_path):
    folder = tmp_path / "maze-1"
    folder.mkdir()
    shutil.copy(DATA / "config.toml", folder)
    shutil.copy(DATA / "metrics.csv", folder)
    return folder


class Recorder:
    """A writer that remembers what it is sent."""

    def __init__(self, folder, name, settings):
        self.name, self.settings, self.steps, self.closed = name, settings, [], False
        Recorder.last = self

    def step(self, generation, values):
        self.steps.append((generation, values))

    def flush(self):
        pass

    def close(self):
        self.closed = True


@pytest.fixture
def recorded(monkeypatch):
    monkeypatch.setitem(log.WRITERS, "tensorboard", Recorder)
    return lambda: Recorder.last


def test_every_generation_is_sent_once(run, recorded):
    assert log.follow([run], tensorboard="x", once=True) == len(ROWS) - 1
    writer = recorded()
    assert writer.name == "maze-1" and writer.closed
    assert writer.settings["run.seed"] == 1 and writer.settings["domain.name"] == "point_maze"
    assert [generation for generation, _ in writer.steps] == list(range(len(ROWS) - 1))
    assert writer.steps[1][1]["best"] == float(ROWS[2].split(",")[8])
    assert "mode" not in writer.steps[0][1]


def test_a_line_being_written_waits(run, recorded):
    table = run / "metrics.csv"
    table.write_text("".join(ROWS[:4]) + ROWS[4].rstrip("\n")[:-3])
    follower = log.Follower(run, {"tensorboard": "x"})
    assert follower.update() == 3
    table.write_text("".join(ROWS[:6]))
    assert follower.update() == 2
    assert recorded().steps[3][1]["seconds"] == float(ROWS[4].split(",")[-1])
    table.write_text("".join(ROWS[:5]))  # resumed from an earlier state
    assert follower.update() == 0
    table.write_text("".join(ROWS[:8]))
    assert follower.update() == 2
    assert [generation for generation, _ in recorded().steps] == list(range(7))


def test_follows_until_the_run_has_finished(run, recorded):
    (run / "metrics.csv").write_text("")  # as it may be for a moment

    def finish():
        (run / "metrics.csv").write_text("".join(ROWS))
        (run / "FINISHED").touch()

    timer = threading.Timer(0.2, finish)
    timer.start()
    assert log.follow([run], tensorboard="x", seconds=0.05) == len(ROWS) - 1
    timer.join()


def test_command_line(run, recorded, capsys, tmp_path):
    assert log.main([str(run), "--tensorboard", "x", "--once"]) == 0
    assert f"sent {len(ROWS) - 1} generations of 1 run\n" == capsys.readouterr().out
    assert log.main([str(tmp_path), "--tensorboard", "x", "--once"]) == 3
    assert "no metrics.csv" in capsys.readouterr().err
    with pytest.raises(SystemExit) as ended:
        log.main([str(run)])
    assert ended.value.code == 2


def events(path):
    """The records of a TFRecord file: length, its checksum, data, its checksum."""
    content = path.read_bytes()
    while content:
        (length,) = struct.unpack("<Q", content[:8])
        yield content[12 : 12 + length]
        content = content[16 + length :]


def test_tensorboard(run, tmp_path):
    pytest.importorskip("tensorboardX", reason="the package tensorboardX is not installed")
    from tensorboardX.proto.event_pb2 import Event

    log.follow([run], tensorboard=tmp_path / "logs", once=True)
    (file,) = (tmp_path / "logs" / "maze-1").iterdir()
    found = {}
    for record in events(file):
        event = Event.FromString(record)
        for value in event.summary.value:
            found.setdefault(value.tag, {})[event.step] = value.simple_value
    assert found["best"][1] == pytest.approx(float(ROWS[2].split(",")[8]))
    assert sorted(found["coverage"]) == list(range(len(ROWS) - 1))


def test_wandb_is_used_offline(run, tmp_path, monkeypatch):
    calls = []

    class Run:
        def log(self, values, step):
            calls.append((step, values["best"]))

        def finish(self):
            calls.append("finished")

    def init(**options):
        calls.append(options)
        return Run()

    monkeypatch.setitem(sys.modules, "wandb", types.SimpleNamespace(init=init))
    log.follow([run], wandb=tmp_path / "logs", once=True)
    assert calls[0]["mode"] == "offline" and calls[0]["name"] == "maze-1"
    assert calls[0]["config"]["es.population"] == 40
    assert calls[2] == (1, float(ROWS[2].split(",")[8]))
    assert calls[-1] == "finished" and len(calls) == len(ROWS) + 1


def test_mlflow(run, tmp_path, monkeypatch):
    calls = []

    class Client:
        def __init__(self, tracking_uri):
            calls.append(tracking_uri)

        def get_experiment_by_name(self, name):
            return None

        def create_experiment(self, name):
            return "7"

        def create_run(self, experiment, run_name):
            calls.append((experiment, run_name))
            return types.SimpleNamespace(info=types.SimpleNamespace(run_id="r"))

        def log_param(self, run, key, value):
            assert run == "r" and len(value) <= 500

        def log_metric(self, run, key, value, step):
            calls.append((key, value, step))

        def set_terminated(self, run):
            calls.append("terminated")

    monkeypatch.setitem(sys.modules, "mlflow", types.SimpleNamespace(MlflowClient=Client))
    log.follow([run], mlflow=tmp_path / "logs", once=True)
    assert calls[0] == f"sqlite:///{tmp_path / 'logs' / 'mlflow.db'}" and calls[1] == (
        "7",
        "maze-1",
    )
    assert ("best", float(ROWS[2].split(",")[8]), 1) in calls
    assert calls[-1] == "terminated"


@pytest.mark.parametrize("tool", ["wandb", "mlflow"])
def test_a_missing_package_is_named(run, tool, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, tool, None)
    with pytest.raises(MissingPackageError, match=f"pip install {tool}"):
        log.follow([run], once=True, **{tool: tmp_path})
