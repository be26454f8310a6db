import { extent } from '../numbers';
import { format } from './colours';
import type { History } from './data';
import { clean } from './dom';
import type { Trial } from '../recovery/map_optimiser';

interface Series {
  values: number[];
  colour: string;
  label: string;
  dashed?: boolean;
  /** Drawn on the scale of these values too. */
  like?: number[];
}

/** Lines over a common horizontal axis, each with its own vertical range; labels carry the last value. */
function draw_lines(canvas: HTMLCanvasElement, series: Series[], mark?: number): void {
  const { context, width, height, style } = clean(canvas);
  const top = 16;
  context.font = '11px system-ui, sans-serif';
  let label_x = 0;
  for (const { values, colour, label, dashed, like = [] } of series) {
    const finite = values.filter(Number.isFinite);
    if (finite.length === 0) {
      continue;
    }
    const [lower, upper] = extent([...finite, ...like]);
    const x = (i: number) => (values.length > 1 ? (i / (values.length - 1)) * (width - 2) + 1 : width / 2);
    const y = (value: number) => height - 2 - (upper > lower ? (value - lower) / (upper - lower) : 0.5) * (height - top - 4);
    context.strokeStyle = colour;
    context.setLineDash(dashed ? [4, 3] : []);
    context.lineWidth = 1.8;
    context.beginPath();
    values.forEach((value, i) => (i === 0 ? context.moveTo(x(i), y(value)) : context.lineTo(x(i), y(value))));
    context.stroke();
    context.setLineDash([]);
    context.fillStyle = colour;
    const text = `${label} ${format(finite[finite.length - 1])}`;
    context.fillText(text, label_x, 10);
    label_x += context.measureText(text).width + 14;
  }
  if (mark !== undefined) {
    context.strokeStyle = style.getPropertyValue('--text');
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(1 + mark * (width - 2), top);
    context.lineTo(1 + mark * (width - 2), height);
    context.stroke();
  }
}

export function draw_history(canvas: HTMLCanvasElement, history: History, other: History | undefined, generation: number | undefined): void {
  const style = getComputedStyle(canvas);
  const colour = (name: string) => style.getPropertyValue(name);
  const series: Series[] = [
    { values: history.best, colour: colour('--primary'), label: 'best fitness', like: other?.best },
    { values: history.coverage, colour: colour('--damage'), label: 'filled cells' },
  ];
  if (other) {
    series.push({ values: other.best, colour: colour('--second'), label: 'best, other run', dashed: true, like: history.best });
  }
  const last = history.generation[history.generation.length - 1] || 1;
  draw_lines(canvas, series, generation === undefined ? undefined : generation / last);
}

/** Trials of a recovery: measured fitness, what was predicted for it, and the fitness of the best elite before the damage. */
export function draw_recovery(canvas: HTMLCanvasElement, trials: Trial[], total: number, undamaged: number): void {
  const { context, width, height, style } = clean(canvas);
  const colour = (name: string) => style.getPropertyValue(name);
  const values = [undamaged, ...trials.flatMap(({ fitness, predicted }) => [fitness, predicted])];
  const [lower, upper] = extent(values);
  const left = 40;
  const x = (i: number) => left + ((i + 0.5) / total) * (width - left - 6);
  const y = (value: number) => height - 16 - ((value - lower) / (upper - lower || 1)) * (height - 26);
  context.font = '11px system-ui, sans-serif';
  context.fillStyle = colour('--muted');
  context.textAlign = 'right';
  context.fillText(format(upper), left - 6, y(upper) + 4);
  if (upper > lower) {
    context.fillText(format(lower), left - 6, y(lower) + 4);
  }
  context.textAlign = 'left';
  context.fillText(`${trials.length} of ${total} trials: measured ●, predicted ○`, left, height - 2);
  context.strokeStyle = colour('--line');
  context.setLineDash([3, 3]);
  context.beginPath();
  context.moveTo(left, y(undamaged));
  context.lineTo(width, y(undamaged));
  context.stroke();
  context.setLineDash([]);
  trials.forEach(({ fitness, predicted }, i) => {
    context.strokeStyle = colour('--second');
    context.beginPath();
    context.arc(x(i), y(predicted), 3, 0, 2 * Math.PI);
    context.stroke();
    context.fillStyle = colour('--primary');
    context.beginPath();
    context.arc(x(i), y(fitness), 3.2, 0, 2 * Math.PI);
    context.fill();
  });
}
