import { format } from './colours';
import type { Space } from './data';
import { axes_of, axis_labels, ground_of, voronoi_cell, type Frame, type Place, type View } from './layout';

const LEGEND_STEPS = 24;
const LEGEND = { width: 96, height: 8 };

interface Shown {
  width: number;
  height: number;
  frame: Frame;
  space: Space;
  view: View;
  /** What the colours show, and between which values. */
  label: string;
  range: [number, number];
  colour(value: number): string;
  cells: { cell: number; place: Place; value: number }[];
}

const escape = (text: string) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
const number = (x: number) => String(Number(x.toFixed(2)));

function rectangle({ x, y, width, height }: Place, fill: string): string {
  return `<rect x="${number(x)}" y="${number(y)}" width="${number(width)}" height="${number(height)}" fill="${fill}"/>`;
}
function text(content: string, place: string, anchor: string): string {
  return `<text ${place} text-anchor="${anchor}">${escape(content)}</text>`;
}

function legend({ frame, label, range, colour }: Shown, y: number): string[] {
  const left = frame.left + frame.width - LEGEND.width;
  const step = LEGEND.width / LEGEND_STEPS;
  const bars = Array.from({ length: LEGEND_STEPS }, (_, i) => rectangle({ x: left + i * step, y, width: step + 0.1, height: LEGEND.height },
    colour(range[0] + ((i + 0.5) / LEGEND_STEPS) * (range[1] - range[0]))));
  return [...bars, text(`${label}: ${format(range[0])} to ${format(range[1])}`, `x="${number(left - 8)}" y="${number(y + LEGEND.height)}"`, 'end')];
}

/** A map as a drawing with the axes and the scale of its colours, on light ground. */
export function map_svg(shown: Shown): string {
  const { width, height, frame, space, view, cells, colour } = shown;
  const [x, y] = axes_of(view);
  const labels = axis_labels(space, view);
  const has_outlines = space.centroids && space.names.length === 2;
  const drawn = cells.map(({ cell, place, value }) => (has_outlines
    ? `<polygon points="${voronoi_cell(space, cell, frame).map((point) => point.map(number).join(',')).join(' ')}" fill="${colour(value)}"/>`
    : rectangle(place, colour(value))));
  const [right, bottom] = [frame.left + frame.width, frame.top + frame.height];
  const axes = [
    text(format(space.lower[x]), `x="${frame.left}" y="${number(bottom + 14)}"`, 'start'),
    text(format(space.upper[x]), `x="${number(right)}" y="${number(bottom + 14)}"`, 'end'),
    text(labels[0], `x="${number(frame.left + frame.width / 2)}" y="${number(bottom + 26)}"`, 'middle'),
  ];
  if (x !== y) {
    const turned = (dx: number, at: number) => `transform="translate(${number(frame.left - dx)} ${number(at)}) rotate(-90)"`;
    axes.push(text(format(space.lower[y]), turned(8, bottom), 'start'), text(format(space.upper[y]), turned(8, frame.top), 'end'),
      text(labels[1], turned(20, frame.top + frame.height / 2), 'middle'));
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height + 16}" font-family="sans-serif" font-size="11">`,
    ...ground_of(space, view, frame).map((place) => rectangle(place, '#eceff3')), ...drawn, ...axes, ...legend(shown, height + 2), '</svg>', '',
  ].join('\n');
}
