import h5py
import numpy as np
import pytest
import synthetic

import mees

TRIALS = [(0, 42, 401.5, 9.0, 287.5), (1, 7, 300.0, 4.0, 310.25)]


def test_columns_and_the_asked_trial_match_the_file(tmp_path):
    trials = mees.Trials(synthetic.write_trials(tmp_path / "adapt.h5", TRIALS, (1, 9, 320.0, 2.5)))
    assert len(trials) == 2
    assert trials.maps == ("a" * 64, "b" * 64)
    assert (list(trials.map), list(trials.cell)) == ([0, 1], [42, 7])
    assert list(trials.predicted) == [401.5, 300] and list(trials.variance) == [9, 4]
    assert list(trials.fitness) == [287.5, 310.25]
    asked = trials.asked
    assert (asked.map, asked.cell, asked.predicted, asked.variance) == (1, 9, 320, 2.5)


def test_without_trials_and_without_an_asked_trial(tmp_path):
    path = tmp_path / "adapt.h5"
    assert len(mees.Trials(synthetic.write_trials(path, [], (0, 3, 1.0, 1.0), maps=1))) == 0
    assert mees.Trials(synthetic.write_trials(path, TRIALS)).asked is None


@pytest.mark.parametrize(
    "change, words",
    [
        (lambda file: file.__delitem__("trials/fitness"), "dataset /trials/fitness is missing"),
        (lambda file: file["trials/cell"].resize(1, axis=0), "/trials/cell has the wrong shape"),
        (lambda file: file["trials/map"].write_direct(np.array([0, 2])), "map that is not listed"),
        (lambda file: file["trials"].attrs.__setitem__("asked_map", -1), "map that is not listed"),
        (lambda file: file["trials"].attrs.__delitem__("asked_variance"), "asked_variance"),
        (lambda file: file.attrs.__delitem__("map_sha256"), "map_sha256"),
    ],
)
def test_damaged_files_are_refused(tmp_path, change, words):
    path = synthetic.write_trials(tmp_path / "adapt.h5", TRIALS, (1, 9, 320.0, 2.5))
    with h5py.File(path, "r+") as file:
        change(file)
    with pytest.raises(mees.DamagedFileError, match=words):
        mees.Trials(path)


def test_trials_and_an_adaptation_are_distinguished(tmp_path):
    trials = synthetic.write_trials(tmp_path / "trials.h5", TRIALS)
    with pytest.raises(mees.NotAMapError, match="is not an adaptation .filetype is 'mees-trials'"):
        mees.Adaptation(trials)
    adaptation = synthetic.write_adaptation(tmp_path / "adapt.h5")
    with pytest.raises(mees.NotAMapError, match="filetype is 'mees-adaptation'"):
        mees.Trials(adaptation)
