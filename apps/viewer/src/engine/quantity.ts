import type { Quantity } from './description';
import type { World } from './mujoco';

/** What quantities are computed from. */
export interface Situation {
  world: World;
  action: Float64Array;
}

/** Writes the values of a quantity to `out` from `at` on. */
export interface Reader {
  size: number;
  read(out: Float64Array, at: number): void;
}

function need<T>(value: T | undefined, quantity: Quantity, key: string): T {
  if (value === undefined) {
    throw new Error(`invalid description of the task (${quantity.source} without ${key}).`);
  }
  return value;
}

/** The values of a source before entries are chosen: an array and the place where they begin. */
type Raw = { size: number; values(): [ArrayLike<number>, number] };

function contact_source(quantity: Quantity, { world }: Situation): Raw {
  const geoms = need(quantity.geoms, quantity, 'geoms').map((name) => world.model.id('geom', name));
  const other = world.model.id('geom', need(quantity.with, quantity, 'with'));
  const touching = new Float64Array(geoms.length);
  return {
    size: geoms.length,
    values() {
      touching.fill(0);
      world.for_each_contact((one, two) => {
        const geom = one === other ? two : two === other ? one : -1;
        geoms.forEach((id, i) => {
          if (id === geom) {
            touching[i] = 1;
          }
        });
      });
      return [touching, 0];
    },
  };
}

function centre_of_mass({ world }: Situation): Raw {
  const centre = new Float64Array(3);
  const { model } = world;
  return {
    size: 3,
    values() {
      const mass = model.array('body_mass');
      const { xipos } = world.views;
      centre.fill(0);
      for (let body = 0; body < mass.length; ++body) {
        for (let i = 0; i < 3; ++i) {
          centre[i] += mass[body] * xipos[3 * body + i];
        }
      }
      for (let i = 0; i < 3; ++i) {
        centre[i] /= model.total_mass;
      }
      return [centre, 0];
    },
  };
}

function angles(quantity: Quantity, { world }: Situation): Raw {
  const body = world.model.id('body', need(quantity.body, quantity, 'body'));
  return {
    size: 3,
    values() {
      const r = world.views.xmat.subarray(9 * body, 9 * body + 9);
      return [[Math.atan2(r[7], r[8]), Math.asin(Math.min(Math.max(-r[6], -1), 1)), Math.atan2(r[3], r[0])], 0];
    },
  };
}

/** x, y, and cosine and sine of the direction of the body's x axis on the ground. */
function ground_pose(quantity: Quantity, { world }: Situation): Raw {
  const body = world.model.id('body', need(quantity.body, quantity, 'body'));
  return {
    size: 4,
    values() {
      const r = world.views.xmat.subarray(9 * body, 9 * body + 9);
      const length = Math.sqrt(r[0] * r[0] + r[3] * r[3]);
      const heading = length === 0 ? [1, 0] : [r[0] / length, r[3] / length];
      return [[world.views.xpos[3 * body], world.views.xpos[3 * body + 1], ...heading], 0];
    },
  };
}

function source_of(quantity: Quantity, situation: Situation): Raw {
  const { world, action } = situation;
  const { model } = world;
  const bodies = model.size('nbody');
  const whole = (name: 'qpos' | 'qvel' | 'cinert' | 'cvel' | 'cfrc_ext' | 'qfrc_actuator' | 'sensordata', size: number): Raw =>
    ({ size, values: () => [world.views[name], 0] });
  const of_body = (name: 'xpos' | 'xquat' | 'xmat' | 'subtree_com', size: number): Raw => {
    const body = model.id('body', need(quantity.body, quantity, 'body'));
    return { size, values: () => [world.views[name], size * body] };
  };
  switch (quantity.source) {
    case 'qpos': return whole('qpos', model.size('nq'));
    case 'qvel': return whole('qvel', model.size('nv'));
    case 'cinert': return whole('cinert', 10 * bodies);
    case 'cvel': return whole('cvel', 6 * bodies);
    case 'cfrc_ext': return whole('cfrc_ext', 6 * bodies);
    case 'qfrc_actuator': return whole('qfrc_actuator', model.size('nv'));
    case 'sensordata': return whole('sensordata', model.size('nsensordata'));
    case 'action': return { size: action.length, values: () => [action, 0] };
    case 'power': return {
      size: action.length,
      values: () => {
        const { actuator_force, actuator_velocity } = world.views;
        return [actuator_force.map((force, i) => Math.abs(force * actuator_velocity[i])), 0];
      },
    };
    case 'position': return of_body('xpos', 3);
    case 'orientation': return of_body('xquat', 4);
    case 'rotation': return of_body('xmat', 9);
    case 'subtree_com': return of_body('subtree_com', 3);
    case 'angles': return angles(quantity, situation);
    case 'ground_pose': return ground_pose(quantity, situation);
    case 'com': return centre_of_mass(situation);
    case 'contact': return contact_source(quantity, situation);
    case 'site': {
      const site = model.id('site', need(quantity.site, quantity, 'site'));
      return { size: 3, values: () => [world.views.site_xpos, 3 * site] };
    }
  }
}

function chosen_entries(quantity: Quantity, size: number): number[] {
  const first = quantity.first ?? 0;
  const entries = quantity.index ?? Array.from({ length: Math.max(quantity.count ?? size - first, 0) }, (_, i) => first + i);
  if (entries.some((entry) => entry >= size)) {
    throw new Error(`invalid description of the task (${quantity.source} has ${size} entries).`);
  }
  return entries;
}

/** Looks up the names of a quantity in the model. An entry x becomes clip((x - offset) / scale). */
export function make_reader(quantity: Quantity, situation: Situation): Reader {
  const raw = source_of(quantity, situation);
  const entries = chosen_entries(quantity, raw.size);
  const { offset = 0, scale = 1, clip } = quantity;
  const offsets = typeof offset === 'number' ? entries.map(() => offset) : offset;
  if (offsets.length !== entries.length) {
    throw new Error(`invalid description of the task (${quantity.source} has ${entries.length} entries and ${offsets.length} offsets).`);
  }
  return {
    size: entries.length,
    read(out, at) {
      const [values, begin] = raw.values();
      for (let i = 0; i < entries.length; ++i) {
        let x = (values[begin + entries[i]] - offsets[i]) / scale;
        if (clip !== undefined) {
          x = x < -clip ? -clip : x > clip ? clip : x;
        }
        out[at + i] = x;
      }
    },
  };
}
