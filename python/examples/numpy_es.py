"""Plain ES on Ant in numpy alone, for comparison with `algorithm.name = "es"`.

The update is that of Salimans et al. 2017 with the settings of configs/ant_small.toml. It shares
only the model and the description of Ant with mees; noise comes from numpy.
Prints a line per generation: generation, steps so far, mean fitness of the controller over 10
episodes.

    python numpy_es.py [--generations N] [--seed S] [--hidden-norm 0.01] > curve.csv
"""

import argparse
from pathlib import Path

import numpy as np

from mees import Environment

MODELS = Path(__file__).resolve().parents[2] / "lib" / "mees" / "sim" / "models"

SIZES = (27, 64, 64, 8)
POPULATION, SIGMA, RATE, DECAY = 160, 0.02, 0.01, 0.005
ACTION_NOISE, OBSERVED, TESTS = 0.01, 0.1, 10


def initial(rng, hidden_norm):
    """Each hidden unit's incoming weights have norm `hidden_norm`, those of the outputs 0.01."""
    parts = []
    for inputs, outputs, norm in zip(SIZES, SIZES[1:], (hidden_norm, hidden_norm, 0.01)):
        weights = rng.standard_normal((inputs, outputs))
        parts += [(norm / np.linalg.norm(weights, axis=0) * weights).ravel(), np.zeros(outputs)]
    return np.concatenate(parts)


def layers(theta):
    taken, at = [], 0
    for inputs, outputs in zip(SIZES, SIZES[1:]):
        weights = theta[at : at + inputs * outputs].reshape(inputs, outputs)
        at += inputs * outputs
        taken.append((weights, theta[at : at + outputs]))
        at += outputs
    return taken


class Normaliser:
    """Running mean and variance of the observations."""

    def __init__(self):
        self.count, self.sum, self.squares = 1e-2, np.zeros(SIZES[0]), np.full(SIZES[0], 1e-2)

    def add(self, seen):
        self.count += len(seen)
        self.sum += np.sum(seen, axis=0)
        self.squares += np.sum(np.square(seen), axis=0)

    def freeze(self):
        mean = self.sum / self.count
        return mean, np.sqrt(np.maximum(self.squares / self.count - mean**2, 1e-2))


def episode(ant, theta, scale, rng, noise):
    """The fitness of one episode and its observations."""
    (mean, std), net = scale, layers(theta)
    seen, done = [ant.reset()[0]], False
    while not done:
        x = (seen[-1] - mean) / std
        for weights, biases in net:
            x = np.tanh(x @ weights + biases)
        observation, _, fallen, over, info = ant.step(x + noise * rng.standard_normal(len(x)))
        seen.append(observation)
        done = fallen or over
    return info["fitness"], seen[:-1]


def ranks(values):
    """Centred ranks in [-0.5, 0.5]."""
    places = np.empty(values.size)
    places[values.ravel().argsort()] = np.arange(values.size)
    return (places / (values.size - 1) - 0.5).reshape(values.shape)


def main(generations, seed, hidden_norm):
    rng = np.random.default_rng(seed)
    task = (MODELS / "ant.toml").read_text()
    task = task.replace("episode_steps = 1000", 'episode_steps = 250\nintegrator = "euler"')
    ant = Environment((MODELS / "ant.xml").read_text(), task)
    ant.reset(seed=seed)
    theta, normaliser, steps = initial(rng, hidden_norm), Normaliser(), 0
    first, second = np.zeros_like(theta), np.zeros_like(theta)
    print("generation,steps,fitness")
    for generation in range(1, generations + 1):
        noise = rng.standard_normal((POPULATION // 2, theta.size))
        fitness, scale = np.empty((POPULATION // 2, 2)), normaliser.freeze()
        for pair, eps in enumerate(noise):
            for half, sign in enumerate((SIGMA, -SIGMA)):
                child = theta + sign * eps
                fitness[pair, half], seen = episode(ant, child, scale, rng, ACTION_NOISE)
                steps += len(seen)
                if rng.random() < OBSERVED:
                    normaliser.add(seen)
        weights = ranks(fitness)
        gradient = -(weights[:, 0] - weights[:, 1]) @ noise / len(noise) + DECAY * theta
        first = 0.9 * first + 0.1 * gradient
        second = 0.999 * second + 0.001 * gradient**2
        rate = RATE * np.sqrt(1 - 0.999**generation) / (1 - 0.9**generation)
        theta = theta - rate * first / (np.sqrt(second) + 1e-8)
        tests = [episode(ant, theta, normaliser.freeze(), rng, 0) for _ in range(TESTS)]
        steps += sum(len(seen) for _, seen in tests)
        print(f"{generation},{steps},{np.mean([score for score, _ in tests]):.2f}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--generations", type=int, default=130)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--hidden-norm", type=float, default=1)
    main(**vars(parser.parse_args()))
