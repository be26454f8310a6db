import { read_address, write_address } from './address';
import { draw_history, draw_recovery } from './charts';
import { format } from './colours';
import { DamagePanel } from './damage_panel';
import { open_source, type MapData } from './data';
import { byId, make, options } from './dom';
import { ExportMenu } from './exporting';
import { MapView, type Layer } from './heatmap';
import { views_of } from './layout';
import { ancestors_of, EpisodePanel, show_elite, show_live, show_tiles } from './panels';
import { Player } from './player';
import { Push } from './push';
import { recover, score_of, TRIALS } from './recover';
import { Purpose } from '../engine/stream';
import { EpisodePool } from './workers';

const LAYERS = ['Fitness', 'Spread of fitness', 'Novelty', 'Generation'] as const;
const EVALUATED = 30;
const TRIAL_SHOWN_MS = 250;

const select = (id: string) => byId<HTMLSelectElement>(id);
const input = (id: string) => byId<HTMLInputElement>(id);

/** The page: what is chosen, and how its parts work together. */
export class App {
  private readonly source = open_source();
  private readonly player: Player;
  private readonly view: MapView;
  private readonly episode = new EpisodePanel();
  private readonly damage: DamagePanel;
  private map!: MapData;
  private other: MapData | undefined;
  private row: number | undefined;
  private seed = 0;
  private recovering = false;
  private belief: Layer | undefined;
  private choice = 0; // counts choices of a cell: an older one that arrives late is dropped

  constructor() {
    this.set_theme(matchMedia('(prefers-color-scheme: dark)').matches);
    this.player = new Player({ stepped: () => this.show_episode(), ended: () => this.ended() });
    this.player.scene?.set_dark(this.is_dark);
    this.view = new MapView(byId<HTMLCanvasElement>('map'), {
      pick: (row) => void this.choose(row, true), hover: (row, x, y) => this.tooltip(row, x, y),
    });
    this.damage = new DamagePanel((damage) => this.rebuild(damage));
    new ExportMenu({
      map: () => this.map, map_canvas: this.view.canvas, robot_canvas: byId<HTMLCanvasElement>('robot'), svg: () => this.view.svg(),
      command: () => this.command, draw: () => this.player.scene?.render(), report: (message) => this.report(message),
    }, this.source);
    if (this.player.scene) {
      new Push(this.player.scene, {
        actor: () => (this.player.wall ? undefined : this.player.leader),
        clicked: (body) => this.attempt(() => this.damage.toggle_body(this.player.leader!.robot.model, body)),
        grabbed: () => this.play(), redraw: () => this.player.stage.redraw(),
      });
    }
    this.listen();
  }

  async start(): Promise<void> {
    const address = read_address();
    const [runs] = await Promise.all([this.source.runs(), this.player.load()]);
    const run = Math.min(address.run ?? 0, runs.length - 1);
    byId('run-field').hidden = byId('compare-field').hidden = runs.length < 2;
    options(select('run'), runs.map(({ name }) => name), runs.map((_, i) => String(i)));
    options(select('compare'), ['none', ...runs.map(({ name }) => name)], ['', ...runs.map((_, i) => String(i))]);
    select('run').value = String(run);
    await this.open(run, address.cell);
    if (address.damage) {
      this.attempt(() => this.damage.set(address.damage!));
    }
    if (address.camera && this.player.leader) {
      this.player.scene?.look(this.player.leader.figure.position(1), ...address.camera);
    }
    this.set_state('ready');
    this.source.watch((changed) => void this.reload(changed).catch((error: Error) => this.report(error.message)));
  }

  // ---- what is shown

  private async open(run: number, cell?: number): Promise<void> {
    const address = read_address();
    this.map = await this.source.map(run);
    this.seed = address.seed ?? this.map.run.seed;
    input('seed').value = String(this.seed);
    this.belief = undefined;
    this.player.set_robot(this.map, '', true);
    this.damage.set_robot(this.player.undamaged?.model, this.map.domain?.description);
    this.player.message(this.player.scene || this.map.no_robot ? this.map.no_robot : byId('stage-message').textContent!);
    this.show_map();
    const row = this.map.row_of.get(cell ?? -1) ?? this.best_row();
    if (cell !== undefined && !this.map.row_of.has(cell)) {
      this.report(`Cell ${cell} is empty. The best elite is shown instead.`);
    }
    if (row !== undefined) {
      await this.choose(row, false);
    }
  }
  private best_row(): number | undefined {
    const { fitness } = this.map.cells;
    const rows = this.source.available(this.map);
    return rows.length === 0 ? undefined : rows.reduce((best, row) => (fitness[row] > fitness[best] ? row : best));
  }
  private show_map(keep_view = false): void {
    const { map } = this;
    const { run } = map;
    byId('about').textContent = `${map.name}: ${run.algorithm} on ${run.domain}, seed ${run.seed}`;
    document.title = `${map.name} – mees`;
    const views = views_of(map.space);
    if (!keep_view) {
      options(select('axes'), views.map(({ label }) => label), views.map((_, i) => String(i)));
      byId('axes').hidden = views.length < 2;
    }
    this.view.set_map(map, views[Math.max(select('axes').selectedIndex, 0)].view, keep_view);
    this.show_layers();
    show_tiles(map);
    show_live(map, this.source.is_live);
    const scrub = input('scrub');
    const at_end = scrub.value === scrub.max;
    scrub.max = String(run.generation);
    if (at_end || !keep_view) {
      scrub.value = scrub.max;
    }
    this.scrubbed();
    document.body.dataset.cells = String(map.cells.cell.length);
    document.body.dataset.generation = String(run.generation);
  }
  private layers(): Layer[] {
    const { cells } = this.map;
    const columns = [cells.fitness, cells.fitness_std, cells.novelty, cells.generation];
    const layers: Layer[] = LAYERS.map((label, i) => ({ label, values: columns[i] }));
    const { other } = this;
    if (other && other.space.bins.join() === this.map.space.bins.join()) {
      layers.push({
        label: `Fitness minus ${other.name}`, diverging: true,
        values: cells.cell.map((cell, row) => cells.fitness[row] - (other.cells.fitness[other.row_of.get(cell) ?? -1] ?? NaN)),
      });
    }
    if (this.belief) {
      layers.push(this.belief);
    }
    return layers;
  }
  private show_layers(chosen = select('colour').value): void {
    const layers = this.layers();
    options(select('colour'), layers.map(({ label }) => label));
    const layer = layers.find(({ label }) => label === chosen) ?? layers[0];
    select('colour').value = layer.label;
    this.view.set_layer(layer);
    this.show_legend();
  }
  private show_legend(): void {
    const [lower, bar, upper] = [...byId('legend').children] as [HTMLElement, HTMLCanvasElement, HTMLElement];
    const range = this.view.range;
    [lower.textContent, upper.textContent] = range.map(format);
    const context = bar.getContext('2d')!;
    for (let x = 0; x < bar.width; ++x) {
      context.fillStyle = this.view.colour(range[0] + (x / (bar.width - 1)) * (range[1] - range[0]));
      context.fillRect(x, 0, 1, bar.height);
    }
  }
  private scrubbed(): void {
    const scrub = input('scrub');
    const generation = Number(scrub.value);
    const all = scrub.value === scrub.max;
    byId('scrub-value').textContent = scrub.value;
    this.view.set_latest(all ? Infinity : generation);
    draw_history(byId<HTMLCanvasElement>('curves'), this.map.history, this.other?.history, all ? undefined : generation);
  }
  /** Shows the kept checkpoint at or before the chosen generation, which has the elites of that time. */
  private async show_checkpoint(): Promise<void> {
    const generation = Number(input('scrub').value);
    const max = input('scrub').max;
    const kept = this.map.checkpoints.filter((name) => Number(name.replace('gen_', '')) <= generation);
    const version = input('scrub').value === max || kept.length === 0 ? '' : kept[kept.length - 1];
    if (version === '' && this.map.version === this.newest) {
      return;
    }
    const cell = this.row === undefined ? undefined : this.map.cells.cell[this.row];
    this.map = await this.source.map(this.map.run_index, version);
    this.newest = version === '' ? this.map.version : this.newest;
    this.show_map(true);
    input('scrub').max = max;
    input('scrub').value = String(generation);
    this.scrubbed();
    this.row = this.map.row_of.get(cell ?? -1);
    this.view.select(this.row);
  }
  private newest = '';

  /** A run has written a new map. */
  private async reload(run: number): Promise<void> {
    if (run === this.other?.run_index) {
      this.other = await this.source.map(run);
    }
    if (run !== this.map.run_index || input('scrub').value !== input('scrub').max || this.recovering) {
      return;
    }
    const before = this.map;
    this.map = await this.source.map(run);
    this.newest = this.map.version;
    this.row = this.row === undefined ? undefined : this.map.row_of.get(before.cells.cell[this.row]);
    this.show_map(true);
    this.view.select(this.row);
    const changed = this.map.cells.cell.map((_, row) => row).filter((row) => {
      const old = before.row_of.get(this.map.cells.cell[row]);
      return old === undefined || this.map.cells.fitness[row] > before.cells.fitness[old];
    });
    this.view.flash(changed);
    if (this.row === undefined && this.best_row() !== undefined) {
      await this.choose(this.best_row()!, false);
    }
  }

  // ---- the robot

  async choose(row: number, play: boolean): Promise<void> {
    const turn = ++this.choice;
    this.row = row;
    this.view.select(row);
    this.show_choice();
    if (!this.map.domain) {
      return;
    }
    const controller = await this.source.controller(this.map, row).catch((error: Error) => this.report(error.message));
    if (!controller || turn !== this.choice) {
      return;
    }
    if (this.player.wall) {
      this.leave_wall();
    }
    this.player.stage.cast.forEach((actor) => actor.load(controller));
    this.reset();
    if (play) {
      this.play();
    }
  }
  private show_choice(): void {
    const { map, row } = this;
    if (row === undefined) {
      return;
    }
    const { cells } = map;
    const [strong, span] = byId('title').children;
    strong.textContent = `Cell ${cells.cell[row]}`;
    span.textContent = `stored fitness ${format(cells.fitness[row])} ± ${format(cells.fitness_std[row])}`;
    byId('status').textContent = `${strong.textContent}, ${span.textContent}`;
    byId('evaluation').textContent = '';
    this.view.set_line(byId('tab-elite').hidden ? [] : ancestors_of(map, row));
    show_elite(map, row, this.command, (ancestor) => void this.choose(ancestor, true));
    document.body.dataset.cell = String(cells.cell[row]);
    this.write_address();
  }
  private rebuild(damage: string): void {
    const was_playing = this.player.stage.playing;
    this.player.set_robot(this.map, damage, input('ghost').checked);
    const { leader } = this.player;
    if (leader) {
      leader.figure.mark(this.damage.bodies(leader.robot.model), getComputedStyle(document.body).getPropertyValue('--damage'));
    }
    document.body.dataset.damage = damage;
    if (this.row !== undefined) {
      void this.choose(this.row, was_playing);
    }
  }
  private reset(): void {
    const { leader } = this.player;
    if (leader && this.row !== undefined) {
      this.episode.begin(this.map, leader.task, this.row);
      this.player.stage.reset(this.seed);
    }
  }
  private play(): void {
    if (this.player.leader?.task.finished && this.player.stage.cast.every(({ task }) => task.finished)) {
      this.reset();
    }
    if (this.player.leader) {
      this.player.stage.play();
      this.set_state('running');
    }
  }
  private pause(): void {
    this.player.stage.pause();
    this.set_state('paused');
  }
  private ended(): void {
    this.set_state('paused');
  }
  private show_episode(): void {
    const task = this.player.leader?.task;
    if (!task) {
      return;
    }
    this.episode.update(this.map, task);
    const { dataset } = document.body;
    dataset.step = String(task.steps);
    dataset.x = task.world.views.xpos[3].toFixed(4);
    dataset.fitness = task.fitness.toFixed(4);
    dataset.damage = this.damage.text;
  }
  private set_seed(seed: number): void {
    this.seed = Math.max(0, Math.floor(seed) || 0);
    input('seed').value = String(this.seed);
    this.reset();
    this.show_choice();
  }
  private async toggle_wall(): Promise<void> {
    if (this.player.wall) {
      this.leave_wall();
      return this.row === undefined ? undefined : this.choose(this.row, true);
    }
    if (!this.map.domain) {
      return;
    }
    const { fitness } = this.map.cells;
    const rows = this.source.available(this.map).sort((a, b) => fitness[b] - fitness[a]).slice(0, Number(select('wall-size').value));
    const controllers = await Promise.all(rows.map((row) => this.source.controller(this.map, row)));
    const [lower, upper] = [Math.min(...fitness), Math.max(...fitness)];
    this.player.set_wall(this.map, controllers, rows.map((row) => (fitness[row] - lower) / (upper - lower || 1)));
    this.row = rows[0];
    this.view.select(this.row);
    this.show_choice();
    byId('title').children[0].textContent = `The best ${rows.length} elites`;
    byId('title').children[1].textContent = 'coloured by stored fitness; figures are those of the best';
    this.wall_button.setAttribute('aria-pressed', 'true');
    this.reset();
    this.play();
  }
  private leave_wall(): void {
    this.wall_button.setAttribute('aria-pressed', 'false');
    this.player.set_robot(this.map, this.damage.text, input('ghost').checked);
    this.player.place_camera();
    const { leader } = this.player;
    leader?.figure.mark(this.damage.bodies(leader.robot.model), getComputedStyle(document.body).getPropertyValue('--damage'));
  }
  private get wall_button(): HTMLButtonElement {
    return document.querySelector<HTMLButtonElement>('[data-action="wall"]')!;
  }

  // ---- episodes in workers

  private async evaluate(): Promise<void> {
    const { map, row, seed } = this;
    if (row === undefined || !map.domain) {
      return;
    }
    const button = byId<HTMLButtonElement>('evaluate');
    button.disabled = true;
    byId('evaluation').textContent = 'running …';
    const pool = new EpisodePool(this.player.wasm, map.domain, map.network, this.damage.text);
    try {
      const controller = await this.source.controller(map, row);
      const outcomes = await Promise.all(Array.from({ length: EVALUATED }, (_, index) =>
        pool.run(controller, { seed, purpose: Purpose.replay, generation: 0, index })));
      const { mean, deviation } = score_of(outcomes);
      if (row === this.row) {
        byId('evaluation').textContent = `now ${format(mean)} ± ${format(deviation)}; stored ${format(map.cells.fitness[row])} ± ${format(map.cells.fitness_std[row])}`;
      }
    } finally {
      pool.close();
      button.disabled = false;
    }
  }
  private async recover(): Promise<void> {
    const { map } = this;
    if (this.recovering) {
      this.recovering = false;
      return;
    }
    if (!map.domain || this.damage.text === '') {
      this.report('Damage the robot first: click a limb, or choose a motor.');
      return;
    }
    byId('message').hidden = true;
    this.recovering = true;
    this.set_state('recovering');
    this.show_tab('damage');
    this.recover_button.textContent = 'Stop';
    byId('answer').textContent = '';
    const undamaged = map.cells.fitness[this.best_row()!];
    const chart = byId<HTMLCanvasElement>('recovery');
    draw_recovery(chart, [], TRIALS, undamaged);
    const pool = new EpisodePool(this.player.wasm, map.domain, map.network, this.damage.text);
    const tried: number[] = [];
    try {
      const result = await recover(this.source, map, this.damage.text, pool, {
        cancelled: () => !this.recovering,
        scoring: () => {
          byId('answer').textContent = `Scoring the answer with ${EVALUATED} episodes …`;
        },
        trying: async (row) => {
          tried.push(row);
          this.view.set_marks(tried);
          await this.choose(row, true);
          this.set_state('recovering');
          await new Promise((done) => setTimeout(done, TRIAL_SHOWN_MS / this.player.stage.speed));
        },
        tried: (trials, belief, rows) => {
          const values = map.cells.cell.map(() => NaN);
          rows.forEach((row, i) => {
            values[row] = belief[i];
          });
          this.belief = { label: 'Predicted fitness', values, range: this.belief?.range ?? [Math.min(...belief), Math.max(...belief)] };
          this.show_layers('Predicted fitness');
          draw_recovery(chart, trials, TRIALS, undamaged);
        },
      });
      if (result) {
        const { before, after, needed } = result;
        byId('answer').replaceChildren(make('b', `Cell ${map.cells.cell[result.row]}: ${format(before.mean)} → ${format(after.mean)}`),
          document.createTextNode(` (± ${format(before.error)}, ± ${format(after.error)}; the best elite without damage: ${format(undamaged)})`
            + (needed ? `; 90 % after ${needed} trial${needed === 1 ? '' : 's'}` : '')));
        await this.choose(result.row, true);
      }
    } finally {
      pool.close();
      this.recovering = false;
      this.recover_button.textContent = 'Recover';
      this.set_state(this.player.stage.playing ? 'running' : 'paused');
    }
  }
  private get recover_button(): HTMLButtonElement {
    return document.querySelector<HTMLButtonElement>('[data-action="recover"]')!;
  }

  // ---- the user

  private listen(): void {
    const actions: Record<string, () => unknown> = {
      play: () => this.play(), pause: () => this.pause(), wall: () => this.toggle_wall(), recover: () => this.recover(),
      step: () => {
        this.player.stage.pause();
        this.player.stage.step();
        this.set_state('paused');
      },
      reset: () => {
        this.reset();
        this.set_state(this.player.stage.playing ? 'running' : 'paused');
      },
    };
    document.querySelectorAll<HTMLElement>('[data-action]').forEach((element) => {
      const action = actions[element.dataset.action!];
      if (action) {
        element.addEventListener('click', () => this.attempt(action));
      }
    });
    const on = (id: string, event: string, action: () => unknown) => byId(id).addEventListener(event, () => this.attempt(action));
    on('run', 'change', () => this.open(Number(select('run').value)));
    on('compare', 'change', () => this.compare(select('compare').value));
    on('axes', 'change', () => this.show_map(true));
    on('colour', 'change', () => this.show_layers());
    on('scrub', 'input', () => this.scrubbed());
    on('scrub', 'change', () => this.show_checkpoint());
    on('seed', 'change', () => this.set_seed(Number(input('seed').value)));
    on('next-seed', 'click', () => this.set_seed(this.seed + 1));
    on('speed', 'change', () => {
      this.player.stage.speed = Number(select('speed').value);
    });
    on('follow', 'change', () => {
      if (this.player.scene) {
        this.player.scene.follow = input('follow').checked;
      }
    });
    on('ghost', 'change', () => this.rebuild(this.damage.text));
    on('evaluate', 'click', () => this.evaluate());
    on('theme', 'click', () => this.set_theme(!this.is_dark));
    document.querySelectorAll<HTMLElement>('[data-tab]').forEach((tab) => tab.addEventListener('click', () => this.show_tab(tab.dataset.tab!)));
    window.addEventListener('hashchange', () => this.follow_hash());
    window.addEventListener('resize', () => this.map && this.scrubbed());
    document.addEventListener('keydown', (event) => this.key(event));
    byId('message').addEventListener('click', () => {
      byId('message').hidden = true;
    });
    this.player.scene?.controls.addEventListener('end', () => this.write_address(true));
  }
  private key(event: KeyboardEvent): void {
    if (event.target instanceof HTMLElement && /^(INPUT|SELECT|BUTTON|TEXTAREA)$/.test(event.target.tagName) || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const name = { ' ': this.player.stage.playing ? 'pause' : 'play', '.': 'step', r: 'reset', w: 'wall' }[event.key];
    if (name) {
      event.preventDefault();
      document.querySelector<HTMLElement>(`#controls [data-action="${name}"]`)!.click();
    } else if (event.key === 'n') {
      this.set_seed(this.seed + 1);
    }
  }
  private follow_hash(): void {
    const { cell } = read_address();
    const row = this.map?.row_of.get(cell ?? -1);
    if (row !== undefined && row !== this.row) {
      void this.choose(row, this.player.stage.playing);
    } else if (cell !== undefined && row === undefined) {
      this.report(`Cell ${cell} is empty.`);
    }
  }
  private async compare(run: string): Promise<void> {
    this.other = run === '' ? undefined : await this.source.map(Number(run));
    this.show_layers(this.other ? `Fitness minus ${this.other.name}` : 'Fitness');
    this.scrubbed();
  }
  private show_tab(name: string): void {
    document.querySelectorAll<HTMLElement>('[data-tab]').forEach((tab) => tab.setAttribute('aria-selected', String(tab.dataset.tab === name)));
    document.querySelectorAll<HTMLElement>('.tab').forEach((tab) => {
      tab.hidden = tab.id !== `tab-${name}`;
    });
    this.view.set_line(name === 'elite' && this.row !== undefined ? ancestors_of(this.map, this.row) : []);
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
  private get command(): string {
    const cell = this.row === undefined ? 'best' : this.map.cells.cell[this.row];
    const damage = this.damage.text === '' ? '' : ` --damage ${this.damage.text}`;
    return `mees_replay ${this.map.path} --cell ${cell} --seed ${this.seed}${damage}`;
  }
  private write_address(with_camera = read_address().camera !== undefined): void {
    const angles = this.player.scene?.angles;
    write_address({
      cell: this.row === undefined ? undefined : this.map.cells.cell[this.row], seed: this.seed, damage: this.damage.text, run: this.map.run_index,
      camera: with_camera && angles ? [angles.azimuth, angles.elevation, angles.distance] : undefined,
    });
  }
  private attempt(action: () => unknown): void {
    try {
      Promise.resolve(action()).catch((error: Error) => this.report(error.message));
    } catch (error) {
      this.report((error as Error).message);
    }
  }
  private report(message: string): void {
    byId('message').textContent = message;
    byId('message').hidden = false;
  }
  private set_state(state: 'ready' | 'running' | 'paused' | 'recovering'): void {
    document.body.dataset.state = this.recovering ? 'recovering' : state;
  }
  private get is_dark(): boolean {
    return document.documentElement.dataset.theme === 'dark';
  }
  private set_theme(dark: boolean): void {
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
    this.player?.scene?.set_dark(dark);
    this.player?.stage.redraw();
    if (this.map) {
      this.show_layers();
      this.scrubbed();
    }
  }
}
