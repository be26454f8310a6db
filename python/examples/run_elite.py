"""Runs an elite of a map in its own domain, in Python: run_elite.py MAP [--cell best]

Episodes start in the same states as those of mees_replay with the same seed.

With --trajectory the episode starts in the recorded state (from mees_replay --trajectory), and the
fitness over its first --steps steps is compared with the recorded one: exit code 1 if they differ
by more than 1e-4. With the same version of MuJoCo, controller and physics are bit-identical, so
even a tumbling robot moves the same way.
"""

import argparse
import sys
from dataclasses import dataclass

import h5py
import numpy as np

import mees


@dataclass(frozen=True)
class Comparison:
    """An episode compared with a recorded one from the same initial state."""

    steps: int
    fitness: float
    recorded_fitness: float
    largest_action_difference: float
    largest_observation_difference: float


def run(environment, policy, steps=None, **start):
    """One episode: (fitness, BC, steps taken)."""
    observation, info = environment.reset(**start)
    while steps is None or environment.steps < steps:
        observation, _, terminated, truncated, info = environment.step(policy(observation))
        if terminated or truncated:
            break
    return info["fitness"], info["bc"], environment.steps


class Recorder:
    """A policy that stores its observations and actions."""

    def __init__(self, policy):
        self.policy, self.seen, self.done = policy, [], []

    def __call__(self, observation):
        self.seen.append(observation)
        self.done.append(self.policy(observation))
        return self.done[-1]


def compare(environment, policy, path, steps):
    """Runs the policy from the initial state recorded in a file, and compares the episodes."""
    recorder = Recorder(policy)
    with h5py.File(path) as trajectory:
        start = {name: trajectory[f"initial_{name}"][...] for name in ("qpos", "qvel")}
        steps = min(steps, len(trajectory["reward"]))
        fitness, _, taken = run(environment, recorder, steps, options=start)
        rewards = trajectory["reward"][:taken]
        actions = trajectory["action"][:taken]
        seen = np.vstack([trajectory["initial_observation"][...], trajectory["observation"][...]])
    last = environment.description["fitness"] == "last"
    recorded = rewards[-1] if last else np.sum(rewards)
    return Comparison(
        taken,
        float(fitness),
        float(recorded),
        float(np.abs(np.array(recorder.done) - actions).max()),
        float(np.abs(np.array(recorder.seen) - seen[:taken]).max()),
    )


def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("map", help="map.h5 or a run folder")
    parser.add_argument("--cell", default="best", help="best, or the number of a cell")
    parser.add_argument("--episodes", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--trajectory", help="recorded episode to compare with")
    parser.add_argument("--steps", type=int, default=100, help="number of steps to compare")
    options = parser.parse_args(arguments)

    with mees.open_map(options.map) as elites:
        cell = options.cell if options.cell == "best" else int(options.cell)
        elite, policy = elites[elites.cell[elites.row(cell)]], elites.policy(cell)
        environment = mees.make(elites)
        if environment.model_sha256() != elites.attributes["model_sha256"]:
            print("note: the map was made with another model or MuJoCo version")

    if options.trajectory:
        both = compare(environment, policy, options.trajectory, options.steps)
        print(
            f"fitness after {both.steps} steps: {both.fitness:.9g} here, "
            f"{both.recorded_fitness:.9g} recorded"
        )
        print(
            f"largest difference: actions {both.largest_action_difference:.2g}, "
            f"observations {both.largest_observation_difference:.2g}"
        )
        return 0 if abs(both.fitness - both.recorded_fitness) <= 1e-4 else 1

    print(f"cell {elite.cell}: fitness {elite.fitness:.6g} +- {elite.fitness_std:.3g} in the map")
    for episode in range(options.episodes):
        start = {"seed": options.seed, "options": {"episode": episode}}
        fitness, bc, taken = run(environment, policy, **start)
        print(f"episode {episode}: fitness {fitness:.6g}, BC {np.round(bc, 3)}, {taken} steps")
    return 0


if __name__ == "__main__":
    sys.exit(main())
