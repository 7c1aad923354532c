// Picture of the timeline: blocks, snapshots, folded silences and undone stretches as SVG.
import { grouped } from '../../format/amount.js';
import { spanText } from '../../format/time.js';
import { escapeText } from '../../format/untrusted-text.js';
import type { BlockRow } from '../../rpc/queries.js';
import type { Snapshot } from '../../rpc/snapshots.js';
import type { UndoneRange } from '../../rpc/undone-blocks.js';
import type { Bar } from './blocks.js';
import type { Scale, Window } from './scale.js';

const LINE = 56;
const BARS = 32;
/** Smallest height, for blocks without transactions. */
const LOWEST_BAR = 2;
const UNDONE_STEP = 20;
const MOST_UNDONE = 3;
/** Width of a range's label. */
const UNDONE_WORDS = 230;
/** Smallest distance between two labels. */
const NAME_ROOM = 90;

type X = (number: number) => number;

export interface PictureProps {
  readonly blocks: readonly BlockRow[];
  readonly bars: readonly Bar[];
  /** Those in the window. */
  readonly snapshots: readonly Snapshot[];
  readonly undone: readonly UndoneRange[];
  readonly head: number;
  readonly window: Window;
  readonly scale: Scale;
  readonly x: X;
  readonly width: number;
  readonly pointed: number | undefined;
}

export function ChartPicture(props: PictureProps) {
  const { blocks, bars, snapshots, undone, window, scale, x, width, pointed } = props;
  const shownUndone = undone
    .filter(({ first, last }) => last >= window.first && first <= window.last)
    .slice(0, MOST_UNDONE);
  const height = LINE + 44 + (shownUndone.length === 0 ? 0 : 8 + shownUndone.length * UNDONE_STEP);
  const radius = width / Math.max(1, blocks.length) > 9 ? 3.5 : 2;
  const ok = blocks.filter(({ failed_count }) => failed_count === 0);
  const failed = blocks.filter(({ failed_count }) => failed_count > 0);
  const last = Math.min(props.head, window.last);
  return (
    <svg width={width} height={height} aria-hidden="true">
      <line className="line-axis" x1={x(window.first)} x2={x(last)} y1={LINE} y2={LINE} />
      {bars.map((bar) => (
        <BarShape key={bar.first} bar={bar} bars={bars} x={x} />
      ))}
      <path className="line-dots" d={dots(ok, x, radius)} />
      <path className="line-crosses" d={crosses(failed, x)} />
      {scale.folds.map((fold) => (
        <FoldMark key={fold.before} fold={fold} x={x} width={width} />
      ))}
      {named(snapshots, x).map(({ snapshot, hasName }) => (
        <SnapshotMark
          key={snapshot.snapshot_id}
          of={snapshot}
          hasName={hasName}
          at={x(snapshot.block_number)}
          width={width}
        />
      ))}
      <EndTexts head={props.head} window={window} x={x} />
      {shownUndone.map((stretch, index) => (
        <UndoneShape
          key={stretch.at}
          of={stretch}
          y={LINE + 50 + index * UNDONE_STEP}
          start={x(Math.max(stretch.first - 1, window.first))}
          end={x(Math.min(stretch.last, window.last))}
          width={width}
        />
      ))}
      {pointed !== undefined && (
        <line className="line-pointed" x1={x(pointed)} x2={x(pointed)} y1={8} y2={LINE + 6} />
      )}
    </svg>
  );
}

interface FoldMarkProps {
  readonly fold: Scale['folds'][number];
  readonly x: X;
  readonly width: number;
}

function FoldMark({ fold: { before, seconds }, x, width }: FoldMarkProps) {
  const middle = (x(before - 1) + x(before)) / 2;
  return (
    <g className="line-fold">
      <text x={middle} y={LINE + 4} textAnchor="middle">
        ≈
      </text>
      <text x={middle} y={LINE + 20} textAnchor={anchor(middle, width)}>
        {seconds < 0 ? '−' : '+'}
        {spanText(seconds)}
      </text>
    </g>
  );
}

interface SnapshotMarkProps {
  readonly of: Snapshot;
  readonly hasName: boolean;
  readonly at: number;
  readonly width: number;
}

function SnapshotMark({ of: snapshot, hasName, at, width }: SnapshotMarkProps) {
  return (
    <g className="line-snapshot">
      <path d={diamond(at)} />
      {hasName && (
        <text x={at} y={LINE - 38} textAnchor={anchor(at, width)}>
          {snapshot.snapshot_id}{' '}
          {snapshot.name === undefined ? '' : escapeText(snapshot.name, 16).text}
        </text>
      )}
    </g>
  );
}

interface EndTextsProps {
  readonly head: number;
  readonly window: Window;
  readonly x: X;
}

function EndTexts({ head, window, x }: EndTextsProps) {
  const last = Math.min(head, window.last);
  const isHeadIn = head >= window.first && head <= window.last;
  return (
    <>
      <text x={x(window.first)} y={LINE + 36} textAnchor="start">
        #{grouped(window.first)}
      </text>
      <text
        className="line-head"
        x={x(last)}
        y={LINE + 36}
        textAnchor={x(last) < 160 ? 'start' : 'end'}
      >
        {isHeadIn ? `head #${grouped(head)}` : `#${grouped(last)}`}
      </text>
    </>
  );
}

interface BarShapeProps {
  readonly bar: Bar;
  readonly bars: readonly Bar[];
  readonly x: (number: number) => number;
}

function BarShape({ bar, bars, x }: BarShapeProps) {
  const density = ({ transactions, looked }: Bar): number =>
    looked === 0 ? 0 : transactions / looked;
  const most = Math.max(1e-9, ...bars.map(density));
  const tall = Math.max(LOWEST_BAR, (density(bar) / most) * BARS);
  const bad = bar.transactions === 0 ? 0 : (bar.failed / bar.transactions) * tall;
  const start = x(bar.first);
  const wide = Math.max(1, x(bar.last) - start - 1);
  return (
    <>
      <rect className="line-bar" x={start} width={wide} y={LINE - tall} height={tall} />
      {bad > 0 && (
        <rect
          className="line-bar-failed"
          x={start}
          width={wide}
          y={LINE - Math.max(2, bad)}
          height={Math.max(2, bad)}
        />
      )}
    </>
  );
}

interface UndoneShapeProps {
  readonly of: UndoneRange;
  readonly y: number;
  readonly start: number;
  readonly end: number;
  readonly width: number;
}

/** Branch of an undone range: from the block where the chain was cut to its last block. */
function UndoneShape({ of, y, start, end: right, width }: UndoneShapeProps) {
  const hasRoom = right < width - UNDONE_WORDS;
  return (
    <g className="line-undone">
      <path d={`M${start},${LINE} V${y} H${right}`} />
      <text x={hasRoom ? right + 6 : start - 6} y={y + 4} textAnchor={hasRoom ? 'start' : 'end'}>
        ✕ {grouped(of.last - of.first + 1)} blocks, undone at {new Date(of.at).toLocaleTimeString()}
      </text>
    </g>
  );
}

/** One path element for all blocks. */
function dots(blocks: readonly BlockRow[], x: (number: number) => number, radius: number): string {
  return blocks
    .map(
      ({ block_number }) =>
        `M${(x(block_number) - radius).toFixed(1)},${LINE}a${radius},${radius} 0 1 0 ${2 * radius},0a${radius},${radius} 0 1 0 ${-2 * radius},0`,
    )
    .join('');
}

function crosses(blocks: readonly BlockRow[], x: (number: number) => number): string {
  return blocks
    .map(({ block_number }) => {
      const at = x(block_number);
      return `M${(at - 4).toFixed(1)},${LINE - 4}l8,8m0,-8l-8,8`;
    })
    .join('');
}

function diamond(at: number): string {
  return `M${at.toFixed(1)},${LINE - 32}l7,8l-7,8l-7,-8zm0,16v16`;
}

function anchor(at: number, width: number): 'start' | 'middle' | 'end' {
  if (at < 60) return 'start';
  return at > width - 60 ? 'end' : 'middle';
}

/** Labels of snapshots; where they would overlap, the newest win. */
function named(
  snapshots: readonly Snapshot[],
  x: (number: number) => number,
): readonly { readonly snapshot: Snapshot; readonly hasName: boolean }[] {
  const occupied: number[] = [];
  return [...snapshots]
    .sort((a, b) => b.block_number - a.block_number)
    .map((snapshot) => {
      const at = x(snapshot.block_number);
      const hasName = occupied.every((other) => Math.abs(other - at) > NAME_ROOM);
      if (hasName) occupied.push(at);
      return { snapshot, hasName };
    });
}
