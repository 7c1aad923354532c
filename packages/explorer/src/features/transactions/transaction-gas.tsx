// Gas of one transaction beside its bounds, and how the fee is computed.

import { functionsOf, type GasBlock, gasTree, OUTSIDE } from '@starkbox/abi/internal';
import { type ReactNode, useMemo } from 'react';
import { grouped, priceText, type Unit, unitOf, wholeAmount } from '../../format/amount.js';
import { useNames } from '../../format/names.js';
import { setQuery } from '../../navigation/route.js';
import { percent } from '../../parts/gas/graph.js';
import { calledName } from '../../parts/gas/names.js';
import { GasView, useMeasure } from '../../parts/gas/view.js';
import { Integer } from '../../parts/number.js';
import { type Column, numberColumn, ShortTable } from '../../parts/table/table.js';
import type { Classes } from '../../parts/transaction/call-line.js';
import type { Receipt, Trace, Transaction } from '../../rpc/methods.js';
import { type Header, useHeader } from '../../rpc/queries.js';

interface TransactionGasProps {
  readonly transaction: Transaction;
  readonly receipt: Receipt;
  readonly trace: Trace | undefined;
  readonly classes: Classes;
}

export function TransactionGas({ transaction, receipt, trace, classes }: TransactionGasProps) {
  const { l1_gas, l2_gas } = receipt.execution_resources;
  // Transactions with a bound on L1 gas only pay for everything in L1 gas.
  const measure = useMeasure(l2_gas === 0 && l1_gas > 0 ? 'l1_gas' : 'l2_gas');
  const names = useNames();
  const charged = receipt.execution_resources[measure];
  const { all, fee } = useMemo(() => gasTree(trace, charged, measure), [trace, charged, measure]);
  const functions = useMemo(() => functionsOf(all), [all]);
  const isReverted = receipt.execution_status === 'REVERTED';
  const open = (block: GasBlock): void => {
    if (block.called) setQuery({ tab: undefined, frame: block.id, focus: undefined });
  };
  return (
    <>
      <GasView
        root={all}
        functions={functions}
        measure={measure}
        classCount={classes.size}
        whole="transaction"
        outside={
          isReverted ? 'reverted execution and outside the calls' : 'outside the call frames'
        }
        onOpen={open}
      />
      <p className="quiet">
        {isReverted
          ? 'The trace of a reverted execution has no calls, so one block shows its gas together with '
          : 'Outside of the call frames are '}{' '}
        the protocol’s charges for calldata, signature, events, messages and its own steps.
      </p>
      {all.children.some(({ id, gas }) => id === OUTSIDE && gas < 0) && (
        <p className="warn">The calls add up to more than was charged.</p>
      )}
      {fee?.called && measure !== 'l1_data_gas' && fee.gas > 0 && (
        <p>
          fee transfer {calledName(fee.called, names, 'contract')} {grouped(fee.gas)}{' '}
          <span className="quiet">
            not part of the sum above: the fee is known before it is transferred
          </span>
        </p>
      )}
      <Bounds transaction={transaction} receipt={receipt} />
    </>
  );
}

const RESOURCES = [
  ['l1_gas', 'L1 gas', 'l1_gas_price'],
  ['l1_data_gas', 'L1 data gas', 'l1_data_gas_price'],
  ['l2_gas', 'L2 gas', 'l2_gas_price'],
] as const;

/** What was used of a resource, and what the sender allowed. */
interface Bound {
  readonly name: string;
  readonly used: number;
  readonly price: bigint | undefined;
  readonly limit: bigint | undefined;
  readonly maxPrice: bigint | undefined;
}

function boundColumns(unit: Unit): readonly Column<Bound>[] {
  const price = (value: bigint | undefined): ReactNode =>
    value !== undefined && priceText(value, unit);
  return [
    { head: 'Resource', phone: 'main', least: 6, cell: ({ name }) => name },
    {
      head: 'Used',
      width: 'w-amount',
      number: true,
      rank: 0,
      phoneHead: 'used',
      cell: ({ used, limit }) => (
        <>
          <Integer of={used} />
          {limit !== undefined && limit > 0n && (
            <span className="quiet"> {percent(used, Number(limit))}</span>
          )}
        </>
      ),
    },
    numberColumn(
      'Limit',
      'w-amount',
      ({ limit }) => limit !== undefined && <Integer of={limit} />,
      'limit',
    ),
    numberColumn('Price', 'w-gas', ({ price: actual }) => price(actual), 'price'),
    numberColumn('Max price', 'w-gas', ({ maxPrice }) => price(maxPrice), 'max price'),
  ];
}

function Bounds({ transaction, receipt }: Pick<TransactionGasProps, 'transaction' | 'receipt'>) {
  const bounds = 'resource_bounds' in transaction ? transaction.resource_bounds : undefined;
  const unit = unitOf(receipt.actual_fee.unit);
  const block = useHeader(receipt);
  const price = (name: (typeof RESOURCES)[number][2]): bigint | undefined =>
    block.data && priceIn(block.data, name, receipt.actual_fee.unit);
  const tip = 'tip' in transaction ? BigInt(transaction.tip) : 0n;
  const rows = RESOURCES.map(([resource, name, priceName]): Bound => {
    const bound = bounds?.[resource];
    return {
      name,
      used: receipt.execution_resources[resource],
      price: price(priceName),
      limit: bound && BigInt(bound.max_amount),
      maxPrice: bound && BigInt(bound.max_price_per_unit),
    };
  });
  return (
    <section className="gas-bounds" aria-label="Bounds">
      <ShortTable
        label="Resources"
        rows={rows}
        columns={boundColumns(unit)}
        idOf={({ name }) => name}
        className="tall"
      />
      <Fee receipt={receipt} unit={unit} price={price} tip={tip} />
    </section>
  );
}

const DATA_GAS_OF_A_SLOT = 32n;

interface FeeProps {
  readonly receipt: Receipt;
  readonly unit: Unit;
  readonly price: (name: (typeof RESOURCES)[number][2]) => bigint | undefined;
  readonly tip: bigint;
}

/** The terms of the fee, shown only where they add up to it. */
function Fee({ receipt, unit, price, tip }: FeeProps) {
  const fee = BigInt(receipt.actual_fee.amount);
  const parts: { name: string; cost: bigint }[] = [];
  for (const [resource, name, priceName] of RESOURCES) {
    const gas = BigInt(receipt.execution_resources[resource]);
    const each = price(priceName);
    if (each === undefined || gas === 0n) continue;
    parts.push({ name, cost: gas * (resource === 'l2_gas' ? each + tip : each) });
  }
  const listed = parts.reduce((all, { cost }) => all + cost, 0n);
  const data = price('l1_data_gas_price') ?? 0n;
  // Receipts contain the data gas of publishing, not that of allocating new slots.
  const rest = fee - listed;
  if (data > 0n && rest > 0n && rest % (data * DATA_GAS_OF_A_SLOT) === 0n) {
    const slots = rest / (data * DATA_GAS_OF_A_SLOT);
    parts.push({ name: `${grouped(slots)} new ${slots === 1n ? 'slot' : 'slots'}`, cost: rest });
  }
  const sum = parts.reduce((all, { cost }) => all + cost, 0n);
  return (
    <p>
      Fee {exactAmount(fee, unit)}
      {sum === fee &&
        sum > 0n &&
        ` = ${parts.map(({ name, cost }) => `${name} ${exactAmount(cost, unit)}`).join(' + ')}`}
      {sum === fee && tip > 0n && `, with a tip of ${grouped(tip)} ${unit.base} per L2 gas`}
    </p>
  );
}

/** All terms of a sum are in one unit, with all their decimals. */
function exactAmount(value: bigint, unit: Unit): string {
  const { start, rest, symbol } = wholeAmount(value, unit);
  return `${start}${rest} ${symbol}`;
}

function priceIn(header: Header, name: (typeof RESOURCES)[number][2], unit: string): bigint {
  const { price_in_fri, price_in_wei } = header[name];
  return BigInt(unit === 'WEI' ? price_in_wei : price_in_fri);
}
