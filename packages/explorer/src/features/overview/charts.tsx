// Charts of the newest blocks: transactions, failures and gas, on one axis of blocks.
import { memo, type ReactNode, useState } from 'react';
import { counted, grouped } from '../../format/amount.js';
import type { Column } from '../../parts/table/table.js';
import { Age, BlockRef } from '../../parts/values.js';
import type { BlockRow } from '../../rpc/queries.js';
import { type Axis, BlockChart, BlockValues, bar, barWidth } from './block-chart.js';

const HEIGHT = 64;
/** Room above the bars for the cross of a failure. */
const TOP = 10;
/** Smallest visible bar. */
const LOWEST = 2;
/** Narrower bars have no room for a cross. */
const CROSS = 6;
const HATCH = 'overview-hatch';

const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 2 });

type Measure = 'transactions' | 'failures' | 'gas';

const VALUES: Readonly<Record<Measure, (row: BlockRow) => number>> = {
  transactions: ({ transaction_count }) => transaction_count,
  failures: ({ failed_count }) => failed_count,
  gas: ({ l2_gas }) => l2_gas,
};

const NAMES: Readonly<Record<Measure, string>> = {
  transactions: 'Transactions',
  failures: 'Failures',
  gas: 'L2 gas',
};

export const Charts = memo(function Charts({ blocks }: { readonly blocks: readonly BlockRow[] }) {
  const [pointed, setPointed] = useState<number | undefined>();
  const row = blocks.find(({ block_number }) => block_number === pointed);
  const first = blocks[0]?.block_number ?? 0;
  const last = blocks.at(-1)?.block_number ?? 0;
  return (
    <section className="charts" aria-label="Newest blocks">
      <Hatch />
      <div className="tiles">
        {(['transactions', 'failures', 'gas'] as const).map((measure) => (
          <Chart
            key={measure}
            measure={measure}
            blocks={blocks}
            pointed={pointed}
            point={setPointed}
          />
        ))}
      </div>
      <div className="charts-foot">
        <p className="soft">
          {row ? (
            <>
              block {grouped(row.block_number)}: {counted(row.transaction_count, 'transaction')},{' '}
              {grouped(row.failed_count)} failed, {grouped(row.l2_gas)} L2 gas
            </>
          ) : (
            <>
              blocks {grouped(first)} to {grouped(last)}
            </>
          )}
        </p>
        <p className="legend" aria-hidden="true">
          <Swatch className="chart-bar" /> succeeded <Swatch className="chart-failed" /> failed
        </p>
      </div>
      <BlockValues label="Values by block" blocks={blocks} columns={VALUE_COLUMNS} />
    </section>
  );
});

const shortNumber = (number: number): string =>
  number < 10_000 ? grouped(number) : COMPACT.format(number);

/** The pattern of failures, which differs from a plain bar without colours. */
function Hatch() {
  return (
    <svg className="unseen" aria-hidden="true">
      <pattern
        id={HATCH}
        width="4"
        height="4"
        patternUnits="userSpaceOnUse"
        patternTransform="rotate(45)"
      >
        <rect className="hatch-ground" width="4" height="4" />
        <rect className="hatch-line" width="2" height="4" />
      </pattern>
    </svg>
  );
}

function Swatch({ className }: { readonly className: string }) {
  return (
    <svg className="swatch" viewBox="0 0 10 10" aria-hidden="true">
      <rect
        className={className}
        x="0.5"
        y="0.5"
        width="9"
        height="9"
        {...(className === 'chart-failed' ? { fill: `url(#${HATCH})` } : {})}
      />
    </svg>
  );
}

interface ChartProps {
  readonly measure: Measure;
  readonly blocks: readonly BlockRow[];
  readonly pointed: number | undefined;
  readonly point: (block: number | undefined) => void;
}

function Chart({ measure, blocks, pointed, point }: ChartProps) {
  const measured = VALUES[measure];
  const sum = blocks.reduce((all, row) => all + measured(row), 0);
  const most = blocks.reduce((max, row) => Math.max(max, measured(row)), 0);
  const name = NAMES[measure];
  return (
    <BlockChart
      className={`tile-${measure}`}
      name={name}
      figure={shortNumber(sum)}
      exact={grouped(sum)}
      note={most === 0 ? 'in no block' : `at most ${shortNumber(most)} per block`}
      label={`${name} per block: ${grouped(sum)} in ${counted(blocks.length, 'block')}, at most ${grouped(most)}`}
      blocks={blocks}
      height={HEIGHT}
      pointed={pointed}
      point={point}
      valueText={(row) => grouped(measured(row))}
      draw={(axis) => <Bars blocks={blocks} measure={measure} most={most} axis={axis} />}
    />
  );
}

interface BarsProps {
  readonly blocks: readonly BlockRow[];
  readonly measure: Measure;
  readonly most: number;
  readonly axis: Axis;
}

/** One path for all bars of a kind. */
function Bars({ blocks, measure, most, axis }: BarsProps): ReactNode {
  if (most === 0) return null;
  const plain: string[] = [];
  const failed: string[] = [];
  const crosses: string[] = [];
  const wide = barWidth(axis);
  const room = HEIGHT - TOP;
  blocks.forEach((row, at) => {
    const value = VALUES[measure](row);
    if (value === 0) return;
    const x = axis.offset + at * axis.step;
    const tall = Math.max(LOWEST, (value / most) * room);
    const failedShare =
      measure === 'gas' || row.transaction_count === 0
        ? 0
        : measure === 'failures'
          ? 1
          : row.failed_count / row.transaction_count;
    const failedTall = failedShare === 0 ? 0 : Math.max(LOWEST, failedShare * tall);
    const top = HEIGHT - tall;
    if (failedTall > 0) failed.push(bar(x, top, wide, failedTall));
    if (tall > failedTall) plain.push(bar(x, top + failedTall, wide, tall - failedTall));
    if (failedTall > 0 && wide >= CROSS) crosses.push(cross(x + wide / 2, top - 5));
  });
  return (
    <>
      <path className="chart-bar" d={plain.join('')} />
      <path className="chart-failed" d={failed.join('')} fill={`url(#${HATCH})`} />
      <path className="chart-cross" d={crosses.join('')} />
    </>
  );
}

const cross = (x: number, y: number): string =>
  `M${(x - 2).toFixed(1)},${(y - 2).toFixed(1)}l4,4m0,-4l-4,4`;

const VALUE_COLUMNS: readonly Column<BlockRow>[] = [
  { head: 'Block', phone: 'main', cell: ({ block_number }) => <BlockRef of={block_number} /> },
  { head: 'Age', number: true, cell: ({ timestamp }) => <Age of={timestamp} /> },
  {
    head: 'Transactions',
    number: true,
    phoneHead: 'txs',
    cell: ({ transaction_count }) => grouped(transaction_count),
  },
  {
    head: 'Failed',
    number: true,
    phoneHead: 'failed',
    cell: ({ failed_count }) => grouped(failed_count),
  },
  { head: 'L2 gas', number: true, phoneHead: 'gas', cell: ({ l2_gas }) => grouped(l2_gas) },
];
