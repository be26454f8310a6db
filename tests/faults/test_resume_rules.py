"""Which checkpoints a run resumes from, and which it rejects without changing anything."""

import hashlib

import h5py
import pytest
from harness.configs import set_options, write_config
from harness.faults import TRAINING, train
from harness.programs import same_map


def state_of(folder):
    """Name and content of every file of a run, except the lock."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest()
            for path in folder.iterdir() if path.name != ".lock"}


def go(config, out, *options):
    return train(config, out, "--threads", 2, *options)


@pytest.fixture
def begun(tmp_path):
    config = write_config(tmp_path, TRAINING)
    code, output = go(config, tmp_path / "run", "--generations", "3")
    assert code == 0, output
    return config, tmp_path / "run"


@pytest.mark.parametrize("change, words", [
    ("es.sigma=0.03", ("es.sigma", "0.02", "0.03")),
    ("run.seed=2", ("run.seed", "1", "2")),
    ("policy.hidden=[32, 64]", ("policy.hidden",)),
    ("domain.name=sleep", ("domain.name", "point_maze", "sleep")),
    ("algorithm.name=nsra-es", ("algorithm.name",)),
    ("map.bins=[5, 5]", ("map.bins",)),
    ("noise.seed=1", ("noise.seed",)),
])
def test_another_configuration_is_refused(begun, change, words):
    config, out = begun
    before = state_of(out)
    code, output = go(config, out, *set_options(change))
    assert code == 3, output
    for word in words:
        assert word in output, output
    assert state_of(out) == before


@pytest.mark.parametrize("change", [
    "run.generations=4", "checkpoint.every_seconds=7", "checkpoint.every_generations=2",
    "checkpoint.keep=2", "log.level=debug",
])
def test_length_cadence_and_output_may_change(begun, change):
    config, out = begun
    code, output = go(config, out, "--set", change,
                      *(() if "run." in change else ("--generations", "4")))
    assert code == 0, output


def test_a_newer_format_is_refused_even_with_an_older_one_beside_it(begun):
    config, out = begun
    with h5py.File(out / "map.h5", "r+") as file:
        file.attrs["format_version"] = [2, 0]
    before = state_of(out)
    code, output = go(config, out)
    assert code == 3, output
    assert "format version is 2.0" in output and "1.x" in output
    assert state_of(out) == before


def test_a_newer_minor_version_is_read(begun):
    config, out = begun
    with h5py.File(out / "map.h5", "r+") as file:
        file.attrs["format_version"] = [1, 9]
        file.attrs["something_new"] = 1
        file.create_dataset("state/something_new", data=[1.0, 2.0])
    code, output = go(config, out, "--generations", "4")
    assert code == 0, output


def test_another_model_is_refused(begun):
    config, out = begun
    with h5py.File(out / "map.h5", "r+") as file:
        file.attrs["model_sha256"] = b"0" * 64
    before = state_of(out)
    code, output = go(config, out)
    assert code == 3 and "model" in output, output
    assert state_of(out) == before


def test_what_is_no_map_is_refused(begun):
    config, out = begun
    (out / "map.prev.h5").unlink()
    (out / "map.h5").write_text("not a map")
    before = state_of(out)
    code, output = go(config, out)
    assert code == 3 and "map.h5" in output, output
    assert state_of(out) == before


@pytest.mark.parametrize("dataset", ["map/parameters", "map/fitness", "state/emitter/theta",
                                     "novelty_archive/bc", "state/observation_sum"])
def test_a_changed_number_is_noticed(begun, dataset):
    """A value that was changed with its checksum put right is not what the run had."""
    config, out = begun
    with h5py.File(out / "map.h5", "r+") as file:
        values = file[dataset][...]
        values.flat[0] += 0.5
        file[dataset][...] = values
    code, output = go(config, out, "--generations", "4")
    assert code == 0, output
    assert f"/{dataset} is damaged" in output
    assert "resuming from" in output and "map.prev.h5" in output


def test_resume_from_the_older_one_ends_alike(begun, reference):
    config, out = begun
    (out / "map.h5").unlink()
    code, output = go(config, out)
    assert code == 0, output
    assert same_map(reference[1], out / "map.h5")[0]
