import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Stream, philox } from '../src/engine/stream';
import { to_controller } from '../src/page/data';
import { Policy, type Controller, type Network } from '../src/policy/policy';
import { read_json } from './data';

interface Case {
  layers: number[];
  clip: number;
  output: Network['output'];
  parameters: number[];
  mean: number[];
  std: number[];
  observations: number[][];
  actions: number[][];
}

for (const example of read_json<Case[]>('policies.json')) {
  test(`actions of ${example.layers.join(' x ')} are those of mees.Policy, bit for bit`, () => {
    const policy = new Policy({ layers: example.layers, output: example.output, observation_clip: example.clip });
    policy.load({
      parameters: new Float32Array(new Uint32Array(example.parameters).buffer),
      mean: Float64Array.from(example.mean),
      std: Float64Array.from(example.std),
    });
    example.observations.forEach((observation, i) => {
      const action = Float32Array.from(policy.act(observation));
      assert.deepEqual([...new Uint32Array(action.buffer)], example.actions[i]);
    });
  });
}

test('the links of a chain act one after the other, the last to the end', () => {
  // One input, one linear output: the action is the weight times the input plus the bias.
  const link = (bias: number, before: Controller[] = []): Controller =>
    ({ parameters: Float32Array.from([0, bias]), mean: new Float64Array(1), std: Float64Array.of(1), before });
  const policy = new Policy({ layers: [1, 1], output: 'linear', observation_clip: 0, chain_steps: 2 });
  policy.load(link(3, [link(1), link(2)]));
  const actions = [0, 1, 2, 3, 4, 5, 6, 100].map((step) => policy.act([0], step)[0]);
  assert.deepEqual(actions, [1, 1, 2, 2, 3, 3, 3, 3]);
  assert.equal(policy.act([0], 0)[0], 1); // a new episode
  policy.load(link(7));
  assert.equal(policy.act([0], 100)[0], 7);
});

test('the bytes of a chain are its links, each at a multiple of 8', () => {
  // 2 inputs, 1 output: 4 float64 and 3 float32, which are 44 bytes, so that the second link is at 48.
  const bytes = new ArrayBuffer(48 + 44);
  for (const [at, value] of [[0, 1], [48, 2]]) {
    new Float64Array(bytes, at, 4).fill(value);
    new Float32Array(bytes, at + 32, 3).fill(10 * value);
  }
  const last = to_controller(bytes, { layers: [2, 1], output: 'tanh', observation_clip: 0 });
  assert.deepEqual([...last.parameters, ...last.mean], [20, 20, 20, 2, 2]);
  assert.deepEqual(last.before!.map(({ parameters, std }) => [...parameters, ...std]), [[10, 10, 10, 1, 1]]);
  assert.equal(to_controller(bytes.slice(0, 44), { layers: [2, 1], output: 'tanh', observation_clip: 0 }).before, undefined);
});

test('a controller of another size is refused', () => {
  const policy = new Policy({ layers: [2, 3], output: 'tanh', observation_clip: 0 });
  assert.throws(() => policy.load({ parameters: new Float32Array(8), mean: new Float64Array(2), std: new Float64Array(2) }), /sizes/);
});

// Known answers of Random123 (kat_vectors, philox4x32 10).
test('Philox gives the published numbers', () => {
  assert.deepEqual(philox([0, 0, 0, 0], [0, 0]), [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]);
  const ones = 0xffffffff;
  assert.deepEqual(philox([ones, ones, ones, ones], [ones, ones]), [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd]);
});

test('uniform numbers are in their range and use 53 bits', () => {
  const stream = new Stream(1, 17);
  for (let i = 0; i < 1000; ++i) {
    const x = stream.uniform(-0.1, 0.1);
    assert.ok(x >= -0.1 && x < 0.1);
  }
});
