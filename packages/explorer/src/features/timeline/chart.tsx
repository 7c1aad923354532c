// Timeline chart: blocks, snapshots, gaps in time, undone ranges.
import { type KeyboardEvent, type PointerEvent, type RefObject, useEffect, useState } from 'react';
import { grouped } from '../../format/amount.js';
import { momentText } from '../../format/time.js';
import { go, to } from '../../navigation/route.js';
import { useWidth } from '../../parts/use-width.js';
import type { BlockRow } from '../../rpc/queries.js';
import type { Snapshot } from '../../rpc/snapshots.js';
import type { UndoneRange } from '../../rpc/undone-blocks.js';
import type { Bar } from './blocks.js';
import { ChartPicture } from './chart-picture.js';
import { byNumber, byTime, pan, type Scale, type Window, zoom } from './scale.js';

const EDGE = 14;
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
  const [pointed, setPointed] = useState<number | undefined>();
  useWheelZoom(frame, props);
  const moments = blocks.map(({ block_number, timestamp }) => ({
    number: block_number,
    time: timestamp,
  }));
  const scale: Scale =
    axis === 'time' && moments.length > 1 ? byTime(window, moments) : byNumber(window, moments);
  const x = (number: number): number => EDGE + scale.at(number) * Math.max(0, width - 2 * EDGE);
  const isIn = (number: number): boolean => number >= window.first && number <= window.last;

  const nearest = (event: PointerEvent): number | undefined => {
    const pointer = event.clientX - event.currentTarget.getBoundingClientRect().left;
    return nearestBlock(pointer, props, x, width);
  };
  const failed = blocks.filter(({ failed_count }) => failed_count > 0);
  const diamonds = snapshots.filter(({ block_number }) => isIn(block_number));
  return (
    <div className="line-chart">
      {/* biome-ignore lint/a11y/useSemanticElements: no element stands for a chart with keys */}
      <div
        ref={frame}
        role="group"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it is moved by keys
        tabIndex={0}
        aria-label={`Timeline of blocks ${window.first} to ${window.last}, ${diamonds.length} snapshots, ${failed.length} blocks with failures. Plus and minus zoom, arrows move. The table below has the same facts.`}
        className="line-frame"
        onKeyDown={(event) => pressKey(event, props)}
        onPointerMove={(event) => setPointed(nearest(event))}
        onPointerLeave={() => setPointed(undefined)}
        onClick={() => {
          if (pointed !== undefined && pointed <= head && pointed >= 0) go(to('block', pointed));
        }}
      >
        <ChartPicture
          blocks={blocks}
          bars={bars}
          snapshots={diamonds}
          undone={undone}
          head={head}
          window={window}
          scale={scale}
          x={x}
          width={width}
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

function nearestBlock(
  pointer: number,
  { blocks, bars, window }: ChartProps,
  x: (number: number) => number,
  width: number,
): number | undefined {
  if (bars.length > 0) {
    const share = (pointer - EDGE) / Math.max(1, width - 2 * EDGE);
    return Math.round(window.first + share * (window.last - window.first));
  }
  let best: number | undefined;
  for (const { block_number } of blocks) {
    if (best === undefined || Math.abs(x(block_number) - pointer) < Math.abs(x(best) - pointer)) {
      best = block_number;
    }
  }
  return best;
}

function caption(pointed: number | undefined, { blocks, bars, window }: ChartProps): string {
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
