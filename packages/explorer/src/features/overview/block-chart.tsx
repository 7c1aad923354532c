// Chart of values per block in a tile, which a pointer or keys move through, and its values as a table.
import { type KeyboardEvent, type PointerEvent, type ReactNode, useState } from 'react';
import { go, to } from '../../navigation/route.js';
import { type Column, ShortTable } from '../../parts/table/table.js';
import { useWidth } from '../../parts/use-width.js';

/** Fewest places of the axis, so that the bars of a short chain are not wide. */
const FEWEST_PLACES = 24;
const GAP = 1;

/** Where blocks are drawn, in pixels. */
export interface Axis {
  /** The first pixel behind the labels. */
  readonly start: number;
  readonly width: number;
  /** The first pixel of the first block. */
  readonly offset: number;
  /** Of a block. */
  readonly step: number;
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
  readonly height: number;
  /** Pixels for labels on the left. */
  readonly gutter?: number;
  readonly pointed: number | undefined;
  readonly point: (block: number | undefined) => void;
  /** The value of a block in words. */
  readonly valueText: (row: Row) => string;
  readonly draw: (axis: Axis) => ReactNode;
}

export function BlockChart<Row extends Numbered>(props: BlockChartProps<Row>) {
  const { className, name, figure, exact, note, label, blocks, height, pointed, point } = props;
  const [frame, width] = useWidth();
  const { gutter: start = 0, valueText, draw } = props;
  const step = Math.max(0, width - start) / Math.max(FEWEST_PLACES, blocks.length);
  const axis: Axis = { start, width, offset: width - blocks.length * step, step };
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
  return (
    <figure className={`tile ${className}`}>
      <figcaption>
        <span className="tile-name">{name}</span>
        <strong className="figure" title={exact}>
          {figure}
        </strong>
        <span className="quiet">{note}</span>
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
        <svg width={width} height={height} aria-hidden="true">
          {at >= 0 && (
            <rect
              className="chart-pointed"
              x={axis.offset + at * step}
              width={step}
              height={height}
            />
          )}
          {step > 0 && draw(axis)}
          <path className="chart-axis" d={`M${start},${height - 0.5}H${width}`} />
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
