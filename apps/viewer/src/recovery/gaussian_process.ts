/** Matern kernel of smoothness 5/2 at a distance. */
export function matern(distance: number, rho: number): number {
  const s = distance * (Math.sqrt(5) / rho);
  return (1 + s + (s * s) / 3) * Math.exp(-s);
}

/**
 * A Gaussian process on fixed candidates, observed at candidates only; see lib/mees/adaptation/gaussian_process.hpp,
 * whose operations it repeats. mean and variance are the posterior after each observe.
 */
export class GaussianProcess {
  readonly mean: Float64Array;
  readonly variance: Float64Array;
  private readonly solved: Float64Array[] = [];

  constructor(
    private readonly points: number[][],
    prior_mean: ArrayLike<number>,
    private readonly rho: number,
    private readonly noise_variance: number,
  ) {
    this.mean = Float64Array.from(prior_mean);
    this.variance = new Float64Array(points.length).fill(1);
  }

  observe(candidate: number, value: number): void {
    const diagonal = Math.sqrt(this.variance[candidate] + this.noise_variance);
    const at = this.points[candidate];
    const column = Float64Array.from(this.points, (point) => {
      let squares = 0;
      for (let axis = 0; axis < at.length; ++axis) {
        squares += (point[axis] - at[axis]) * (point[axis] - at[axis]);
      }
      return matern(Math.sqrt(squares), this.rho);
    });
    for (const earlier of this.solved) {
      const factor = earlier[candidate];
      for (let i = 0; i < column.length; ++i) {
        column[i] -= factor * earlier[i];
      }
    }
    const step = (value - this.mean[candidate]) / diagonal;
    for (let i = 0; i < column.length; ++i) {
      column[i] /= diagonal;
      this.mean[i] += column[i] * step;
      this.variance[i] = Math.max(this.variance[i] - column[i] * column[i], 0);
    }
    this.solved.push(column);
  }
}
