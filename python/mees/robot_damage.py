"""Damage words of mees applied to a compiled MuJoCo model (docs/damage.md)."""

from __future__ import annotations

import re

import numpy as np

from .errors import ArgumentError

REMAINING = 0.01


def apply(mujoco, model, words, action=None):
    """Changes the model. `shorten` needs the programs (mees_replay --damage)."""
    parts = [part.strip() for word in words for part in word.split(",")]
    for part in parts:
        _apply_part(mujoco, model, part, action)
    if parts:
        mujoco.mj_setConst(model, mujoco.MjData(model))


def _apply_part(mujoco, model, part, action):
    kind, name, value = re.fullmatch(r"(?:(\w+):)?([^=]*)(?:=(.*))?", part).groups()
    if kind is None and value is not None:
        kind, name = name, None
    if kind is None:
        for motor in _motors(mujoco, model, name):
            middle = action["offset"][motor] if action else 0.0
            reach = REMAINING * (abs(action["scale"][motor]) if action else 1.0)
            model.actuator_ctrllimited[motor] = 1
            model.actuator_ctrlrange[motor] = (middle - reach, middle + reach)
    elif kind == "lock":
        joint = _id(mujoco, model, "JOINT", name)
        held = model.qpos0[model.jnt_qposadr[joint]]
        if model.jnt_limited[joint]:
            held = np.clip(held, *model.jnt_range[joint])
        model.jnt_limited[joint] = 1
        model.jnt_range[joint] = held
    elif kind in ("weak", "strength"):
        for motor in _motors(mujoco, model, name) if name else range(model.nu):
            model.actuator_gear[motor] *= float(value)
            model.actuator_gainprm[motor, 1:3] /= float(value)
            model.actuator_biasprm[motor, 1:3] /= float(value)
    elif kind == "friction":
        model.geom_friction[:, 0] *= float(value)
        model.pair_friction[:, :2] *= float(value)
    elif kind == "damping":
        dofs = slice(None)
        if name:
            dofs = model.dof_jntid == _id(mujoco, model, "JOINT", name)
        model.dof_damping[dofs] *= float(value)
    elif kind == "gravity":
        model.opt.gravity *= float(value)
    elif kind == "mass" and name is None:
        model.body_mass *= float(value)
        model.body_inertia *= float(value)
    elif kind == "mass":
        body = _id(mujoco, model, "BODY", name)
        ratio = 1 + float(value) / model.body_mass[body]
        model.body_mass[body] *= ratio
        model.body_inertia[body] *= ratio
    else:
        raise ArgumentError(
            f"invalid damage {part!r}",
            "the Python package knows motors, lock, weak, strength, friction, damping, gravity "
            "and mass",
            "Use mees_replay --damage.",
        )


def _id(mujoco, model, kind, name):
    index = mujoco.mj_name2id(model, getattr(mujoco.mjtObj, f"mjOBJ_{kind}"), name)
    if index < 0:
        raise ArgumentError(f"invalid damage of {name!r}", f"the model has no such {kind.lower()}")
    return index


def _motors(mujoco, model, name):
    index = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_ACTUATOR, name)
    if index >= 0:
        return [index]
    joint = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, name)
    if joint >= 0:
        by_joint = [int(mujoco.mjtTrn.mjTRN_JOINT), int(mujoco.mjtTrn.mjTRN_JOINTINPARENT)]
        motors = [
            motor
            for motor in range(model.nu)
            if model.actuator_trntype[motor] in by_joint and model.actuator_trnid[motor, 0] == joint
        ]
        if motors:
            return motors
    number = re.fullmatch(r"J?(\d+)", name)
    if number and int(number[1]) < model.nu:
        return [int(number[1])]
    raise ArgumentError(f"invalid damage {name!r}", "no motor or joint has that name")
