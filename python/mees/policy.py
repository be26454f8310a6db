"""The controller of an elite: a fully connected network in float32."""

from __future__ import annotations

import numpy as np


def parameter_count(layers) -> int:
    """Weights and biases of a network with these layer sizes (inputs first)."""
    return sum((before + 1) * after for before, after in zip(layers, layers[1:]))


def unpack(parameters, layers):
    """[(W, b), ...] as views of the flat vector: per layer W[in][out] row-major, then b."""
    parameters = np.asarray(parameters, dtype=np.float32)
    if parameters.shape != (parameter_count(layers),):
        raise ValueError(
            f"{parameters.size} parameters do not fit layers {tuple(layers)} "
            f"(they need {parameter_count(layers)})"
        )
    weights, start = [], 0
    for before, after in zip(layers, layers[1:]):
        middle, end = start + before * after, start + (before + 1) * after
        weights.append((parameters[start:middle].reshape(before, after), parameters[middle:end]))
        start = end
    return weights


class Policy:
    """Observation in, action out: the deterministic controller that mees evaluates.

    Calls with one observation (O,) give one action (A,); calls with (n, O) give (n, A). The
    observation is normalised in float64, rounded to float32 and, where `observation_clip` is above
    0, clipped to it on either side; all else is float32, with tanh after every layer, the output
    layer too. Adds no action noise and clamps no action.
    """

    def __init__(self, layers, parameters, observation_mean, observation_std, observation_clip=0.0):
        self.layers = tuple(int(size) for size in layers)
        self.weights = unpack(parameters, self.layers)
        self.observation_mean = np.array(observation_mean, dtype=np.float64)
        self.observation_std = np.array(observation_std, dtype=np.float64)
        self.observation_clip = np.float32(observation_clip)

    def normalise(self, observation) -> np.ndarray:
        """What the first layer sees: (observation - mean) / std as float32, clipped if so set."""
        observation = np.asarray(observation, dtype=np.float64)
        if observation.ndim not in (1, 2) or observation.shape[-1] != self.layers[0]:
            raise ValueError(
                f"an observation has {self.layers[0]} values; got an array of {observation.shape}"
            )
        scaled = (observation - self.observation_mean) / self.observation_std
        scaled = scaled.astype(np.float32)
        clip = self.observation_clip
        return np.clip(scaled, -clip, clip) if clip > 0 else scaled

    def __call__(self, observation) -> np.ndarray:
        signal = self.normalise(observation)
        for weight, bias in self.weights:
            signal = np.tanh(signal @ weight + bias)
        return signal

    def __repr__(self):
        return f"Policy({' x '.join(map(str, self.layers))})"
