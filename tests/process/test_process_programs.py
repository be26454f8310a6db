"""Process domains in every program: the same bits on any number of ranks and after a stop."""

import shutil
import subprocess
import sys

import h5py
import numpy as np
import pytest
from environments import NUMPY, POINT, paths, process, train
from harness.configs import write_config
from harness.programs import ROOT, refused, run, same_map
from harness.replay import table


@pytest.fixture(scope="module", params=["c", "numpy"])
def trained(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    command = {"c": POINT, "numpy": NUMPY}[request.param]
    result = train(folder, process(command), "--threads", 2)
    assert result.returncode == 0, result.stderr
    assert "deterministic" not in result.stderr
    return folder, command


def same_results(one, other):
    """Whether all but the configuration and the clock is equal, and what is not."""
    with h5py.File(one) as a, h5py.File(other) as b:
        names = []
        a.visititems(lambda name, node: names.append(name) if hasattr(node, "shape") else None)
        different = [name for name in names if not name.startswith("timing/")
                     and not np.array_equal(a[name][...], b[name][...])]
    assert len(names) > 20
    return different


def test_same_bits_on_ranks_threads_and_in_batches(trained):
    folder, command = trained
    for name, domain, ranks in (("ranks", {}, 3), ("thread", {}, 0), ("batch", {"batch": 5}, 0),
                                ("ranks-batch", {"batch": 4}, 3)):
        options = () if ranks else ("--threads", 1)
        result = train(folder / name, process(command, **domain), *options, ranks=ranks)
        assert result.returncode == 0, result.stderr
        assert same_results(folder / "run" / "map.h5", folder / name / "run" / "map.h5") == [], name


def test_same_bits_after_a_stop(trained):
    folder, command = trained
    home = folder / "stopped"
    for generations in (1, 2):
        result = train(home, process(command), "--generations", generations, "--threads", 1)
        assert result.returncode == 0, result.stderr
    assert same_results(folder / "run" / "map.h5", home / "run" / "map.h5") == []


def test_replay_evaluate_and_adapt(trained):
    folder, command = trained
    path = folder / "run" / "map.h5"
    env = paths(folder)
    replayed = run("mees_replay", path, "--episodes", 3, env=env)
    assert replayed.returncode == 0, replayed.stderr
    rows = table(replayed.stdout)
    assert len(rows) >= 3 and "forward" in replayed.stdout and "effort" in replayed.stdout
    shorter = run("mees_replay", path, "--episodes", 1, "--set", "domain.episode_steps=7", env=env)
    assert table(shorter.stdout)["0"]["steps"] == "7"
    out = {}
    for ranks in (0, 3):
        out[ranks] = folder / f"evaluated{ranks}.h5"
        result = run("mees_evaluate", path, "--episodes", 2, "--out", out[ranks], ranks=ranks,
                     env=env)
        assert result.returncode == 0, result.stderr
    assert same_map(out[0], out[3])[0]
    refined = run("mees_refine", path, "--cells", "filled", "--steps", 2, "--population", 2,
                  "--out", folder / "refined.h5", ranks=3, env=env)
    assert refined.returncode == 0, refined.stderr
    options = (path, "--damage", "J0", "--trials", 2, "--score-episodes", 2, "--force")
    adapted = run("mees_adapt", *options, "--out", folder / "adapt.h5", env=env)
    if command == POINT:
        refused(adapted, "mees_adapt", 2, "invalid damage \"J0\"", "a point cannot be damaged")
    else:
        assert adapted.returncode == 0, adapted.stderr
        assert (folder / "adapt.csv").exists()
        refused(run("mees_replay", path, "--damage", "knee", env=env), "mees_replay", 2,
                "knee", "known: J0, J1")


def test_a_command_of_someone_else_is_not_run(trained, tmp_path):
    folder, command = trained
    path = tmp_path / "map.h5"
    shutil.copy(folder / "run" / "map.h5", path)
    stranger = {**paths(folder), "XDG_STATE_HOME": str(tmp_path / "state")}
    for program, options in (("mees_replay", ["--episodes", 1]),
                             ("mees_evaluate", ["--episodes", 1]),
                             ("mees_refine", ["--cells", 0, "--out", tmp_path / "new.h5"]),
                             ("mees_adapt", ["--damage", "J0"])):
        refused(run(program, path, *options, env=stranger), program, 3, "--allow-command",
                "you have not trained with this command")
    allowed = run("mees_replay", path, "--episodes", 1, "--allow-command", env=stranger)
    assert allowed.returncode == 0, allowed.stderr
    named = run("mees_replay", path, "--episodes", 1, "--set",
                f"domain.command={','.join(command)}", env=stranger)
    assert named.returncode == 0, named.stderr
    other = NUMPY if command == POINT else POINT
    refused(run("mees_replay", path, "--set", f"domain.command={','.join(other)}", env=stranger),
            "mees_replay", 3, "its BC is")
    assert run("mees_inspect", "summary", path, env=stranger).returncode == 0
    assert run("mees_inspect", "verify", path, env=stranger).returncode == 0


RANDOM = """
import numpy as np, mees

class Random:
    observation_space, action_space = 1, 1
    def reset(self, *, seed):
        return np.random.uniform(size=1), {}
    def step(self, action):
        return np.random.uniform(size=1), 1.0, False, False, {}

mees.serve(Random, bc=lambda env, info: [0.5], bc_names=["x"], bc_lower=[0], bc_upper=[1],
           episode_steps=5)
"""


def test_check_domain(trained, tmp_path):
    folder, command = trained
    env = paths(tmp_path)
    config = write_config(tmp_path, process(command))
    same = run("mees_replay", "--check-domain", config, env=env)
    assert same.returncode == 0 and "is deterministic" in same.stdout, same.stderr
    (tmp_path / "random_env.py").write_text(RANDOM)
    config = write_config(tmp_path, process([NUMPY[0], "random_env.py"]))
    other = run("mees_replay", "--check-domain", config, env=env)
    assert other.returncode == 1 and "not deterministic: episode 0" in other.stdout, other.stderr
    warned = train(tmp_path, process([NUMPY[0], "random_env.py"]))
    assert warned.returncode == 0, warned.stderr
    assert warned.stderr.count("the environment is not deterministic") == 1


def test_sizes_and_bounds_come_from_the_environment(tmp_path):
    config = write_config(tmp_path, process(NUMPY))
    env = paths(tmp_path)
    preview = run("mees_master", config, "--dry-run", env=env)
    assert preview.returncode == 0, preview.stderr
    found = dict(line.split(None, 1) for line in preview.stdout.splitlines() if line)
    assert found["parameters"] == str(4 * 8 + 8 + 8 * 2 + 2)
    refused(run("mees_master", config, "--dry-run", "--set", "domain.command=", env=env),
            "mees_master", 2, "missing domain.command")
    refused(run("mees_master", config, "--dry-run", "--set", "map.bins=3", env=env),
            "mees_master", 2, "map.bins")


def frames_of(path, width, height):
    """The decoded frames of a video or an image, frames x height x width x 3."""
    raw = subprocess.run(["ffmpeg", "-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt",
                          "rgb24", "-vsync", "passthrough", "-"], capture_output=True, check=True)
    return np.frombuffer(raw.stdout, np.uint8).reshape(-1, height, width, 3).astype(int)


def discs(frames):
    """Of each frame, where the centre of what is red is, in pixels."""
    red = (frames[..., 0] > 150) & (frames[..., 1] < 110) & (frames[..., 2] < 110)
    assert red.any(axis=(1, 2)).all()
    return np.array([np.argwhere(frame).mean(axis=0) for frame in red])


@pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="ffmpeg is not installed")
def test_an_environment_that_draws_itself_is_filmed(trained, tmp_path):
    folder, command = trained
    path, env = folder / "run" / "map.h5", paths(folder)
    if command == POINT:
        refused(run("mees_replay", path, "--video", tmp_path / "no.mp4", env=env), "mees_replay", 2,
                "video")
        assert not (tmp_path / "no.mp4").exists()
        return
    steps = int(table(run("mees_replay", path, "--episodes", 1, env=env).stdout)["0"]["steps"])
    # The point is where its BC says at the end: 20 pixels per unit, the origin in the middle.
    replayed = run("mees_replay", path, "--episodes", 1, "--video", tmp_path / "a.mp4", env=env)
    assert replayed.returncode == 0, replayed.stderr
    row = table(replayed.stdout)["0"]
    last = np.array([99.5 - 19.9 * float(row["y"]), 99.5 + 19.9 * float(row["x"])])
    for kind in ("mp4", "gif"):
        video = tmp_path / f"a.{kind}"
        run("mees_replay", path, "--episodes", 1, "--force", "--video", video, env=env)
        frames = frames_of(video, 200, 200)
        assert len(frames) == steps + 1
        centres = discs(frames)
        assert np.abs(centres[-1] - last).max() < 1.5, kind
        # It moves, and never more than it can in a control step.
        moved = np.abs(np.diff(centres, axis=0)).max(axis=1)
        assert np.abs(centres[-1] - centres[0]).max() > 2 and moved.max() < 15
    # Control steps of 0.1 s: every fourth one is 2.5 frames per second.
    slow = tmp_path / "slow.mp4"
    assert run("mees_replay", path, "--episodes", 1, "--video", slow, "--fps", 3,
               env=env).returncode == 0
    assert len(frames_of(slow, 200, 200)) == steps // 4 + 1
    strip = tmp_path / "strip.png"
    assert run("mees_replay", path, "--episodes", 1, "--video", strip, env=env).returncode == 0
    assert len(frames_of(strip, 600, 600)) == 1
    refused(run("mees_replay", path, "--video", tmp_path / "b.mp4", "--size", "640x360", env=env),
            "mees_replay", 2, "--size", "size of its own")
    assert not (tmp_path / "b.mp4").exists()


def test_a_copied_map_says_what_it_needs(trained, tmp_path):
    folder, command = trained
    path = tmp_path / "map.h5"
    shutil.copy(folder / "run" / "map.h5", path)
    steps = 50 if command == POINT else 40
    with h5py.File(path) as file:
        assert list(file["domain"]) == ["program"]
        stated = file["domain/program"].attrs
        assert (stated["observation_size"], stated["action_size"], stated["episode_steps"],
                stated["images"]) == (4, 2, steps, command != POINT)
        assert stated["seconds_per_step"] == 0.1 and stated["fitness"] == b"sum"
        assert list(stated["reward_terms"]) == [b"forward", b"effort"]
    summary = run("mees_inspect", "summary", path).stdout
    for word in (" ".join(command), "not in this file", f"{steps} control steps", "4 observations",
                 "forward, effort"):
        assert word in summary, summary
    sys.path.insert(0, str(ROOT / "python"))
    import mees

    with mees.Map(path) as elites:
        assert elites.domain == "process" and elites.domain.model is None
        assert elites.domain.program["reward_terms"] == ["forward", "effort"]
        with pytest.raises(mees.FileError, match=command[-1]):
            mees.make(elites)
    # mees_evaluate keeps it.
    evaluated = run("mees_evaluate", path, "--episodes", 1, "--out", tmp_path / "again.h5",
                    env=paths(folder))
    assert evaluated.returncode == 0, evaluated.stderr
    with h5py.File(tmp_path / "again.h5") as file:
        assert list(file["domain/program"].attrs["reward_terms"]) == [b"forward", b"effort"]


def test_exported_controllers_name_the_control_period(trained, tmp_path):
    """0.1 s, as the program states. In an ONNX file a note has the fields 1, its key, and 2, its
    value: a tag (field * 8 + 2), the length and the characters."""
    def note(key, value):
        return b"".join(bytes([tag, len(text)]) + text.encode()
                        for tag, text in ((0x0a, key), (0x12, value)))

    path = shutil.copy(trained[0] / "run" / "map.h5", tmp_path / "map.h5")
    for out, period in (("stated.onnx", True), ("unknown.onnx", False)):
        with h5py.File(path, "r+") as file:
            if not period:
                file["domain/program"].attrs["seconds_per_step"] = 0.0
        result = run("mees_inspect", "export", path, "--cell", "best", "--out", tmp_path / out)
        assert result.returncode == 0, result.stderr
        content = (tmp_path / out).read_bytes()
        assert note("domain", "process") in content
        assert (note("control_period", "0.1") in content) == period
        assert (b"control_period" in content) == period


def test_an_environment_that_has_changed_is_noticed(tmp_path):
    source = (ROOT / "python" / "examples" / "point_env.py").read_text()
    script, env = tmp_path / "env.py", paths(tmp_path)
    script.write_text(source)
    command = [NUMPY[0], str(script)]
    assert train(tmp_path, process(command)).returncode == 0
    script.write_text(source.replace('"effort"', '"cost"'))
    replayed = run("mees_replay", tmp_path / "run" / "map.h5", "--episodes", 1, env=env)
    assert replayed.returncode == 0 and "was forward, effort and is now forward, cost" in (
        replayed.stderr), replayed.stderr
    resumed = train(tmp_path, process(command), "--generations", 3)
    refused(resumed, "mees_master", 3, "cannot resume", "is now forward, cost")
