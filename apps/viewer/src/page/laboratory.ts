import { Purpose } from '../engine/stream';
import { draw_recovery } from './charts';
import { format } from './colours';
import type { Source } from './data';
import { byId, make } from './dom';
import type { MapPanel } from './map_panel';
import { recover, score_of, TRIALS } from './recover';
import { EpisodePool } from './workers';

const EVALUATED = 30;
const TRIAL_SHOWN_MS = 250;

export interface Robot {
  wasm: WebAssembly.Module;
  damage: string;
  seed: number;
}

interface Show {
  /** Shows the robot with the controller of this row, walking. */
  choose(row: number): Promise<void>;
  speed(): number;
}

/** Experiments that take many episodes; workers run them. */
export class Laboratory {
  private is_recovering = false;

  constructor(private readonly source: Source, private readonly panel: MapPanel, private readonly show: Show) {}

  get recovering(): boolean {
    return this.is_recovering;
  }
  /** Ends a recovery after its current trial. */
  stop(): void {
    this.is_recovering = false;
  }

  /** Measures the chosen elite again, in the episodes of mees_replay. */
  async evaluate({ wasm, damage, seed }: Robot): Promise<void> {
    const { map, row } = this.panel;
    if (row === undefined || !map.domain) {
      return;
    }
    const button = byId<HTMLButtonElement>('evaluate');
    const result = byId('evaluation');
    button.disabled = true;
    result.textContent = 'running …';
    const pool = new EpisodePool(wasm, map.domain, map.network, damage);
    try {
      const controller = await this.source.controller(map, row);
      const { mean, deviation } = score_of(await Promise.all(Array.from({ length: EVALUATED }, (_, index) =>
        pool.run(controller, { seed, purpose: Purpose.replay, generation: 0, index }))));
      if (row === this.panel.row) {
        const { fitness, fitness_std } = map.cells;
        result.textContent = `now ${format(mean)} ± ${format(deviation)}; stored ${format(fitness[row])} ± ${format(fitness_std[row])}`;
      }
    } finally {
      pool.close();
      button.disabled = false;
    }
  }

  /** Finds the controller that works best in the damaged robot, as mees_adapt does, and shows how. */
  async recover({ wasm, damage }: Robot): Promise<void> {
    const { map } = this.panel;
    this.is_recovering = true;
    const answer = byId('answer');
    answer.textContent = '';
    const undamaged = map.cells.fitness[this.panel.best_row!];
    const chart = byId<HTMLCanvasElement>('recovery');
    draw_recovery(chart, [], TRIALS, undamaged);
    const pool = new EpisodePool(wasm, map.domain!, map.network, damage);
    const tried: number[] = [];
    try {
      const result = await recover(this.source, map, damage, pool, {
        cancelled: () => !this.is_recovering,
        scoring: () => {
          answer.textContent = `Scoring the answer with ${EVALUATED} episodes …`;
        },
        trying: async (row) => {
          tried.push(row);
          await this.show.choose(row);
          await new Promise((done) => setTimeout(done, TRIAL_SHOWN_MS / this.show.speed()));
        },
        tried: (trials, belief, rows) => {
          this.panel.set_belief(rows, belief, tried);
          draw_recovery(chart, trials, TRIALS, undamaged);
        },
      });
      if (result) {
        const { before, after, needed } = result;
        answer.replaceChildren(make('b', `Cell ${map.cells.cell[result.row]}: ${format(before.mean)} ± ${format(before.error)} → ${format(after.mean)} ± ${format(after.error)}`),
          document.createTextNode(`, undamaged ${format(undamaged)}${needed ? `, 90 % after ${needed} trial${needed === 1 ? '' : 's'}` : ''}`));
        draw_recovery(chart, result.trials, TRIALS, undamaged);
        await this.show.choose(result.row);
      }
    } finally {
      pool.close();
      this.is_recovering = false;
    }
  }
}
