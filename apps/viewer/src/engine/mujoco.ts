// Everything that this program asks of MuJoCo is in this file. The bindings are young: see the comments for what
// they do not do.
import load_mujoco, { type MainModule, type MjData, type MjModel } from '@mujoco/mujoco';

export type Mujoco = MainModule;
export const VERSION = '3.14.0';

/** MuJoCo's kinds of objects, with the numbers of mjtObj. */
const OBJECTS = { body: 1, joint: 3, geom: 5, site: 6, actuator: 19, key: 24 } as const;
export type ObjectKind = keyof typeof OBJECTS;
const COUNTS = { body: 'nbody', joint: 'njnt', geom: 'ngeom', site: 'nsite', actuator: 'nu', key: 'nkey' } as const;
export const GEOM = { plane: 0, hfield: 1, sphere: 2, capsule: 3, ellipsoid: 4, cylinder: 5, box: 6, mesh: 7 } as const;
const INTEGRATORS = { euler: 0, rk4: 1, implicit: 2, implicitfast: 3 } as const;
/** A robot's arena; by default each would take 15 MB of the 2 GB that WebAssembly has. */
const ARENA_BYTES = 4 << 20;
/** Entries of mjData.warning that do not make the engine start again from the beginning. */
const QUIET_WARNINGS = 3;

/** `module` is the compiled mujoco.wasm; without it (node), the package loads its own. */
export async function load_engine(module?: WebAssembly.Module): Promise<Mujoco> {
  if (!module) {
    return load_mujoco();
  }
  return load_mujoco({
    locateFile: (file: string) => file,
    instantiateWasm: (imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void) => {
      void WebAssembly.instantiate(module, imports).then((instance) => done(instance, module));
      return {};
    },
  });
}

export interface Asset {
  file: string;
  bytes: Uint8Array;
}

/** A model whose joints `limited` have limits, which the compiled model does not let one add. */
export interface Compiled {
  model: Model;
  /** Of the joints in `limited`: whether they had limits in the file. */
  had_limits: Map<string, boolean>;
}

/** A compiled model: sizes, names and live arrays. */
export class Model {
  readonly total_mass: number;

  constructor(readonly mujoco: Mujoco, readonly raw: MjModel) {
    this.total_mass = this.array('body_mass').reduce((sum, mass) => sum + mass, 0);
  }

  /** A live view. It dies when the engine's memory grows: use it at once, do not keep it. */
  array(name: string): Float64Array {
    return (this.raw as unknown as Record<string, Float64Array>)[name];
  }
  integers(name: string): Int32Array {
    return (this.raw as unknown as Record<string, Int32Array>)[name];
  }
  size(name: 'nq' | 'nv' | 'nu' | 'nbody' | 'njnt' | 'ngeom' | 'nsite' | 'npair' | 'nsensordata' | 'nkey'): number {
    return Number(this.raw[name]);
  }
  get timestep(): number {
    return this.raw.opt.timestep;
  }
  /** A live view, like `array`. */
  gravity(): Float64Array {
    return this.raw.opt.gravity as unknown as Float64Array;
  }
  /** -1 if there is none. `#3` is the object with id 3 where no object has that name. */
  find(kind: ObjectKind, name: string): number {
    const id = this.mujoco.mj_name2id(this.raw, OBJECTS[kind], name);
    const number = id < 0 ? /^#(\d+)$/.exec(name) : null;
    return number && Number(number[1]) < Number(this.raw[COUNTS[kind]]) ? Number(number[1]) : id;
  }
  /** Throws for a name that the model does not have. */
  id(kind: ObjectKind, name: string): number {
    const id = this.find(kind, name);
    if (id < 0) {
      throw new Error(`the model has no ${kind} "${name}".`);
    }
    return id;
  }
  name(kind: ObjectKind, id: number): string {
    return this.mujoco.mj_id2name(this.raw, OBJECTS[kind], id) ?? '';
  }
  set_constants(): void {
    const data = new this.mujoco.MjData(this.raw)!;
    this.mujoco.mj_setConst(this.raw, data);
    data.delete();
  }
  /** Eigenvalues of a symmetric matrix into `values`, their frame into `quaternion`: views of this model. */
  diagonalise(matrix: number[], values: Float64Array, quaternion: Float64Array): void {
    const axes = new this.mujoco.DoubleBuffer(9);
    this.mujoco.mju_eig3(values, axes, quaternion, matrix);
    axes.delete();
  }
  delete(): void {
    this.raw.delete();
  }
}

/** Compiles MJCF text; nothing is read but the assets. Throws with MuJoCo's message for a text that it cannot use. */
export function compile(mujoco: Mujoco, xml: string, integrator: keyof typeof INTEGRATORS | undefined, assets: Asset[], limited: string[]): Compiled {
  const vfs = new mujoco.MjVFS();
  for (const { file, bytes } of assets) {
    vfs.addBuffer(file, bytes);
  }
  const spec = mujoco.parseXMLString(xml, vfs);
  spec.memory = ARENA_BYTES;
  const had_limits = new Map<string, boolean>();
  for (const name of limited) {
    const element = mujoco.mjs_findElement(spec, mujoco.mjtObj.mjOBJ_JOINT, name);
    const joint = element && mujoco.mjs_asJoint(element);
    if (joint) {
      const { value } = joint.limited as unknown as { value: number };
      const had = value === 1 || (value === 2 && joint.range[0] < joint.range[1]);
      had_limits.set(name, had);
      if (!had) {
        joint.limited = mujoco.mjtLimited.mjLIMITED_TRUE;
        joint.range[0] = -1;
        joint.range[1] = 1;
      }
    }
  }
  const raw = mujoco.mj_compile(spec, vfs);
  spec.delete();
  vfs.delete();
  if (integrator) {
    raw.opt.integrator = INTEGRATORS[integrator];
  }
  return { model: new Model(mujoco, raw), had_limits };
}

/** The arrays of mjData that this program reads or writes. */
export interface Views {
  qpos: Float64Array;
  qvel: Float64Array;
  ctrl: Float64Array;
  xpos: Float64Array;
  xquat: Float64Array;
  xmat: Float64Array;
  xipos: Float64Array;
  site_xpos: Float64Array;
  subtree_com: Float64Array;
  cinert: Float64Array;
  cvel: Float64Array;
  cfrc_ext: Float64Array;
  qfrc_actuator: Float64Array;
  actuator_force: Float64Array;
  actuator_velocity: Float64Array;
  sensordata: Float64Array;
  xfrc_applied: Float64Array;
}
const VIEWS: (keyof Views)[] = ['qpos', 'qvel', 'ctrl', 'xpos', 'xquat', 'xmat', 'xipos', 'site_xpos', 'subtree_com', 'cinert',
  'cvel', 'cfrc_ext', 'qfrc_actuator', 'actuator_force', 'actuator_velocity', 'sensordata', 'xfrc_applied'];

/** One simulated world. */
export class World {
  private readonly data: MjData;
  private live = {} as Views;

  constructor(readonly model: Model) {
    this.data = new model.mujoco.MjData(model.raw)!;
    this.take_views();
  }

  /** Arrays of mjData. They move when the engine's memory grows (then they have length 0), so they are not kept. */
  get views(): Views {
    if (this.live.qpos.length === 0) {
      this.take_views();
    }
    return this.live;
  }
  private take_views(): void {
    for (const name of VIEWS) {
      this.live[name] = this.data[name] as Float64Array;
    }
  }
  reset(keyframe: number): void {
    if (keyframe < 0) {
      this.model.mujoco.mj_resetData(this.model.raw, this.data);
    } else {
      this.model.mujoco.mj_resetDataKeyframe(this.model.raw, this.data, keyframe);
    }
  }
  forward(): void {
    this.model.mujoco.mj_forward(this.model.raw, this.data);
  }
  step(count: number): void {
    for (let i = 0; i < count; ++i) {
      this.model.mujoco.mj_step(this.model.raw, this.data);
    }
  }
  contact_forces(): void {
    this.model.mujoco.mj_rnePostConstraint(this.model.raw, this.data);
  }
  get time(): number {
    return this.data.time;
  }
  /** Whether the engine has warned. Slow (20 us): a warning about the state also sets the time back to 0. */
  get warned(): boolean {
    const warnings = this.data.warning;
    for (let i = 0; i < QUIET_WARNINGS; ++i) {
      if (warnings.get(i)!.number > 0) {
        return true;
      }
    }
    return false;
  }
  for_each_contact(action: (geom1: number, geom2: number) => void): void {
    const count = this.data.ncon;
    if (count === 0) {
      return;
    }
    const contacts = this.data.contact;
    for (let i = 0; i < count; ++i) {
      const contact = contacts.get(i)!;
      action(contact.geom1, contact.geom2);
      contact.delete();
    }
    contacts.delete();
  }
  delete(): void {
    this.data.delete();
  }
}
