// Shapes of the timeline: calls as bars of a flame, marks below them, as outlines for SVG.
import type { Debugger, Mark } from '@starkbox/debugger';
import type { DEBUG_ACTION, DEBUG_RUN } from '@starkbox/spec';
import { huesOf } from '../marks.js';

type Recorded = Pick<Debugger, 'trace' | 'marks' | 'length'>;

/** The positions of one call. */
export interface Span {
  readonly runIndex: number;
  /** 0 for the validation and the execution. */
  readonly depth: number;
  readonly first: number;
  readonly last: number;
  readonly contract: string;
  readonly isReverted: boolean;
}

/** Deeper calls share the last row. */
const MAX_ROWS = 8;
const ROW = 6;
const GAP = 1;
const LANE = 16;
const PADDING = 4;

/** The calls in the order in which they began. */
export function spansOf({ trace: { runs, actions }, marks, length }: Recorded): readonly Span[] {
  const first = new Map<number, number>();
  const last = new Map<number, number>();
  for (const { kind, runIndex, position, action } of marks) {
    if (kind === 'call' && action?.called_run !== undefined) {
      first.set(action.called_run, position + 1);
    } else if (kind === 'return') last.set(runIndex, position);
  }
  const counts = positionCounts(runs, actions);
  const spans: Span[] = [];
  let start = 0;
  for (const [runIndex, { parent, contract_address, failed }] of runs.entries()) {
    const outer = parent === undefined ? undefined : spans[parent];
    // The validation and the execution follow each other; no mark says where they begin.
    if (!outer) first.set(runIndex, start);
    start += counts[runIndex] ?? 0;
    spans.push({
      runIndex,
      depth: outer ? outer.depth + 1 : 0,
      first: first.get(runIndex) ?? outer?.first ?? 0,
      last: last.get(runIndex) ?? length - 1,
      contract: contract_address,
      isReverted: failed || (outer?.isReverted ?? false),
    });
  }
  return spans.map((span) => {
    if (runs[span.runIndex]?.parent !== undefined) return span;
    const next = spans.find(({ runIndex, depth }) => runIndex > span.runIndex && depth === 0);
    return next ? { ...span, last: next.first - 1 } : span;
  });
}

/** Runs without recorded steps have a position for their start and one for each of their system calls. */
function positionCounts(
  runs: readonly DEBUG_RUN[],
  actions: readonly DEBUG_ACTION[],
): readonly number[] {
  const counts = runs.map(({ step_count, first_step }) => step_count - first_step);
  const isWithoutSteps = runs.map(({ step_count }) => step_count === 0);
  for (const { run } of actions) if (isWithoutSteps[run]) counts[run] = (counts[run] ?? 0) + 1;
  return counts.map((count, run) => (isWithoutSteps[run] ? count + 1 : count));
}

export interface Scale {
  /** Positions in all. */
  readonly length: number;
  readonly width: number;
}

/** The first position is at the left end, the last one at the right. */
export function xOf(position: number, { length, width }: Scale): number {
  return length <= 1 ? 0 : (position / (length - 1)) * width;
}

export function positionAt(x: number, { length, width }: Scale): number {
  const share = width === 0 ? 0 : Math.max(0, Math.min(1, x / width));
  return Math.round(share * (length - 1));
}

export interface Shapes {
  readonly height: number;
  /** Bars by the hue of their contract. */
  readonly bars: ReadonlyMap<number, string>;
  readonly reverted: string;
  readonly marks: ReadonlyMap<Mark['kind'], string>;
}

/** Marks and short calls in the same pixel are drawn once, so that the outlines have a bounded length. */
export function shapesOf(spans: readonly Span[], marks: readonly Mark[], scale: Scale): Shapes {
  const rows = Math.min(
    MAX_ROWS,
    spans.reduce((most, { depth }) => Math.max(most, depth + 1), 1),
  );
  const flame = rows * (ROW + GAP);
  const hues = huesOf(spans.map(({ contract }) => contract));
  const bars = new Map<number, string>();
  const reverted: string[] = [];
  const drawn = new Set<string>();
  for (const { depth, first, last, contract, isReverted } of spans) {
    const row = Math.min(depth, rows - 1);
    const x = xOf(first, scale);
    const width = Math.max(1, xOf(last, scale) - x);
    const pixel = `${row} ${Math.round(x)}`;
    if (width <= 1 && drawn.has(pixel)) continue;
    drawn.add(pixel);
    const bar = `M${round(x)} ${PADDING + row * (ROW + GAP)}h${round(width)}v${ROW}h${-round(width)}z`;
    const hue = hues.get(contract) ?? 0;
    bars.set(hue, (bars.get(hue) ?? '') + bar);
    if (isReverted) reverted.push(bar);
  }
  return {
    height: PADDING + flame + LANE,
    bars,
    reverted: reverted.join(''),
    marks: markShapes(marks, scale, PADDING + flame + LANE / 2),
  };
}

const OUTLINES: Readonly<Record<string, (x: number, y: number) => string>> = {
  event: (x, y) => `M${x - 3} ${y}a3 3 0 1 0 6 0a3 3 0 1 0-6 0z`,
  write: (x, y) => `M${x - 2.5} ${y - 2.5}h5v5h-5z`,
  message: (x, y) => `M${x - 3.5} ${y + 3}l3.5-6.5l3.5 6.5z`,
  failure: (x, y) => `M${x - 3.5} ${y - 3.5}l7 7m0-7l-7 7`,
};

function markShapes(
  marks: readonly Mark[],
  scale: Scale,
  y: number,
): ReadonlyMap<Mark['kind'], string> {
  const shapes = new Map<Mark['kind'], string>();
  const drawn = new Set<string>();
  for (const { kind, position } of marks) {
    const x = Math.round(xOf(position, scale));
    const pixel = `${kind} ${x}`;
    const outline = OUTLINES[kind];
    if (!outline || drawn.has(pixel)) continue;
    drawn.add(pixel);
    shapes.set(kind, (shapes.get(kind) ?? '') + outline(x, y));
  }
  return shapes;
}

const round = (value: number): number => Math.round(value * 10) / 10;

/** Pixels within which a click means a mark. */
const NEAR = 6;

/** The mark that is drawn closest to `x`, where one is near; marks are in the order of positions. */
export function markAt(marks: readonly Mark[], x: number, scale: Scale): Mark | undefined {
  const from = positionAt(x - NEAR, scale);
  let low = 0;
  let high = marks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((marks[middle]?.position ?? 0) < from) low = middle + 1;
    else high = middle;
  }
  let nearest: Mark | undefined;
  let distance = NEAR;
  for (let at = low; at < marks.length; at++) {
    const mark = marks[at];
    if (!mark || xOf(mark.position, scale) > x + NEAR) break;
    const offset = Math.abs(xOf(mark.position, scale) - x);
    // A failure is drawn above the others.
    const isCloser = mark.kind === 'failure' ? offset <= distance : offset < distance;
    if (isCloser && mark.kind !== 'return' && mark.kind !== 'call') {
      nearest = mark;
      distance = offset;
    }
  }
  return nearest;
}

/** The innermost call at a position; calls are in the order in which they began. */
export function spanAt(spans: readonly Span[], position: number): Span | undefined {
  return spans.findLast(({ first, last }) => first <= position && position <= last);
}

/** The call whose bar is at a point. */
export function barAt(
  spans: readonly Span[],
  x: number,
  y: number,
  scale: Scale,
): Span | undefined {
  const row = Math.floor((y - PADDING) / (ROW + GAP));
  const rows = Math.min(MAX_ROWS, Math.max(1, ...spans.slice(0, 5_000).map((s) => s.depth + 1)));
  if (row < 0 || row >= rows) return undefined;
  return spans.find(
    ({ depth, first, last }) =>
      Math.min(depth, rows - 1) === row &&
      xOf(first, scale) - 1 <= x &&
      x <= Math.max(xOf(first, scale) + 1, xOf(last, scale)),
  );
}
