// The description of a task as docs/domain-description.md specifies it (version 1), as JSON. Anything that is not on
// that page is refused: a part that is ignored would change the task silently.

export type Source =
  | 'qpos' | 'qvel' | 'action' | 'cinert' | 'cvel' | 'cfrc_ext' | 'qfrc_actuator' | 'sensordata' | 'power' | 'position'
  | 'orientation' | 'rotation' | 'angles' | 'subtree_com' | 'com' | 'site' | 'contact' | 'ground_pose';

export interface Quantity {
  source: Source;
  body?: string;
  site?: string;
  geoms?: string[];
  with?: string;
  first?: number;
  count?: number;
  index?: number[];
  offset?: number | number[];
  scale?: number;
  clip?: number;
}

export interface Term extends Partial<Quantity> {
  kind: 'constant' | 'sum' | 'squares' | 'rate' | 'distance';
  name?: string;
  target?: number;
  weight?: number;
  lower?: number;
  upper?: number;
  seconds?: number;
  point?: number[];
  target_site?: string;
}

export interface BcPart extends Quantity {
  kind: 'final' | 'displacement' | 'velocity' | 'mean' | 'relative';
  names: string[];
  lower: number[];
  upper: number[];
  bins: number[];
}

export interface Description {
  version: 1;
  name: string;
  frame_skip: number;
  episode_steps: number;
  integrator?: 'euler' | 'rk4' | 'implicit' | 'implicitfast';
  contact_forces?: boolean;
  fitness: 'sum' | 'last';
  damage?: string[];
  start: { keyframe?: string; noise: number; velocity: 'normal' | 'uniform' | 'none' };
  action?: { offset: number[]; scale: number[] };
  observation: Quantity[];
  reward: Term[];
  end?: Term[];
  bc: BcPart[];
  damage_words?: Record<string, string[]>;
}

type Check = (value: unknown) => boolean;
const LIMIT = 10_000;
const number: Check = (x) => typeof x === 'number' && Number.isFinite(x);
const integer: Check = (x) => Number.isInteger(x) && (x as number) >= 0;
const positive: Check = (x) => integer(x) && (x as number) > 0;
const text: Check = (x) => typeof x === 'string';
const flag: Check = (x) => typeof x === 'boolean';
const list = (check: Check): Check => (x) => Array.isArray(x) && x.length <= LIMIT && x.every(check);
const one_of = (...words: string[]): Check => (x) => typeof x === 'string' && words.includes(x);
const either = (a: Check, b: Check): Check => (x) => a(x) || b(x);
const anything: Check = () => true;

const QUANTITY: Record<string, Check> = {
  source: one_of('qpos', 'qvel', 'action', 'cinert', 'cvel', 'cfrc_ext', 'qfrc_actuator', 'sensordata', 'power',
    'position', 'orientation', 'rotation', 'angles', 'subtree_com', 'com', 'site', 'contact', 'ground_pose'),
  body: text, site: text, geoms: list(text), with: text, first: integer, count: integer, index: list(integer),
  offset: either(number, list(number)), scale: number, clip: number,
};
const TERM: Record<string, Check> = {
  ...QUANTITY, kind: one_of('constant', 'sum', 'squares', 'rate', 'distance'), name: text, target: number,
  weight: number, lower: number, upper: number, seconds: number, point: list(number), target_site: text,
};
const BC: Record<string, Check> = {
  ...QUANTITY, kind: one_of('final', 'displacement', 'velocity', 'mean', 'relative'), names: list(text), lower: list(number),
  upper: list(number), bins: list(positive),
};
const TASK: Record<string, Check> = {
  version: (x) => x === 1, name: text, frame_skip: positive, episode_steps: positive,
  integrator: one_of('euler', 'rk4', 'implicit', 'implicitfast'), contact_forces: flag, fitness: one_of('sum', 'last'),
  damage: list(text), start: anything, action: anything, observation: list(anything), reward: list(anything),
  end: list(anything), bc: list(anything), damage_words: anything,
};

function check_table(value: unknown, where: string, known: Record<string, Check>, required: string[]): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error(`invalid description of the task (${where} is not a table).`);
  }
  for (const [key, content] of Object.entries(value)) {
    if (!Object.hasOwn(known, key)) {
      throw new Error(`unknown part of the task (${where}.${key}). Use a newer version of mees.`);
    }
    if (!known[key](content)) {
      throw new Error(`invalid description of the task (${where}.${key} = ${String(JSON.stringify(content)).slice(0, 60)}).`);
    }
  }
  for (const key of required) {
    if (!Object.hasOwn(value, key)) {
      throw new Error(`invalid description of the task (${where}.${key} is missing).`);
    }
  }
}

/** Checks the description of an untrusted file. Names are looked up in the model later. */
export function check_description(value: unknown): Description {
  check_table(value, 'task', TASK, ['version', 'name', 'frame_skip', 'episode_steps', 'fitness', 'start', 'observation', 'reward', 'bc']);
  const task = value as Description;
  check_table(task.start, 'start',
    { keyframe: text, noise: number, velocity: one_of('normal', 'uniform', 'none') }, ['noise', 'velocity']);
  if (task.action !== undefined) {
    check_table(task.action, 'action', { offset: list(number), scale: list(number) }, ['offset', 'scale']);
  }
  if (task.damage_words !== undefined) {
    const words = list(text);
    check_table(task.damage_words, 'damage_words', { motors: words, lock: words, weak: words, shorten: words, mass: words }, []);
  }
  task.observation.forEach((part) => check_table(part, 'observation', QUANTITY, ['source']));
  task.reward.forEach((term) => check_table(term, 'reward', TERM, ['kind', 'name']));
  task.end?.forEach((term) => check_table(term, 'end', TERM, ['kind', 'source']));
  task.bc.forEach((part) => check_table(part, 'bc', BC, ['kind', 'source', 'names', 'lower', 'upper', 'bins']));
  return task;
}
