import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diverging, duration, format, viridis } from '../src/page/colours';
import type { MapData, Space } from '../src/page/data';
import { bins_of, cell_count, place_rows, views_of, voronoi, voronoi_cell } from '../src/page/layout';
import { ancestors_of, remaining_seconds } from '../src/page/panels';

const space = (bins: number[]): Space =>
  ({ names: bins.map((_, i) => `b${i}`), bins, lower: bins.map(() => 0), upper: bins.map(() => 1) });
const map = (of: Space, cell: number[], bc: number[] = []) => ({ space: of, cells: { cell, bc } }) as unknown as MapData;
const frame = { left: 10, top: 20, width: 100, height: 100 };

test('cells are numbered row by row', () => {
  assert.deepEqual(bins_of(space([2, 3, 4]), 1 * 12 + 2 * 4 + 3), [1, 2, 3]);
});
test('all pairs of axes can be chosen, and nested views of three and four axes', () => {
  assert.deepEqual([1, 2, 3, 4, 5].map((n) => views_of(space(Array<number>(n).fill(2))).length), [1, 1, 4, 7, 10]);
});
test('in two dimensions the first axis goes to the right, the second up', () => {
  const [first, last] = place_rows(map(space([10, 5]), [0, 49]), [0, 1], frame);
  assert.deepEqual(first, { x: 10, y: 100, width: 10, height: 20 });
  assert.deepEqual(last, { x: 100, y: 20, width: 10, height: 20 });
});
test('in a nested view every cell is inside its own part of the frame, and no two overlap', () => {
  const bins = [2, 3, 4, 5];
  const cells = Array.from({ length: 120 }, (_, i) => i);
  const places = place_rows(map(space(bins), cells), 'nested', frame);
  const seen = new Set(places.map(({ x, y }) => `${x.toFixed(3)} ${y.toFixed(3)}`));
  assert.equal(seen.size, 120);
  places.forEach(({ x, y, width, height }, cell) => {
    const [i, j] = bins_of(space(bins), cell);
    assert.ok(x >= 10 + 50 * i && x + width <= 10 + 50 * (i + 1) + 1e-9);
    assert.ok(y >= 20 + 100 - (100 / 3) * (j + 1) && y + height <= 20 + 100 - (100 / 3) * j + 1e-9);
  });
});
test('the outlines of CVT cells fill the frame and enclose the points that are nearest', () => {
  const centroids = Array.from({ length: 2 * 40 }, (_, i) => ((i * 7919) % 1000) / 1000);
  const cvt: Space = { ...space([40, 1]), centroids };
  const outlines = Array.from({ length: 40 }, (_, cell) => voronoi_cell(cvt, cell, frame));
  const cross = ([ax, ay]: number[], [bx, by]: number[], [x, y]: number[]) => (bx - ax) * (y - ay) - (by - ay) * (x - ax);
  const area = (outline: number[][]) => outline.reduce((sum, point, i) => sum + cross([0, 0], point, outline[(i + 1) % outline.length]) / 2, 0);
  assert.ok(Math.abs(outlines.reduce((sum, outline) => sum + Math.abs(area(outline)), 0) - 100 * 100) < 1e-6);
  voronoi(cvt, 30, 20).forEach((cell, i) => {
    const point = [10 + (100 * ((i % 30) + 0.5)) / 30, 20 + (100 * (Math.floor(i / 30) + 0.5)) / 20];
    const sides = outlines[cell].map((corner, k) => cross(corner, outlines[cell][(k + 1) % outlines[cell].length], point));
    assert.ok(Math.min(...sides) > -1e-6 || Math.max(...sides) < 1e-6, `pixel ${i}`);
  });
});
test('every pixel of a CVT map belongs to the nearest centroid', () => {
  const centroids = Array.from({ length: 2 * 40 }, (_, i) => ((i * 7919) % 1000) / 1000);
  const cvt: Space = { ...space([40, 1]), centroids };
  assert.equal(cell_count({ ...cvt, bins: [] }), 40);
  const nearest = voronoi(cvt, 30, 20);
  for (let row = 0; row < 20; ++row) {
    for (let column = 0; column < 30; ++column) {
      const [x, y] = [(column + 0.5) / 30, 1 - (row + 0.5) / 20];
      const distance = (i: number) => (centroids[2 * i] - x) ** 2 + (centroids[2 * i + 1] - y) ** 2;
      const least = Math.min(...Array.from({ length: 40 }, (_, i) => distance(i)));
      assert.equal(distance(nearest[row * 30 + column]), least);
    }
  }
});
test('the elites of a CVT map are drawn at their behaviours', () => {
  const cvt: Space = { ...space([40, 1]), bins: [], centroids: Array<number>(80).fill(0.5) };
  const [place] = place_rows(map(cvt, [3], [0.25, 1]), [0, 1], frame);
  assert.equal(place.x + place.width / 2, 10 + 25);
  assert.equal(place.y + place.height / 2, 20);
});
test('a line of ancestors ends where it begins to repeat', () => {
  const data = {
    cells: { parent: [2, 0, 1, -1] }, row_of: new Map([[0, 0], [1, 1], [2, 2], [3, 3]]),
  } as unknown as MapData;
  assert.deepEqual(ancestors_of(data, 0), [0, 2, 1]);
  assert.deepEqual(ancestors_of(data, 3), [3]);
});
test('the time left follows from the pace of the last generations', () => {
  const data = (generation: number) => ({ finished: false, settings: { run: { generations: 10 } }, run: { generation }, history: { seconds: [0, 2, 4] } }) as unknown as MapData;
  assert.equal(remaining_seconds(data(6)), 12);
  assert.equal(remaining_seconds(data(10)), undefined);
});
test('colours and numbers', () => {
  assert.equal(viridis(0), 'rgb(68,1,84)');
  assert.equal(viridis(1), viridis(2));
  assert.equal(viridis(NaN), viridis(0));
  assert.equal(diverging(0.5), 'rgb(201,204,209)');
  assert.deepEqual([0, 3, -1234.4, 0.00001, NaN, 12.345].map(format), ['0', '3', '−1234', '1.00e−5', '–', '12.35']);
  assert.deepEqual([5, 600, 7200].map(duration), ['5 s', '10 min', '2.0 h']);
});
