import { parse_damage, type DamagePart } from './damage';
import type { Description } from './description';
import { compile, type Asset, type Model, type Mujoco } from './mujoco';
import { shorten_body } from './shorten';

export interface ControlLimit {
  lower: number;
  upper: number;
}

/** A map's robot and task, as /domain of the file holds them. */
export interface DomainData {
  model: string;
  description: Description;
  assets: Asset[];
}

/** A model with its damage, ready for any number of tasks. */
export interface Robot {
  model: Model;
  description: Description;
  /** Of damaged motors, by number. */
  control_limits: Map<number, ControlLimit>;
}

const DAMAGED_CONTROL = 0.01;
const JOINT_TRANSMISSIONS = [0, 1];
const HINGE_OR_SLIDE = [2, 3];

/** By the name of the motor, the name of its joint, or J and its number. */
export function motors_called(model: Model, name: string): number[] {
  const motor = model.find('actuator', name);
  if (motor >= 0) {
    return [motor];
  }
  const joint = model.find('joint', name);
  const count = model.size('nu');
  if (joint >= 0) {
    const types = model.integers('actuator_trntype');
    const targets = model.integers('actuator_trnid');
    return Array.from({ length: count }, (_, i) => i).filter((i) => JOINT_TRANSMISSIONS.includes(types[i]) && targets[2 * i] === joint);
  }
  const number = /^J?(\d+)$/.exec(name);
  return number && Number(number[1]) < count ? [Number(number[1])] : [];
}

class Surgeon {
  readonly control_limits = new Map<number, ControlLimit>();

  constructor(private readonly model: Model, private readonly description: Description, private readonly had_limits: Map<string, boolean>) {}

  apply(part: DamagePart): void {
    const { model } = this;
    switch (part.kind) {
      case 'motor': return this.motors(part).forEach((motor) => this.limit_control(motor));
      case 'weak': return this.motors(part).forEach((motor) => this.weaken(motor, part.value));
      case 'lock': return this.lock(part.name);
      case 'friction': return this.scale_friction(part.value);
      case 'shorten': return shorten_body(model, model.id('body', part.name), part.value);
      case 'mass': return part.name ? this.change_mass(model.id('body', part.name), part.value) : this.scale(['body_mass', 'body_inertia'], part.value);
      case 'strength': return this.motors(part).forEach((motor) => this.weaken(motor, part.value));
      case 'damping': return this.scale_damping(part);
      case 'gravity': {
        const gravity = model.gravity();
        gravity.forEach((value, axis) => { gravity[axis] = value * part.value; });
        return;
      }
    }
  }

  private motors(part: DamagePart): number[] {
    const all = part.kind === 'strength' && part.name === '';
    const motors = all ? Array.from({ length: this.model.size('nu') }, (_, i) => i) : motors_called(this.model, part.name);
    if (motors.length === 0) {
      throw new Error(`invalid damage (no motor is called "${part.name}" or moves a joint of that name). Use J0..J${this.model.size('nu') - 1}.`);
    }
    return motors;
  }
  private limit_control(motor: number): void {
    const centre = this.description.action?.offset[motor] ?? 0;
    const half = Math.abs(DAMAGED_CONTROL * (this.description.action?.scale[motor] ?? 1));
    const limit = { lower: centre - half, upper: centre + half };
    this.model.array('actuator_ctrlrange').set([limit.lower, limit.upper], 2 * motor);
    this.control_limits.set(motor, limit);
  }
  private weaken(motor: number, strength: number): void {
    const { model } = this;
    const scale = (name: string, from: number, count: number, factor: number) => {
      const values = model.array(name);
      for (let i = from; i < from + count; ++i) {
        values[i] *= factor;
      }
    };
    if (model.integers('actuator_gaintype')[motor] > 1 || model.integers('actuator_biastype')[motor] > 1) {
      throw new Error('invalid damage (only the strength of motors and servos can be changed).');
    }
    const width = (name: string) => model.array(name).length / model.size('nu');
    scale('actuator_gear', 6 * motor, 6, strength);
    scale('actuator_gainprm', width('actuator_gainprm') * motor + 1, 2, 1 / strength);
    scale('actuator_biasprm', width('actuator_biasprm') * motor + 1, 2, 1 / strength);
  }
  private lock(name: string): void {
    const { model } = this;
    const joint = model.id('joint', name);
    if (!HINGE_OR_SLIDE.includes(model.integers('jnt_type')[joint])) {
      throw new Error(`invalid damage "lock:${name}" (only hinges and slides can be locked).`);
    }
    const range = model.array('jnt_range').subarray(2 * joint, 2 * joint + 2);
    const rest = model.array('qpos0')[model.integers('jnt_qposadr')[joint]];
    range.fill(this.had_limits.get(name) ? Math.min(Math.max(rest, range[0]), range[1]) : rest);
  }
  private scale_friction(factor: number): void {
    const { model } = this;
    const geoms = model.array('geom_friction');
    for (let i = 0; i < geoms.length; i += 3) {
      geoms[i] *= factor;
    }
    const pairs = model.array('pair_friction');
    for (let i = 0; i < pairs.length; i += 5) {
      pairs[i] *= factor;
      pairs[i + 1] *= factor;
    }
  }
  private scale_damping(part: DamagePart): void {
    const { model } = this;
    const joint = part.name ? model.id('joint', part.name) : -1;
    const of_joint = model.integers('dof_jntid');
    const damping = model.array('dof_damping');
    for (let dof = 0; dof < damping.length; ++dof) {
      if (joint < 0 || of_joint[dof] === joint) {
        damping[dof] *= part.value;
      }
    }
  }
  private scale(names: string[], factor: number): void {
    for (const name of names) {
      const values = this.model.array(name);
      values.forEach((value, i) => { values[i] = value * factor; });
    }
  }
  private change_mass(body: number, change: number): void {
    const mass = this.model.array('body_mass');
    const after = mass[body] + change;
    if (!(mass[body] > 0 && after > 0)) {
      throw new Error(`invalid damage (the body weighs ${mass[body]} kg). Leave it some mass.`);
    }
    const inertia = this.model.array('body_inertia');
    for (let i = 3 * body; i < 3 * body + 3; ++i) {
      inertia[i] *= after / mass[body];
    }
    mass[body] = after;
  }
}

/** Compiles the robot with the run's own damage and `damage`, in the words of mees_adapt. */
export function make_robot(mujoco: Mujoco, domain: DomainData, damage: string): Robot {
  const { description } = domain;
  const parts = [...(description.damage ?? []).flatMap(parse_damage), ...parse_damage(damage)];
  const locked = parts.filter(({ kind }) => kind === 'lock').map(({ name }) => name);
  const { model, had_limits } = compile(mujoco, domain.model, description.integrator, domain.assets, locked);
  const surgeon = new Surgeon(model, description, had_limits);
  try {
    parts.forEach((part) => surgeon.apply(part));
    if (parts.length > 0) {
      model.set_constants();
    }
  } catch (error) {
    model.delete();
    throw error;
  }
  return { model, description, control_limits: surgeon.control_limits };
}
