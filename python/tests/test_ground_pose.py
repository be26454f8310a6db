"""The displacement of a robot as seen from its initial pose, with numbers derived by hand."""

import numpy as np

from mees.quantities import _ground_pose, _relative


def test_heading_on_the_ground():
    # A body that faces +y, then one whose x axis points straight up.
    facing_y = [0, -1, 0, 1, 0, 0, 0, 0, 1]
    np.testing.assert_allclose(_ground_pose([2, 3, 1], np.array(facing_y, float)), [2, 3, 0, 1])
    upright = [0, 0, 1, 0, 1, 0, -1, 0, 0]
    assert _ground_pose([2, 3, 1], np.array(upright, float)) == [2, 3, 1, 0]


def test_relative_pose():
    # From (1, 1) facing +y to (0, 3) facing -x: 2 m ahead, 1 m to the left, a quarter turn left.
    np.testing.assert_allclose(_relative([1, 1, 0, 1], [0, 3, -1, 0]), [2, 1, 0, 1], atol=1e-15)
