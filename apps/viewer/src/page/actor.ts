import type { Robot } from '../engine/robot';
import { Purpose, Stream } from '../engine/stream';
import { Task } from '../engine/task';
import { Policy, type Controller, type Network } from '../policy/policy';
import { Figure, type Paint } from './figure';

/** A robot with its controller in an episode, and how it is shown. */
export class Actor {
  readonly task: Task;
  readonly figure: Figure;
  private readonly policy: Policy;

  constructor(readonly robot: Robot, network: Network, paint: Paint = {}) {
    this.task = new Task(robot);
    if (this.task.observation_size !== network.layers[0] || this.task.action_size !== network.layers[network.layers.length - 1]) {
      this.task.delete();
      throw new Error('The controllers of this map do not fit its robot.');
    }
    this.policy = new Policy(network);
    this.figure = new Figure(robot.model, paint);
  }

  load(controller: Controller): void {
    this.policy.load(controller);
  }
  /** Episode 0 of mees_replay with this seed. */
  reset(seed: number): void {
    this.task.reset(new Stream(seed, Purpose.replay, 0, 0));
    this.figure.take(this.task.world, true);
  }
  /** One control step; false if the episode is over. */
  step(): boolean {
    if (this.task.finished) {
      return false;
    }
    const action = this.policy.act(this.task.observe(), this.task.steps);
    if (!action.every(Number.isFinite)) {
      return false;
    }
    this.task.step(action);
    this.figure.take(this.task.world);
    return true;
  }
  delete(): void {
    this.task.delete();
  }
}
