import type { Task } from '../engine/task';
import { extent } from '../numbers';
import { duration, format } from './colours';
import type { MapData } from './data';
import { button, byId, make } from './dom';
import { cell_count } from './layout';

interface Bar {
  track: HTMLElement;
  fill: HTMLElement;
  output: HTMLOutputElement;
}

/** Rows of a name, a bar and a number. */
class Bars {
  private bars: Bar[] = [];

  constructor(private readonly parent: HTMLElement) {}

  set_names(names: string[], marks: (number | undefined)[] = []): void {
    this.bars = [];
    this.parent.replaceChildren(...names.flatMap((name, i) => {
      const label = make('span', name);
      label.title = name;
      const fill = make('i');
      const track = make('div', '', fill);
      track.className = 'track';
      if (marks[i] !== undefined) {
        const mark = make('b');
        mark.style.left = `${100 * marks[i]}%`;
        mark.title = 'stored';
        track.append(mark);
      }
      const output = make('output');
      this.bars.push({ track, fill, output });
      return [label, track, output];
    }));
  }
  /** `from` and `to` are shares of the width. */
  set(index: number, text: string, from: number, to: number): void {
    const bar = this.bars[index];
    if (!bar) {
      return;
    }
    const [a, b] = [Math.min(from, to), Math.max(from, to)].map((x) => Math.min(Math.max(x, 0), 1));
    bar.fill.style.left = `${100 * a}%`;
    bar.fill.style.width = `${Math.max(100 * (b - a), 0.6)}%`;
    bar.fill.className = to < from ? 'negative' : '';
    bar.output.textContent = text;
  }
}

/** What happens in the shown episode. */
export class EpisodePanel {
  private readonly terms = new Bars(byId('terms'));
  private readonly behaviour = new Bars(byId('behaviour'));

  begin(map: MapData, task: Task, row: number): void {
    const { names, lower, upper } = map.space;
    this.terms.set_names(task.description.reward.map(({ name }) => name ?? ''));
    this.behaviour.set_names(names, names.map((_, axis) =>
      Math.min(Math.max((map.cells.bc[row * names.length + axis] - lower[axis]) / (upper[axis] - lower[axis]), 0), 1)));
  }
  update(map: MapData, task: Task): void {
    const last = task.description.fitness === 'last';
    const values = last ? task.terms : task.totals;
    const reach = Math.max(...values.map(Math.abs), 1e-9);
    const has_negative = values.some((x) => x < 0);
    const has_positive = values.some((x) => x > 0);
    const zero = has_negative && has_positive ? 0.5 : has_negative ? 1 : 0;
    const unit = has_negative && has_positive ? 0.5 : 1;
    values.forEach((value, i) => this.terms.set(i, format(value), zero, zero + (unit * value) / reach));
    const { lower, upper } = map.space;
    task.bc.forEach((value, i) => this.behaviour.set(i, format(value), 0, (value - lower[i]) / (upper[i] - lower[i])));
    const figures = byId('figures');
    const state = task.diverged ? 'diverged' : task.terminated ? 'fell' : task.finished ? 'finished' : '';
    figures.replaceChildren(make('b', format(task.fitness)),
      make('span', `${last ? 'fitness' : 'fitness so far'}, ${(task.steps * task.control_seconds).toFixed(1)} s${state ? `, ${state}` : ''}`));
  }
}

export function show_tiles(map: MapData): void {
  const { cells, space, history, run, settings } = map;
  const generations = settings.run?.generations;
  const tile = (name: string, value: string, note: string) => {
    const dd = make('dd', value, make('small', ` ${note}`));
    dd.title = `${value} ${note}`;
    return make('div', '', make('dt', name), dd);
  };
  byId('tiles').replaceChildren(
    tile('Filled cells', String(cells.cell.length), `of ${cell_count(space)}`),
    tile('Best fitness', format(extent(cells.fitness)[1]), ''),
    tile('QD score', format(history.qd_score[history.qd_score.length - 1]), ''),
    tile('Generation', String(run.generation), generations ? `of ${generations}` : ''));
}

/** Seconds until the last generation, from the pace of the last ones; undefined if the run is over. */
export function remaining_seconds(map: MapData): number | undefined {
  const total = map.settings.run?.generations ?? 0;
  const left = total - map.run.generation;
  if (left <= 0 || map.finished) {
    return undefined;
  }
  const recent = map.history.seconds.slice(-20).filter((x) => x > 0);
  return (left * recent.reduce((sum, x) => sum + x, 0)) / Math.max(recent.length, 1);
}

/**
 * `moves`: the run has written a map since the page was opened. A run that is not finished may have been interrupted; a file with another name
 * than that of a run's map is a copy, which does not change.
 */
export function show_live(map: MapData, is_served: boolean, moves: boolean): void {
  const left = remaining_seconds(map);
  const live = byId('live');
  live.hidden = !is_served || left === undefined || (!moves && !/(^|\/)map(\.prev)?\.h5$/.test(map.path));
  live.classList.toggle('moves', moves);
  live.lastElementChild!.textContent = `${moves ? 'live' : 'unfinished'}, ${duration(left ?? 0)} left`;
}

/** An elite, its parent, and so on; rows of the map. The elite of a parent cell may have been replaced since. */
export function ancestors_of(map: MapData, row: number): number[] {
  const rows = [row];
  const seen = new Set(rows);
  for (let next = map.row_of.get(map.cells.parent[row]); next !== undefined && !seen.has(next); next = map.row_of.get(map.cells.parent[next])) {
    rows.push(next);
    seen.add(next);
  }
  return rows;
}

export function show_elite(map: MapData, row: number, command: string, choose: (row: number) => void): void {
  const { cells, space } = map;
  const axes = space.names.length;
  const rank = 1 + cells.fitness.filter((x) => x > cells.fitness[row]).length;
  const facts: [string, string][] = [
    ['Cell', String(cells.cell[row])],
    ['Fitness', `${format(cells.fitness[row])} ± ${format(cells.fitness_std[row])} over ${map.settings.algorithm?.n_eval ?? '?'} episode${map.settings.algorithm?.n_eval === 1 ? '' : 's'}`],
    ['Rank', `${rank} of ${cells.cell.length}`],
    ['Novelty', format(cells.novelty[row])],
    ['Born in generation', String(cells.generation[row])],
    ...(cells.links[row] > 1 ? [['Chain', `${cells.links[row]} links, ${map.network.chain_steps} steps each but the last`] as [string, string]] : []),
    ...space.names.map((name, axis): [string, string] => [name, format(cells.bc[row * axes + axis])]),
  ];
  byId('elite').replaceChildren(...facts.flatMap(([name, value]) => [make('dt', name), make('dd', value)]));
  const list = ancestors_of(map, row).slice(1);
  byId('ancestors').replaceChildren(...(list.length > 0
    ? list.map((ancestor) => make('li', '', button(`cell ${cells.cell[ancestor]}, generation ${cells.generation[ancestor]}`, () => choose(ancestor))))
    : [make('li', cells.parent[row] < 0 ? 'The initial controller.' : `Cell ${cells.parent[row]}, which is not in the map.`)]));
  byId('command').textContent = command;
}
