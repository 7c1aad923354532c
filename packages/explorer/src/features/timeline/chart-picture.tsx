// Picture of the timeline: density of transactions, snapshots, folded gaps and undone ranges as SVG.
import { counted, grouped } from '../../format/amount.js';
import { spanText, timeIn, timeText } from '../../format/time.js';
import { escapeText } from '../../format/untrusted-text.js';
import type { BlockRow } from '../../rpc/queries.js';
import type { Snapshot } from '../../rpc/snapshots.js';
import type { UndoneRange } from '../../rpc/undone-blocks.js';
import type { Bucket } from './density.js';
import { COUNT_ROOM, labelWidth, type Placed, placeLabels, within } from './labels.js';
import type { Scale, Window } from './scale.js';

const BARS = 96;
/** Smallest height of a block with transactions, and of one without. */
const LOWEST_BAR = 3;
const EMPTY_BAR = 1;
/** Below the axis: labels of blocks, then lengths of gaps. */
const FOOT = 22;
const FOLD_FOOT = 16;
const LANE = 17;
const MAX_LANES = 6;
const UNDONE_STEP = 30;
const MAX_UNDONE = 3;
const MAX_NAME_LENGTH = 24;
const TOP = 10;
const BLOCK_ROOM = 84;
/** Between the labels of values and those of blocks. */
const VALUE_GAP = 10;

type X = (number: number) => number;
/** Label of a block below the axis. */
export type TickText = (number: number) => string;

export interface PictureProps {
  readonly buckets: readonly Bucket[];
  /** Those in the window. */
  readonly snapshots: readonly Snapshot[];
  readonly undone: readonly UndoneRange[];
  readonly head: number;
  readonly window: Window;
  readonly scale: Scale;
  readonly x: X;
  readonly tickText: TickText;
  readonly width: number;
  /** The first pixel behind the labels of values. */
  readonly start: number;
  readonly pointed: Bucket | undefined;
}

export function ChartPicture(props: PictureProps) {
  const { buckets, snapshots, undone, window, scale, x, width, pointed } = props;
  const shownUndone = undone
    .filter(({ first, last }) => last >= window.first && first <= window.last)
    .slice(0, MAX_UNDONE);
  const labels = snapshotLabels(snapshots, x, width);
  const lanes = labels.reduce((most, { lane }) => Math.max(most, lane + 1), 0);
  const top = TOP + lanes * LANE + (lanes > 0 ? 8 : 0);
  const line = top + BARS;
  const foldFoot = scale.folds.length > 0 ? FOLD_FOOT : 0;
  const undoneTop = line + FOOT + foldFoot + 6;
  const height =
    line +
    FOOT +
    foldFoot +
    4 +
    (shownUndone.length === 0 ? 0 : 6 + shownUndone.length * UNDONE_STEP);
  const last = Math.min(props.head, window.last);
  return (
    <svg width={width} height={height} aria-hidden="true">
      {pointed && (
        <rect
          className="chart-pointed"
          x={pointed.start - 1}
          y={top}
          width={pointed.width + 2}
          height={BARS}
        />
      )}
      <Values buckets={buckets} top={top} line={line} start={props.start} width={width} />
      <Density buckets={buckets} line={line} />
      <path className="line-axis" d={`M${x(window.first)},${line}H${x(last)}`} />
      <SnapshotMarks snapshots={snapshots} labels={labels} x={x} top={top} line={line} />
      <BlockLabels {...props} y={line + 15} />
      <Folds folds={scale.folds} x={x} width={width} line={line} />
      {shownUndone.map((range, index) => (
        <UndoneShape
          key={range.at}
          of={range}
          line={line}
          y={undoneTop + index * UNDONE_STEP}
          start={x(Math.max(range.first - 1, window.first))}
          end={x(Math.min(range.last, window.last))}
          width={width}
        />
      ))}
    </svg>
  );
}

interface ValuesProps {
  readonly buckets: readonly Bucket[];
  readonly top: number;
  readonly line: number;
  readonly start: number;
  readonly width: number;
}

const mostOf = (buckets: readonly Bucket[]): number =>
  buckets.reduce((most, { value }) => Math.max(most, value), 0);

const valueText = (value: number): string =>
  Number.isInteger(value) ? grouped(value) : value.toFixed(1);

/** The vertical axis: zero and the largest value. */
function Values({ buckets, top, line, start, width }: ValuesProps) {
  const most = mostOf(buckets);
  if (most === 0) return null;
  return (
    <>
      <path className="chart-axis" d={`M${start},${top + 0.5}H${width - 4}`} />
      <text className="line-value" x={start - 14} y={top + 4}>
        {valueText(most)}
      </text>
      <text className="line-value" x={start - 14} y={line + 4}>
        0
      </text>
    </>
  );
}

interface DensityProps {
  readonly buckets: readonly Bucket[];
  readonly line: number;
}

/** One path for all bars of a kind; failures stand on the axis. */
function Density({ buckets, line }: DensityProps) {
  const most = Math.max(1e-9, mostOf(buckets));
  const tall = (value: number): number =>
    value === 0 ? 0 : Math.max(LOWEST_BAR, (value / most) * BARS);
  const empty: string[] = [];
  const succeeded: string[] = [];
  const failed: string[] = [];
  for (const bucket of buckets) {
    const all = tall(bucket.value);
    const bad = Math.min(all, tall(bucket.failed));
    if (all === 0) empty.push(bar(bucket, line, EMPTY_BAR));
    if (bad > 0) failed.push(bar(bucket, line, bad));
    if (all > bad) succeeded.push(bar(bucket, line - bad, all - bad));
  }
  return (
    <>
      <path className="line-empty" d={empty.join('')} />
      <path className="line-bars" d={succeeded.join('')} />
      <path className="line-failed" d={failed.join('')} />
    </>
  );
}

const bar = ({ start, width }: Bucket, foot: number, tall: number): string =>
  `M${start.toFixed(1)},${foot.toFixed(1)}v${(-tall).toFixed(1)}h${width.toFixed(1)}v${tall.toFixed(1)}z`;

const snapshotText = ({ snapshot_id, name }: Snapshot): string =>
  name === undefined ? snapshot_id : escapeText(name, MAX_NAME_LENGTH).text;

/** The rightmost first, so that lines to labels farther left do not cross those on the right. */
function snapshotLabels(snapshots: readonly Snapshot[], x: X, width: number): readonly Placed[] {
  const labels = snapshots
    .map((snapshot) => ({
      id: snapshot.snapshot_id,
      at: x(snapshot.block_number),
      text: snapshotText(snapshot),
    }))
    .sort((a, b) => b.at - a.at);
  return placeLabels(labels, width, MAX_LANES, COUNT_ROOM);
}

interface SnapshotMarksProps {
  readonly snapshots: readonly Snapshot[];
  readonly labels: readonly Placed[];
  readonly x: X;
  readonly top: number;
  readonly line: number;
}

function SnapshotMarks({ snapshots, labels, x, top, line }: SnapshotMarksProps) {
  const places = [...new Set(snapshots.map(({ block_number }) => x(block_number).toFixed(1)))];
  const laneFoot = (lane: number): number => top - 8 - lane * LANE;
  const leads = labels.map(({ at, lane }) => `M${at.toFixed(1)},${line}V${laneFoot(lane)}`);
  return (
    <g className="line-snapshots">
      <path className="line-lead" d={leads.join('')} />
      <path
        className="line-diamond"
        d={places.map((place) => `M${place},${line - 5}l5,5l-5,5l-5,-5z`).join('')}
      />
      {labels.map(({ id, start, lane, text, others }) => (
        <text key={id} className="line-snapshot" x={start} y={laneFoot(lane) - 3}>
          {text}
          {others > 0 && ` +${grouped(others)}`}
        </text>
      ))}
    </g>
  );
}

type BlockLabelsProps = Pick<
  PictureProps,
  'head' | 'window' | 'x' | 'tickText' | 'width' | 'start'
> & {
  readonly y: number;
};

/** The head or the last block first, then as many others as have room. */
function BlockLabels(props: BlockLabelsProps) {
  const { head, window, x, tickText, width, start: rightOfValues, y } = props;
  const last = Math.min(head, window.last);
  const count = Math.max(1, Math.floor(width / BLOCK_ROOM));
  const step = Math.max(1, Math.ceil((last - window.first) / count));
  const numbers = Array.from({ length: count + 1 }, (_, at) => window.first + at * step).filter(
    (number) => number < last,
  );
  const lastText = tickText(last);
  const labels = placeLabels(
    [
      { id: 'last', at: x(last) - labelWidth(lastText) / 2, text: lastText },
      ...numbers.map((number) => {
        const text = tickText(number);
        const middle = x(number) - labelWidth(text) / 2;
        return { id: String(number), at: Math.max(rightOfValues - VALUE_GAP, middle), text };
      }),
    ],
    width,
    1,
    0,
  );
  return labels.map(({ id, start, text }) => (
    <text key={id} className={id === 'last' ? 'line-head' : undefined} x={start} y={y}>
      {text}
    </text>
  ));
}

interface TickProps {
  readonly head: number;
  readonly axis: 'blocks' | 'time';
}

/** Labels of blocks: their numbers, or their times on the axis of time. */
export function tickTexts({ head, axis }: TickProps, blocks: readonly BlockRow[]): TickText {
  const [first, last] = [blocks[0], blocks.at(-1)];
  const times = new Map<number, string>();
  if (axis === 'time' && first && last) {
    const textOf = timeIn(first.timestamp, last.timestamp);
    for (const { block_number, timestamp } of blocks) times.set(block_number, textOf(timestamp));
  }
  return (number) => {
    const text = times.get(number) ?? `#${grouped(number)}`;
    return number === head ? `head ${text}` : text;
  };
}

interface FoldsProps {
  readonly folds: Scale['folds'];
  readonly x: X;
  readonly width: number;
  readonly line: number;
}

/** Gaps of the clock: a break in the axis, and their length below it. */
function Folds({ folds, x, width, line }: FoldsProps) {
  const places = folds.map(({ before, seconds }) => ({
    id: String(before),
    at: (x(before - 1) + x(before)) / 2,
    text: `${seconds < 0 ? '−' : '+'}${spanText(seconds)}`,
  }));
  const labels = placeLabels(
    places.map((place) => ({ ...place, at: place.at - labelWidth(place.text) / 2 })),
    width,
    1,
    COUNT_ROOM,
  );
  return (
    <g className="line-fold">
      <path d={places.map(({ at }) => `M${(at - 3).toFixed(1)},${line + 4}l6,-8`).join('')} />
      {labels.map(({ id, start, text, others }) => (
        <text key={id} x={start} y={line + FOOT + 9}>
          {text}
          {others > 0 && ` +${others}`}
        </text>
      ))}
    </g>
  );
}

interface UndoneShapeProps {
  readonly of: UndoneRange;
  readonly line: number;
  readonly y: number;
  readonly start: number;
  readonly end: number;
  readonly width: number;
}

/** Branch of an undone range: from the block where the chain was cut to its last block. */
function UndoneShape({ of, line, y, start, end, width }: UndoneShapeProps) {
  const text = `${counted(of.last - of.first + 1, 'block')}, undone at ${timeText(Math.floor(of.at / 1000))} UTC`;
  return (
    <g className="line-undone">
      <path d={`M${start},${line}V${y}H${end}`} />
      <text x={within(start + 6, labelWidth(text), width)} y={y + 15}>
        {text}
      </text>
    </g>
  );
}
