// Page with the list of blocks, the pre-confirmed one first.
import { shortHash } from '@starkbox/abi';
import { useCallback, useMemo, useState } from 'react';
import { counted, ETH, grouped, STRK, share } from '../../format/amount.js';
import { to } from '../../navigation/route.js';
import { Heading } from '../../parts/page-states.js';
import { LiveTable, Modes } from '../../parts/table/live-table.js';
import type { Column } from '../../parts/table/table.js';
import { Age, Amount, BlockRef, Finality, Gas, Link } from '../../parts/values.js';
import { useLive } from '../../rpc/live-state.js';
import { type BlockRow, readBlocks } from '../../rpc/queries.js';

const idOf = (row: BlockRow): string => row.block_hash;
const hrefOf = (row: BlockRow): string => to('block', row.block_number);

/** `most` is the largest gas of a listed block. */
function blockColumns(most: number): readonly Column<BlockRow>[] {
  return [
    {
      head: 'Block',
      width: 'w-block',
      phone: 'main',
      cell: (row) => <BlockRef of={row.block_number} />,
    },
    {
      head: 'Age',
      width: 'w-age',
      number: true,
      cell: (row) => <Age of={row.timestamp} />,
    },
    {
      head: 'Txs',
      width: 'w-count',
      number: true,
      phoneHead: 'txs',
      cell: (row) => <TransactionCount of={row} />,
    },
    {
      head: 'Events',
      width: 'w-small',
      number: true,
      phone: 'none',
      cell: (row) => row.event_count,
    },
    {
      head: 'l2 gas',
      width: 'w-gas',
      number: true,
      phoneHead: 'gas',
      cell: (row) => <Gas of={row.l2_gas} />,
    },
    {
      head: 'of max',
      phone: 'none',
      cell: (row) =>
        row.l2_gas > 0 && (
          <span
            className="bar"
            style={{ width: `${share(row.l2_gas, most) * 100}%` }}
            aria-hidden="true"
          />
        ),
    },
    {
      head: 'Fees',
      width: 'w-amount',
      number: true,
      phone: 'none',
      cell: (row) => <Fees of={row} />,
    },
    {
      head: 'Hash',
      width: 'w-hash',
      cell: (row) => (
        <Link href={hrefOf(row)} className="mono" title={row.block_hash} value={row.block_hash}>
          {shortHash(row.block_hash)}
        </Link>
      ),
    },
    {
      head: 'Finality',
      width: 'w-kind',
      phone: 'none',
      cell: (row) => <Finality of={row.finality_status} />,
    },
  ];
}

export function BlocksPage() {
  const head = useLive((live) => live.head);
  const pending = useLive((live) => live.pending);
  const [most, setMost] = useState(1);
  const columns = useMemo(() => blockColumns(most), [most]);
  const onRows = useCallback((rows: readonly BlockRow[]) => {
    setMost(rows.reduce((max, row) => Math.max(max, row.l2_gas), 1));
  }, []);
  return (
    <>
      <Heading title="Blocks" count={head && grouped(head.number + 1)} actions={<Modes />} />
      <p className="filters">
        <Link href={to('block', 'pre_confirmed')}>
          ◐ pre-confirmed block{head && ` ${head.number + 1}`}: {counted(pending, 'transaction')}
        </Link>
      </p>
      <LiveTable
        label="Blocks"
        what="blocks"
        listKey={['blocks']}
        read={readBlocks}
        idOf={idOf}
        columns={columns}
        hrefOf={hrefOf}
        copyOf={idOf}
        onRows={onRows}
        {...(head ? { total: head.number + 1 } : {})}
        empty={<p className="empty">No blocks yet.</p>}
      />
    </>
  );
}

function TransactionCount({ of: row }: { readonly of: BlockRow }) {
  return (
    <>
      {row.failed_count > 0 && (
        <span className="fail">
          {row.failed_count}{' '}
          <span role="img" aria-label="failed">
            ✕
          </span>{' '}
        </span>
      )}
      {row.transaction_count}
    </>
  );
}

function Fees({ of: row }: { readonly of: BlockRow }) {
  return (
    <>
      <Amount of={BigInt(row.fee.fri)} unit={STRK} />
      {row.fee.wei !== '0' && (
        <>
          {' '}
          <Amount of={BigInt(row.fee.wei)} unit={ETH} />
        </>
      )}
    </>
  );
}
