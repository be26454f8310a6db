"""Fixtures of the fault tests."""

import pytest
from harness.configs import write_config
from harness.faults import TRAINING, train


@pytest.fixture(scope="session")
def reference(tmp_path_factory):
    """The map of an uninterrupted run, and the configuration of all runs."""
    folder = tmp_path_factory.mktemp("reference")
    config = write_config(folder, TRAINING)
    code, output = train(config, folder / "run", "--threads", "1")
    assert code == 0, output
    return config, folder / "run" / "map.h5"
