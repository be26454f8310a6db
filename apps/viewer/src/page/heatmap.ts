import { diverging, format, viridis } from './colours';
import { extent } from '../numbers';
import type { MapData } from './data';
import { axes_of, axis_labels, ground_of, place_rows, voronoi, voronoi_cell, type Frame, type Place, type View } from './layout';
import { map_svg } from './svg';

/** What the cells show. */
export interface Layer {
  label: string;
  /** Per row. */
  values: number[];
  diverging?: boolean;
  /** Fixed limits; by default those of the values. */
  range?: [number, number];
}

interface Events {
  pick(row: number): void;
  hover(row: number | undefined, x: number, y: number): void;
}

const MARGIN = { left: 34, right: 8, top: 8, bottom: 32 };
const SMALLEST = 6; // pixels of a filled cell
const FLASH_SECONDS = 2.5;
const VORONOI_PIXEL = 2;

/** The map as a picture that can be pointed at: heatmap, grid of heatmaps, or Voronoi cells. */
export class MapView {
  private map: MapData | undefined;
  private view: View = [0, 1];
  private layer: Layer = { label: '', values: [] };
  private places: Place[] = [];
  private shown: number[] = [];
  private nearest: Int32Array | undefined;
  private selected: number | undefined;
  private hovered: number | undefined;
  private line: number[] = [];
  private marks: number[] = [];
  private latest = Infinity;
  private flashes = new Map<number, number>();
  private readonly context: CanvasRenderingContext2D;

  constructor(readonly canvas: HTMLCanvasElement, private readonly events: Events) {
    this.context = canvas.getContext('2d')!;
    canvas.addEventListener('pointermove', (event) => this.point(event));
    canvas.addEventListener('pointerleave', () => this.set_hovered(undefined, 0, 0));
    canvas.addEventListener('click', (event) => {
      const row = this.row_at(event.offsetX, event.offsetY);
      if (row !== undefined) {
        events.pick(row);
      }
    });
    canvas.addEventListener('keydown', (event) => this.key(event));
    new ResizeObserver(() => this.arrange()).observe(canvas);
  }

  /** `same_run`: a map of the run that is shown, so what is marked stays marked. Its rows are others if it has more cells. */
  set_map(map: MapData, view: View, same_run = false): void {
    const before = this.map;
    const rows = (list: number[]) => list.map((row) => map.row_of.get(before!.cells.cell[row])).filter((row) => row !== undefined);
    if (!same_run) {
      this.flashes.clear();
      this.selected = undefined;
    } else if (before && before !== map) {
      [this.line, this.marks] = [rows(this.line), rows(this.marks)];
      this.selected = this.selected === undefined ? undefined : rows([this.selected])[0];
      this.flashes = new Map([...this.flashes].flatMap(([row, begin]) => rows([row]).map((other): [number, number] => [other, begin])));
    }
    this.hovered = undefined;
    this.map = map;
    this.view = view;
    this.nearest = undefined;
    this.arrange();
  }
  set_layer(layer: Layer): void {
    this.layer = layer;
    this.choose_shown();
    this.draw();
  }
  select(row: number | undefined): void {
    this.selected = row;
    this.draw();
  }
  /** Cells to join by a line: an elite, its parent, and so on. */
  set_line(rows: number[]): void {
    this.line = rows;
    this.draw();
  }
  /** Cells to mark, in order: trials of a recovery. */
  set_marks(rows: number[]): void {
    this.marks = rows;
    this.draw();
  }
  /** Hides elites that were born later. */
  set_latest(generation: number): void {
    this.latest = generation;
    this.choose_shown();
    this.draw();
  }
  flash(rows: number[]): void {
    const now = performance.now();
    rows.forEach((row) => this.flashes.set(row, now));
    const tick = () => {
      this.draw();
      if (this.flashes.size > 0) {
        requestAnimationFrame(tick);
      }
    };
    tick();
  }
  get range(): [number, number] {
    if (this.layer.range) {
      return this.layer.range;
    }
    const [lower, upper] = extent(this.layer.values);
    if (this.layer.diverging) {
      const reach = Math.max(Math.abs(lower), Math.abs(upper)) || 1;
      return [-reach, reach];
    }
    return lower < upper ? [lower, upper] : [lower - 0.5, lower + 0.5];
  }
  colour(value: number): string {
    const [lower, upper] = this.range;
    const share = (value - lower) / (upper - lower);
    return this.layer.diverging ? diverging(share) : viridis(share);
  }

  /** The cells, axes and colours as a drawing. */
  svg(): string {
    return map_svg({
      width: this.canvas.clientWidth, height: this.canvas.clientHeight, frame: this.frame, space: this.map!.space, view: this.view,
      label: this.layer.label, range: this.range, colour: (value) => this.colour(value),
      cells: this.shown.map((row) => ({ cell: this.map!.cells.cell[row], place: this.drawn(row), value: this.layer.values[row] })),
    });
  }

  private get frame(): Frame {
    const { clientWidth, clientHeight } = this.canvas;
    return {
      left: MARGIN.left, top: MARGIN.top,
      width: Math.max(clientWidth - MARGIN.left - MARGIN.right, 10), height: Math.max(clientHeight - MARGIN.top - MARGIN.bottom, 10),
    };
  }
  private arrange(): void {
    const { canvas } = this;
    const ratio = window.devicePixelRatio || 1;
    canvas.width = Math.round(canvas.clientWidth * ratio);
    canvas.height = Math.round(canvas.clientHeight * ratio);
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    if (!this.map || canvas.clientWidth === 0) {
      return;
    }
    this.places = place_rows(this.map, this.view, this.frame);
    const { space } = this.map;
    const { width, height } = this.frame;
    this.nearest = space.centroids && space.names.length === 2
      ? voronoi(space, Math.floor(width / VORONOI_PIXEL), Math.floor(height / VORONOI_PIXEL)) : undefined;
    this.choose_shown();
    this.draw();
  }
  /** Of elites at one place the one with the highest value is seen, so it is drawn last. */
  private choose_shown(): void {
    const generations = this.map?.cells.generation ?? [];
    const { values } = this.layer;
    this.shown = this.places.map((_, row) => row).filter((row) => generations[row] <= this.latest && Number.isFinite(values[row]));
    this.shown.sort((a, b) => values[a] - values[b]);
  }

  /** The nearest filled cell: cells of a sparse map are too small to hit. */
  private row_at(x: number, y: number): number | undefined {
    const inside = this.map?.row_of.get(this.centroid_at(x, y));
    if (inside !== undefined && this.shown.includes(inside)) {
      return inside;
    }
    let best: number | undefined;
    let least = Infinity;
    for (const row of this.shown) {
      const place = this.places[row];
      const distance = (place.x + place.width / 2 - x) ** 2 + (place.y + place.height / 2 - y) ** 2;
      if (distance <= least) {
        least = distance;
        best = row;
      }
    }
    return best;
  }
  /** The cell of a CVT map at a pixel, -1 if there is none. */
  private centroid_at(x: number, y: number): number {
    const { left, top, width, height } = this.frame;
    const [column, row] = [Math.floor((x - left) / VORONOI_PIXEL), Math.floor((y - top) / VORONOI_PIXEL)];
    const [columns, rows] = [Math.floor(width / VORONOI_PIXEL), Math.floor(height / VORONOI_PIXEL)];
    return this.nearest && column >= 0 && column < columns && row >= 0 && row < rows ? this.nearest[row * columns + column] : -1;
  }
  private point(event: PointerEvent): void {
    this.set_hovered(this.row_at(event.offsetX, event.offsetY), event.clientX, event.clientY);
  }
  private set_hovered(row: number | undefined, x: number, y: number): void {
    this.events.hover(row, x, y);
    if (row !== this.hovered) {
      this.hovered = row;
      this.draw();
    }
  }
  private key(event: KeyboardEvent): void {
    const directions: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const direction = directions[event.key];
    if (!direction) {
      return;
    }
    event.preventDefault();
    const row = this.neighbour(direction);
    if (row !== undefined) {
      this.events.pick(row);
    }
  }
  /** The nearest cell within 45 degrees of the direction. */
  private neighbour([dx, dy]: [number, number]): number | undefined {
    if (this.selected === undefined) {
      return this.shown[this.shown.length - 1];
    }
    const from = this.places[this.selected];
    let best: number | undefined;
    let least = Infinity;
    for (const row of this.shown) {
      const [x, y] = [this.places[row].x - from.x, this.places[row].y - from.y];
      const along = x * dx + y * dy;
      const across = Math.abs(x * dy) + Math.abs(y * dx);
      const distance = x * x + y * y;
      if (along > 0.5 && across <= along + 0.5 && distance < least) {
        least = distance;
        best = row;
      }
    }
    return best;
  }

  draw(): void {
    const { context, canvas, map } = this;
    context.clearRect(0, 0, canvas.clientWidth, canvas.clientHeight);
    if (!map || this.places.length !== map.cells.cell.length) {
      return;
    }
    const style = getComputedStyle(canvas);
    this.draw_ground(style);
    if (this.nearest) {
      this.draw_voronoi();
    } else {
      this.draw_cells();
    }
    this.draw_axes(style);
    this.draw_line(style);
    this.draw_marks(style);
    this.draw_flashes(style);
    this.outline(this.hovered, style.getPropertyValue('--text'), 1.5);
    this.outline(this.selected, style.getPropertyValue('--accent'), 3);
  }

  private draw_ground(style: CSSStyleDeclaration): void {
    const { context, frame } = this;
    context.fillStyle = style.getPropertyValue('--well');
    for (const { x, y, width, height } of ground_of(this.map!.space, this.view, frame)) {
      context.fillRect(x, y, width, height);
    }
  }
  private drawn(row: number): Place {
    const { x, y, width, height } = this.places[row];
    const [w, h] = [Math.max(width, SMALLEST), Math.max(height, SMALLEST)];
    return { x: x + (width - w) / 2, y: y + (height - h) / 2, width: w, height: h };
  }
  private draw_cells(): void {
    for (const row of this.shown) {
      const { x, y, width, height } = this.drawn(row);
      this.context.fillStyle = this.colour(this.layer.values[row]);
      this.context.fillRect(x, y, width + 0.3, height + 0.3);
    }
  }
  private draw_voronoi(): void {
    const { frame, context } = this;
    const columns = Math.floor(frame.width / VORONOI_PIXEL);
    const shown = new Set(this.shown);
    const colours = new Map<number, string>();
    this.map!.cells.cell.forEach((cell, row) => shown.has(row) && colours.set(cell, this.colour(this.layer.values[row])));
    let start = 0;
    for (let i = 1; i <= this.nearest!.length; ++i) {
      if (i % columns !== 0 && this.nearest![i] === this.nearest![start]) {
        continue;
      }
      const colour = colours.get(this.nearest![start]);
      if (colour) {
        context.fillStyle = colour;
        context.fillRect(frame.left + (start % columns) * VORONOI_PIXEL, frame.top + Math.floor(start / columns) * VORONOI_PIXEL,
          (i - start) * VORONOI_PIXEL, VORONOI_PIXEL);
      }
      start = i;
    }
  }
  private draw_axes(style: CSSStyleDeclaration): void {
    const { context, frame, map } = this;
    const { lower, upper } = map!.space;
    const text = (label: string, x: number, y: number, align: CanvasTextAlign) => {
      context.textAlign = align;
      context.fillText(label, x, y);
    };
    const [x, y] = axes_of(this.view);
    const labels = axis_labels(map!.space, this.view);
    context.fillStyle = style.getPropertyValue('--muted');
    context.font = '11px system-ui, sans-serif';
    context.textBaseline = 'alphabetic';
    const below = frame.top + frame.height + 14;
    text(format(lower[x]), frame.left, below, 'left');
    text(format(upper[x]), frame.left + frame.width, below, 'right');
    text(labels[0], frame.left + frame.width / 2, below + 12, 'center');
    if (x !== y) {
      context.save();
      context.translate(frame.left - 8, frame.top + frame.height);
      context.rotate(-Math.PI / 2);
      text(format(lower[y]), 0, 0, 'left');
      text(format(upper[y]), frame.height, 0, 'right');
      text(labels[1], frame.height / 2, -12, 'center');
      context.restore();
    }
  }
  private centre(row: number): [number, number] {
    const { x, y, width, height } = this.places[row];
    return [x + width / 2, y + height / 2];
  }
  private draw_line(style: CSSStyleDeclaration): void {
    const { context } = this;
    if (this.line.length < 2) {
      return;
    }
    context.strokeStyle = style.getPropertyValue('--accent');
    context.fillStyle = context.strokeStyle;
    context.lineWidth = 1.5;
    for (let i = 1; i < this.line.length; ++i) {
      const [to, from] = [this.centre(this.line[i - 1]), this.centre(this.line[i])];
      const angle = Math.atan2(to[1] - from[1], to[0] - from[0]);
      context.beginPath();
      context.moveTo(...from);
      context.lineTo(...to);
      context.stroke();
      context.beginPath();
      context.moveTo(...to);
      for (const side of [-0.45, 0.45]) {
        context.lineTo(to[0] - 8 * Math.cos(angle + side), to[1] - 8 * Math.sin(angle + side));
      }
      context.fill();
    }
  }
  private draw_marks(style: CSSStyleDeclaration): void {
    const { context } = this;
    context.lineWidth = 1.5;
    for (const row of new Set(this.marks)) {
      context.strokeStyle = style.getPropertyValue('--text');
      context.beginPath();
      context.arc(...this.centre(row), 6, 0, 2 * Math.PI);
      context.stroke();
    }
  }
  private draw_flashes(style: CSSStyleDeclaration): void {
    const { context } = this;
    const now = performance.now();
    for (const [row, begin] of this.flashes) {
      const age = (now - begin) / 1000 / FLASH_SECONDS;
      if (age >= 1 || row >= this.places.length) {
        this.flashes.delete(row);
        continue;
      }
      context.globalAlpha = 1 - age;
      context.strokeStyle = style.getPropertyValue('--accent');
      context.lineWidth = 2;
      context.beginPath();
      context.arc(...this.centre(row), 4 + 14 * age, 0, 2 * Math.PI);
      context.stroke();
      context.globalAlpha = 1;
    }
  }
  private outline(row: number | undefined, colour: string, width: number): void {
    if (row === undefined || row >= this.places.length) {
      return;
    }
    const { x, y, width: w, height: h } = this.drawn(row);
    this.context.strokeStyle = colour;
    this.context.lineWidth = width;
    if (this.nearest) {
      this.context.beginPath();
      voronoi_cell(this.map!.space, this.map!.cells.cell[row], this.frame).forEach((corner) => this.context.lineTo(...corner));
      this.context.closePath();
      this.context.stroke();
      return;
    }
    this.context.strokeRect(x - width / 2, y - width / 2, w + width, h + width);
  }
}
