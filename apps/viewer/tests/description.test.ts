import assert from 'node:assert/strict';
import { test } from 'node:test';
import { check_description } from '../src/engine/description';
import { load_engine } from '../src/engine/mujoco';
import { make_robot } from '../src/engine/robot';
import { Purpose, Stream } from '../src/engine/stream';
import { Task } from '../src/engine/task';

const mujoco = await load_engine();

// A cart of 2 kg on a rail: with a force f its speed after n steps of dt is n f dt / 2, without friction.
const MODEL = `<mujoco><option timestep="0.01" gravity="0 0 0"/><worldbody><geom name="rail" type="plane" size="5 5 1" pos="0 0 -9"/>
  <site name="goal" pos="3 4 0"/><body name="cart"><joint name="slide" type="slide" axis="1 0 0"/><geom name="box" type="box" size="0.1 0.1 0.1" mass="2"/></body></worldbody>
  <actuator><motor joint="slide" ctrllimited="true" ctrlrange="-5 5"/></actuator>
  <keyframe><key name="far" qpos="0.5"/></keyframe></mujoco>`;
const BASE = {
  version: 1, name: 'mjcf', frame_skip: 2, episode_steps: 10, fitness: 'sum', start: { noise: 0, velocity: 'none' },
  observation: [{ source: 'qpos' }, { source: 'qvel' }], reward: [{ name: 'alive', kind: 'constant' }],
  bc: [{ kind: 'final', source: 'qpos', names: ['x'], lower: [-1], upper: [1], bins: [10] }],
};
function task_of(changes: object): Task {
  const task = new Task(make_robot(mujoco, { model: MODEL, description: check_description({ ...BASE, ...changes }), assets: [] }, ''));
  task.reset(new Stream(1, Purpose.replay));
  return task;
}
const near = (a: number, b: number, tolerance = 1e-9) => assert.ok(Math.abs(a - b) < tolerance, `${a} instead of ${b}`);

test('what is not in the specification is refused', () => {
  for (const [changes, reason] of [
    [{ version: 2 }, /version/], [{ colour: 1 }, /task.colour/], [{ frame_skip: 0 }, /frame_skip/], [{ fitness: 'best' }, /fitness/],
    [{ observation: [{ source: 'magic' }] }, /source/], [{ reward: [{ name: 'a', kind: 'sum', source: 'qpos', extra: 1 }] }, /reward.extra/],
    [{ bc: undefined }, /bc/], [{ start: { noise: 0 } }, /velocity/], [{ start: { noise: Infinity, velocity: 'none' } }, /noise/],
    [{ action: { offset: [0] } }, /scale/], [{ damage_words: { spells: [] } }, /spells/], [{ reward: 'x' }, /reward/],
  ] as const) {
    assert.throws(() => check_description({ ...BASE, ...changes }), reason);
  }
  assert.throws(() => check_description(null), /not a table/);
});
test('names and sizes are checked against the model', () => {
  for (const [changes, reason] of [
    [{ observation: [{ source: 'position', body: 'wheel' }] }, /no body "wheel"/], [{ observation: [{ source: 'position' }] }, /without body/],
    [{ observation: [{ source: 'qpos', index: [1] }] }, /1 entries/], [{ observation: [{ source: 'qpos', offset: [1, 2] }] }, /offsets/],
    [{ reward: [{ name: 'r', kind: 'rate', source: 'position', body: 'cart' }] }, /one entry/],
    [{ reward: [{ name: 'r', kind: 'distance', source: 'qpos' }] }, /point/], [{ action: { offset: [], scale: [] } }, /per motor/],
    [{ start: { noise: 0, velocity: 'none', keyframe: 'near' } }, /no key "near"/],
  ] as const) {
    assert.throws(() => task_of(changes as object), reason as RegExp);
  }
});
test('an object without a name is found by its number', () => {
  const task = task_of({ observation: [{ source: 'position', body: '#1', index: [2] }, { source: 'site', site: '#0' }] });
  assert.deepEqual([...task.observe()], [0, 3, 4, 0]);
  assert.throws(() => task_of({ observation: [{ source: 'position', body: '#2' }] }), /no body "#2"/);
});
test('actions are mapped to controls, and speeds follow from the force', () => {
  const task = task_of({ action: { offset: [1], scale: [2] } });
  task.step([0.5]); // a force of 2 N for 0.02 s on 2 kg
  near(task.world.views.qvel[0], 0.02);
});
test('rewards: rate, squares, distance to a site, target, weight and limits', () => {
  const task = task_of({
    reward: [
      { name: 'speed', kind: 'rate', source: 'qpos', weight: 2 }, { name: 'effort', kind: 'squares', source: 'action', weight: -1, lower: -5 },
      { name: 'far', kind: 'distance', source: 'position', body: 'cart', count: 2, target_site: 'goal' },
      { name: 'off', kind: 'sum', source: 'qvel', target: 1 },
    ],
  });
  task.step([3]);
  const { qpos, qvel } = task.world.views;
  near(task.terms[0], (2 * qpos[0]) / 0.02);
  near(task.terms[1], -5); // -9, limited
  near(task.terms[2], 5, 1e-2);
  near(task.terms[3], 1 - qvel[0]);
  near(task.fitness, task.terms.reduce((sum, x) => sum + x, 0));
});
test('fitness "last" is the reward in the initial state, then that of the last step', () => {
  const task = task_of({ fitness: 'last', reward: [{ name: 'd', kind: 'distance', source: 'qpos', point: [2], weight: -1 }] });
  near(task.fitness, -2);
  task.step([1]);
  near(task.fitness, task.world.views.qpos[0] - 2);
});
test('episodes end by a condition, by their length, or by divergence', () => {
  const ended = task_of({ end: [{ kind: 'sum', source: 'qvel', upper: 0.05 }] });
  for (let i = 0; i < 5 && !ended.finished; ++i) {
    ended.step([2]);
  }
  assert.ok(ended.terminated && ended.steps === 3); // 0.02 per step: above 0.05 after the third
  const long = task_of({});
  while (!long.finished) {
    long.step([0]);
  }
  assert.equal(long.steps, 10);
  const broken = task_of({});
  broken.step([1]);
  const { fitness, bc } = broken;
  broken.world.views.qvel[0] = 1e30;
  broken.step([1]);
  assert.ok(broken.diverged && broken.finished && broken.fitness === fitness && broken.bc[0] === bc[0]);
});
test('BCs: displacement, velocity and mean, from a keyframe', () => {
  const part = (kind: string) => ({ kind, source: 'qpos', names: [kind], lower: [-1], upper: [1], bins: [10] });
  const task = task_of({ start: { noise: 0, velocity: 'none', keyframe: 'far' }, bc: ['final', 'displacement', 'velocity', 'mean'].map(part) });
  assert.deepEqual([...task.bc], [0.5, 0, 0, 0]);
  task.step([2]);
  const first = task.world.views.qpos[0];
  task.step([2]);
  const second = task.world.views.qpos[0];
  near(task.bc[0], second);
  near(task.bc[1], second - 0.5);
  near(task.bc[2], (second - 0.5) / 0.04);
  near(task.bc[3], (first + second) / 2);
});
test('initial noise is within its bounds, and each seed has its own', () => {
  const states = [1, 2, 3].map((seed) => {
    const task = task_of({ start: { noise: 0.1, velocity: 'uniform' } });
    task.reset(new Stream(seed, Purpose.replay));
    const { qpos, qvel } = task.world.views;
    assert.ok(Math.abs(qpos[0]) <= 0.1 && Math.abs(qvel[0]) <= 0.1 && qvel[0] !== 0);
    return qpos[0];
  });
  assert.equal(new Set(states).size, 3);
});
