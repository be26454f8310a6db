"""An environment in plain NumPy, served to mees: a point that is pushed on a plane with a wall. It
draws itself, so that mees_replay --video can film it.

[domain] name = "process", command = ["python3", "point_env.py"]
"""

import numpy as np

import mees


class Point:
    observation_space = 4
    action_space = 2
    render_mode = "rgb_array"
    metadata = {"render_fps": 10}

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

    def render(self):
        """The square -5..5 from above: the wall is grey, the point is a red disc."""
        x, y = np.meshgrid(np.linspace(-5, 5, 200), np.linspace(5, -5, 200))
        image = np.full((200, 200, 3), 255, dtype=np.uint8)
        image[(np.abs(x - 1) < 0.05) & (np.abs(y) < 1)] = 128
        image[np.hypot(x - self.position[0], y - self.position[1]) < 0.3] = (220, 30, 30)
        return image


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
