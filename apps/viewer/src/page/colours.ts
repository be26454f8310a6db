// Viridis at 16 places (Smith and van der Walt, 2015): perceptually uniform, and readable without colour vision.
const VIRIDIS = ['440154', '481a6c', '472f7d', '414487', '39568c', '31688e', '2a788e', '23888e', '1f988b', '22a884', '35b779',
  '54c568', '7ad151', 'a5db36', 'd2e21b', 'fde725'].map(rgb);
// Blue, grey, orange: distinguishable with any colour vision.
const DIVERGING = ['1f5fa8', '6f9fd0', 'c9ccd1', 'e8a468', 'b8560f'].map(rgb);

function rgb(hex: string): [number, number, number] {
  return [0, 2, 4].map((i) => parseInt(hex.slice(i, i + 2), 16)) as [number, number, number];
}

function along(table: [number, number, number][], share: number): string {
  const x = Math.min(Math.max(share, 0), 1) * (table.length - 1);
  const i = Math.min(Math.floor(x), table.length - 2);
  const mixed = table[i].map((from, k) => Math.round(from + (table[i + 1][k] - from) * (x - i)));
  return `rgb(${mixed.join(',')})`;
}

/** share 0..1 */
export const viridis = (share: number) => along(VIRIDIS, Number.isFinite(share) ? share : 0);
/** share 0..1, 0.5 is neutral */
export const diverging = (share: number) => along(DIVERGING, Number.isFinite(share) ? share : 0.5);

export function format(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) {
    return '–';
  }
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e6) {
    return String(value).replace('-', '−');
  }
  if (size < 0.001 || size >= 1e6) {
    return value.toExponential(2).replace('-', '−');
  }
  const digits = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 1 ? 2 : 3;
  return value.toFixed(digits).replace('-', '−');
}

export function duration(seconds: number): string {
  if (!Number.isFinite(seconds)) {
    return '–';
  }
  const minutes = Math.round(seconds / 60);
  return seconds < 90 ? `${Math.round(seconds)} s` : minutes < 90 ? `${minutes} min` : `${(minutes / 60).toFixed(1)} h`;
}
