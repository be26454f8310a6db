import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Stream, philox } from '../src/engine/stream';
import { Policy, type Network } from '../src/policy/policy';
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
