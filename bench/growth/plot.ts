// Line chart of growth curves as SVG, both axes logarithmic.
import { escaped, STYLE } from '../compare/plot.js';
import { shown } from '../compare/results.js';
import type { Curve } from './results.js';

const WIDTH = 900;
const HEIGHT = 360;
const LEFT = 60;
const RIGHT = 300;
const TOP = 40;
const BOTTOM = 46;
const RATIOS = [0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10, 20, 50, 100];
const COLOURS = ['#2f7d5b', '#b4541a', '#3566b0', '#8a4fa3', '#a08a1c', '#5b6770'];

/** A line for each curve: its CPU time over that of the control, by size. */
export function curvePlot(curves: readonly Curve[], title: string): string {
  const rows = curves.flatMap((curve) => curve.rows);
  const sizes = [...new Set(rows.map(({ size }) => size))];
  const ratios = rows.map(({ ratio }) => ratio.cpu);
  const x = scale(Math.min(...sizes), Math.max(...sizes), LEFT, WIDTH - RIGHT);
  const y = scale(Math.min(0.5, ...ratios), Math.max(2, ...ratios), HEIGHT - BOTTOM, TOP);
  const shownRatios = RATIOS.filter((ratio) => inside(y(ratio), TOP, HEIGHT - BOTTOM));
  const grid = shownRatios.map((ratio) => {
    const at = y(ratio).toFixed(1);
    return `<line x1="${LEFT}" y1="${at}" x2="${WIDTH - RIGHT}" y2="${at}" class="${ratio === 1 ? 'one' : 'grid'}"/><text x="${LEFT - 8}" y="${at}" dy="4" class="label">${ratio}×</text>`;
  });
  const ticks = sizes.map(
    (size) =>
      `<text x="${x(size).toFixed(1)}" y="${HEIGHT - BOTTOM + 20}" class="tick">${shown(size)}</text>`,
  );
  const unit = curves[0]?.axis.unit ?? '';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escaped(title)}">
${STYLE}
<text x="12" y="20" class="title">${escaped(title)}</text>
${grid.join('\n')}
${ticks.join('')}<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 8}" class="tick">${unit}</text>
${curves.map((curve, at) => drawn(curve, at, x, y)).join('\n')}
</svg>
`;
}

type Scale = (value: number) => number;

const scale =
  (low: number, high: number, from: number, to: number): Scale =>
  (value) =>
    from + (Math.log(value / low) / Math.log(high / low)) * (to - from);

const inside = (value: number, low: number, high: number): boolean =>
  value >= low - 0.5 && value <= high + 0.5;

function drawn({ operation, rows, fit }: Curve, at: number, x: Scale, y: Scale): string {
  const colour = COLOURS[at % COLOURS.length];
  const points = rows.map(({ size, ratio }) => `${x(size).toFixed(1)},${y(ratio.cpu).toFixed(1)}`);
  const legend = TOP + 10 + at * 22;
  const label = `${operation.title}: ${fit.cpu.exponent.toFixed(2)}`;
  return [
    `<polyline points="${points.join(' ')}" fill="none" stroke="${colour}" stroke-width="2"/>`,
    `<line x1="${WIDTH - RIGHT + 16}" y1="${legend}" x2="${WIDTH - RIGHT + 36}" y2="${legend}" stroke="${colour}" stroke-width="3"/>`,
    `<text x="${WIDTH - RIGHT + 42}" y="${legend + 4}">${escaped(label)}</text>`,
  ].join('');
}
