import { extent } from '../numbers';
import { draw_history } from './charts';
import { format } from './colours';
import type { MapData, Source } from './data';
import { byId, options } from './dom';
import { MapView, type Layer } from './heatmap';
import { views_of } from './layout';
import { ancestors_of, show_live, show_tiles } from './panels';

const LAYERS = ['Fitness', 'Spread of fitness', 'Novelty', 'Generation'] as const;
const PREDICTED = 'Predicted fitness';

const select = (id: string) => byId<HTMLSelectElement>(id);
const cells_of = ({ bins, lower, upper, centroids }: MapData['space']) => JSON.stringify([bins, lower, upper, centroids]);

/** The left half of the page: the map, its colours and axes, figures of the run, and its history. */
export class MapPanel {
  readonly view: MapView;
  map!: MapData;
  /** The row of the chosen elite. */
  row: number | undefined;
  private other: MapData | undefined;
  private belief: Layer | undefined;
  private newest = '';
  private moves = false; // the run has written a map since it was opened
  private readonly scrub = byId<HTMLInputElement>('scrub');

  constructor(private readonly source: Source, pick: (row: number) => void) {
    this.view = new MapView(byId<HTMLCanvasElement>('map'), { pick, hover: (row, x, y) => this.tooltip(row, x, y) });
    select('axes').addEventListener('change', () => this.show(true));
    select('colour').addEventListener('change', () => this.show_layers());
    this.scrub.addEventListener('input', () => this.show_history());
    window.addEventListener('resize', () => this.map && this.show_history());
  }

  async open(run: number): Promise<MapData> {
    this.map = await this.source.map(run);
    this.newest = this.map.version;
    this.belief = undefined;
    this.row = undefined;
    this.moves = false;
    this.view.set_marks([]);
    this.show(false);
    return this.map;
  }
  choose(row: number | undefined): void {
    this.row = row;
    this.view.select(row);
  }
  get best_row(): number | undefined {
    const { fitness } = this.map.cells;
    const rows = this.source.available(this.map);
    return rows.length === 0 ? undefined : rows.reduce((best, row) => (fitness[row] > fitness[best] ? row : best));
  }
  show_ancestors(visible: boolean): void {
    this.view.set_line(visible && this.row !== undefined ? ancestors_of(this.map, this.row) : []);
  }
  /** Draws again, in the colours of the page. */
  redraw(): void {
    this.show_layers();
    this.show_history();
  }
  /** What a recovery predicts for these rows after its latest trial. */
  set_belief(rows: number[], belief: number[], tried: number[]): void {
    const values = this.map.cells.cell.map(() => NaN);
    rows.forEach((row, i) => {
      values[row] = belief[i];
    });
    this.belief = { label: PREDICTED, values, range: this.belief?.range ?? extent(belief) };
    this.view.set_marks(tried);
    this.show_layers(PREDICTED);
  }
  async compare(run: string): Promise<void> {
    this.other = run === '' ? undefined : await this.source.map(Number(run));
    this.show_layers(this.other ? `Fitness minus ${this.other.name}` : 'Fitness');
    this.show_history();
  }
  get at_latest(): boolean {
    return this.scrub.value === this.scrub.max;
  }

  /** A run has written a new map: shows it if it is this one and not an older generation is looked at. */
  async reload(run: number): Promise<void> {
    if (run === this.other?.run_index) {
      this.other = await this.source.map(run);
    }
    if (run !== this.map.run_index || !this.at_latest) {
      return;
    }
    const before = this.map;
    const latest = await this.source.map(run);
    if (latest.version === before.version || this.map !== before || !this.at_latest) {
      return;
    }
    this.map = latest;
    this.moves = true;
    this.newest = this.map.version;
    this.show(true);
    this.choose(this.row === undefined ? undefined : this.map.row_of.get(before.cells.cell[this.row]));
    this.view.flash(this.map.cells.cell.map((_, row) => row).filter((row) => {
      const old = before.row_of.get(this.map.cells.cell[row]);
      return old === undefined || this.map.cells.fitness[row] > before.cells.fitness[old];
    }));
  }
  /** Shows the kept checkpoint at or before the chosen generation, which has the elites of that time. False if it is shown already. */
  async show_checkpoint(): Promise<boolean> {
    const { max, value } = this.scrub;
    const kept = this.map.checkpoints.filter((name) => Number(name.replace('gen_', '')) <= Number(value));
    const version = this.at_latest || kept.length === 0 ? '' : kept[kept.length - 1];
    if (version === this.map.version || (version === '' && this.map.version === this.newest)) {
      return false;
    }
    const cell = this.row === undefined ? -1 : this.map.cells.cell[this.row];
    this.map = await this.source.map(this.map.run_index, version);
    if (version === '') {
      this.newest = this.map.version;
    }
    this.show(true);
    this.scrub.max = max;
    this.scrub.value = value;
    this.show_history();
    this.choose(this.map.row_of.get(cell));
    return true;
  }

  private show(keep_view: boolean): void {
    const { map, scrub } = this;
    const { run } = map;
    byId('about').textContent = `${map.name}: ${run.algorithm} on ${run.domain}, seed ${run.seed}`;
    document.title = `${map.name} – mees`;
    const views = views_of(map.space);
    if (!keep_view) {
      options(select('axes'), views.map(({ label }) => label), views.map((_, i) => String(i)));
      select('axes').hidden = views.length < 2;
    }
    this.view.set_map(map, views[Math.max(select('axes').selectedIndex, 0)].view, keep_view);
    this.show_layers();
    show_tiles(map);
    show_live(map, this.source.is_live, this.moves);
    const follows = this.at_latest || !keep_view;
    scrub.max = String(run.generation);
    if (follows) {
      scrub.value = scrub.max;
    }
    this.show_history();
    document.body.dataset.cells = String(map.cells.cell.length);
    document.body.dataset.generation = String(run.generation);
  }
  private layers(): Layer[] {
    const { map, other, belief } = this;
    const { cells } = map;
    const columns = [cells.fitness, cells.fitness_std, cells.novelty, cells.generation];
    const layers: Layer[] = LAYERS.map((label, i) => ({ label, values: columns[i] }));
    if (other && cells_of(other.space) === cells_of(map.space)) {
      layers.push({
        label: `Fitness minus ${other.name}`, diverging: true,
        values: cells.cell.map((cell, row) => cells.fitness[row] - (other.cells.fitness[other.row_of.get(cell) ?? -1] ?? NaN)),
      });
    }
    return belief && belief.values.length === cells.cell.length ? [...layers, belief] : layers;
  }
  private show_layers(chosen = select('colour').value): void {
    const layers = this.layers();
    options(select('colour'), layers.map(({ label }) => label));
    const layer = layers.find(({ label }) => label === chosen) ?? layers[0];
    select('colour').value = layer.label;
    this.view.set_layer(layer);
    const [lower, bar, upper] = [...byId('legend').children] as [HTMLElement, HTMLCanvasElement, HTMLElement];
    const { range } = this.view;
    [lower.textContent, upper.textContent] = range.map(format);
    const context = bar.getContext('2d')!;
    for (let x = 0; x < bar.width; ++x) {
      context.fillStyle = this.view.colour(range[0] + (x / (bar.width - 1)) * (range[1] - range[0]));
      context.fillRect(x, 0, 1, bar.height);
    }
  }
  private show_history(): void {
    const { value } = this.scrub;
    byId('scrub-value').textContent = value;
    this.view.set_latest(this.at_latest ? Infinity : Number(value));
    draw_history(byId<HTMLCanvasElement>('curves'), this.map.history, this.other?.history, this.at_latest ? undefined : Number(value));
  }
  private tooltip(row: number | undefined, x: number, y: number): void {
    const tip = byId('tooltip');
    tip.hidden = row === undefined;
    if (row === undefined) {
      return;
    }
    const { cells, space } = this.map;
    const axes = space.names.length;
    const bc = space.names.map((name, axis) => `${name} ${format(cells.bc[row * axes + axis])}`).join('\n');
    tip.textContent = `Cell ${cells.cell[row]}, fitness ${format(cells.fitness[row])}\n${bc}`;
    tip.style.left = `${Math.min(x + 14, window.innerWidth - 170)}px`;
    tip.style.top = `${y + 14}px`;
  }
}
