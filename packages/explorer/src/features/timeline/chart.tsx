// Timeline chart: blocks, snapshots, gaps in time, undone ranges.
import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react';
import { grouped } from '../../format/amount.js';
import { momentText, spanText } from '../../format/time.js';
import { disarm } from '../../format/untrusted-text.js';
import { go, to } from '../../navigation/route.js';
import type { BlockRow } from '../../rpc/queries.js';
import type { Snapshot } from '../../rpc/snapshots.js';
import type { Undone } from '../../rpc/undone-blocks.js';
import type { Bar } from './blocks.js';
import { byNumber, byTime, pan, type Scale, type Window, zoom } from './scale.js';

const LINE = 56;
const BARS = 32;
/** Smallest height, for blocks without transactions. */
const LOWEST_BAR = 2;
const UNDONE_STEP = 20;
const MOST_UNDONE = 3;
/** Width of a range's label. */
const UNDONE_WORDS = 230;
const EDGE = 14;
/** Smallest distance between two labels. */
const NAME_ROOM = 90;

export interface ChartProps {
  readonly blocks: readonly BlockRow[];
  readonly bars: readonly Bar[];
  readonly snapshots: readonly Snapshot[];
  readonly undone: readonly Undone[];
  readonly head: number;
  readonly window: Window;
  readonly whole: Window;
  readonly axis: 'blocks' | 'time';
  readonly onWindow: (window: Window) => void;
}

export function Chart(props: ChartProps) {
  const { blocks, bars, snapshots, undone, head, window, whole, axis, onWindow } = props;
  const frame = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const [pointed, setPointed] = useState<number | undefined>();
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    setWidth(element.clientWidth);
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const moments = blocks.map(({ block_number, timestamp }) => ({
    number: block_number,
    time: timestamp,
  }));
  const scale: Scale =
    axis === 'time' && moments.length > 1 ? byTime(window, moments) : byNumber(window, moments);
  const x = (number: number): number => EDGE + scale.at(number) * Math.max(0, width - 2 * EDGE);
  const isIn = (number: number): boolean => number >= window.first && number <= window.last;

  // React's wheel listeners are passive and cannot prevent scrolling.
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const turn = (event: WheelEvent): void => {
      if (event.deltaY === 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      const rect = element.getBoundingClientRect();
      const around = (event.clientX - rect.left) / Math.max(1, rect.width);
      onWindow(zoom(window, whole, event.deltaY > 0 ? 2 : 0.5, around));
    };
    element.addEventListener('wheel', turn, { passive: false });
    return () => element.removeEventListener('wheel', turn);
  }, [window, whole, onWindow]);

  const press = (event: KeyboardEvent): void => {
    if (event.metaKey || event.ctrlKey || event.altKey) return;
    const keys: Record<string, () => void> = {
      '+': () => onWindow(zoom(window, whole, 0.5, 0.5)),
      '=': () => onWindow(zoom(window, whole, 0.5, 0.5)),
      '-': () => onWindow(zoom(window, whole, 2, 0.5)),
      ArrowLeft: () => onWindow(pan(window, whole, -0.25)),
      ArrowRight: () => onWindow(pan(window, whole, 0.25)),
      Home: () => onWindow(whole),
    };
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };
  const nearest = (event: PointerEvent): number | undefined => {
    const rect = event.currentTarget.getBoundingClientRect();
    const place = event.clientX - rect.left;
    if (bars.length > 0) {
      const share = (place - EDGE) / Math.max(1, width - 2 * EDGE);
      return Math.round(window.first + share * (window.last - window.first));
    }
    let best: number | undefined;
    for (const { block_number } of blocks) {
      if (best === undefined || Math.abs(x(block_number) - place) < Math.abs(x(best) - place)) {
        best = block_number;
      }
    }
    return best;
  };

  const shownUndone = undone
    .filter(({ first, last }) => last >= window.first && first <= window.last)
    .slice(0, MOST_UNDONE);
  const height = LINE + 44 + (shownUndone.length === 0 ? 0 : 8 + shownUndone.length * UNDONE_STEP);
  const isHeadIn = isIn(head);
  const radius = width / Math.max(1, blocks.length) > 9 ? 3.5 : 2;
  const ok = blocks.filter(({ failed_count }) => failed_count === 0);
  const failed = blocks.filter(({ failed_count }) => failed_count > 0);
  const diamonds = snapshots.filter(({ block_number }) => isIn(block_number));
  const last = Math.min(head, window.last);
  return (
    <div className="line-chart">
      {/* biome-ignore lint/a11y/useSemanticElements: no element stands for a chart with keys */}
      <div
        ref={frame}
        role="group"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it is moved by keys
        tabIndex={0}
        aria-label={`Line of blocks ${window.first} to ${window.last}, ${diamonds.length} snapshots, ${failed.length} blocks with failures. Plus and minus zoom, arrows move. The table below has the same facts.`}
        className="line-frame"
        onKeyDown={press}
        onPointerMove={(event) => setPointed(nearest(event))}
        onPointerLeave={() => setPointed(undefined)}
        onClick={() => {
          if (pointed !== undefined && pointed <= head && pointed >= 0) go(to('block', pointed));
        }}
      >
        <svg width={width} height={height} aria-hidden="true">
          <line className="line-axis" x1={x(window.first)} x2={x(last)} y1={LINE} y2={LINE} />
          {bars.map((bar) => (
            <BarShape key={bar.first} bar={bar} bars={bars} x={x} />
          ))}
          <path className="line-dots" d={dots(ok, x, radius)} />
          <path className="line-crosses" d={crosses(failed, x)} />
          {scale.folds.map(({ before, seconds }) => (
            <g key={before} className="line-fold">
              <text x={(x(before - 1) + x(before)) / 2} y={LINE + 4} textAnchor="middle">
                ≈
              </text>
              <text
                x={(x(before - 1) + x(before)) / 2}
                y={LINE + 20}
                textAnchor={anchor((x(before - 1) + x(before)) / 2, width)}
              >
                {seconds < 0 ? '−' : '+'}
                {spanText(seconds)}
              </text>
            </g>
          ))}
          {named(diamonds, x).map(({ snapshot, hasName }) => (
            <g key={snapshot.snapshot_id} className="line-snapshot">
              <path d={diamond(x(snapshot.block_number))} />
              {hasName && (
                <text
                  x={x(snapshot.block_number)}
                  y={LINE - 38}
                  textAnchor={anchor(x(snapshot.block_number), width)}
                >
                  {snapshot.snapshot_id}{' '}
                  {snapshot.name === undefined ? '' : disarm(snapshot.name, 16).text}
                </text>
              )}
            </g>
          ))}
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
          {shownUndone.map((stretch, index) => (
            <UndoneShape
              key={stretch.at}
              of={stretch}
              y={LINE + 50 + index * UNDONE_STEP}
              left={x(Math.max(stretch.first - 1, window.first))}
              right={x(Math.min(stretch.last, window.last))}
              width={width}
            />
          ))}
          {pointed !== undefined && (
            <line className="line-pointed" x1={x(pointed)} x2={x(pointed)} y1={8} y2={LINE + 6} />
          )}
        </svg>
      </div>
      <p className="gas-told" aria-hidden="true">
        {told(pointed, props)}
      </p>
    </div>
  );
}

function told(pointed: number | undefined, { blocks, bars, window }: ChartProps): string {
  if (pointed === undefined) {
    return `blocks ${grouped(window.first)} to ${grouped(window.last)}; zoom by + and −, or the wheel`;
  }
  const bar = bars.find(({ first, last }) => pointed >= first && pointed <= last);
  if (bar) {
    const size = bar.last - bar.first + 1;
    const part = bar.looked < size ? ` in the last ${grouped(bar.looked)} of them` : '';
    return `blocks ${grouped(bar.first)} to ${grouped(bar.last)}: ${grouped(bar.transactions)} transactions, ${grouped(bar.failed)} failed${part}`;
  }
  const block = blocks.find(({ block_number }) => block_number === pointed);
  if (!block) return `block ${grouped(pointed)}`;
  const failed = block.failed_count === 0 ? '' : `, ${grouped(block.failed_count)} failed`;
  return `block ${grouped(pointed)}: ${momentText(block.timestamp)}, ${grouped(block.transaction_count)} transactions${failed}`;
}

function BarShape({
  bar,
  bars,
  x,
}: {
  readonly bar: Bar;
  readonly bars: readonly Bar[];
  readonly x: (number: number) => number;
}) {
  const density = ({ transactions, looked }: Bar): number =>
    looked === 0 ? 0 : transactions / looked;
  const most = Math.max(1e-9, ...bars.map(density));
  const tall = Math.max(LOWEST_BAR, (density(bar) / most) * BARS);
  const bad = bar.transactions === 0 ? 0 : (bar.failed / bar.transactions) * tall;
  const left = x(bar.first);
  const wide = Math.max(1, x(bar.last) - left - 1);
  return (
    <>
      <rect className="line-bar" x={left} width={wide} y={LINE - tall} height={tall} />
      {bad > 0 && (
        <rect
          className="line-bar-failed"
          x={left}
          width={wide}
          y={LINE - Math.max(2, bad)}
          height={Math.max(2, bad)}
        />
      )}
    </>
  );
}

/** Branch of an undone range: from the block where the chain was cut to its last block. */
function UndoneShape({
  of,
  y,
  left,
  right,
  width,
}: {
  readonly of: Undone;
  readonly y: number;
  readonly left: number;
  readonly right: number;
  readonly width: number;
}) {
  const hasRoom = right < width - UNDONE_WORDS;
  return (
    <g className="line-undone">
      <path d={`M${left},${LINE} V${y} H${right}`} />
      <text x={hasRoom ? right + 6 : left - 6} y={y + 4} textAnchor={hasRoom ? 'start' : 'end'}>
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
  const taken: number[] = [];
  return [...snapshots]
    .sort((one, other) => other.block_number - one.block_number)
    .map((snapshot) => {
      const at = x(snapshot.block_number);
      const hasName = taken.every((other) => Math.abs(other - at) > NAME_ROOM);
      if (hasName) taken.push(at);
      return { snapshot, hasName };
    });
}
