/** The least and the greatest of the finite values; [Infinity, -Infinity] if there are none. */
export function extent(values: ArrayLike<number>): [number, number] {
  let [lower, upper] = [Infinity, -Infinity];
  for (let i = 0; i < values.length; ++i) {
    if (Number.isFinite(values[i])) {
      lower = values[i] < lower ? values[i] : lower;
      upper = values[i] > upper ? values[i] : upper;
    }
  }
  return [lower, upper];
}
