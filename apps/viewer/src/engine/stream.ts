/** The use of a stream: the same numbers as in lib/mees/core/stream.hpp. */
export const Purpose = { adaptation_trial: 15, adaptation_score: 16, replay: 17 } as const;

function multiply(a: number, b: number): [high: number, low: number] {
  const [a1, a0, b1, b0] = [a >>> 16, a & 0xffff, b >>> 16, b & 0xffff];
  const middle = a1 * b0 + ((a0 * b0) >>> 16);
  const high = a1 * b1 + Math.floor(middle / 65536) + ((((middle & 0xffff) >>> 0) + a0 * b1) / 65536 >>> 0);
  return [high >>> 0, Math.imul(a, b) >>> 0];
}

/** One block of Philox4x32-10. */
export function philox(counter: number[], key: number[]): number[] {
  let [c0, c1, c2, c3] = counter;
  let [k0, k1] = key;
  for (let round = 0; round < 10; ++round) {
    const [high0, low0] = multiply(0xd2511f53, c0);
    const [high1, low1] = multiply(0xcd9e8d57, c2);
    [c0, c1, c2, c3] = [(high1 ^ c1 ^ k0) >>> 0, low1, (high0 ^ c3 ^ k1) >>> 0, low0];
    k0 = (k0 + 0x9e3779b9) >>> 0;
    k1 = (k1 + 0xbb67ae85) >>> 0;
  }
  return [c0, c1, c2, c3];
}

/**
 * The random numbers of lib/mees/core/stream.hpp: an episode of the page starts in the state in which mees starts it.
 * (Normal numbers may differ in the last bit, because logarithm and sine are those of the browser.)
 */
export class Stream {
  private readonly key: number[];
  private readonly counter: number[];
  private block: number[] = [];
  private spare: number | undefined;

  constructor(seed: number, purpose: number, generation = 0, index = 0) {
    this.key = [seed >>> 0, Math.floor(seed / 2 ** 32) >>> 0];
    this.counter = [0, index >>> 0, generation >>> 0, purpose];
  }

  private next(): number {
    if (this.block.length === 0) {
      this.block = philox(this.counter, this.key);
      ++this.counter[0];
    }
    return this.block.shift()!;
  }

  uniform(lower = 0, upper = 1): number {
    const high = this.next();
    const low = this.next();
    return lower + (upper - lower) * ((high * 2 ** 21 + (low >>> 11)) * 2 ** -53);
  }

  normal(): number {
    if (this.spare !== undefined) {
      const value = this.spare;
      this.spare = undefined;
      return value;
    }
    const radius = Math.sqrt(-2 * Math.log(1 - this.uniform()));
    const angle = 2 * Math.PI * this.uniform();
    this.spare = radius * Math.sin(angle);
    return radius * Math.cos(angle);
  }
}
