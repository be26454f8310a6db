// The arithmetic of a layer as a WebAssembly module with 4 floats per instruction, assembled here from its
// instructions. Each product and each sum is rounded to float32 and every unit's sum starts at its bias and takes the
// inputs in their order, so the results are bit-identical to those of lib/mees/policy.

/** Outputs whose sums are computed together: 4 registers of 4 floats. */
export const STRIP = 16;

export interface Kernel {
  memory: WebAssembly.Memory;
  /** Sums `strips` strips of a layer at `packed` with `inputs`..`inputs_end` (bytes) into `out`. */
  sum(packed: number, inputs: number, inputs_end: number, out: number, strips: number): void;
  /** Replaces the floats in `start`..`end` (bytes) by their tanh. */
  tanh(start: number, end: number): void;
}

// Coefficients of lib/mees/policy/activation.hpp, highest power first.
const SATURATED = 9.02;
const NUMERATOR = [5.09016473e-8, 3.16313926e-5, 0.00401052739, 0.137869671, 1];
const DENOMINATOR = [7.40137229e-10, 1.6206734e-6, 0.000421100471, 0.0277448706, 0.471202999, 1];

const I32 = 0x7f;
const V128 = 0x7b;

function leb(value: number): number[] {
  const bytes = [];
  do {
    bytes.push((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
    value >>>= 7;
  } while (value > 0);
  return bytes;
}
/** An integer constant below 8192: its encoding is signed. */
const constant = (value: number) => [0x41, (value & 0x7f) | 0x80, value >> 7];
const section = (id: number, content: number[]) => [id, ...leb(content.length), ...content];
const vector = (items: number[][]) => [...leb(items.length), ...items.flat()];
const get = (local: number) => [0x20, local];
const set = (local: number) => [0x21, local];
const add_bytes = (local: number, bytes: number) => [...get(local), ...constant(bytes), 0x6a, ...set(local)];
const simd = (code: number, ...operands: number[]) => [0xfd, ...leb(code), ...operands];
const load = (offset: number) => simd(0x00, 0, ...leb(offset));
const load_splat = simd(0x09, 0, 0);
const store = (offset: number) => simd(0x0b, 0, ...leb(offset));
const ADD = simd(0xe4);
const MUL = simd(0xe6);
const DIV = simd(0xe7);
const PMIN = simd(0xea); // b < a ? b : a
const PMAX = simd(0xeb); // a < b ? b : a
const splat = (value: number) => [0x43, ...new Uint8Array(new Float32Array([value]).buffer), ...simd(0x13)];
const loop = (body: number[]) => [0x03, 0x40, ...body, 0x0b];
const again_if_below = (local: number, end: number) => [...get(local), ...get(end), 0x49, 0x0d, 0];
const body = (locals: number[][], code: number[]) => {
  const content = [...vector(locals), ...code, 0x0b];
  return [...leb(content.length), ...content];
};

function sum_code(): number[] {
  const [packed, inputs, end, out, strips, position, input, first] = [0, 1, 2, 3, 4, 5, 6, 7];
  const each = (code: (i: number) => number[]) => [0, 1, 2, 3].flatMap(code);
  const code = loop([
    ...each((i) => [...get(packed), ...load(16 * i), ...set(first + i)]),
    ...add_bytes(packed, 64),
    ...get(inputs), ...set(position),
    ...loop([
      ...get(position), ...load_splat, ...set(input),
      ...each((i) => [...get(first + i), ...get(packed), ...load(16 * i), ...get(input), ...MUL, ...ADD, ...set(first + i)]),
      ...add_bytes(packed, 64), ...add_bytes(position, 4), ...again_if_below(position, end),
    ]),
    ...each((i) => [...get(out), ...get(first + i), ...store(16 * i)]),
    ...add_bytes(out, 64),
    ...get(strips), ...constant(1), 0x6b, 0x22, strips, 0x0d, 0,
  ]);
  return body([[1, I32], [5, V128]], code);
}

function tanh_code(): number[] {
  const [position, end, x, square] = [0, 1, 2, 3];
  const polynomial = (coefficients: number[]) =>
    coefficients.slice(1).reduce((code, c) => [...code, ...get(square), ...MUL, ...splat(c), ...ADD], splat(coefficients[0]));
  const code = loop([
    ...get(position), ...load(0), ...splat(-SATURATED), ...PMAX, ...splat(SATURATED), ...PMIN, ...set(x),
    ...get(x), ...get(x), ...MUL, ...set(square),
    ...get(position),
    ...get(x), ...polynomial(NUMERATOR), ...MUL, ...polynomial(DENOMINATOR), ...DIV,
    ...splat(-1), ...PMAX, ...splat(1), ...PMIN, ...store(0),
    ...add_bytes(position, 16), ...again_if_below(position, end),
  ]);
  return body([[2, V128]], code);
}

function name(text: string): number[] {
  return [text.length, ...new TextEncoder().encode(text)];
}

let compiled: WebAssembly.Module | undefined;

/** A kernel with its own memory of at least `bytes`. */
export function make_kernel(bytes: number): Kernel {
  compiled ??= new WebAssembly.Module(new Uint8Array([
    0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
    ...section(1, vector([[0x60, 5, I32, I32, I32, I32, I32, 0], [0x60, 2, I32, I32, 0]])),
    ...section(2, vector([[...name('m'), ...name('m'), 2, 0, 1]])),
    ...section(3, vector([[0], [1]])),
    ...section(7, vector([[...name('sum'), 0, 0], [...name('tanh'), 0, 1]])),
    ...section(10, vector([sum_code(), tanh_code()])),
  ]));
  const memory = new WebAssembly.Memory({ initial: Math.max(1, Math.ceil(bytes / 65536)) });
  const { sum, tanh } = new WebAssembly.Instance(compiled, { m: { m: memory } }).exports;
  return { memory, sum: sum as Kernel['sum'], tanh: tanh as Kernel['tanh'] };
}
