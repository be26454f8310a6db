import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stream_generation } from '../src/page/recover';
import { MapOptimiser, DEFAULTS, type MapPrior } from '../src/recovery/map_optimiser';
import { read_json } from './data';

interface Recovered extends MapPrior {
  trials: { cell: number[]; predicted: number[]; variance: number[]; fitness: number[] };
  answer: number;
}

const close = (a: number, b: number, scale: number) => assert.ok(Math.abs(a - b) <= 1e-9 * scale, `${a} instead of ${b}`);

test('the choices are those of mees_adapt for the same results of the trials', () => {
  const data = read_json<Recovered>('recovery.json');
  const optimiser = new MapOptimiser(data);
  const range = Math.max(...data.fitness) - Math.min(...data.fitness);
  assert.ok(new Set(data.trials.cell).size > 2, 'the trials are in different cells');
  data.trials.cell.forEach((cell, i) => {
    assert.equal(data.cells[optimiser.ask()], cell, `trial ${i + 1}`);
    optimiser.tell(data.trials.fitness[i]);
    close(optimiser.trials[i].predicted, data.trials.predicted[i], range);
    close(optimiser.trials[i].variance, data.trials.variance[i], range * range);
  });
  assert.ok(optimiser.finished);
  assert.equal(data.cells[optimiser.answer()], data.answer);
});

// With one trial at x of value y the posterior at x is prior + (y - prior) / (1 + noise), by the definition of a Gaussian process.
test('the first trial moves the belief as a Gaussian process does', () => {
  const optimiser = new MapOptimiser({ cells: [3, 8], bc: [[0], [10]], fitness: [0, 100], lower: [0], upper: [10] });
  assert.equal(optimiser.ask(), 1);
  optimiser.tell(20);
  const [far, near] = optimiser.belief();
  close(near, 100 + (20 - 100) / (1 + DEFAULTS.noise_variance), 100);
  close(far, 0, 100);
});

test('a map of equal controllers is refused', () => {
  assert.throws(() => new MapOptimiser({ cells: [1, 2], bc: [[0], [1]], fitness: [5, 5], lower: [0], upper: [1] }), /fitness/);
});

// FNV-1a of "a" and "foobar", as published with the algorithm.
test('streams of a damage are named by its hash', () => {
  assert.equal(stream_generation('a'), 0xe40c292c);
  assert.equal(stream_generation('foobar'), 0xbf9cf968);
});
