"""An environment in plain NumPy, served to mees: a point that is pushed on a plane with a wall.

[domain] name = "process", command = ["python3", "point_env.py"]
"""

import numpy as np

import mees


class Point:
    observation_space = 4
    action_space = 2

    def __init__(self, damage=()):
        unknown = set(damage) - {"J0", "J1"}
        if unknown:
            raise mees.DamageError(f"unknown: {', '.join(sorted(unknown))}; known: J0, J1")
        self.strength = np.array([f"J{axis}" not in damage for axis in range(2)], dtype=float)

    def reset(self, *, seed):
        self.position = np.random.default_rng(seed).uniform(-0.1, 0.1, 2)
        self.velocity = np.zeros(2)
        return self.observe(), {}

    def step(self, action):
        self.velocity = 0.9 * self.velocity + 0.5 * self.strength * action
        before = self.position[0]
        self.position = self.position + 0.1 * self.velocity
        if before < 1 <= self.position[0] and abs(self.position[1]) < 1:
            self.position[0], self.velocity[0] = 1.0 - 1e-6, 0.0
        reward = {"forward": self.position[0] - before, "effort": -0.01 * float(action @ action)}
        return self.observe(), reward, bool(np.abs(self.position).max() > 5), False, {}

    def observe(self):
        return np.concatenate([self.position, self.velocity])


if __name__ == "__main__":
    mees.serve(
        Point,
        bc=lambda env, info: env.position,
        bc_names=["x", "y"],
        bc_lower=[-5, -5],
        bc_upper=[5, 5],
        bc_bins=[20, 20],
        episode_steps=40,
    )
