import { check_description } from '../src/engine/description';
import type { Mujoco } from '../src/engine/mujoco';
import { make_robot } from '../src/engine/robot';
import { Task } from '../src/engine/task';

/** A recorded episode of an independent program (tests/golden). */
export interface Recording {
  name: string;
  model: string;
  description: unknown;
  initial_qpos: number[];
  initial_qvel: number[];
  initial_observation: number[];
  action: number[][];
  qpos: number[][];
  qvel: number[][];
  observation: number[][];
  reward: number[];
  bc: number[][];
  terminated: number[];
  contacts: number[];
}

/** The largest error of each quantity over the recorded actions, relative to values above 1; contacts and ends: how often they differ. */
export function errors_of(mujoco: Mujoco, golden: Recording): Record<string, number> {
  const robot = make_robot(mujoco, { model: golden.model, description: check_description(golden.description), assets: [] }, '');
  const task = new Task(robot);
  const errors: Record<string, number> = {};
  const compare = (name: string, actual: ArrayLike<number>, expected: number[]) => {
    let worst = actual.length === expected.length ? 0 : Infinity;
    expected.forEach((x, i) => {
      const error = Math.abs(actual[i] - x) / Math.max(1, Math.abs(x));
      worst = error <= worst ? worst : error; // NaN is the worst
    });
    errors[name] = worst <= (errors[name] ?? 0) ? errors[name] ?? 0 : worst;
  };
  task.place(golden.initial_qpos, golden.initial_qvel);
  compare('observation', task.observe(), golden.initial_observation);
  golden.action.forEach((action, i) => {
    task.step(action);
    compare('qpos', task.world.views.qpos, golden.qpos[i]);
    compare('qvel', task.world.views.qvel, golden.qvel[i]);
    compare('observation', task.observe(), golden.observation[i]);
    compare('reward', [task.reward], [golden.reward[i]]);
    compare('bc', task.bc, golden.bc[i]);
    compare('end', [Number(task.terminated)], [golden.terminated[i]]);
    let contacts = 0;
    task.world.for_each_contact(() => ++contacts);
    compare('contacts', [contacts], [golden.contacts[i]]);
  });
  errors.steps = golden.action.length === task.steps ? 0 : 1;
  task.delete();
  robot.model.delete();
  return errors;
}
