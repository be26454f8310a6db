// A real map of chains as an exported page carries it, against an episode that mees_replay recorded.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load_engine } from '../src/engine/mujoco';
import { make_robot } from '../src/engine/robot';
import { Actor } from '../src/page/actor';
import { EmbeddedSource, type Embedded } from '../src/page/data';
import type { Controller } from '../src/policy/policy';
import { read_json } from './data';

interface Example {
  page: Embedded;
  row: number;
  links: number;
  chain_steps: number;
  qpos: number[][];
  bc: number[];
}

const example = read_json<Example>('chain.json');
const source = new EmbeddedSource(example.page);
const map = await source.map();
const whole = await source.controller(map, example.row);
const mujoco = await load_engine();

/** The largest difference of the positions from the recorded ones; Infinity if the episode has another length. */
function error_of(controller: Controller): number {
  const robot = make_robot(mujoco, map.domain!, '');
  const actor = new Actor(robot, map.network);
  actor.load(controller);
  actor.reset(map.run.seed);
  let worst = 0;
  for (const recorded of example.qpos) {
    if (!actor.step()) {
      return Infinity;
    }
    recorded.forEach((x, i) => { worst = Math.max(worst, Math.abs(x - actor.task.world.views.qpos[i])); });
  }
  const ended = actor.task.finished && actor.task.bc.every((x, i) => Math.abs(x - example.bc[i]) < 1e-6);
  actor.delete();
  robot.model.delete();
  return ended ? worst : Infinity;
}

test('the page has the links of the elite and their duration', () => {
  assert.equal(map.cells.links[example.row], example.links);
  assert.equal(map.network.chain_steps, example.chain_steps);
  assert.equal(whole.before!.length, example.links - 1);
});
test('the chain walks as in mees_replay, to the end of the episode', () => assert.ok(error_of(whole) < 1e-6));
test('its last link alone does not', () => assert.ok(error_of({ ...whole, before: undefined }) > 1e-3));
