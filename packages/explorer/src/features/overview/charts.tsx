// Charts of the newest blocks: transactions, failures and gas, on one axis of blocks.
import { memo, useState } from 'react';
import { counted, grouped } from '../../format/amount.js';
import { timeIn } from '../../format/time.js';
import type { Column } from '../../parts/table/table.js';
import { Age, BlockRef } from '../../parts/values.js';
import type { BlockRow } from '../../rpc/queries.js';
import { type Axis, BlockChart, BlockValues, bar, barWidth } from './block-chart.js';
import { shareOf, type Tick, ticksTo } from './ticks.js';

/** Smallest visible bar. */
const LOWEST = 2;

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
  const [first, last] = [blocks[0], blocks.at(-1)];
  const textOf = timeIn(first?.timestamp ?? 0, last?.timestamp ?? 0);
  return (
    <section className="charts" aria-label="Newest blocks">
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
              block {grouped(row.block_number)}, {textOf(row.timestamp)}:{' '}
              {counted(row.transaction_count, 'transaction')}, {grouped(row.failed_count)} failed,{' '}
              {grouped(row.l2_gas)} L2 gas
            </>
          ) : (
            first &&
            last && (
              <>
                blocks {grouped(first.block_number)} to {grouped(last.block_number)},{' '}
                {textOf(first.timestamp)} to {textOf(last.timestamp)} chain time
              </>
            )
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

function Swatch({ className }: { readonly className: string }) {
  return (
    <svg className="swatch" viewBox="0 0 10 10" aria-hidden="true">
      <rect className={className} width="10" height="10" rx="2" />
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
  const ticks = ticksTo(most);
  return (
    <BlockChart
      className={`tile-${measure}${measure === 'failures' && sum > 0 ? ' is-failing' : ''}`}
      name={name}
      figure={shortNumber(sum)}
      exact={grouped(sum)}
      note={most === 0 ? 'in no block' : `at most ${shortNumber(most)} per block`}
      label={`${name} per block: ${grouped(sum)} in ${counted(blocks.length, 'block')}, at most ${grouped(most)}`}
      blocks={blocks}
      ticks={ticks}
      tickText={(value) => COMPACT.format(value)}
      pointed={pointed}
      point={point}
      valueText={(row) => grouped(measured(row))}
      draw={(axis) => <Bars blocks={blocks} measure={measure} ticks={ticks} axis={axis} />}
    />
  );
}

interface BarsProps {
  readonly blocks: readonly BlockRow[];
  readonly measure: Measure;
  readonly ticks: readonly Tick[];
  readonly axis: Axis;
}

/** One path for all bars of a kind; failures stand on the axis, so that their heights compare. */
function Bars({ blocks, measure, ticks, axis }: BarsProps) {
  const plain: string[] = [];
  const failed: string[] = [];
  const wide = barWidth(axis);
  blocks.forEach((row, at) => {
    const value = VALUES[measure](row);
    if (value === 0) return;
    const x = axis.offset + at * axis.step;
    const tall = Math.max(LOWEST, shareOf(value, ticks) * axis.height);
    const failedTall =
      measure === 'gas' || row.failed_count === 0
        ? 0
        : Math.max(LOWEST, shareOf(row.failed_count, ticks) * axis.height);
    if (failedTall > 0) failed.push(bar(x, axis.foot - failedTall, wide, failedTall));
    if (tall > failedTall) plain.push(bar(x, axis.foot - tall, wide, tall - failedTall));
  });
  return (
    <>
      <path className="chart-bar" d={plain.join('')} />
      <path className="chart-failed" d={failed.join('')} />
    </>
  );
}

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
