import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load_engine } from '../src/engine/mujoco';
import { files, read_json } from './data';
import { errors_of, type Recording } from './golden_run';

const mujoco = await load_engine();
const names = files('.golden.json');
test('there are golden recordings of six domains, and one of a displacement', () => assert.equal(names.length, 20));

for (const file of names) {
  test(`${file}: the description gives the recorded states, observations, rewards, BCs, contacts and ends`, () => {
    const golden = read_json<Recording>(file);
    assert.ok(golden.action.length >= 50);
    for (const [name, error] of Object.entries(errors_of(mujoco, golden))) {
      assert.ok(error <= 1e-6, `${name}: ${error}`);
    }
  });
}
