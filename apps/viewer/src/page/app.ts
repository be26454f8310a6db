import { extent } from '../numbers';
import type { Controller } from '../policy/policy';
import { read_address, write_address } from './address';
import { format } from './colours';
import { DamagePanel } from './damage_panel';
import { open_source } from './data';
import { byId, options } from './dom';
import { ExportMenu } from './exporting';
import { Laboratory } from './laboratory';
import { MapPanel } from './map_panel';
import { EpisodePanel, show_elite } from './panels';
import { Player } from './player';
import { Push } from './push';

type State = 'ready' | 'running' | 'paused' | 'recovering';

const select = (id: string) => byId<HTMLSelectElement>(id);
const input = (id: string) => byId<HTMLInputElement>(id);
const action_button = (name: string) => document.querySelector<HTMLButtonElement>(`[data-action="${name}"]`)!;

/** The page: what is chosen, and how its parts work together. */
export class App {
  private readonly source = open_source();
  private readonly player: Player;
  private readonly panel: MapPanel;
  private readonly laboratory: Laboratory;
  private readonly episode = new EpisodePanel();
  private readonly damage: DamagePanel;
  private seed = 0;
  private controller: Controller | undefined; // of the chosen cell, once it has arrived
  private choice = 0; // counts choices of a cell: an older one that arrives late is dropped

  constructor() {
    this.set_theme(matchMedia('(prefers-color-scheme: dark)').matches);
    this.player = new Player({ stepped: () => this.show_episode(), ended: () => this.set_state('paused') });
    this.player.scene?.set_dark(this.is_dark);
    this.panel = new MapPanel(this.source, (row) => void this.choose(row, true));
    this.laboratory = new Laboratory(this.source, this.panel, { choose: (row) => this.choose(row, true), speed: () => this.player.stage.speed });
    this.damage = new DamagePanel((damage) => this.rebuild(damage));
    new ExportMenu({
      map: () => this.panel.map, map_canvas: this.panel.view.canvas, robot_canvas: byId<HTMLCanvasElement>('robot'), svg: () => this.panel.view.svg(),
      command: () => this.command, draw: () => this.player.scene?.render(), report: (message, note) => this.report(message, note),
    }, this.source);
    if (this.player.scene) {
      const push = new Push(this.player.scene, {
        actor: () => (this.player.wall ? undefined : this.player.leader),
        clicked: (body) => this.attempt(() => this.damage.toggle_body(this.player.leader!.robot.model, body)),
        grabbed: () => this.play(),
      });
      this.player.stage.before_step = () => push.pull();
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
    if (address.camera) {
      this.player.place_camera(1, address.camera);
    }
    this.set_state('ready');
    this.source.watch((run) => this.reload(run).catch((error: Error) => this.report(error.message)));
  }

  private async open(run: number, cell?: number): Promise<void> {
    const { seed } = read_address();
    const map = await this.panel.open(run);
    this.seed = seed ?? map.run.seed;
    input('seed').value = String(this.seed);
    this.controller = undefined;
    this.player.set_robot(map, '', true);
    this.damage.set_robot(this.player.undamaged?.model, map.domain?.description);
    if (this.player.scene || map.no_robot) {
      this.player.message(map.no_robot);
    }
    const row = map.row_of.get(cell ?? -1) ?? this.panel.best_row;
    if (cell !== undefined && !map.row_of.has(cell)) {
      this.report(`Cell ${cell} is empty. The best elite is shown instead.`);
    }
    if (row !== undefined) {
      await this.choose(row, false);
    }
  }
  /** A run has written a new map. A recovery continues with the one it began with. */
  private async reload(run: number): Promise<void> {
    if (!this.source.is_live || this.laboratory.recovering) {
      return;
    }
    const elite = this.elite;
    await this.panel.reload(run);
    const { map, row } = this.panel;
    if (row === undefined) {
      return this.panel.best_row === undefined ? undefined : this.choose(this.panel.best_row, false);
    }
    this.show_facts(); // rows have changed
    if (!this.player.wall && map.domain && this.elite !== elite) {
      // The episode goes on; the next one is the new elite's.
      this.show_choice();
      const turn = this.choice;
      const controller = await this.source.controller(map, row);
      this.controller = turn === this.choice ? controller : this.controller;
    }
  }
  /** Another generation was chosen: its elite walks, if that generation was kept. */
  private async scrub(): Promise<void> {
    const row = (await this.panel.show_checkpoint()) ? this.panel.row ?? this.panel.best_row : undefined;
    return row === undefined ? undefined : this.choose(row, this.player.stage.playing);
  }
  /** Changes when the chosen cell gets another elite. */
  private get elite(): string {
    const { map, row } = this.panel;
    return row === undefined ? '' : [map.cells.cell, map.cells.generation, map.cells.fitness].map((column) => column[row]).join();
  }

  // ---- the robot

  private async choose(row: number, play: boolean): Promise<void> {
    const turn = ++this.choice;
    const { map } = this.panel;
    this.panel.choose(row);
    this.show_choice();
    if (!map.domain) {
      return;
    }
    const controller = await this.source.controller(map, row).catch((error: Error) => this.report(error.message));
    if (!controller || turn !== this.choice) {
      return;
    }
    if (this.player.wall) {
      this.leave_wall();
    }
    this.controller = controller;
    this.perform(play);
  }
  /** Starts an episode of the chosen elite. */
  private perform(play: boolean): void {
    this.reset();
    if (play && this.controller) {
      this.play();
    }
  }
  private show_choice(): void {
    const { map, row } = this.panel;
    if (row === undefined) {
      return;
    }
    const { cells } = map;
    this.set_title(`Cell ${cells.cell[row]}`, `stored fitness ${format(cells.fitness[row])} ± ${format(cells.fitness_std[row])}`);
    byId('evaluation').textContent = '';
    document.body.dataset.cell = String(cells.cell[row]);
    this.show_facts();
    this.write_address();
  }
  private show_facts(): void {
    const { map, row } = this.panel;
    this.panel.show_ancestors(!byId('tab-elite').hidden);
    if (row !== undefined) {
      show_elite(map, row, this.command, (ancestor) => void this.choose(ancestor, true));
    }
  }
  private set_title(title: string, text: string): void {
    const [strong, span] = byId('title').children;
    strong.textContent = title;
    span.textContent = text;
    byId('status').textContent = `${title}, ${text}`;
  }
  private rebuild(damage: string): void {
    const was_playing = this.player.stage.playing;
    this.player.set_robot(this.panel.map, damage, input('ghost').checked);
    this.mark_damage();
    action_button('wall').setAttribute('aria-pressed', 'false');
    document.body.dataset.damage = damage;
    this.show_choice();
    this.perform(was_playing);
  }
  private mark_damage(): void {
    const { leader } = this.player;
    leader?.figure.mark(this.damage.bodies(leader.robot.model), getComputedStyle(document.body).getPropertyValue('--damage'));
  }
  private reset(): void {
    const { controller, player: { leader, wall, stage } } = this;
    if (leader && controller && this.panel.row !== undefined) {
      if (!wall) {
        stage.cast.forEach((actor) => actor.load(controller));
      }
      this.episode.begin(this.panel.map, leader.task, this.panel.row);
      stage.reset(this.seed);
    }
  }
  private play(): void {
    if (this.player.stage.cast.every(({ task }) => task.finished)) {
      this.reset();
    }
    if (this.player.leader) {
      this.player.stage.play();
      this.set_state('running');
    }
  }
  private show_episode(): void {
    const task = this.player.leader?.task;
    if (!task) {
      return;
    }
    this.episode.update(this.panel.map, task);
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
    const { map, row } = this.panel;
    if (this.player.wall) {
      this.leave_wall();
      return row === undefined ? undefined : this.choose(row, true);
    }
    if (!map.domain) {
      return;
    }
    const { fitness } = map.cells;
    const rows = this.source.available(map).sort((a, b) => fitness[b] - fitness[a]).slice(0, Number(select('wall-size').value));
    const controllers = await Promise.all(rows.map((member) => this.source.controller(map, member)));
    const [lower, upper] = extent(fitness);
    this.player.set_wall(map, controllers, rows.map((member) => (fitness[member] - lower) / (upper - lower || 1)));
    ++this.choice;
    this.controller = controllers[0];
    this.panel.choose(rows[0]);
    this.show_choice();
    this.set_title(`The best ${rows.length} elites`, 'coloured by stored fitness; figures are those of the best');
    action_button('wall').setAttribute('aria-pressed', 'true');
    this.reset();
    this.play();
  }
  private leave_wall(): void {
    action_button('wall').setAttribute('aria-pressed', 'false');
    this.player.set_robot(this.panel.map, this.damage.text, input('ghost').checked);
    this.player.place_camera();
    this.mark_damage();
  }
  private async recover(): Promise<void> {
    if (this.laboratory.recovering) {
      this.laboratory.stop();
      return;
    }
    if (!this.panel.map.domain || this.damage.text === '') {
      this.show_tab('damage');
      this.report('Damage the robot first: click a limb, or choose a motor.');
      return;
    }
    byId('message').hidden = true;
    this.show_tab('damage');
    action_button('recover').textContent = 'Stop';
    const done = this.laboratory.recover(this.robot);
    this.set_state('recovering');
    try {
      await done;
    } finally {
      action_button('recover').textContent = 'Recover';
      this.set_state(this.player.stage.playing ? 'running' : 'paused');
      await this.reload(this.panel.map.run_index);
    }
  }
  private get robot() {
    return { wasm: this.player.wasm, damage: this.damage.text, seed: this.seed };
  }

  // ---- the user

  private listen(): void {
    const { stage } = this.player;
    const actions: Record<string, () => unknown> = {
      play: () => this.play(), wall: () => this.toggle_wall(), recover: () => this.recover(),
      pause: () => {
        stage.pause();
        this.set_state('paused');
      },
      step: () => {
        stage.pause();
        stage.step();
        this.set_state('paused');
      },
      reset: () => {
        this.reset();
        this.set_state(stage.playing ? 'running' : 'paused');
      },
    };
    document.querySelectorAll<HTMLElement>('[data-action]').forEach((element) => {
      const action = actions[element.dataset.action!];
      if (action) {
        element.addEventListener('click', () => this.attempt(action));
      }
    });
    const on = (id: string, event: string, action: () => unknown) => byId(id).addEventListener(event, () => this.attempt(action));
    on('big-play', 'click', () => this.play());
    on('run', 'change', () => this.open(Number(select('run').value)));
    on('compare', 'change', () => this.panel.compare(select('compare').value));
    on('scrub', 'change', () => this.scrub());
    on('seed', 'change', () => this.set_seed(Number(input('seed').value)));
    on('next-seed', 'click', () => this.set_seed(this.seed + 1));
    on('speed', 'change', () => (stage.speed = Number(select('speed').value)));
    on('follow', 'change', () => this.player.scene && (this.player.scene.follow = input('follow').checked));
    on('ghost', 'change', () => this.rebuild(this.damage.text));
    on('evaluate', 'click', () => this.laboratory.evaluate(this.robot));
    on('theme', 'click', () => this.set_theme(!this.is_dark));
    on('message', 'click', () => (byId('message').hidden = true));
    document.querySelectorAll<HTMLElement>('[data-tab]').forEach((tab) => tab.addEventListener('click', () => this.show_tab(tab.dataset.tab!)));
    window.addEventListener('hashchange', () => this.follow_hash());
    document.addEventListener('keydown', (event) => this.key(event));
    this.player.scene?.controls.addEventListener('end', () => this.write_address(true));
  }
  private key(event: KeyboardEvent): void {
    const typing = event.target instanceof HTMLElement && /^(INPUT|SELECT|BUTTON|TEXTAREA)$/.test(event.target.tagName);
    if (typing || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const name = { ' ': this.player.stage.playing ? 'pause' : 'play', '.': 'step', r: 'reset', w: 'wall' }[event.key];
    if (name) {
      event.preventDefault();
      action_button(name).click();
    } else if (event.key === 'n') {
      this.set_seed(this.seed + 1);
    }
  }
  private follow_hash(): void {
    const { cell } = read_address();
    const row = this.panel.map?.row_of.get(cell ?? -1);
    if (row !== undefined && row !== this.panel.row) {
      void this.choose(row, this.player.stage.playing);
    } else if (cell !== undefined && row === undefined) {
      this.report(`Cell ${cell} is empty.`);
    }
  }
  private show_tab(name: string): void {
    document.querySelectorAll<HTMLElement>('[data-tab]').forEach((tab) => tab.setAttribute('aria-selected', String(tab.dataset.tab === name)));
    document.querySelectorAll<HTMLElement>('.tab').forEach((tab) => {
      tab.hidden = tab.id !== `tab-${name}`;
    });
    this.panel.show_ancestors(name === 'elite');
  }
  private get command(): string {
    const { map, row } = this.panel;
    const damage = this.damage.text === '' ? '' : ` --damage ${this.damage.text}`;
    return `mees_replay ${map.path} --cell ${row === undefined ? 'best' : map.cells.cell[row]} --seed ${this.seed}${damage}`;
  }
  private write_address(with_camera = read_address().camera !== undefined): void {
    const { map, row } = this.panel;
    const angles = this.player.scene?.angles;
    write_address({
      cell: row === undefined ? undefined : map.cells.cell[row], seed: this.seed, damage: this.damage.text, run: map.run_index,
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
  private report(message: string, note = false): void {
    byId('message').textContent = message;
    byId('message').classList.toggle('note', note);
    byId('message').hidden = false;
  }
  private set_state(state: State): void {
    document.body.dataset.state = this.laboratory.recovering ? 'recovering' : state;
  }
  private get is_dark(): boolean {
    return document.documentElement.dataset.theme === 'dark';
  }
  private set_theme(dark: boolean): void {
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
    this.player?.scene?.set_dark(dark);
    this.player?.stage.redraw();
    if (this.panel?.map) {
      this.panel.redraw();
    }
  }
}
