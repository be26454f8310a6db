import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse_damage } from '../src/engine/damage';
import { check_description } from '../src/engine/description';
import { load_engine } from '../src/engine/mujoco';
import { make_robot } from '../src/engine/robot';
import { Purpose, Stream } from '../src/engine/stream';
import { Task } from '../src/engine/task';
import { read_json } from './data';

interface Episode {
  damage: string;
  model: string;
  description: unknown;
  initial_qpos: number[];
  initial_qvel: number[];
  action: number[][];
  qpos: number[][];
  qvel: number[][];
  reward: number[];
}

const mujoco = await load_engine();
const episodes = read_json<Episode[]>('damage.json');
const make = ({ model, description }: Episode, damage: string) =>
  make_robot(mujoco, { model, description: check_description(description), assets: [] }, damage);

for (const episode of episodes) {
  test(`a robot with damage "${episode.damage}" moves as in mees_replay, from the same initial state`, () => {
    const task = new Task(make(episode, episode.damage));
    task.reset(new Stream(7, Purpose.replay, 0, 0));
    const close = (what: string, actual: ArrayLike<number>, expected: number[], tolerance: number) => expected.forEach((x, i) =>
      assert.ok(Math.abs(actual[i] - x) <= tolerance * Math.max(1, Math.abs(x)), `${what}[${i}]: ${actual[i]} instead of ${x}`));
    close('initial qpos', task.world.views.qpos, episode.initial_qpos, 1e-15);
    close('initial qvel', task.world.views.qvel, episode.initial_qvel, 1e-15);
    task.place(episode.initial_qpos, episode.initial_qvel);
    episode.action.forEach((action, i) => {
      task.step(action);
      close(`qpos after ${i + 1}`, task.world.views.qpos, episode.qpos[i], 1e-6);
      close(`qvel after ${i + 1}`, task.world.views.qvel, episode.qvel[i], 1e-6);
      close(`reward after ${i + 1}`, [task.reward], [episode.reward[i]], 1e-6);
    });
    assert.ok(episode.action.length > 20);
  });
}

test('every damage changes the motion', () => {
  const last = episodes.map(({ qpos }) => JSON.stringify(qpos[Math.min(20, qpos.length - 1)]));
  assert.equal(new Set(last).size, episodes.length);
});

test('invalid damages are refused with the reason', () => {
  for (const [text, reason] of [['weak:J0=2', /at most 1/], ['mass:torso=1', /sign/], ['friction=-1', /above 0/], ['lock:hip_1=1', /neither/],
    ['weak:J0=x', /not a number/], ['J0,', /neither/], ['shorten:shank_1', /at most 1/], ['bend:J0=1', /neither/]] as const) {
    assert.throws(() => parse_damage(text), reason, text);
  }
  for (const [text, reason] of [['J8', /no motor/], ['lock:knee', /no joint/], ['mass:torso=-100', /weighs/], ['lock:root', /hinges/]] as const) {
    assert.throws(() => make(episodes[0], text), reason, text);
  }
});

// A joint without limits in the file: locking must add them.
test('a joint without limits can be locked', () => {
  const model = `<mujoco><option gravity="0 0 0"/><worldbody><body><joint name="turn" type="hinge"/><geom size="0.1"/></body></worldbody>
    <actuator><motor joint="turn" gear="0.01"/></actuator></mujoco>`;
  const description = check_description({
    version: 1, name: 'mjcf', frame_skip: 1, episode_steps: 1000, fitness: 'sum', start: { noise: 0, velocity: 'none' },
    observation: [{ source: 'qpos' }], reward: [{ name: 'alive', kind: 'constant' }],
    bc: [{ kind: 'final', source: 'qpos', names: ['angle'], lower: [-1], upper: [1], bins: [10] }],
  });
  const turned = (damage: string) => {
    const task = new Task(make_robot(mujoco, { model, description, assets: [] }, damage));
    task.reset(new Stream(1, Purpose.replay));
    for (let i = 0; i < 300; ++i) {
      task.step([1]);
    }
    return task.bc[0];
  };
  assert.ok(turned('') > 0.05);
  assert.ok(Math.abs(turned('lock:turn')) < 0.01 * turned(''));
  assert.ok(Math.abs(turned('J0') / turned('') - 0.01) < 1e-3, 'a motor without limits obeys 1 % of its control');
});
