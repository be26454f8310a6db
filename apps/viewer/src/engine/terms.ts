import type { BcPart, Quantity, Term } from './description';
import { make_reader, type Situation } from './quantity';

/** The number of a reward term or an end, see docs/domain-description.md. */
export interface Measure {
  /** Called in the initial state. */
  begin(): void;
  value(): number;
}

function distance_to(term: Term, size: number, { world }: Situation): (values: Float64Array) => number {
  const { point, target_site } = term;
  const site = target_site === undefined ? -1 : world.model.id('site', target_site);
  if (site < 0 && point?.length !== size) {
    throw new Error('invalid description of the task (a distance needs a point of as many numbers, or a target_site).');
  }
  return (values) => {
    const to = site < 0 ? point! : world.views.site_xpos.subarray(3 * site, 3 * site + 3);
    let squares = 0;
    for (let i = 0; i < size; ++i) {
      squares += (values[i] - to[i]) * (values[i] - to[i]);
    }
    return Math.sqrt(squares);
  };
}

export function make_measure(term: Term, situation: Situation, control_seconds: number): Measure {
  if (term.kind === 'constant') {
    return { begin() {}, value: () => 1 };
  }
  const reader = make_reader(term as Quantity, situation);
  const values = new Float64Array(reader.size);
  const read = () => {
    reader.read(values, 0);
    return values;
  };
  const shifted = (x: number) => (term.target === undefined ? x : Math.abs(x - term.target));
  switch (term.kind) {
    case 'sum': return { begin() {}, value: () => shifted(read().reduce((sum, x) => sum + x, 0)) };
    case 'squares': return { begin() {}, value: () => shifted(read().reduce((sum, x) => sum + x * x, 0)) };
    case 'distance': {
      const distance = distance_to(term, reader.size, situation);
      return { begin() {}, value: () => shifted(distance(read())) };
    }
    case 'rate': {
      if (reader.size !== 1) {
        throw new Error('invalid description of the task (a rate is of a quantity with one entry).');
      }
      const seconds = term.seconds ?? control_seconds;
      let before = 0;
      return {
        begin() {
          before = read()[0];
        },
        value() {
          const rate = (read()[0] - before) / seconds;
          before = values[0];
          return shifted(rate);
        },
      };
    }
  }
}

export function limited(x: number, { lower, upper }: Term): number {
  return lower !== undefined && x < lower ? lower : upper !== undefined && x > upper ? upper : x;
}

/** A part of the BC. */
export interface Behaviour {
  size: number;
  begin(out: Float64Array, at: number): void;
  /** After control step `steps`. */
  add(out: Float64Array, at: number, steps: number): void;
}

/** A ground pose as seen from another: position in its frame, cosine and sine of the angle. */
function relative(from: Float64Array, to: Float64Array): number[] {
  const [dx, dy, c, s] = [to[0] - from[0], to[1] - from[1], from[2], from[3]];
  return [c * dx + s * dy, c * dy - s * dx, c * to[2] + s * to[3], c * to[3] - s * to[2]];
}

export function make_behaviour(part: BcPart, situation: Situation, control_seconds: number): Behaviour {
  const reader = make_reader(part, situation);
  const { size } = reader;
  const initial = new Float64Array(size);
  const sums = new Float64Array(size);
  const values = new Float64Array(size);
  if (part.kind === 'relative' && (part.source !== 'ground_pose' || size !== 4)) {
    throw new Error('invalid description of the task (the kind relative is of a whole ground_pose).');
  }
  return {
    size,
    begin(out, at) {
      reader.read(initial, 0);
      sums.fill(0);
      out.set(part.kind === 'relative' ? relative(initial, initial) : part.kind === 'final' ? initial : sums, at);
    },
    add(out, at, steps) {
      reader.read(values, 0);
      if (part.kind === 'relative') {
        out.set(relative(initial, values), at);
        return;
      }
      for (let i = 0; i < size; ++i) {
        sums[i] += values[i];
        switch (part.kind) {
          case 'final': out[at + i] = values[i]; break;
          case 'displacement': out[at + i] = values[i] - initial[i]; break;
          case 'velocity': out[at + i] = (values[i] - initial[i]) / (Math.max(steps, 1) * control_seconds); break;
          case 'mean': out[at + i] = sums[i] / steps; break;
        }
      }
    },
  };
}
