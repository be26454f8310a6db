import fcntl

import h5py
import numpy as np
import pytest
import synthetic

import mees


def test_no_file_and_a_folder(tmp_path):
    with pytest.raises(mees.FileError, match="no such file"):
        mees.Map(tmp_path / "absent.h5")
    with pytest.raises(mees.FileError, match="it is a folder"):
        mees.Map(tmp_path)  # no run in it


@pytest.mark.parametrize("content", [b"", b"this is not a map\n" * 50])
def test_file_is_not_hdf5(tmp_path, content):
    path = tmp_path / "other.h5"
    path.write_bytes(content)
    with pytest.raises(mees.NotAMapError, match="is not a map"):
        mees.Map(path)


def test_foreign_hdf5_file(tmp_path):
    with h5py.File(tmp_path / "foreign.h5", "w") as file:
        file["data"] = np.arange(3)
    with pytest.raises(mees.NotAMapError, match="no attribute filetype"):
        mees.Map(tmp_path / "foreign.h5")


def test_map_and_adaptation_are_distinguished(tmp_path, maze_path):
    adaptation = synthetic.write_adaptation(tmp_path / "adapt.h5")
    with pytest.raises(mees.NotAMapError, match="filetype is 'mees-adaptation'"):
        mees.Map(adaptation)
    with pytest.raises(mees.NotAMapError, match="filetype is 'mees-map'"):
        mees.Adaptation(maze_path)


def test_newer_format_is_rejected_with_its_number(tmp_path):
    path = synthetic.write_map(tmp_path / "newer.h5")
    with h5py.File(path, "r+") as file:
        file.attrs["format_version"] = np.array([2, 3], dtype=np.int32)
    with pytest.raises(mees.NewerFormatError, match=r"format 2\.3 is newer than the 1\.x that"):
        mees.Map(path)


@pytest.mark.parametrize("share", [0.05, 0.3, 0.6, 0.9, 0.99])
def test_truncated_file_is_damaged(tmp_path, maze_path, share):
    intact = maze_path.read_bytes()
    path = tmp_path / "short.h5"
    path.write_bytes(intact[: int(share * len(intact))])
    with pytest.raises(mees.DamagedFileError, match="truncated"):
        mees.Map(path)


def test_flipped_bits_in_the_data_are_detected(tmp_path, maze_path, maze):
    raw = bytearray(maze_path.read_bytes())
    place = raw.find(maze.fitness.tobytes())
    assert place > 0
    raw[place + 11] ^= 0x40
    path = tmp_path / "flipped.h5"
    path.write_bytes(raw)
    with pytest.raises(mees.DamagedFileError, match="cannot read"):
        mees.Map(path)


def test_flipped_bits_in_a_controller_are_detected_when_it_is_read(tmp_path, maze_path, maze):
    raw = bytearray(maze_path.read_bytes())
    place = raw.find(maze.parameters[4].tobytes())
    assert place > 0
    raw[place] ^= 0x01
    path = tmp_path / "flipped.h5"
    path.write_bytes(raw)
    with mees.Map(path) as opened:
        opened.policy(maze.cell[3])
        with pytest.raises(mees.DamagedFileError):
            opened.policy(maze.cell[4])


def test_random_damage_raises_only_mees_errors(tmp_path, maze_path, maze):
    intact = maze_path.read_bytes()
    draw = np.random.default_rng(20200607)
    path = tmp_path / "damaged.h5"
    refused = 0
    for _ in range(150):
        raw = bytearray(intact)
        for place in draw.integers(0, len(raw), 3):
            raw[place] ^= 1 << int(draw.integers(0, 8))
        path.write_bytes(raw)
        try:
            with mees.Map(path) as opened:
                assert len(opened.parameters) == len(opened)
                assert len(opened.history) > 0
                np.testing.assert_array_equal(opened.fitness, maze.fitness)
        except mees.FileError:
            refused += 1
    assert refused > 50


@pytest.mark.parametrize("name", ["map/bc", "map/parameters", "map/observation_std"])
def test_a_missing_dataset_is_named(tmp_path, name):
    path = synthetic.write_map(tmp_path / "part.h5")
    with h5py.File(path, "r+") as file:
        del file[name]
    with pytest.raises(mees.DamagedFileError, match=f"dataset /{name} is missing"):
        mees.Map(path)


def test_datasets_of_wrong_shape_are_named(tmp_path):
    path = synthetic.write_map(tmp_path / "odd.h5")
    with h5py.File(path, "r+") as file:
        del file["map/fitness"]
        file["map/fitness"] = np.zeros(3)
    with pytest.raises(mees.DamagedFileError, match="/map/fitness has the wrong shape"):
        mees.Map(path)


def test_missing_attributes_are_named(tmp_path):
    path = synthetic.write_map(tmp_path / "bare.h5")
    with h5py.File(path, "r+") as file:
        del file["map"].attrs["layers"]
    with pytest.raises(mees.DamagedFileError, match="lacks layers"):
        mees.Map(path)


def test_run_folder_with_damaged_map_falls_back_to_previous_map(tmp_path):
    synthetic.write_map(tmp_path / "map.prev.h5", generations=30)
    intact = synthetic.write_map(tmp_path / "map.h5", generations=40).read_bytes()
    (tmp_path / "map.h5").write_bytes(intact[:-100])
    run = mees.open_run(tmp_path)
    assert run.map.generations == 30
    assert "showing map.prev.h5" in run.notes[0]
    (tmp_path / "map.prev.h5").unlink()
    with pytest.raises(mees.DamagedFileError):
        mees.open_run(tmp_path)


def test_locked_file_can_be_read(tmp_path):
    path = synthetic.write_map(tmp_path / "locked.h5")
    with open(path, "rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(OSError, match="lock"):
            h5py.File(path, "r")
        with mees.Map(path) as opened:
            assert len(opened) == len(opened.fitness) > 0
