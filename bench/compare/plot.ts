// Bar chart of ratios as SVG, on a logarithmic axis.
import { shown } from './results.js';

export interface Bar {
  readonly title: string;
  readonly ratio: number;
  /** Smallest and largest, drawn as a line over the bar. */
  readonly spread: readonly [number, number];
}

const ROW = 22;
const LABELS = 360;
const WIDTH = 900;
const MARGIN = 60;
const TOP = 40;
const TICKS = [0.01, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000, 20_000];

/** Colours and fonts of all charts, light and dark. */
export const STYLE: string = `<style>
text{font:12px system-ui,sans-serif;fill:#444}.title{font-size:14px;font-weight:600}.label{text-anchor:end}.tick{text-anchor:middle;fill:#777}
.grid{stroke:#ddd}.one{stroke:#555}.ahead{fill:#2f7d5b}.behind{fill:#b4541a}.spread{stroke:#222;stroke-width:1.5}
@media(prefers-color-scheme:dark){text{fill:#ccc}.tick{fill:#999}.grid{stroke:#333}.one{stroke:#aaa}.spread{stroke:#eee}}
</style>`;

export const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('"', '&quot;')
    .replaceAll('`', '');

/** The chart: a bar from 1 to each ratio, its spread, and its number. */
export function ratioPlot(bars: readonly Bar[], title: string): string {
  const ratios = bars.flatMap(({ ratio, spread }) => [ratio, ...spread]);
  const low = Math.log(Math.min(0.8, ...ratios));
  const high = Math.log(Math.max(1.5, ...ratios) * 1.2);
  const x = (ratio: number): number =>
    LABELS + ((Math.log(ratio) - low) / (high - low)) * (WIDTH - LABELS - MARGIN);
  const height = TOP + bars.length * ROW + 30;
  const ticks = TICKS.filter((tick) => Math.log(tick) >= low && Math.log(tick) <= high);
  // Labels of ticks need room.
  const apart = ticks.filter(
    (tick, at) => tick === 1 || x(tick) - x(ticks[at - 1] ?? 1e-9) > 34 || at === 0,
  );
  const grid = apart.map((tick) => {
    const at = x(tick).toFixed(1);
    const line = `<line x1="${at}" y1="${TOP - 8}" x2="${at}" y2="${height - 26}" class="${tick === 1 ? 'one' : 'grid'}"/>`;
    return `${line}<text x="${at}" y="${height - 10}" class="tick">${tick}×</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escaped(title)}">
${STYLE}
<text x="12" y="20" class="title">${escaped(title)}</text>
${grid.join('\n')}
${bars.map((bar, at) => drawn(bar, TOP + at * ROW, x)).join('\n')}
</svg>
`;
}

function drawn({ title, ratio, spread }: Bar, y: number, x: (ratio: number) => number): string {
  const [from, to] = [Math.min(x(1), x(ratio)), Math.max(x(1), x(ratio))];
  const middle = y + ROW / 2 - 2;
  const end = Math.max(to, x(spread[1])) + 6;
  return [
    `<text x="${LABELS - 10}" y="${middle + 4}" class="label">${escaped(title)}</text>`,
    `<rect x="${from.toFixed(1)}" y="${y}" width="${Math.max(1, to - from).toFixed(1)}" height="${ROW - 6}" class="${ratio >= 1 ? 'ahead' : 'behind'}"/>`,
    `<line x1="${x(spread[0]).toFixed(1)}" y1="${middle}" x2="${x(spread[1]).toFixed(1)}" y2="${middle}" class="spread"/>`,
    `<text x="${end.toFixed(1)}" y="${middle + 4}">${shown(ratio)}×</text>`,
  ].join('');
}
