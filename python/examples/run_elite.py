"""Runs an elite of a map in its domain, in Python: run_elite.py MAP [--cell best]

With --trajectory the episode starts in the state recorded there (by mees_replay --trajectory), and
the fitness over its first --steps steps is compared with the recorded one: exit code 1 if they
differ by more than 1e-4. The physics is the same to the last bit, the actions to about 1e-7
(float32, summed in another order); how far that carries depends on the robot: one that tumbles
doubles every difference within a few steps.
"""

import argparse
import sys

import domains
import h5py
import numpy as np

import mees


def run(environment, policy, steps=None, **start):
    """One episode: (fitness, BC, steps taken)."""
    observation, info = environment.reset(**start)
    while steps is None or environment.steps < steps:
        observation, _, terminated, truncated, info = environment.step(policy(observation))
        if terminated or truncated:
            break
    return info["fitness"], info["bc"], environment.steps


def recorded_fitness(trajectory, environment, steps):
    """The fitness that the recording has after its first `steps` steps."""
    rewards = trajectory["reward"][:steps]
    return float(rewards[-1] if environment.fitness_is_last_reward else np.sum(rewards))


def largest_action_difference(trajectory, policy):
    """Between the recorded actions and what the policy does on the recorded observations."""
    seen = np.vstack([trajectory["initial_observation"][...], trajectory["observation"][:-1]])
    return float(np.abs(policy(seen) - trajectory["action"]).max())


def compare(environment, policy, path, steps):
    """(our fitness, recorded fitness, steps, largest action difference) from the recorded start."""
    with h5py.File(path) as trajectory:
        start = {name: trajectory[f"initial_{name}"][...] for name in ("qpos", "qvel")}
        fitness, _, taken = run(environment, policy, steps, options=start)
        recorded = recorded_fitness(trajectory, environment, taken)
        return fitness, recorded, taken, largest_action_difference(trajectory, policy)


def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("map", help="map.h5 or a run folder")
    parser.add_argument("--cell", default="best", help="best, or a cell's number")
    parser.add_argument("--episodes", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--models", default=domains.MODELS, help="folder of the models (*.xml)")
    parser.add_argument("--trajectory", help="recorded episode to compare with")
    parser.add_argument("--steps", type=int, default=100, help="how much of it to compare")
    options = parser.parse_args(arguments)

    with mees.open_map(options.map) as elites:
        cell = options.cell if options.cell == "best" else int(options.cell)
        elite, policy = elites[elites.cell[elites.row(cell)]], elites.policy(cell)
        environment = domains.make(elites.domain, elites.settings["domain"], options.models)
        if environment.model_sha256() != elites.attributes["model_sha256"]:
            print("note: the map was made with another model or version of MuJoCo")

    if options.trajectory:
        ours, theirs, taken, apart = compare(environment, policy, options.trajectory, options.steps)
        print(f"fitness after {taken} steps: {ours:.9g} here, {theirs:.9g} recorded")
        print(f"actions on the recorded observations differ by at most {apart:.2g}")
        return 0 if abs(ours - theirs) <= 1e-4 else 1

    print(f"cell {elite.cell}: fitness {elite.fitness:.6g} +- {elite.fitness_std:.3g} in the map")
    for episode in range(options.episodes):
        fitness, bc, taken = run(environment, policy, seed=options.seed + episode)
        print(f"episode {episode}: fitness {fitness:.6g}, BC {np.round(bc, 3)}, {taken} steps")
    return 0


if __name__ == "__main__":
    sys.exit(main())
