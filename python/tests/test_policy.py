import math

import numpy as np
import pytest
import synthetic

import mees
from mees.policy import parameter_count, tanh, weighted_sum


def by_hand(layers, parameters, mean, std, observation):
    """The network in double precision, one number at a time, from the layout of the file."""
    signal = [(o - m) / s for o, m, s in zip(observation, mean, std)]
    start = 0
    for before, after in zip(layers, layers[1:]):
        bias = start + before * after
        signal = [
            math.tanh(
                sum(signal[i] * parameters[start + i * after + j] for i in range(before))
                + parameters[bias + j]
            )
            for j in range(after)
        ]
        start = bias + after
    return signal


def test_the_smallest_network_by_hand():
    # (3 - 1)/2 = 1 and (4 - 2)/4 = 0.5; 1 * 0.5 + 0.5 * -1 + 0.25 = 0.25.
    policy = mees.Policy((2, 1), [0.5, -1.0, 0.25], [1.0, 2.0], [2.0, 4.0])
    action = policy([3.0, 4.0])
    assert action.dtype == np.float32
    assert action == pytest.approx([math.tanh(0.25)], abs=1e-7)


def test_parameter_counts_of_the_paper():
    assert parameter_count((27, 256, 256, 8)) == 75_016
    assert parameter_count((29, 256, 256, 8)) == 75_528
    assert parameter_count((376, 256, 256, 17)) == 166_673


def test_every_elite_acts_according_to_its_rows(maze):
    observation = np.linspace(-2, 2, 5)
    for elite in maze:
        expected = by_hand(
            maze.layers,
            maze.parameters[elite.row].tolist(),
            maze.observation_mean[elite.row],
            maze.observation_std[elite.row],
            observation,
        )
        np.testing.assert_allclose(maze.policy(elite)(observation), expected, atol=2e-6)


def test_many_observations_at_once(ant):
    policy = ant.policy("best")
    batch = np.random.default_rng(5).normal(size=(17, 27))
    actions = policy(batch)
    assert actions.shape == (17, 8)
    for observation, action in zip(batch, actions):
        np.testing.assert_array_equal(policy(observation), action)


@pytest.mark.parametrize("outputs", [1, 2, 3, 8, 17, 256])
@pytest.mark.parametrize("inputs", [1, 2, 27, 300])
def test_sums_start_with_the_bias_in_the_order_of_the_inputs(inputs, outputs):
    draw = np.random.default_rng(outputs)
    signal, weights, biases = (
        draw.normal(size=size).astype(np.float32) for size in (inputs, (inputs, outputs), outputs)
    )
    expected = []
    for unit in range(outputs):
        total = biases[unit]
        for index in range(inputs):
            total = np.float32(total + np.float32(signal[index] * weights[index, unit]))
        expected.append(total)
    np.testing.assert_array_equal(weighted_sum(signal, weights, biases), expected)
    np.testing.assert_array_equal(weighted_sum(signal[None], weights, biases), [expected])


def test_tanh_is_accurate_and_bounded():
    values = np.linspace(-12, 12, 200_001, dtype=np.float32)
    true = np.tanh(values.astype(np.float64))
    assert np.abs(tanh(values) - true).max() < 4e-7
    small = (np.abs(values) < 1) & (values != 0)
    assert np.abs(tanh(values[small]) / true[small] - 1).max() < 4e-7
    assert np.abs(tanh(values)).max() == 1
    np.testing.assert_array_equal(tanh(-values), -tanh(values))
    np.testing.assert_array_equal(tanh(np.float32([0, 1e-30, np.inf])), np.float32([0, 1e-30, 1]))
    assert np.isnan(tanh(np.float32([np.nan])))[0]


def test_network_of_the_unit_test_gives_identical_bits():
    """tests/policy/test_network.cpp compares the C++ network with the same numbers."""
    count = parameter_count((5, 19, 11, 3))
    parameters = ((np.arange(count) * 7919) % 2003 - 1001) / 2500
    action = mees.Policy((5, 19, 11, 3), parameters, np.zeros(5), np.ones(5))(
        [0.3, -1.7, 2.5, 0.01, -4]
    )
    bits = ["0x1.5899f20000000p-3", "0x1.2192a80000000p-3", "0x1.1a4a040000000p-1"]
    assert [float(value).hex() for value in action] == bits


def test_inputs_are_normalised_in_double_precision():
    # In float32, 1e8 + 1 is 1e8: the difference to the mean would be lost.
    policy = mees.Policy((1, 1), [1.0, 0.0], [1e8], [2.0])
    assert policy.normalise([1e8 + 1]) == pytest.approx([0.5])
    assert policy.normalise([1e8 + 1]).dtype == np.float32


def test_inputs_are_clipped_only_if_the_run_did(tmp_path, maze):
    wild = np.full(5, 1e6)
    assert np.abs(maze.policy().normalise(wild)).max() > 1e5
    with mees.Map(synthetic.write_map(tmp_path / "clip.h5", clip=5.0)) as clipped:
        np.testing.assert_array_equal(clipped.policy().normalise(wild), np.full(5, 5.0))
        np.testing.assert_array_equal(clipped.policy().normalise(-wild), np.full(5, -5.0))


def test_wrong_sizes_are_rejected(maze):
    with pytest.raises(ValueError, match="must have 5 values"):
        maze.policy()(np.zeros(6))
    with pytest.raises(ValueError, match="3 parameters do not fit"):
        mees.Policy((2, 2), [1, 2, 3], [0, 0], [1, 1])
