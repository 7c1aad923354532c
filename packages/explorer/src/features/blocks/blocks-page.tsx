// Page with the list of blocks, the pre-confirmed one first.
import { shortHash } from '@starkbox/abi/basics';
import { useCallback, useMemo, useState } from 'react';
import {
  counted,
  ETH,
  exactText,
  grouped,
  percentText,
  STRK,
  shortPriceText,
} from '../../format/amount.js';
import { to } from '../../navigation/route.js';
import { Icon } from '../../parts/icons.js';
import { Amount, Integer } from '../../parts/number.js';
import { Empty, Heading } from '../../parts/page-states.js';
import { peek, usePeeked } from '../../parts/side-panel.js';
import { LiveTable, Modes } from '../../parts/table/live-table.js';
import { type Column, numberColumn } from '../../parts/table/table.js';
import { Age, BlockRef, Finality, Link } from '../../parts/values.js';
import { useLive } from '../../rpc/live-state.js';
import { type BlockRow, readBlocks } from '../../rpc/queries.js';
import { type MarketBlock, useMarketBlocks } from './market-blocks.js';

const idOf = (row: BlockRow): string => row.block_hash;
const hrefOf = (row: BlockRow): string => to('block', row.block_number);
const onPeek = (row: BlockRow): void => peek(row.block_number);

interface Columns {
  /** Whether a listed block is accepted on L1; the others need no word. */
  readonly hasFinality: boolean;
  readonly market: ReadonlyMap<number, MarketBlock> | undefined;
}

function blockColumns({ hasFinality, market }: Columns): readonly Column<BlockRow>[] {
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
    numberColumn('Txs', 'w-count', (row) => <Integer of={row.transaction_count} />, 'txs'),
    {
      head: 'Failed',
      width: 'w-small',
      number: true,
      phoneHead: 'failed',
      cellClass: ({ failed_count }) => (failed_count > 0 ? 'fail' : 'quiet not-on-phones'),
      cell: (row) => <Integer of={row.failed_count} />,
    },
    numberColumn('Events', 'w-small', (row) => <Integer of={row.event_count} />),
    ...(market ? marketColumns(market) : []),
    numberColumn('L2 gas', 'w-gas', (row) => <Integer of={row.l2_gas} />, 'gas'),
    numberColumn('Fee STRK', 'w-amount', (row) => <Fees of={row} />),
    ...(hasFinality ? [FINALITY] : []),
    {
      head: 'Hash',
      width: 'w-hash',
      rank: 3,
      cell: (row) => (
        <Link href={hrefOf(row)} className="mono" title={row.block_hash} value={row.block_hash}>
          {shortHash(row.block_hash)}
        </Link>
      ),
    },
  ];
}

const FINALITY: Column<BlockRow> = {
  head: 'Finality',
  width: 'w-kind',
  phone: 'none',
  cell: (row) => <Finality of={row.finality_status} />,
};

/** The node keeps price and fullness of the newest blocks. */
function marketColumns(market: ReadonlyMap<number, MarketBlock>): readonly Column<BlockRow>[] {
  return [
    {
      head: 'L2 gas price',
      width: 'w-gas',
      number: true,
      phoneHead: 'price',
      cell: ({ block_number }) => {
        const block = market.get(block_number);
        return block && <Price of={BigInt(block.l2_gas_price)} />;
      },
    },
    {
      head: 'Full',
      width: 'w-small',
      number: true,
      phoneHead: 'full',
      cell: ({ block_number }) => {
        const fullness = market.get(block_number)?.fullness ?? null;
        return fullness === null ? undefined : percentText(fullness);
      },
    },
  ];
}

function Price({ of }: { readonly of: bigint }) {
  return <span title={exactText(of, STRK)}>{shortPriceText(of, STRK)}</span>;
}

export function BlocksPage() {
  const head = useLive((live) => live.head);
  const pending = useLive((live) => live.pending);
  const [hasFinality, setHasFinality] = useState(false);
  const market = useMarketBlocks();
  const columns = useMemo(() => blockColumns({ hasFinality, market }), [hasFinality, market]);
  const onRows = useCallback((rows: readonly BlockRow[]) => {
    setHasFinality(rows.some(({ finality_status }) => finality_status !== 'ACCEPTED_ON_L2'));
  }, []);
  const peeked = usePeeked();
  const isPeeked = useCallback((row: BlockRow) => String(row.block_number) === peeked, [peeked]);
  return (
    <>
      <Heading title="Blocks" count={head && grouped(head.number + 1)} actions={<Modes />} />
      <p className="chips">
        <Link className="chip" href={to('block', 'pre_confirmed')}>
          <Icon name="pending" /> Pre-confirmed block{head && ` ${grouped(head.number + 1)}`}:{' '}
          {counted(pending, 'transaction')}
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
        onPeek={onPeek}
        isPeeked={isPeeked}
        {...(head ? { total: head.number + 1 } : {})}
        empty={
          <Empty icon="blocks" title="No blocks yet.">
            Create one on the <Link href={to('control')}>Control page</Link>.
          </Empty>
        }
      />
    </>
  );
}

function Fees({ of: row }: { readonly of: BlockRow }) {
  return (
    <>
      <Amount of={BigInt(row.fee.fri)} unit={STRK} column />
      {row.fee.wei !== '0' && (
        <>
          {' '}
          <Amount of={BigInt(row.fee.wei)} unit={ETH} />
        </>
      )}
    </>
  );
}
