// Price of L2 gas and how full blocks are, on a chain that imitates a network.
import { memo, useMemo, useState } from 'react';
import {
  changeText,
  counted,
  exactText,
  grouped,
  percentText,
  STRK,
  shortPriceText,
} from '../../format/amount.js';
import type { Column } from '../../parts/table/table.js';
import { BlockRef } from '../../parts/values.js';
import { type Axis, BlockChart, BlockValues, bar, barWidth, heightAt } from './block-chart.js';
import type { Network } from './chain-summary.js';
import { shareOf, type Tick, ticksBetween } from './ticks.js';

/** Smallest visible bar. */
const LOWEST = 1;

const PERCENTAGES: readonly Tick[] = [0, 0.5, 1].map((share) => ({ share, value: share }));

interface Round {
  readonly block_number: number;
  readonly price: bigint;
  /** From 0 to 1. */
  readonly fullness: number;
  /** L2 gas, counted or executed. */
  readonly gas: number;
  readonly transactions: number;
}

function roundsOf({ recent_blocks, gas_limit }: Network): readonly Round[] {
  return recent_blocks.map((block) => {
    const gas = block.gas_used + block.gas_of_others;
    return {
      block_number: block.block_number,
      price: BigInt(block.l2_gas_price),
      fullness: block.fullness ?? Math.min(1, gas / gas_limit),
      gas,
      transactions: block.transaction_count,
    };
  });
}

export const Market = memo(function Market({ network }: { readonly network: Network }) {
  const [pointed, setPointed] = useState<number | undefined>();
  const rounds = useMemo(() => roundsOf(network), [network]);
  const target = Math.min(1, network.gas_target / network.gas_limit);
  const round = rounds.find(({ block_number }) => block_number === pointed);
  const first = rounds[0]?.block_number ?? 0;
  const last = rounds.at(-1)?.block_number ?? 0;
  const chart = { rounds, pointed, point: setPointed };
  return (
    <section className="charts" aria-label="Gas market">
      <div className="tiles tiles-market">
        <PriceChart {...chart} network={network} />
        <FullnessChart {...chart} target={target} />
      </div>
      <div className="charts-foot">
        <p className="soft">
          {round ? (
            <>
              block {grouped(round.block_number)}: {shortPriceText(round.price, STRK)},{' '}
              {percentText(round.fullness)} full, {grouped(round.gas)} L2 gas,{' '}
              {counted(round.transactions, 'transaction')}
            </>
          ) : rounds.length === 0 ? (
            <>no block since the conditions were set</>
          ) : (
            <>
              blocks {grouped(first)} to {grouped(last)}
            </>
          )}
        </p>
        <p className="legend" aria-hidden="true">
          <svg className="swatch swatch-line" viewBox="0 0 16 10" aria-hidden="true">
            <path className="chart-target" d="M0,5H16" />
          </svg>{' '}
          target ({percentText(target)}): the price stays the same
        </p>
      </div>
      <BlockValues label="Price and fullness by block" blocks={rounds} columns={COLUMNS} />
    </section>
  );
});

const COLUMNS: readonly Column<Round>[] = [
  { head: 'Block', phone: 'main', cell: ({ block_number }) => <BlockRef of={block_number} /> },
  {
    head: 'L2 gas price',
    number: true,
    phoneHead: 'price',
    cell: ({ price }) => <span title={exactText(price, STRK)}>{shortPriceText(price, STRK)}</span>,
  },
  { head: 'Full', number: true, phoneHead: 'full', cell: (round) => percentText(round.fullness) },
  { head: 'L2 gas', number: true, phoneHead: 'gas', cell: ({ gas }) => grouped(gas) },
  {
    head: 'Transactions',
    number: true,
    phoneHead: 'txs',
    cell: ({ transactions }) => grouped(transactions),
  },
];

interface ChartProps {
  readonly rounds: readonly Round[];
  readonly pointed: number | undefined;
  readonly point: (block: number | undefined) => void;
}

function PriceChart({ rounds, network, ...pointing }: ChartProps & { readonly network: Network }) {
  const now = BigInt(network.l2_gas_price);
  const next = BigInt(network.next_l2_gas_price);
  const change = changeText(now, next);
  const prices = rounds.map(({ price }) => Number(price));
  const least = Math.min(...prices);
  const most = Math.max(...prices);
  const ticks = prices.length === 0 ? [] : ticksBetween(least, most);
  const nextText =
    change === undefined
      ? 'the same in the next block'
      : `${shortPriceText(next, STRK)} in the next block, ${change}`;
  return (
    <BlockChart
      {...pointing}
      className="tile-price"
      name="L2 gas price"
      figure={shortPriceText(now, STRK)}
      exact={exactText(now, STRK)}
      note={nextText}
      label={
        rounds.length === 0
          ? `L2 gas price: ${shortPriceText(now, STRK)}, ${nextText}`
          : `L2 gas price: ${shortPriceText(now, STRK)}, ${nextText}; ` +
            `from ${priceLabel(least)} to ${priceLabel(most)} in ${counted(rounds.length, 'block')}`
      }
      blocks={rounds}
      ticks={ticks}
      tickText={(value) => priceLabel(Math.round(value)).replace(/ g?fri$/, '')}
      valueText={({ price }) => shortPriceText(price, STRK)}
      draw={(axis) => <PriceLine axis={axis} prices={prices} ticks={ticks} />}
    />
  );
}

const priceLabel = (fri: number): string => shortPriceText(BigInt(fri), STRK);

interface PriceLineProps {
  readonly axis: Axis;
  readonly prices: readonly number[];
  readonly ticks: readonly Tick[];
}

function PriceLine({ axis, prices, ticks }: PriceLineProps) {
  if (prices.length === 0) return null;
  const yOf = (price: number): number => heightAt(axis, shareOf(price, ticks));
  const line = prices.map((price, at) => {
    const x = axis.offset + (at + 0.5) * axis.step;
    return `${at === 0 ? 'M' : 'L'}${x.toFixed(1)},${yOf(price).toFixed(1)}`;
  });
  const last = prices.at(-1) ?? 0;
  return (
    <>
      <path className="chart-line" d={line.join('')} />
      <circle
        className="chart-dot"
        cx={axis.offset + (prices.length - 0.5) * axis.step}
        cy={yOf(last)}
        r="2.5"
      />
    </>
  );
}

function FullnessChart({ rounds, target, ...pointing }: ChartProps & { readonly target: number }) {
  const last = rounds.at(-1);
  const sum = rounds.reduce((all, { fullness }) => all + fullness, 0);
  const mean = percentText(rounds.length === 0 ? 0 : sum / rounds.length);
  const figure = last ? percentText(last.fullness) : 'none yet';
  return (
    <BlockChart
      {...pointing}
      className="tile-fullness"
      name="Fullness"
      figure={figure}
      exact={last ? `${grouped(last.gas)} L2 gas` : ''}
      note={`in the newest block, ${mean} on average`}
      label={
        `Fullness of blocks: ${figure} in the newest, ${mean} on average in ` +
        `${counted(rounds.length, 'block')}, target ${percentText(target)}`
      }
      blocks={rounds}
      ticks={PERCENTAGES}
      tickText={percentText}
      valueText={({ fullness }) => `${percentText(fullness)} full`}
      draw={(axis) => <FullnessBars axis={axis} rounds={rounds} target={target} />}
    />
  );
}

interface FullnessBarsProps {
  readonly axis: Axis;
  readonly rounds: readonly Round[];
  readonly target: number;
}

function FullnessBars({ axis, rounds, target }: FullnessBarsProps) {
  const wide = barWidth(axis);
  const bars = rounds.flatMap(({ fullness }, at) => {
    if (fullness === 0) return [];
    const tall = Math.max(LOWEST, fullness * axis.height);
    return bar(axis.offset + at * axis.step, axis.foot - tall, wide, tall);
  });
  const targetY = heightAt(axis, target);
  return (
    <>
      <path className="chart-bar" d={bars.join('')} />
      <path
        className="chart-target"
        d={`M${axis.start},${targetY.toFixed(1)}H${axis.width.toFixed(1)}`}
      />
    </>
  );
}
