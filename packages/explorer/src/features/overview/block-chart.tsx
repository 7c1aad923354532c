// Chart of values per block in a tile, with axes, which a pointer or keys move through, and its values as a table.
import { type KeyboardEvent, type PointerEvent, type ReactNode, useState } from 'react';
import { grouped } from '../../format/amount.js';
import { go, to } from '../../navigation/route.js';
import { type Column, ShortTable } from '../../parts/table/table.js';
import { useWidth } from '../../parts/use-width.js';
import { labelStride, type Tick } from './ticks.js';

/** Fewest places of the axis, so that the bars of a short chain are not wide. */
const FEWEST_PLACES = 24;
const GAP = 1;
const HEIGHT = 120;
/** Room for half of the upper label, and for the labels of blocks. */
const TOP = 8;
const FOOT = 20;
/** For the labels of values, in pixels. */
const GUTTER = 40;
const LABEL_GAP = 6;
/** Between the middles of two labels of blocks. */
const LABEL_ROOM = 64;
const LETTER = 3.5;

/** Where values are drawn, in pixels. */
export interface Axis {
  /** The first pixel behind the labels. */
  readonly start: number;
  readonly width: number;
  /** The first pixel of the first block. */
  readonly offset: number;
  /** Of a block. */
  readonly step: number;
  /** The place of the lowest tick. */
  readonly foot: number;
  /** From the lowest to the highest tick. */
  readonly height: number;
}

interface Numbered {
  readonly block_number: number;
}

interface BlockChartProps<Row extends Numbered> {
  readonly className: string;
  readonly name: string;
  readonly figure: string;
  /** The exact figure. */
  readonly exact: string;
  readonly note: string;
  /** The chart in words. */
  readonly label: string;
  readonly blocks: readonly Row[];
  readonly ticks: readonly Tick[];
  readonly tickText: (value: number) => string;
  readonly pointed: number | undefined;
  readonly point: (block: number | undefined) => void;
  /** The value of a block in words. */
  readonly valueText: (row: Row) => string;
  readonly draw: (axis: Axis) => ReactNode;
}

export function BlockChart<Row extends Numbered>(props: BlockChartProps<Row>) {
  const { className, name, figure, exact, note, label, blocks, pointed, point } = props;
  const [frame, width] = useWidth();
  const { ticks, tickText, valueText, draw } = props;
  const step = Math.max(0, width - GUTTER) / Math.max(FEWEST_PLACES, blocks.length);
  const axis: Axis = {
    start: GUTTER,
    width,
    offset: width - blocks.length * step,
    step,
    foot: HEIGHT - FOOT,
    height: HEIGHT - FOOT - TOP,
  };
  const blockAt = ({
    clientX,
    currentTarget,
  }: PointerEvent<HTMLDivElement>): number | undefined => {
    const x = clientX - currentTarget.getBoundingClientRect().left;
    return blocks[Math.floor((x - axis.offset) / step)]?.block_number;
  };
  const at = blocks.findIndex(({ block_number }) => block_number === pointed);
  const described = blocks[at] ?? blocks.at(-1);
  const press = (event: KeyboardEvent): void => {
    const next = placeAfter(event.key, at, blocks.length);
    if (next !== undefined) {
      event.preventDefault();
      point(blocks[next]?.block_number);
    } else if (event.key === 'Enter' && described) go(to('block', described.block_number));
  };
  const pointedRow = blocks[at];
  return (
    <figure className={`tile ${className}`}>
      <figcaption>
        <span className="tile-name">{name}</span>
        <strong className="figure" title={exact}>
          {pointedRow ? valueText(pointedRow) : figure}
        </strong>
        <span className="quiet">
          {pointedRow ? `in block ${grouped(pointedRow.block_number)}` : note}
        </span>
      </figcaption>
      <div
        ref={frame}
        className="chart"
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={blocks[0]?.block_number ?? 0}
        aria-valuemax={blocks.at(-1)?.block_number ?? 0}
        aria-valuenow={described?.block_number ?? 0}
        aria-valuetext={described && `block ${described.block_number}: ${valueText(described)}`}
        onPointerMove={(event) => point(blockAt(event))}
        onPointerLeave={() => point(undefined)}
        onBlur={() => point(undefined)}
        onClick={() => pointed !== undefined && go(to('block', pointed))}
        onKeyDown={press}
      >
        <svg width={width} height={HEIGHT} aria-hidden="true">
          {at >= 0 && (
            <rect
              className="chart-pointed"
              x={axis.offset + at * step}
              y={TOP}
              width={step}
              height={axis.height}
            />
          )}
          {step > 0 && <Ticks axis={axis} ticks={ticks} tickText={tickText} />}
          {step > 0 && draw(axis)}
          {step > 0 && <BlockLabels axis={axis} blocks={blocks} />}
        </svg>
      </div>
    </figure>
  );
}

/** The place on the axis that a key leads to; undefined for other keys. */
function placeAfter(key: string, at: number, places: number): number | undefined {
  const last = places - 1;
  const from = at < 0 ? places : at;
  if (key === 'ArrowLeft' || key === 'ArrowDown') return Math.max(0, from - 1);
  if (key === 'ArrowRight' || key === 'ArrowUp') return Math.min(last, from + 1);
  if (key === 'Home') return 0;
  return key === 'End' ? last : undefined;
}

interface TicksProps {
  readonly axis: Axis;
  readonly ticks: readonly Tick[];
  readonly tickText: (value: number) => string;
}

function Ticks({ axis, ticks, tickText }: TicksProps) {
  return ticks.map(({ share, value }) => {
    const y = heightAt(axis, share);
    return (
      <g key={value}>
        <path
          className={share === 0 ? 'chart-axis chart-foot' : 'chart-axis'}
          d={`M${axis.start},${y.toFixed(1)}H${axis.width.toFixed(1)}`}
        />
        <text className="chart-label" x={axis.start - LABEL_GAP} y={y} dy="0.35em">
          {tickText(value)}
        </text>
      </g>
    );
  });
}

interface BlockLabelsProps {
  readonly axis: Axis;
  readonly blocks: readonly Numbered[];
}

/** Numbers of some blocks, as many as have room. */
function BlockLabels({ axis, blocks }: BlockLabelsProps) {
  const stride = labelStride(axis.step, LABEL_ROOM);
  const newest = blocks.at(-1)?.block_number;
  return blocks.map(({ block_number }, at) => {
    if (block_number % stride !== 0 && !(blocks.length < stride && block_number === newest)) {
      return null;
    }
    const text = grouped(block_number);
    const half = text.length * LETTER;
    const middle = axis.offset + (at + 0.5) * axis.step;
    return (
      <text
        key={block_number}
        className="chart-block"
        x={Math.max(axis.start, Math.min(middle, axis.width - half)).toFixed(1)}
        y={HEIGHT - 4}
      >
        {text}
      </text>
    );
  });
}

/** The pixel of a share of the axis. */
export const heightAt = ({ foot, height }: Axis, share: number): number => foot - share * height;

export const barWidth = ({ step }: Axis): number => Math.max(1, step - GAP);

export const bar = (x: number, y: number, width: number, height: number): string =>
  `M${x.toFixed(1)},${y.toFixed(1)}h${width.toFixed(1)}v${height.toFixed(1)}h${(-width).toFixed(1)}z`;

interface BlockValuesProps<Row extends Numbered> {
  readonly label: string;
  readonly blocks: readonly Row[];
  readonly columns: readonly Column<Row>[];
}

/** The values of charts as text, for those who do not see them and for copying. */
export function BlockValues<Row extends Numbered>(props: BlockValuesProps<Row>) {
  const { label, blocks, columns } = props;
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="values" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Values as a table</summary>
      {isOpen && (
        <ShortTable
          label={label}
          rows={[...blocks].reverse()}
          columns={columns}
          idOf={({ block_number }) => block_number}
        />
      )}
    </details>
  );
}
