import type { MapData, Space } from './data';

/** How a map is drawn: all axes at once (a grid of grids), or two of them. */
export type View = 'nested' | [x: number, y: number];

export interface Place {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Frame {
  left: number;
  top: number;
  width: number;
  height: number;
}

export function views_of(space: Space): { label: string; view: View }[] {
  const { names } = space;
  const views: { label: string; view: View }[] = [];
  if (!space.centroids && (names.length === 3 || names.length === 4)) {
    views.push({ label: 'All axes, nested', view: 'nested' });
  }
  for (let x = 0; x < names.length; ++x) {
    for (let y = x + 1; y < names.length; ++y) {
      views.push({ label: `${names[x]} and ${names[y]}`, view: [x, y] });
    }
  }
  if (names.length === 1) {
    views.push({ label: names[0], view: [0, 0] });
  }
  return views;
}

/** Cells of the map, filled or not. */
export function cell_count(space: Space): number {
  return space.centroids ? space.centroids.length / space.names.length : space.bins.reduce((product, bins) => product * bins, 1);
}

/** Bins per axis of a cell, row-major. */
export function bins_of(space: Space, cell: number): number[] {
  const bins = new Array<number>(space.bins.length);
  for (let axis = bins.length - 1; axis >= 0; --axis) {
    bins[axis] = cell % space.bins[axis];
    cell = Math.floor(cell / space.bins[axis]);
  }
  return bins;
}

export function axes_of(view: View): [x: number, y: number] {
  return view === 'nested' ? [0, 1] : view;
}
export function axis_labels({ names }: Space, view: View): [string, string] {
  const inner = (axis: number, base: string) => (view === 'nested' && names[axis] ? `${base}, inside: ${names[axis]}` : base);
  const [x, y] = axes_of(view);
  return [inner(2, names[x]), inner(3, names[y])];
}

/** Pixels between the inner grids of a nested map. */
const NESTED_GAP = 2;

/** The areas that cells are drawn on: the frame, or the inner grids of a nested map. */
export function ground_of({ bins }: Space, view: View, { left, top, width, height }: Frame): Place[] {
  if (view !== 'nested') {
    return [{ x: left, y: top, width, height }];
  }
  const [columns, rows] = bins;
  return Array.from({ length: columns * rows }, (_, i) => ({
    x: left + ((i % columns) * width) / columns + NESTED_GAP / 2, y: top + (Math.floor(i / columns) * height) / rows + NESTED_GAP / 2,
    width: width / columns - NESTED_GAP, height: height / rows - NESTED_GAP,
  }));
}

function nested_place(space: Space, bins: number[], frame: Frame): Place {
  const [columns, rows] = [space.bins[0], space.bins[1]];
  const inner = [space.bins[2], space.bins[3] ?? 1];
  const width = frame.width / columns;
  const height = frame.height / rows;
  const cell_width = (width - NESTED_GAP) / inner[0];
  const cell_height = (height - NESTED_GAP) / inner[1];
  return {
    x: frame.left + bins[0] * width + NESTED_GAP / 2 + bins[2] * cell_width,
    y: frame.top + frame.height - (bins[1] + 1) * height + NESTED_GAP / 2 + (inner[1] - 1 - (bins[3] ?? 0)) * cell_height,
    width: cell_width,
    height: cell_height,
  };
}

/** Where each row of the map is drawn. */
export function place_rows(map: MapData, view: View, frame: Frame): Place[] {
  const { space, cells } = map;
  const dimensions = space.names.length;
  const share = (row: number, axis: number) =>
    Math.min(Math.max((cells.bc[row * dimensions + axis] - space.lower[axis]) / (space.upper[axis] - space.lower[axis]), 0), 1);
  return cells.cell.map((cell, row) => {
    if (space.centroids && view !== 'nested') {
      const size = Math.max(6, 0.7 * Math.sqrt((frame.width * frame.height) / cell_count(space)));
      return {
        x: frame.left + share(row, view[0]) * frame.width - size / 2,
        y: frame.top + (1 - share(row, view[1])) * frame.height - size / 2, width: size, height: size,
      };
    }
    const bins = bins_of(space, cell);
    if (view === 'nested') {
      return nested_place(space, bins, frame);
    }
    const [x, y] = view;
    const width = frame.width / space.bins[x];
    const one = x === y; // a map with one axis
    const height = one ? frame.height : frame.height / space.bins[y];
    return { x: frame.left + bins[x] * width, y: one ? frame.top : frame.top + frame.height - (bins[y] + 1) * height, width, height };
  });
}

/** The nearest centroid of every pixel of a frame, for maps with two axes. */
export function voronoi(space: Space, columns: number, rows: number): Int32Array {
  const centroids = space.centroids!;
  const count = centroids.length / 2;
  const side = Math.max(1, Math.floor(Math.sqrt(count / 2)));
  const buckets = Array.from({ length: side * side }, () => [] as number[]);
  const points = new Float64Array(2 * count);
  for (let i = 0; i < count; ++i) {
    for (let axis = 0; axis < 2; ++axis) {
      points[2 * i + axis] = (centroids[2 * i + axis] - space.lower[axis]) / (space.upper[axis] - space.lower[axis]);
    }
    const bin = (x: number) => Math.min(Math.max(Math.floor(x * side), 0), side - 1);
    buckets[bin(points[2 * i]) * side + bin(points[2 * i + 1])].push(i);
  }
  const nearest = new Int32Array(columns * rows);
  for (let row = 0; row < rows; ++row) {
    for (let column = 0; column < columns; ++column) {
      nearest[row * columns + column] = find_nearest((column + 0.5) / columns, 1 - (row + 0.5) / rows, points, buckets, side);
    }
  }
  return nearest;
}

function find_nearest(x: number, y: number, points: Float64Array, buckets: number[][], side: number): number {
  const [bx, by] = [Math.min(Math.floor(x * side), side - 1), Math.min(Math.floor(y * side), side - 1)];
  let best = -1;
  let distance = Infinity;
  for (let ring = 0; ring <= side && (ring - 1) / side <= Math.sqrt(distance); ++ring) {
    for (let i = Math.max(bx - ring, 0); i <= Math.min(bx + ring, side - 1); ++i) {
      for (let j = Math.max(by - ring, 0); j <= Math.min(by + ring, side - 1); ++j) {
        if (Math.max(Math.abs(i - bx), Math.abs(j - by)) !== ring) {
          continue;
        }
        for (const point of buckets[i * side + j]) {
          const d = (points[2 * point] - x) ** 2 + (points[2 * point + 1] - y) ** 2;
          if (d < distance) {
            distance = d;
            best = point;
          }
        }
      }
    }
  }
  return best;
}

type Point = [x: number, y: number];

/** The part of a convex polygon where x is nearer to `own` than to `other`. */
function clip(polygon: Point[], own: Point, other: Point): Point[] {
  const [dx, dy] = [other[0] - own[0], other[1] - own[1]];
  const limit = (other[0] ** 2 + other[1] ** 2 - own[0] ** 2 - own[1] ** 2) / 2;
  const excess = ([x, y]: Point) => x * dx + y * dy - limit;
  return polygon.flatMap((point, i) => {
    const next = polygon[(i + 1) % polygon.length];
    const [a, b] = [excess(point), excess(next)];
    const kept = a <= 0 ? [point] : [];
    if (a * b < 0) {
      const share = a / (a - b);
      kept.push([point[0] + share * (next[0] - point[0]), point[1] + share * (next[1] - point[1])]);
    }
    return kept;
  });
}

/** The outline of a cell of a CVT map with two axes, in a frame. */
export function voronoi_cell(space: Space, cell: number, { left, top, width, height }: Frame): Point[] {
  const centroids = space.centroids!;
  const point = (i: number) => [0, 1].map((axis) => (centroids[2 * i + axis] - space.lower[axis]) / (space.upper[axis] - space.lower[axis])) as Point;
  const own = point(cell);
  let polygon: Point[] = [[0, 0], [1, 0], [1, 1], [0, 1]];
  for (let i = 0; i < centroids.length / 2; ++i) {
    if (i !== cell) {
      polygon = clip(polygon, own, point(i));
    }
  }
  return polygon.map(([x, y]) => [left + x * width, top + (1 - y) * height]);
}
