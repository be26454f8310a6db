"""Process domains in every program: the same bits on any number of ranks and after a stop."""

import shutil

import h5py
import numpy as np
import pytest
from environments import NUMPY, POINT, paths, process, train
from harness.configs import write_config
from harness.programs import refused, run, same_map
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
