import assert from 'node:assert/strict';
import { test } from 'node:test';
import { check_description } from '../src/engine/description';
import { load_engine } from '../src/engine/mujoco';
import { make_robot } from '../src/engine/robot';
import { Task } from '../src/engine/task';
import { files, read_json } from './data';

interface Recording {
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

function close(what: string, step: number, actual: ArrayLike<number>, expected: number[], tolerance: number): void {
  assert.equal(actual.length, expected.length, what);
  expected.forEach((x, i) => {
    const error = Math.abs(actual[i] - x);
    assert.ok(error <= tolerance * Math.max(1, Math.abs(x)), `${what}[${i}] after step ${step}: ${actual[i]} instead of ${x}`);
  });
}

const mujoco = await load_engine();
const names = files('.golden.json');
test('there are golden recordings of three domains', () => assert.equal(names.length, 11));

for (const file of names) {
  test(`${file}: the description gives the recorded states, observations, rewards and BCs`, () => {
    const golden = read_json<Recording>(file);
    const robot = make_robot(mujoco, { model: golden.model, description: check_description(golden.description), assets: [] }, '');
    const task = new Task(robot);
    task.place(golden.initial_qpos, golden.initial_qvel);
    close('initial observation', 0, task.observe(), golden.initial_observation, 1e-6);
    let over = false;
    golden.action.forEach((action, i) => {
      task.step(action);
      const step = i + 1;
      const { qpos, qvel } = task.world.views;
      close('qpos', step, qpos, golden.qpos[i], 1e-6);
      close('qvel', step, qvel, golden.qvel[i], 1e-6);
      close('observation', step, task.observe(), golden.observation[i], 1e-6);
      close('reward', step, [task.reward], [golden.reward[i]], 1e-6);
      close('bc', step, task.bc, golden.bc[i], 1e-6);
      let contacts = 0;
      task.world.for_each_contact(() => ++contacts);
      assert.equal(contacts, golden.contacts[i]);
      over ||= task.terminated;
      assert.equal(task.terminated, golden.terminated[i] !== 0, `end at step ${step}`);
      assert.ok(!task.diverged);
    });
    task.delete();
    robot.model.delete();
  });
}
