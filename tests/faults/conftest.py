"""Fixtures of the fault tests."""

import pytest
from faults import launch, write_config


@pytest.fixture(scope="session")
def reference(tmp_path_factory):
    """The map of an uninterrupted run, and the configuration of all runs."""
    folder = tmp_path_factory.mktemp("reference")
    config = write_config(folder)
    process = launch(config, folder / "run", 1, "--threads", "1")
    output, _ = process.communicate(timeout=300)
    assert process.returncode == 0, output
    return config, folder / "run" / "map.h5"
