import { Purpose } from '../engine/stream';
import { DEFAULTS, MapOptimiser, type Trial } from '../recovery/map_optimiser';
import type { Controller } from '../policy/policy';
import type { MapData, Source } from './data';
import type { EpisodePool, Outcome } from './workers';

// As mees_adapt: the streams of a damage depend on its text; each repetition has its own range of them.
const STREAMS_PER_SEED = 2 ** 20;
const REPETITION = 0; // the first of mees_adapt --seeds N
const EPISODES_PER_TRIAL = 2;
const SCORE_EPISODES = 30;

export function stream_generation(damage: string): number {
  let hash = 2166136261;
  for (const byte of new TextEncoder().encode(damage)) {
    hash = Math.imul(hash ^ byte, 16777619) >>> 0;
  }
  return hash;
}

export interface Score {
  mean: number;
  error: number;
}

export function score_of(outcomes: Outcome[]): Score & { deviation: number } {
  const values = outcomes.map(({ fitness }) => fitness);
  const mean = values.reduce((sum, x) => sum + x, 0) / values.length;
  const variance = values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / Math.max(values.length - 1, 1);
  return { mean, error: Math.sqrt(variance / values.length), deviation: Math.sqrt(variance) };
}

export interface Show {
  /** The next trial begins: this row, in this robot. */
  trying(row: number, controller: Controller): Promise<void>;
  tried(trials: Trial[], belief: number[], rows: number[]): void;
  scoring(): void;
  cancelled(): boolean;
}

export interface Recovery {
  row: number;
  best_row: number;
  before: Score;
  after: Score;
  trials: Trial[];
  /** Trials until one reached 90 % of the final score. */
  needed: number | undefined;
}

/** Recovers from a damage by map-based Bayesian optimisation, over the cells whose controllers are at hand. */
export async function recover(source: Source, map: MapData, damage: string, pool: EpisodePool, show: Show): Promise<Recovery | undefined> {
  const rows = source.available(map).sort((a, b) => a - b);
  const { cells, space } = map;
  const axes = space.names.length;
  const optimiser = new MapOptimiser({
    cells: rows.map((row) => cells.cell[row]),
    bc: rows.map((row) => cells.bc.slice(row * axes, (row + 1) * axes)),
    fitness: rows.map((row) => cells.fitness[row]),
    lower: space.lower, upper: space.upper,
  });
  const run = (controller: Controller, purpose: number, first: number, count: number) =>
    Promise.all(Array.from({ length: count }, (_, i) => pool.run(controller, {
      seed: map.run.seed, purpose, generation: stream_generation(damage), index: REPETITION * STREAMS_PER_SEED + first + i,
    })));
  while (!optimiser.finished) {
    const row = rows[optimiser.ask()];
    const controller = await source.controller(map, row);
    const [outcomes] = await Promise.all([
      run(controller, Purpose.adaptation_trial, optimiser.trials.length * EPISODES_PER_TRIAL, EPISODES_PER_TRIAL), show.trying(row, controller)]);
    if (show.cancelled()) {
      return undefined;
    }
    optimiser.tell(score_of(outcomes).mean);
    show.tried(optimiser.trials, optimiser.belief(), rows);
  }
  show.scoring();
  const best_row = rows.reduce((best, row) => (cells.fitness[row] > cells.fitness[best] ? row : best), rows[0]);
  const answer = rows[optimiser.answer()];
  const [before, after] = (await Promise.all([
    run(await source.controller(map, best_row), Purpose.adaptation_score, 0, SCORE_EPISODES),
    run(await source.controller(map, answer), Purpose.adaptation_score, SCORE_EPISODES, SCORE_EPISODES)])).map(score_of);
  const goal = after.mean - 0.1 * Math.abs(after.mean);
  const first = optimiser.trials.findIndex(({ fitness }) => fitness >= goal);
  return { row: answer, best_row, before, after, trials: optimiser.trials, needed: first < 0 ? undefined : first + 1 };
}

export const TRIALS = DEFAULTS.trials;
