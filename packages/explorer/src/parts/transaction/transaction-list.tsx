// List of transactions that match a filter, newest first.
import { readFailure } from '@starkbox/abi';
import { type ReactNode, useCallback, useMemo } from 'react';
import { grouped, unitOf } from '../../format/amount.js';
import { momentText } from '../../format/time.js';
import { to } from '../../navigation/route.js';
import {
  readTransactions,
  type TransactionFilter,
  type TransactionRow,
  useContractsKnown,
} from '../../rpc/queries.js';
import { Icon } from '../icons.js';
import { Amount, Integer } from '../number.js';
import { peek, usePeeked } from '../side-panel.js';
import { LiveTable, useNamedIn } from '../table/live-table.js';
import { type Column, numberColumn } from '../table/table.js';
import {
  Address,
  Age,
  BlockRef,
  FunctionName,
  Link,
  Status,
  TxRef,
  UntrustedText,
} from '../values.js';

export const TYPE_NAMES: Readonly<Record<string, string>> = {
  INVOKE: 'invoke',
  DECLARE: 'declare',
  DEPLOY_ACCOUNT: 'deploy account',
  DEPLOY: 'deploy',
  L1_HANDLER: 'L1 handler',
};

/** The calls of a transaction, executed or not. */
type Summarised = Pick<TransactionRow, 'type' | 'call' | 'call_count'> &
  Partial<Pick<TransactionRow, 'revert_reason'>>;

/** Short description of a transaction. */
export function CallSummary({ of }: { readonly of: Summarised }) {
  const reason = of.revert_reason;
  return (
    <>
      {of.call ? (
        <>
          <Address of={of.call.contract_address} mark />.
          <FunctionName selector={of.call.selector} />
          {of.call_count > 1 && <span className="soft"> + {grouped(of.call_count - 1)} more</span>}
          {of.type === 'L1_HANDLER' && <span className="l1"> from L1</span>}
        </>
      ) : (
        <span className="soft">{TYPE_NAMES[of.type] ?? of.type}</span>
      )}
      {reason !== undefined && (
        <span className="fail">
          {' '}
          <UntrustedText text={readFailure(reason).message} quoted limit={80} />
        </span>
      )}
    </>
  );
}

/** A fee in a column of STRK. */
export function Fee({ of: { amount, unit } }: { readonly of: TransactionRow['fee'] }) {
  return (
    <>
      <Amount of={BigInt(amount)} unit={unitOf(unit)} column />
      {unit === 'WEI' && ' ETH'}
    </>
  );
}

const COLUMNS: readonly Column<TransactionRow>[] = [
  {
    head: 'Block',
    width: 'w-block',
    phoneHead: '#',
    cell: (row) =>
      row.finality_status === 'PRE_CONFIRMED' ? (
        <Link href={to('block', 'pre_confirmed')} title="pre-confirmed">
          <span className="signed warn" role="img" aria-label="pre-confirmed">
            <Icon name="pending" />
          </span>{' '}
          {row.block_number}
        </Link>
      ) : (
        <BlockRef of={row.block_number} />
      ),
  },
  {
    head: 'Age',
    width: 'w-age',
    number: true,
    cell: (row) => <Age of={row.timestamp} />,
  },
  {
    head: 'Chain time',
    width: 'w-moment',
    phone: 'none',
    cell: (row) => momentText(row.timestamp, new Date().getUTCFullYear()),
  },
  numberColumn('Index', 'w-small', (row) => grouped(row.index)),
  {
    head: 'Status',
    isHeadUnseen: true,
    width: 'w-status',
    phone: 'lead',
    cell: (row) => <Status of={row.execution_status} />,
  },
  {
    head: 'Sender',
    width: 'w-name',
    cell: (row) => row.sender_address !== undefined && <Address of={row.sender_address} mark />,
  },
  {
    head: 'Type',
    width: 'w-kind',
    phone: 'none',
    cell: (row) => TYPE_NAMES[row.type] ?? row.type,
  },
  { head: 'Call', phone: 'main', least: 16, cell: (row) => <CallSummary of={row} /> },
  numberColumn('Calls', 'w-small', (row) => grouped(row.call_count)),
  numberColumn('L2 gas', 'w-gas', (row) => <Integer of={row.l2_gas} />),
  numberColumn('Fee STRK', 'w-fee', (row) => <Fee of={row.fee} />),
  { head: 'Hash', width: 'w-hash', rank: 3, cell: (row) => <TxRef of={row.transaction_hash} /> },
];

/** Columns in their order; a list without the call says nothing of a transaction. */
export const COLUMN_HEADS: readonly string[] = COLUMNS.map(({ head }) => head);
export const ALWAYS_SHOWN = 'Call';
export const USUALLY_SHOWN: ReadonlySet<string> = new Set([
  'Block',
  'Age',
  'Status',
  'Sender',
  ALWAYS_SHOWN,
  'L2 gas',
  'Fee STRK',
  'Hash',
]);

const idOf = (row: TransactionRow): string => row.transaction_hash;
const calledBy = ({ call }: TransactionRow): string | undefined => call?.contract_address;
const hrefOf = (row: TransactionRow): string => to('tx', row.transaction_hash);
const onPeek = (row: TransactionRow): void => peek(row.transaction_hash);

interface TransactionListProps {
  readonly filter: TransactionFilter;
  readonly empty: ReactNode;
  /** Heads of the columns. */
  readonly heads?: ReadonlySet<string>;
}

export function TransactionList({ filter, empty, heads = USUALLY_SHOWN }: TransactionListProps) {
  const [contracts, onRows] = useNamedIn(calledBy);
  const read = useCallback(
    (cursor: string | undefined, isTip?: boolean) => readTransactions(filter, cursor, isTip),
    [filter],
  );
  const contractsKnown = useContractsKnown(contracts);
  const peeked = usePeeked();
  const isPeeked = useCallback((row: TransactionRow) => idOf(row) === peeked, [peeked]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: functions have names once their classes are known
  const columns = useMemo(
    () => COLUMNS.filter(({ head }) => heads.has(head)),
    [contractsKnown, heads],
  );
  return (
    <LiveTable
      label="Transactions"
      what="transactions"
      listKey={['transactions', filter]}
      read={read}
      idOf={idOf}
      columns={columns}
      hrefOf={hrefOf}
      copyOf={idOf}
      onRows={onRows}
      onPeek={onPeek}
      isPeeked={isPeeked}
      empty={empty}
    />
  );
}
