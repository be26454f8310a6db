import type { ControlLimit, Robot } from './robot';
import type { Description } from './description';
import { World } from './mujoco';
import { make_reader, type Reader, type Situation } from './quantity';
import type { Stream } from './stream';
import { limited, make_behaviour, make_measure, type Behaviour, type Measure } from './terms';

const MAX_VALUE = 1e10;
/** Control steps between two looks at the warnings that cost time to read. */
const WARNING_STEPS = 10;

/** An episode of a described task, one control step at a time: the interpreter of docs/domain-description.md. */
export class Task {
  readonly description: Description;
  readonly world: World;
  readonly terms: Float64Array;
  /** Of each term, summed over the episode. */
  readonly totals: Float64Array;
  readonly bc: Float64Array;
  readonly control_seconds: number;
  steps = 0;
  reward = 0;
  fitness = 0;
  diverged = false;
  terminated = false;

  private readonly situation: Situation;
  private readonly observation: Float64Array;
  private readonly readers: Reader[];
  private readonly measures: Measure[];
  private readonly ends: Measure[];
  private readonly behaviours: Behaviour[];
  private readonly limits: Map<number, ControlLimit>;
  private readonly keyframe: number;

  constructor(robot: Robot) {
    const task = robot.description;
    this.description = task;
    this.limits = robot.control_limits;
    this.world = new World(robot.model);
    const { model } = robot;
    this.control_seconds = task.frame_skip * model.timestep;
    this.situation = { world: this.world, action: new Float64Array(model.size('nu')) };
    this.readers = task.observation.map((part) => make_reader(part, this.situation));
    this.observation = new Float64Array(this.readers.reduce((sum, reader) => sum + reader.size, 0));
    const measure = (term: Parameters<typeof make_measure>[0]) => make_measure(term, this.situation, this.control_seconds);
    this.measures = task.reward.map(measure);
    this.ends = (task.end ?? []).map(measure);
    this.behaviours = task.bc.map((part) => make_behaviour(part, this.situation, this.control_seconds));
    this.terms = new Float64Array(this.measures.length);
    this.totals = new Float64Array(this.measures.length);
    this.bc = new Float64Array(this.behaviours.reduce((sum, part) => sum + part.size, 0));
    this.keyframe = task.start.keyframe === undefined ? -1 : model.id('key', task.start.keyframe);
    const { action } = task;
    if (action && (action.offset.length !== this.action_size || action.scale.length !== this.action_size)) {
      throw new Error('invalid description of the task ([action] needs a number per motor).');
    }
  }

  get action_size(): number {
    return this.situation.action.length;
  }
  get observation_size(): number {
    return this.observation.length;
  }
  get finished(): boolean {
    return this.diverged || this.terminated || this.steps >= this.description.episode_steps;
  }

  /** Starts an episode in a random state. */
  reset(stream: Stream): void {
    const { noise, velocity } = this.description.start;
    this.world.reset(this.keyframe);
    const { qpos, qvel } = this.world.views;
    for (let i = 0; i < qpos.length; ++i) {
      qpos[i] += stream.uniform(-noise, noise);
    }
    for (let i = 0; i < qvel.length && velocity !== 'none'; ++i) {
      qvel[i] += velocity === 'normal' ? noise * stream.normal() : stream.uniform(-noise, noise);
    }
    this.begin();
  }

  /** Starts an episode in this state. */
  place(qpos: ArrayLike<number>, qvel: ArrayLike<number>): void {
    this.world.reset(-1);
    this.world.views.qpos.set(qpos);
    this.world.views.qvel.set(qvel);
    this.begin();
  }

  private begin(): void {
    this.world.views.xfrc_applied.fill(0);
    this.world.forward();
    this.situation.action.fill(0);
    this.steps = this.reward = this.fitness = 0;
    this.totals.fill(0);
    this.terms.fill(0);
    this.measures.forEach((measure) => measure.begin());
    this.ends.forEach((end) => end.begin());
    if (this.description.fitness === 'last') {
      this.fitness = this.measure();
    }
    let at = 0;
    for (const part of this.behaviours) {
      part.begin(this.bc, at);
      at += part.size;
    }
    this.terminated = false;
    this.diverged = !this.healthy(0) || this.world.warned;
  }

  /** Valid until the next call. */
  observe(): Float64Array {
    let at = 0;
    for (const reader of this.readers) {
      reader.read(this.observation, at);
      at += reader.size;
    }
    return this.observation;
  }

  step(action: ArrayLike<number>): void {
    if (this.diverged) {
      return;
    }
    this.situation.action.set(action);
    this.set_controls(action);
    const { frame_skip, contact_forces } = this.description;
    const time = this.world.time;
    this.world.step(frame_skip);
    if (contact_forces) {
      this.world.contact_forces();
    }
    ++this.steps;
    const reward = this.measure();
    if (!this.healthy(time) || !Number.isFinite(reward) || (this.steps % WARNING_STEPS === 0 && this.world.warned)) {
      this.terms.fill(0);
      this.reward = 0;
      this.diverged = true;
      return;
    }
    this.reward = reward;
    this.fitness = this.description.fitness === 'last' ? reward : this.fitness + reward;
    let at = 0;
    for (const part of this.behaviours) {
      part.add(this.bc, at, this.steps);
      at += part.size;
    }
    for (let i = 0; i < this.terms.length; ++i) {
      this.totals[i] += this.terms[i];
    }
    this.terminated = this.has_ended();
  }

  delete(): void {
    this.world.delete();
  }

  private set_controls(action: ArrayLike<number>): void {
    const { ctrl } = this.world.views;
    const map = this.description.action;
    for (let i = 0; i < action.length; ++i) {
      ctrl[i] = map ? map.offset[i] + map.scale[i] * action[i] : action[i];
    }
    // The compiled model does not let one limit a motor that had no limits.
    for (const [motor, { lower, upper }] of this.limits) {
      ctrl[motor] = Math.min(Math.max(ctrl[motor], lower), upper);
    }
  }
  private measure(): number {
    let sum = 0;
    this.description.reward.forEach((term, i) => {
      this.terms[i] = limited((term.weight ?? 1) * this.measures[i].value(), term);
      sum += this.terms[i];
    });
    return sum;
  }
  private has_ended(): boolean {
    let ended = false;
    (this.description.end ?? []).forEach(({ lower, upper }, i) => {
      const x = this.ends[i].value();
      ended ||= (lower !== undefined && x < lower) || (upper !== undefined && x > upper);
    });
    return ended;
  }
  /** The engine sets the time back when it meets a state that it cannot continue from. */
  private healthy(time_before: number): boolean {
    const { qpos, qvel } = this.world.views;
    const usable = (x: number) => Math.abs(x) < MAX_VALUE;
    return qpos.every(usable) && qvel.every(usable) && (this.steps === 0 || this.world.time > time_before);
  }
}
