// Charts of ratios as SVG: bars on a logarithmic axis.
import { significant } from './results.js';

const WIDTH = 900;
const TOP = 40;

/** Colours and fonts of all charts, light and dark. */
const STYLE = `<style>
text{font:12px system-ui,sans-serif;fill:#444}.title{font-size:14px;font-weight:600}.label{text-anchor:end}.tick{text-anchor:middle;fill:#777}
.grid{stroke:#ddd}.one{stroke:#555}.ahead{fill:#2f7d5b}.behind{fill:#b4541a}.spread{stroke:#222;stroke-width:1.5}
@media(prefers-color-scheme:dark){text{fill:#ccc}.tick{fill:#999}.grid{stroke:#333}.one{stroke:#aaa}.spread{stroke:#eee}}
</style>`;

const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('"', '&quot;')
    .replaceAll('`', '');

const chart = (height: number, title: string, parts: readonly string[]): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escaped(title)}">
${STYLE}
<text x="12" y="20" class="title">${escaped(title)}</text>
${parts.join('\n')}
</svg>
`;

type Scale = (value: number) => number;

/** Positions from `from` to `to` for the logarithms of values from `low` to `high`. */
const logScale =
  (low: number, high: number, from: number, to: number): Scale =>
  (value) =>
    from + (Math.log(value / low) / Math.log(high / low)) * (to - from);

export interface Bar {
  readonly title: string;
  readonly ratio: number;
  /** Smallest and largest, drawn as a line over the bar. */
  readonly spread: readonly [number, number];
}

const BAR_HEIGHT = 22;
const BAR_LABELS = 360;
const BAR_MARGIN = 60;
const BAR_TICKS = [0.01, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000, 20_000];
/** Room that the label of a tick needs. */
const TICK_WIDTH = 34;

/** The chart: a bar from 1 to each ratio, its spread, and its number. */
export function ratioPlot(bars: readonly Bar[], title: string): string {
  const ratios = bars.flatMap(({ ratio, spread }) => [ratio, ...spread]);
  const low = Math.min(0.8, ...ratios);
  const high = Math.max(1.5, ...ratios) * 1.2;
  const x = logScale(low, high, BAR_LABELS, WIDTH - BAR_MARGIN);
  const height = TOP + bars.length * BAR_HEIGHT + 30;
  const ticks = BAR_TICKS.filter((tick) => tick >= low && tick <= high);
  const labelled = ticks.filter(
    (tick, index) =>
      tick === 1 || index === 0 || x(tick) - x(ticks[index - 1] ?? 1e-9) > TICK_WIDTH,
  );
  const grid = labelled.map((tick) => {
    const at = x(tick).toFixed(1);
    const line = `<line x1="${at}" y1="${TOP - 8}" x2="${at}" y2="${height - 26}" class="${tick === 1 ? 'one' : 'grid'}"/>`;
    return `${line}<text x="${at}" y="${height - 10}" class="tick">${tick}×</text>`;
  });
  const rows = bars.map((bar, index) => barRow(bar, TOP + index * BAR_HEIGHT, x));
  return chart(height, title, [...grid, ...rows]);
}

function barRow({ title, ratio, spread }: Bar, y: number, x: Scale): string {
  const [from, to] = [Math.min(x(1), x(ratio)), Math.max(x(1), x(ratio))];
  const middle = y + BAR_HEIGHT / 2 - 2;
  const end = Math.max(to, x(spread[1])) + 6;
  return [
    `<text x="${BAR_LABELS - 10}" y="${middle + 4}" class="label">${escaped(title)}</text>`,
    `<rect x="${from.toFixed(1)}" y="${y}" width="${Math.max(1, to - from).toFixed(1)}" height="${BAR_HEIGHT - 6}" class="${ratio >= 1 ? 'ahead' : 'behind'}"/>`,
    `<line x1="${x(spread[0]).toFixed(1)}" y1="${middle}" x2="${x(spread[1]).toFixed(1)}" y2="${middle}" class="spread"/>`,
    `<text x="${end.toFixed(1)}" y="${middle + 4}">${significant(ratio)}×</text>`,
  ].join('');
}
