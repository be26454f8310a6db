"""mees_adapt --ask and --tell: M-BOA with trials that are made elsewhere."""

import hashlib
import json
import os
import shutil
import subprocess
import time

import h5py
import numpy as np
import pytest
from harness.maps import ant
from harness.programs import ENVIRONMENT, ROOT, command_line, is_intact, refused, run

import mees

NAMES = ("cell", "predicted", "variance", "fitness")


def adapt(*arguments, **options):
    result = run("mees_adapt", *arguments, **options)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


@pytest.fixture
def folder(tmp_path):
    """The map in a folder of its own; adapt.h5 is next to it."""
    shutil.copy(ant(), tmp_path / "map.h5")
    return tmp_path


@pytest.fixture(scope="module", params=[(), ("--alpha", 0.9, "--rho", 0.3)], ids=["plain", "alpha"])
def simulated(request, tmp_path_factory):
    """Trials in simulation, and the answer."""
    out = tmp_path_factory.mktemp("simulated") / "adapt.h5"
    result = run("mees_adapt", ant(), "--damage", "J0,J1", "--trials", 8, "--score-episodes", 2,
                 "--out", out, *request.param)
    assert result.returncode == 0, result.stderr
    with h5py.File(out) as file:
        trials = {name: file[f"damage/J0,J1/seed_0/{name}"][:] for name in NAMES}
        return request.param, trials, int(file["results/answer_cell"][0])


def test_the_trials_of_a_simulated_adaptation(folder, simulated):
    """The same values in the same trials: the same cells, predictions and answer, bit for bit."""
    options, trials, answer = simulated
    first = ("--trials", 8, *options)
    for number, fitness in enumerate(trials["fitness"]):
        asked = adapt(folder, "--ask", *first)
        assert not asked["finished"] and asked["trial"] == number + 1
        assert [asked[name] for name in NAMES[:3]] == [trials[name][number] for name in NAMES[:3]]
        assert adapt(folder, "--ask") == asked
        told = adapt(folder, "--tell", repr(float(fitness)))
        assert (told["trial"], told["cell"]) == (number + 1, asked["cell"])
        assert told["fitness"] == fitness
        first = ()
    assert told["finished"]
    expected = "trials" if len(trials["fitness"]) == 8 else "alpha"
    assert told["stopped_by"] == expected
    final = adapt(folder, "--ask")
    assert final["finished"] and final["stopped_by"] == expected
    assert (final["cell"], final["trial"]) == (answer, len(trials["fitness"]))
    with h5py.File(folder / "adapt.h5") as file:
        for name in NAMES:
            assert np.array_equal(file[f"trials/{name}"][:], trials[name])
        page = (ROOT / "docs" / "map-format.md").read_text()
        assert all(f"`/trials/{name}`" in page for name in file["trials"])
        assert all(f"`{name}`" in page for name in (*file["trials"].attrs, *file.attrs))


def test_the_file_is_intact_and_readable(folder):
    """Before the first value, between two and at the end, as mees_inspect and Python see it."""
    told = []
    for value in (3.5, -1.25):
        asked = adapt(folder, "--ask", "--trials", 2)
        trials = mees.Trials(folder / "adapt.h5")
        assert is_intact(folder / "adapt.h5")
        assert (trials.asked.map, trials.asked.cell) == (0, asked["cell"])
        assert (trials.asked.predicted, trials.asked.variance) == (asked["predicted"],
                                                                   asked["variance"])
        assert [*zip(trials.cell, trials.fitness)] == told
        adapt(folder, "--tell", value)
        told.append((asked["cell"], value))
    trials = mees.Trials(folder / "adapt.h5")
    assert is_intact(folder / "adapt.h5") and trials.asked is None
    assert [*zip(trials.cell, trials.fitness)] == told
    assert trials.maps == (hashlib.sha256((folder / "map.h5").read_bytes()).hexdigest(),)


def test_a_damaged_file_is_reported(folder):
    adapt(folder, "--ask")
    with h5py.File(folder / "adapt.h5", "r+") as file:
        file["trials"].attrs["asked_map"] = 1
    result = run("mees_inspect", "verify", folder / "adapt.h5")
    assert result.returncode == 3 and "asked_map" in result.stdout + result.stderr, result


def test_the_controller_of_a_trial(folder):
    asked = adapt(folder, "--ask")
    result = run("mees_inspect", "export", ant(), "--cell", asked["cell"], "--out",
                 folder / "same.onnx")
    assert result.returncode == 0, result.stderr
    with open(asked["onnx"], "rb") as onnx:
        assert onnx.read() == (folder / "same.onnx").read_bytes()
    assert os.path.isabs(asked["onnx"])


def test_tell_needs_ask_and_a_finite_number(folder):
    refused(run("mees_adapt", folder, "--tell", 1), "mees_adapt", 2, "no trial has been asked for")
    assert os.listdir(folder) == ["map.h5"]
    adapt(folder, "--ask")
    before = (folder / "adapt.h5").read_bytes()
    # The density of the last one is not representable: its logarithm has the square of the value.
    for value in ("nan", "inf", "-inf", "1e999", "one", "", "1 2", "1e308"):
        refused(run("mees_adapt", folder, "--tell", value), "mees_adapt", 2, "--tell")
        assert (folder / "adapt.h5").read_bytes() == before
    assert adapt(folder, "--tell", "-12.5")["fitness"] == -12.5
    refused(run("mees_adapt", folder, "--tell", 3), "mees_adapt", 2, "since trial 1", "-12.5")
    # Both at once: the value of the last trial, then the next one.
    adapt(folder, "--ask")
    assert adapt(folder, "--tell", 3, "--ask")["trial"] == 3
    with h5py.File(folder / "adapt.h5") as file:
        assert list(file["trials/fitness"]) == [-12.5, 3]


def test_a_numbered_result_is_recorded_once(folder):
    """A call that could not print was recorded: repeated, it must not count for the next trial."""
    def fitness():
        with h5py.File(folder / "adapt.h5") as file:
            return list(file["trials/fitness"])

    adapt(folder, "--ask")
    command = (folder, "--tell", 5, "--trial", 1, "--ask")
    with open("/dev/full", "w") as full:
        lost = subprocess.run(command_line("mees_adapt", command), stdout=full, env=ENVIRONMENT,
                              stderr=subprocess.PIPE, text=True, check=False)
    assert lost.returncode == 1 and "cannot write all output" in lost.stderr, lost.stderr
    assert fitness() == [5]
    before = (folder / "adapt.h5").read_bytes()
    refused(run("mees_adapt", *command), "mees_adapt", 2, "invalid --trial 1",
            "its recorded value is 5", "the trial without a value is 2", "--ask")
    refused(run("mees_adapt", folder, "--tell", 6, "--trial", 3), "mees_adapt", 2,
            "the trial without a value is 2")
    refused(run("mees_adapt", folder, "--ask", "--trial", 2), "mees_adapt", 2, "--tell")
    assert (folder / "adapt.h5").read_bytes() == before
    asked = adapt(folder, "--ask")
    assert adapt(folder, "--tell", 6, "--trial", asked["trial"])["trial"] == 2
    refused(run("mees_adapt", folder, "--tell", 6, "--trial", 2), "mees_adapt", 2, "since trial 2")
    assert fitness() == [5, 6]


def test_a_call_that_tells_and_asks_is_recorded_once(folder):
    """Without --trial, the value of the last trial again may be a repetition of the lost call."""
    adapt(folder, "--ask")
    both = (folder, "--tell", 5, "--ask")
    first = run("mees_adapt", *both)
    assert first.returncode == 0 and json.loads(first.stdout)["trial"] == 2
    assert first.stderr == "mees_adapt: recorded 5 for trial 1\n"
    before = (folder / "adapt.h5").read_bytes()
    refused(run("mees_adapt", *both), "mees_adapt", 2, "value of trial 1", "add --trial 2")
    assert (folder / "adapt.h5").read_bytes() == before
    # With the number, the same value is that of the next trial; another value needs no number.
    assert adapt(*both, "--trial", 2)["trial"] == 3
    assert adapt(folder, "--tell", 6, "--ask")["trial"] == 4
    # A call that only tells is refused when it is repeated, whatever its value.
    assert adapt(folder, "--tell", 6)["trial"] == 4
    refused(run("mees_adapt", folder, "--tell", 6), "mees_adapt", 2, "since trial 4")
    assert list(mees.Trials(folder / "adapt.h5").fitness) == [5, 5, 6, 6]


def test_a_file_in_the_way_of_the_controllers(folder):
    (folder / "adapt_controllers").write_text("mine")
    refused(run("mees_adapt", folder, "--ask"), "mees_adapt", 3, "cannot create the folder",
            "adapt_controllers", "Choose another folder.")
    assert not (folder / "adapt.h5").exists()


def test_more_trials_continue(folder):
    adapt(folder, "--ask", "--trials", 1)
    assert adapt(folder, "--tell", 1)["finished"]
    assert adapt(folder, "--ask")["finished"]
    assert not adapt(folder, "--ask", "--trials", 2)["finished"]
    assert adapt(folder, "--tell", 1)["finished"]


def test_what_does_not_fit_is_refused(folder):
    def says(code, *words, arguments):
        refused(run("mees_adapt", folder, *arguments), "mees_adapt", code, *words)

    adapt(folder, "--ask", "--rho", 0.2)
    says(3, "--rho was 0.2 and is 0.5", arguments=("--ask", "--rho", 0.5))
    says(2, "--damage", arguments=("--ask", "--damage", "J0"))
    says(2, "--seeds", arguments=("--ask", "--seeds", 3))
    says(2, "--damage", arguments=())
    says(2, "--prior", arguments=("--damage", "J0", "--prior", ant()))
    says(3, "other maps", arguments=("--ask", "--prior", ant()))
    says(3, "adapt.h5", arguments=("--damage", "J0", "--trials", 1))
    with h5py.File(folder / "map.h5", "r+") as file:
        file["map/fitness"][0] += 1
    says(3, "other maps", arguments=("--ask",))


def test_results_of_simulated_trials_are_kept(folder):
    assert run("mees_adapt", folder, "--damage", "J0", "--trials", 1, "--score-episodes",
               2).returncode == 0
    before = (folder / "adapt.h5").read_bytes()
    refused(run("mees_adapt", folder, "--ask"), "mees_adapt", 3, "adapt.h5")
    assert (folder / "adapt.h5").read_bytes() == before
    adapt(folder, "--ask", "--out", folder / "robot.h5")


def test_killed_at_any_time(folder):
    """Whenever it dies, the state is the one before or the one after, and asking continues."""
    told = 0
    for delay in np.linspace(0.02, 0.3, 12):
        asked = adapt(folder, "--ask")
        assert asked["trial"] == told + 1
        for arguments in (("--ask",), ("--tell", "1.5")):
            process = subprocess.Popen(command_line("mees_adapt", (folder, *arguments)),
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(delay)
            process.kill()
            process.wait()
            with h5py.File(folder / "adapt.h5") as file:
                recorded = len(file["trials/fitness"])
                assert recorded in (told, told + 1)
                assert ("asked_cell" in file["trials"].attrs) == (recorded == told)
        told = recorded
    final = adapt(folder, "--ask")
    assert final["trial"] == told + 1
    assert run("mees_adapt", folder, "--ask", ranks=2).returncode == 0


def test_in_use(folder):
    import fcntl

    adapt(folder, "--ask")
    with open(folder / ".adapt.h5.lock", "r+") as lock:
        fcntl.lockf(lock, fcntl.LOCK_EX)
        refused(run("mees_adapt", folder, "--ask"), "mees_adapt", 3, "in use")
    adapt(folder, "--ask")


# Several maps

RHO, NOISE = 0.2, 0.05


def matern(a, b):
    s = np.sqrt(5) * np.linalg.norm(a[:, None] - b[None], axis=2) / RHO
    return (1 + s + s**2 / 3) * np.exp(-s)


def read_prior(path):
    with h5py.File(path) as file:
        group = file["map"]
        lower, upper = group.attrs["lower"], group.attrs["upper"]
        return group["cell"][:], (group["bc"][:] - lower) / (upper - lower), group["fitness"][:]


def test_the_map_that_explains_the_trials_wins(folder):
    """Maps of the intact and of a weak, damaged robot; likelihoods by NumPy."""
    damaged = folder / "damaged.h5"
    result = run("mees_evaluate", ant(), "--episodes", 2, "--set",
                 'domain.damage=["J0","J1","J2","J3","strength=0.3"]', "--out", damaged)
    assert result.returncode == 0, result.stderr
    paths = [folder / "map.h5", damaged]
    priors = [read_prior(path) for path in paths]
    lowest = min(fitness.min() for *_, fitness in priors)
    scale = max(fitness.max() for *_, fitness in priors) - lowest
    options = ("--prior", damaged)
    points, values, chosen = np.empty((0, priors[0][1].shape[1])), [], []
    first = ("--rho", RHO, "--noise-variance", NOISE)
    for _ in range(5):
        asked = adapt(folder, "--ask", *options, *first)
        first = ()
        likelihood = []
        for _, at, fitness in priors:
            if not values:
                likelihood.append(0.0)
                continue
            nearest = np.linalg.norm(points[:, None] - at[None], axis=2).argmin(axis=1)
            residual = (np.array(values) - fitness[nearest]) / scale
            covariance = matern(points, points) + NOISE * np.eye(len(values))
            likelihood.append(-0.5 * (residual @ np.linalg.solve(covariance, residual)
                                      + np.linalg.slogdet(2 * np.pi * covariance)[1]))
        assert asked["log_likelihood"] == pytest.approx(likelihood, rel=1e-9, abs=1e-9)
        best = int(np.argmax(likelihood))
        assert asked["map"] == str(paths[best])
        chosen.append(best)
        # What the map of the damaged robot says of the cell that is nearest: the truth here.
        cells, at, _ = priors[best]
        point = at[np.flatnonzero(cells == asked["cell"])[0]]
        truth = priors[1][2][np.linalg.norm(priors[1][1] - point, axis=1).argmin()]
        points, values = np.vstack([points, point]), [*values, truth]
        adapt(folder, "--tell", repr(float(truth)), *options)
    assert chosen[0] == 0 and chosen[-1] == 1


def test_maps_of_different_tasks_are_refused(folder):
    from harness.maps import maze

    refused(run("mees_adapt", folder, "--ask", "--prior", maze()), "mees_adapt", 3,
            "cannot be a prior")
