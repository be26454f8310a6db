import { extent } from '../numbers';
import { GaussianProcess } from './gaussian_process';

/** The map as prior knowledge: a row per filled cell, ascending. */
export interface MapPrior {
  cells: number[];
  /** BCs, unscaled. */
  bc: number[][];
  fitness: number[];
  lower: number[];
  upper: number[];
}

/** Defaults of mees_adapt. */
export interface MapOptimiserSettings {
  rho: number;
  kappa: number;
  noise_variance: number;
  trials: number;
}
export const DEFAULTS: MapOptimiserSettings = { rho: 0.03, kappa: 0.3, noise_variance: 0.01, trials: 30 };

export interface Trial {
  cell: number;
  predicted: number;
  variance: number;
  fitness: number;
}

/** The first of the largest values. */
function largest(values: ArrayLike<number>): number {
  let best = 0;
  for (let i = 1; i < values.length; ++i) {
    if (values[i] > values[best]) {
      best = i;
    }
  }
  return best;
}

/**
 * Map-based Bayesian optimisation (M-BOA), with the choices of mees_adapt for the same results of the trials: ask for
 * the next row of the map, tell the mean fitness measured there.
 */
export class MapOptimiser {
  readonly trials: Trial[] = [];
  private readonly lowest: number;
  private readonly range: number;
  private readonly process: GaussianProcess;

  constructor(
    private readonly prior: MapPrior,
    private readonly settings: MapOptimiserSettings = DEFAULTS,
  ) {
    const [lowest, highest] = extent(prior.fitness);
    this.lowest = lowest;
    this.range = highest - lowest;
    if (!(this.range > 0)) {
      throw new Error('cannot recover with this map (its controllers do not differ in fitness).');
    }
    const points = prior.bc.map((bc) => bc.map((x, i) => (x - prior.lower[i]) / (prior.upper[i] - prior.lower[i])));
    const fitness = prior.fitness.map((value) => this.scaled(value));
    this.process = new GaussianProcess(points, fitness, settings.rho, settings.noise_variance);
  }

  get finished(): boolean {
    return this.trials.length >= this.settings.trials;
  }
  /** The row with the highest acquisition. */
  ask(): number {
    const { mean, variance } = this.process;
    return largest(mean.map((value, i) => value + this.settings.kappa * variance[i]));
  }
  tell(fitness: number): void {
    const row = this.ask();
    this.trials.push({
      cell: this.prior.cells[row],
      predicted: this.unscaled(this.process.mean[row]),
      variance: this.process.variance[row] * this.range * this.range,
      fitness,
    });
    this.process.observe(row, this.scaled(fitness));
  }
  /** The row with the highest posterior mean. */
  answer(): number {
    return largest(this.process.mean);
  }
  /** The predicted fitness of each row. */
  belief(): number[] {
    return Array.from(this.process.mean, (value) => this.unscaled(value));
  }
  /** Standard deviation of the prediction of each row. */
  doubt(): number[] {
    return Array.from(this.process.variance, (value) => Math.sqrt(value) * this.range);
  }

  private scaled(fitness: number): number {
    return (fitness - this.lowest) / this.range;
  }
  private unscaled(value: number): number {
    return this.lowest + value * this.range;
  }
}
