"""Spaces of Gymnasium as vectors of numbers, in a fixed order.

Observations: a Box is read row by row; a Discrete value becomes a one-hot vector, a MultiDiscrete
one such vector after the other; a MultiBinary its bits; Dict and Tuple are flattened in the order
of `space.spaces` (Gymnasium sorts the keys of a Dict). Actions are made from the controller's
outputs: -1..1 is mapped to a bounded Box and clipped to it, other Boxes get the outputs as they
are; a Discrete action is the index of the largest output, a MultiDiscrete one per part; a bit of a
MultiBinary is set where the output is positive. An integer n stands for a vector of n numbers.
"""

from __future__ import annotations

import numpy as np

from .errors import ArgumentError

LARGEST_RANK = 2  # arrays of more dimensions are images


def _kind(space):
    if isinstance(space, (int, np.integer)):
        return "vector"
    if hasattr(space, "spaces"):
        return "dict" if hasattr(space.spaces, "items") else "tuple"
    if hasattr(space, "nvec"):
        return "multidiscrete"
    name = type(space).__name__
    if hasattr(space, "n"):
        return "multibinary" if name == "MultiBinary" else "discrete"
    shape = getattr(space, "shape", None)
    if shape is None or len(shape) > LARGEST_RANK:
        raise ArgumentError(
            f"cannot use the space {space}",
            "mees needs vectors of numbers",
            "Wrap the environment, for example with gymnasium.wrappers.FlattenObservation.",
        )
    return "box"


def _one_hot(size, start=0):
    def encode(value):
        row = np.zeros(size)
        row[int(value) - start] = 1.0
        return row

    return encode


def observation_encoder(space):
    """A function that makes a vector of an observation, and the vector's size."""
    kind = _kind(space)
    if kind in ("dict", "tuple"):
        keys = list(space.spaces) if kind == "dict" else range(len(space.spaces))
        parts = [(key, *observation_encoder(space.spaces[key])) for key in keys]
        return (
            lambda value: np.concatenate([encode(value[key]) for key, encode, _ in parts]),
            sum(size for _, _, size in parts),
        )
    if kind == "discrete":
        return _one_hot(int(space.n), int(getattr(space, "start", 0))), int(space.n)
    if kind == "multidiscrete":
        sizes = [int(n) for n in np.ravel(space.nvec)]
        encoders = [_one_hot(n) for n in sizes]
        return (
            lambda value: np.concatenate([e(v) for e, v in zip(encoders, np.ravel(value))]),
            sum(sizes),
        )
    size = int(space) if kind == "vector" else int(np.prod(space.shape))

    def encode(value):
        return np.ascontiguousarray(value, dtype="<f8").reshape(size)

    return encode, size


def action_decoder(space):
    """A function that makes an action of a controller's outputs, and the number of outputs."""
    kind = _kind(space)
    if kind in ("dict", "tuple"):
        raise ArgumentError(
            f"cannot use the action space {space}",
            "it has parts",
            "Wrap the environment so that an action is one vector.",
        )
    if kind == "discrete":
        start = int(getattr(space, "start", 0))
        return lambda outputs: start + int(np.argmax(outputs)), int(space.n)
    if kind == "multidiscrete":
        sizes = [int(n) for n in np.ravel(space.nvec)]
        ends = np.cumsum(sizes)[:-1]
        return (
            lambda outputs: np.array([np.argmax(part) for part in np.split(outputs, ends)]),
            sum(sizes),
        )
    if kind == "multibinary":
        return lambda outputs: (outputs > 0).astype(np.int8).reshape(space.shape), int(
            np.prod(space.shape)
        )
    if kind == "vector":
        return np.array, int(space)
    return _box_decoder(space), int(np.prod(space.shape))


def _box_decoder(space):
    low = np.broadcast_to(np.asarray(space.low, dtype=np.float64), space.shape).ravel()
    high = np.broadcast_to(np.asarray(space.high, dtype=np.float64), space.shape).ravel()
    bounded = np.isfinite(low) & np.isfinite(high)
    offset, scale = np.zeros(len(low)), np.ones(len(low))
    offset[bounded] = (low[bounded] + high[bounded]) / 2
    scale[bounded] = (high[bounded] - low[bounded]) / 2
    dtype = getattr(space, "dtype", np.float64)

    def decode(outputs):
        action = np.clip(offset + scale * outputs, low, high)
        return action.astype(dtype).reshape(space.shape)

    return decode
