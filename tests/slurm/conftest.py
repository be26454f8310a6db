"""Fixtures of the tests on SLURM."""

import pytest
from clusters import cluster


@pytest.fixture(scope="module")
def lab():
    yield from cluster()
