// Timeline chart: blocks, snapshots, gaps in time, undone ranges.
import {
  type KeyboardEvent,
  type PointerEvent,
  type RefObject,
  useEffect,
  useMemo,
  useState,
} from 'react';
import { counted, grouped } from '../../format/amount.js';
import { momentText } from '../../format/time.js';
import { go, to } from '../../navigation/route.js';
import { useWidth } from '../../parts/use-width.js';
import type { BlockRow } from '../../rpc/queries.js';
import type { Snapshot } from '../../rpc/snapshots.js';
import type { UndoneRange } from '../../rpc/undone-blocks.js';
import type { Bar } from './blocks.js';
import { ChartPicture, tickTexts } from './chart-picture.js';
import { type Bucket, bucketsOf, sampledBuckets } from './density.js';
import { labelWidth } from './labels.js';
import { byNumber, byTime, pan, type Scale, type Window, zoom } from './scale.js';

/** For the labels of values, and right of the last block. */
const START = 48;
const EDGE = 14;
/** Between the label of the last block and the frame. */
const LABEL_EDGE = 4;

export interface ChartProps {
  readonly blocks: readonly BlockRow[];
  readonly bars: readonly Bar[];
  readonly snapshots: readonly Snapshot[];
  readonly undone: readonly UndoneRange[];
  readonly head: number;
  readonly window: Window;
  readonly whole: Window;
  readonly axis: 'blocks' | 'time';
  readonly onWindow: (window: Window) => void;
}

export function Chart(props: ChartProps) {
  const { blocks, bars, snapshots, undone, head, window, axis } = props;
  const [frame, width] = useWidth();
  const [pointed, setPointed] = useState<Bucket | undefined>();
  useWheelZoom(frame, props);
  const { scale, x, buckets, tickText } = useMemo(() => {
    const moments = blocks.map(({ block_number, timestamp }) => ({
      number: block_number,
      time: timestamp,
    }));
    const scale: Scale =
      axis === 'time' && moments.length > 1 ? byTime(window, moments) : byNumber(window, moments);
    const tickText = tickTexts({ head, axis }, blocks);
    const lastWidth = labelWidth(tickText(Math.min(head, window.last)));
    const edge = Math.max(EDGE, lastWidth / 2 + LABEL_EDGE);
    const room = Math.max(0, width - START - edge);
    const x = (number: number): number => START + scale.at(number) * room;
    const buckets = bars.length > 0 ? sampledBuckets(bars, x) : bucketsOf(blocks, x);
    return { scale, x, buckets, tickText };
  }, [blocks, bars, window, axis, width, head]);
  const isIn = (number: number): boolean => number >= window.first && number <= window.last;
  const nearest = ({ clientX, currentTarget }: PointerEvent): Bucket | undefined =>
    nearestBucket(clientX - currentTarget.getBoundingClientRect().left, buckets);
  const failed = buckets.filter((bucket) => bucket.failed > 0);
  const diamonds = snapshots.filter(({ block_number }) => isIn(block_number));
  return (
    <div className="line-chart">
      {/* biome-ignore lint/a11y/useSemanticElements: no element stands for a chart with keys */}
      <div
        ref={frame}
        role="group"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it is moved by keys
        tabIndex={0}
        aria-label={`Timeline of blocks ${window.first} to ${window.last}, ${counted(diamonds.length, 'snapshot')}, ${counted(failed.length, 'bar')} with failures. Plus and minus zoom, arrows move. The table below lists the same data.`}
        className="line-frame"
        onKeyDown={(event) => pressKey(event, props)}
        onPointerMove={(event) => setPointed(nearest(event))}
        onPointerLeave={() => setPointed(undefined)}
        onClick={() => {
          if (pointed) go(to('block', pointed.last));
        }}
      >
        <ChartPicture
          buckets={buckets}
          snapshots={diamonds}
          undone={undone}
          head={head}
          window={window}
          scale={scale}
          x={x}
          tickText={tickText}
          width={width}
          start={START}
          pointed={pointed}
        />
      </div>
      <p className="gas-caption" aria-hidden="true">
        {caption(pointed, props)}
      </p>
    </div>
  );
}

function useWheelZoom(
  frame: RefObject<HTMLElement | null>,
  { window, whole, onWindow }: ChartProps,
): void {
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
  }, [frame, window, whole, onWindow]);
}

function pressKey(event: KeyboardEvent, { window, whole, onWindow }: ChartProps): void {
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
}

function nearestBucket(pointer: number, buckets: readonly Bucket[]): Bucket | undefined {
  const distance = ({ start, width }: Bucket): number => Math.abs(start + width / 2 - pointer);
  let best: Bucket | undefined;
  for (const bucket of buckets) {
    if (best === undefined || distance(bucket) < distance(best)) best = bucket;
  }
  return best;
}

function caption(pointed: Bucket | undefined, { blocks, bars, window }: ChartProps): string {
  if (pointed === undefined) {
    return `transactions of blocks ${grouped(window.first)} to ${grouped(window.last)}; zoom with + and − or the wheel`;
  }
  const { first, last } = pointed;
  const sample = bars.find((bar) => bar.first === first);
  if (sample) {
    const part =
      sample.looked < last - first + 1 ? ` in the last ${grouped(sample.looked)} of them` : '';
    return `blocks ${grouped(first)} to ${grouped(last)}: ${counted(sample.transactions, 'transaction')}, ${grouped(sample.failed)} failed${part}`;
  }
  const block = blocks.find(({ block_number }) => block_number === last);
  const failed = pointed.failed === 0 ? '' : `, ${grouped(pointed.failed)} failed`;
  const which =
    first === last ? `block ${grouped(first)}` : `blocks ${grouped(first)} to ${grouped(last)}`;
  const when = block === undefined ? '' : `${momentText(block.timestamp)}, `;
  return `${which}: ${when}${counted(pointed.value, 'transaction')}${failed}`;
}
