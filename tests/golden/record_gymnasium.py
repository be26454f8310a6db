"""Records the trajectories of Gymnasium's environments in this folder that the uni tasks reproduce.

    pip install "gymnasium[mujoco]==1.4.0" mujoco==3.14.0 h5py
    python3 record_gymnasium.py

Written for this purpose; it uses Gymnasium's own environments and models, and nothing of mees. The
actions are smoothed noise. Robots that have fallen keep moving, so that `terminated` is recorded
both ways.
"""

from pathlib import Path

import gymnasium
import h5py
import mujoco
import numpy as np

STEPS = 150
# File name, environment, domain, configuration, and geoms whose contacts with the floor are the BC.
TASKS = (
    ("half_cheetah", "HalfCheetah-v4", "half_cheetah", "", ("bfoot", "ffoot")),
    ("hopper", "Hopper-v4", "hopper", "", ("foot_geom",)),
    ("walker2d", "Walker2d-v4", "walker2d", "", ("foot_geom", "foot_left_geom")),
    (
        "uni_ant",
        "Ant-v4",
        "ant",
        '[domain]\nname = "ant"\ncontact_costs = false\n',
        ("left_ankle_geom", "right_ankle_geom", "third_ankle_geom", "fourth_ankle_geom"),
    ),
)
# Strength of the actions: gentle ones keep the robots upright for longer.
STRENGTHS = (0.2, 1.0)


def touching(env, feet):
    """1 for each foot with a contact with the floor that the engine lists."""
    floor = env.model.geom("floor").id
    pairs = {frozenset(pair) for pair in env.data.contact.geom.tolist()}
    return [float(frozenset((floor, foot)) in pairs) for foot in feet]


def smooth_actions(draw, count, strength):
    actions = np.zeros((STEPS, count))
    for step in range(STEPS):
        before = actions[step - 1] if step else np.zeros(count)
        actions[step] = np.clip(0.8 * before + 0.6 * strength * draw.normal(size=count), -1, 1)
    return actions


def trajectory(env, feet, seed, strength):
    """What the environment does with these actions, by the name of its dataset."""
    rows = {name: [] for name in ("qpos", "qvel", "observation", "reward", "terminated", "bc")}
    first, _ = env.reset(seed=seed)
    start = {
        "initial_observation": first,
        "initial_qpos": env.data.qpos.copy(),
        "initial_qvel": env.data.qvel.copy(),
    }
    actions = smooth_actions(np.random.default_rng(seed), env.model.nu, strength)
    contacts, counts = np.zeros(len(feet)), []
    for step, action in enumerate(actions, 1):
        observation, reward, terminated, _, _ = env.step(action)
        contacts += touching(env, feet)
        counts.append(env.data.ncon)
        values = (env.data.qpos, env.data.qvel, observation, reward, terminated, contacts / step)
        for name, value in zip(rows, values):
            rows[name].append(np.array(value))
    arrays = {name: np.array(values) for name, values in rows.items()}
    arrays["terminated"] = arrays["terminated"].astype(np.uint8)
    return {**start, "action": actions, "contacts": np.array(counts, np.int32), **arrays}


def model_figures(model):
    return {
        "body_mass": model.body_mass,
        "body_inertia": model.body_inertia,
        "qpos0": model.qpos0,
        "jnt_range": model.jnt_range,
        "dof_armature": model.dof_armature,
        "dof_damping": model.dof_damping,
        "actuator_gear": model.actuator_gear[:, 0],
        "actuator_ctrlrange": model.actuator_ctrlrange,
        "nq_nv_nu_nbody_ngeom": [model.nq, model.nv, model.nu, model.nbody, model.ngeom],
    }


def record(path, name, domain, config, geoms, seed, strength):
    env = gymnasium.make(name).unwrapped
    feet = [env.model.geom(geom).id for geom in geoms]
    data = trajectory(env, feet, seed, strength)
    with h5py.File(path, "w") as file:
        file.attrs["domain"] = domain
        file.attrs["mujoco_version"] = mujoco.__version__
        file.attrs["seed"] = seed
        file.attrs["origin"] = f"{name} of gymnasium {gymnasium.__version__}"
        if config:
            file.attrs["config"] = np.bytes_(config)
        for key, values in data.items():
            file[key] = values
        for key, values in model_figures(env.model).items():
            file[f"model/{key}"] = values
    ended = np.flatnonzero(data["terminated"])
    print(path.name, "first fall:", ended[0] if len(ended) else "none", "bc:", data["bc"][-1])


if __name__ == "__main__":
    for task, environment, domain, config, geoms in TASKS:
        for seed, strength in enumerate(STRENGTHS, 1):
            path = Path(__file__).with_name(f"{task}-{seed}.h5")
            record(path, environment, domain, config, geoms, seed, strength)
