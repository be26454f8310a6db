"""The controller of an elite: a fully connected network in float32, bit-identical to mees's.

Every operation below is one that IEEE 754 rounds exactly, and they are in the same order as in
lib/mees/policy: the actions are equal, not only close, and so are the resulting episodes.
"""

from __future__ import annotations

import numpy as np

from .errors import ArgumentError

SATURATED = np.float32(9.02)
NUMERATOR = np.float32([5.09016473e-08, 3.16313926e-05, 0.00401052739, 0.137869671, 1])
DENOMINATOR = np.float32(
    [7.40137229e-10, 1.6206734e-06, 0.000421100471, 0.0277448706, 0.471202999, 1]
)


def parameter_count(layers) -> int:
    """Weights and biases of a network with these layer sizes (inputs first)."""
    return sum((before + 1) * after for before, after in zip(layers, layers[1:]))


def unpack(parameters, layers):
    """[(W, b), ...] as views of the flat vector: per layer W[in][out] row-major, then b."""
    parameters = np.asarray(parameters, dtype=np.float32)
    if parameters.shape != (parameter_count(layers),):
        raise ArgumentError(
            f"{parameters.size} parameters do not fit layers {tuple(layers)}",
            f"these need {parameter_count(layers)}",
        )
    weights, start = [], 0
    for before, after in zip(layers, layers[1:]):
        middle, end = start + before * after, start + (before + 1) * after
        weights.append((parameters[start:middle].reshape(before, after), parameters[middle:end]))
        start = end
    return weights


def tanh(values) -> np.ndarray:
    """The tanh of mees, a rational function: within 4e-7 of the true one, never beyond +-1."""
    inside = np.clip(np.asarray(values, dtype=np.float32), -SATURATED, SATURATED)
    square = inside * inside
    ratio = inside * _polynomial(NUMERATOR, square) / _polynomial(DENOMINATOR, square)
    return np.clip(ratio, np.float32(-1), np.float32(1))


def weighted_sum(inputs, weights, biases) -> np.ndarray:
    """biases + inputs @ weights, summed in the order of the inputs, starting with the bias."""
    if inputs.ndim == 1 and len(biases) > 1:
        # numpy adds row by row along the slow axis; along the fast axis it would sum pairwise.
        terms = np.empty((len(weights) + 1, len(biases)), dtype=np.float32)
        terms[0] = biases
        np.multiply(weights, inputs[:, None], out=terms[1:])
        return terms.sum(axis=0)
    sums = np.broadcast_to(biases, inputs.shape[:-1] + biases.shape).copy()
    for index, row in enumerate(weights):
        sums += inputs[..., index, None] * row
    return sums


class Policy:
    """Observation in, action out: the deterministic controller that mees evaluates.

    Calls with one observation (O,) give one action (A,); calls with (n, O) give (n, A). The
    observation is normalised in float64, rounded to float32 and, if `observation_clip` is above 0,
    clipped to +-`observation_clip`; everything else is float32, with tanh after every layer (not
    after the last one if `output` is "linear"). The actions are bit-identical to those of mees.
    Adds no action noise and does not clamp actions.
    """

    def __init__(
        self,
        layers,
        parameters,
        observation_mean,
        observation_std,
        observation_clip=0.0,
        output="tanh",
    ):
        self.output = output
        self.layers = tuple(int(size) for size in layers)
        self.weights = unpack(parameters, self.layers)
        self.observation_mean = np.array(observation_mean, dtype=np.float64)
        self.observation_std = np.array(observation_std, dtype=np.float64)
        self.observation_clip = np.float32(observation_clip)

    def reset(self):
        """Begins an episode: nothing to do, as the action depends on the observation alone."""

    def normalise(self, observation) -> np.ndarray:
        """The input of the first layer: (observation - mean) / std as float32, clipped if set."""
        observation = np.asarray(observation, dtype=np.float64)
        if observation.ndim not in (1, 2) or observation.shape[-1] != self.layers[0]:
            raise ArgumentError(
                f"invalid observation of shape {observation.shape}",
                f"it must have {self.layers[0]} values, or be a batch of such rows",
            )
        scaled = (observation - self.observation_mean) / self.observation_std
        scaled = scaled.astype(np.float32)
        clip = self.observation_clip
        return np.clip(scaled, -clip, clip) if clip > 0 else scaled

    def __call__(self, observation) -> np.ndarray:
        signal = self.normalise(observation)
        for weight, bias in self.weights[:-1]:
            signal = tanh(weighted_sum(signal, weight, bias))
        weight, bias = self.weights[-1]
        action = weighted_sum(signal, weight, bias)
        return action if self.output == "linear" else tanh(action)

    def __repr__(self):
        return f"Policy({' x '.join(map(str, self.layers))})"


class Chain:
    """Policies that act one after the other, each for `steps` calls and the last to the end.

    Call it once per control step, like a Policy (the rows of a batch are at the same step);
    `reset()` begins an episode with the first link again. `links` are the policies.
    """

    def __init__(self, links, steps):
        self.links = tuple(links)
        self.steps = int(steps)
        self.layers = self.links[-1].layers
        self._step = 0

    def reset(self):
        self._step = 0

    def __call__(self, observation) -> np.ndarray:
        link = self.links[min(self._step // self.steps, len(self.links) - 1)]
        action = link(observation)
        self._step += 1
        return action

    def __repr__(self):
        return f"Chain({len(self.links)} x {self.links[-1]!r}, {self.steps} steps each)"


def _polynomial(coefficients, values):
    """Horner's rule, highest power first."""
    total = np.full_like(values, coefficients[0])
    for coefficient in coefficients[1:]:
        total = total * values + coefficient
    return total
