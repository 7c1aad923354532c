// Knows the list of all transactions and what it can be narrowed to.
import { type KeyboardEvent, type ReactNode, useCallback, useMemo, useState } from 'react';
import { readFailure } from '../abi/failure.js';
import { useNames } from '../names.js';
import { Export } from '../parts/export.js';
import { LiveTable, Modes } from '../parts/live-table.js';
import { Heading } from '../parts/states.js';
import type { Column } from '../parts/table.js';
import {
  Address,
  Age,
  Amount,
  BlockRef,
  FunctionName,
  Gas,
  Hostile,
  Link,
  Status,
  TxRef,
} from '../parts/values.js';
import { setQuery, to, usePlace } from '../route.js';
import { grouped, unitOf } from '../values/amount.js';
import { canonical } from '../values/felt.js';
import {
  readTransactions,
  type TransactionFilter,
  type TransactionRow,
  useContractsKnown,
  useStatus,
} from '../wire/queries.js';

const TYPES = ['INVOKE', 'DECLARE', 'DEPLOY_ACCOUNT', 'L1_HANDLER'] as const;
const TYPE_NAMES: Readonly<Record<string, string>> = {
  INVOKE: 'invoke',
  DECLARE: 'declare',
  DEPLOY_ACCOUNT: 'deploy account',
  DEPLOY: 'deploy',
  L1_HANDLER: 'L1 handler',
};

/** What a row did, in as few words as it takes. */
export function Deed({ of }: { readonly of: TransactionRow }) {
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
          <Hostile text={readFailure(reason).message} quoted limit={80} />
        </span>
      )}
    </>
  );
}

const COLUMNS: readonly Column<TransactionRow>[] = [
  {
    head: 'Age',
    width: 'w-age',
    number: true,
    cell: (row) => <Age of={row.timestamp} />,
  },
  {
    head: 'Block',
    width: 'w-block',
    phoneHead: '#',
    cell: (row) =>
      row.finality_status === 'PRE_CONFIRMED' ? (
        <Link href={to('block', 'pre_confirmed')} title="pre-confirmed">
          <span className="warn" role="img" aria-label="pre-confirmed">
            ◐
          </span>{' '}
          {row.block_number}
        </Link>
      ) : (
        <BlockRef of={row.block_number} />
      ),
  },
  {
    head: 'Status',
    width: 'w-status',
    phone: 'lead',
    cell: (row) => <Status of={row.execution_status} />,
  },
  {
    head: 'Sender',
    width: 'w-name',
    cell: (row) => row.sender_address !== undefined && <Address of={row.sender_address} mark />,
  },
  { head: 'Call', phone: 'main', cell: (row) => <Deed of={row} /> },
  {
    head: 'l2 gas',
    width: 'w-gas',
    number: true,
    phone: 'none',
    cell: (row) => <Gas of={row.l2_gas} />,
  },
  {
    head: 'Fee STRK',
    width: 'w-fee',
    number: true,
    phone: 'none',
    cell: (row) => {
      const unit = unitOf(row.fee.unit);
      return (
        <>
          <Amount of={BigInt(row.fee.amount)} unit={unit} column />
          {row.fee.unit === 'WEI' && ' ETH'}
        </>
      );
    },
  },
  { head: 'Hash', width: 'w-hash', cell: (row) => <TxRef of={row.transaction_hash} /> },
];

function useFilter(): TransactionFilter {
  const { query } = usePlace();
  const text = query.toString();
  return useMemo(() => {
    const params = new URLSearchParams(text);
    const type = TYPES.find((one) => one === params.get('type'));
    const status = params.get('status');
    const sender = canonical(params.get('sender') ?? '');
    const contract = canonical(params.get('contract') ?? '');
    const block = params.get('block');
    return {
      ...(type === undefined ? {} : { type }),
      ...(status === 'SUCCEEDED' || status === 'REVERTED' ? { status } : {}),
      ...(sender === undefined ? {} : { sender }),
      ...(contract === undefined ? {} : { contract }),
      ...(block !== null && /^\d{1,15}$/.test(block) ? { block_number: Number(block) } : {}),
    };
  }, [text]);
}

const idOf = (row: TransactionRow): string => row.transaction_hash;
const hrefOf = (row: TransactionRow): string => to('tx', row.transaction_hash);

export function TransactionList({
  filter,
  empty,
}: {
  readonly filter: TransactionFilter;
  readonly empty: ReactNode;
}) {
  const [contracts, setContracts] = useState<readonly string[]>([]);
  const read = useCallback(
    (cursor: string | undefined, isTip?: boolean) => readTransactions(filter, cursor, isTip),
    [filter],
  );
  const onRows = useCallback((rows: readonly TransactionRow[]) => {
    const seen = new Set<string>();
    for (const { call } of rows) if (call && seen.size < 50) seen.add(call.contract_address);
    const next = [...seen];
    setContracts((old) =>
      old.length === next.length && old.every((one) => seen.has(one)) ? old : next,
    );
  }, []);
  const known = useContractsKnown(contracts);
  // biome-ignore lint/correctness/useExhaustiveDependencies: functions have names once their classes are known
  const columns = useMemo(() => [...COLUMNS], [known]);
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
      empty={empty}
    />
  );
}

/** An address to filter by: one of the known ones, or typed. */
function AddressFilter({
  name,
  value,
}: {
  readonly name: string;
  readonly value: string | undefined;
}) {
  const names = useNames();
  const [draft, setDraft] = useState('');
  const known = [...names].map(([address, label]) => ({ address, label }));
  const isOther = value !== undefined && !names.has(value);
  const press = (event: KeyboardEvent): void => {
    const address = canonical(draft);
    if (event.key === 'Enter' && address !== undefined) setQuery({ [name]: address });
  };
  return (
    <label>
      {name}:
      <select
        value={value ?? ''}
        onChange={(event) => setQuery({ [name]: event.target.value || undefined })}
      >
        <option value="">any</option>
        {isOther && <option value={value}>{value}</option>}
        {known.map(({ address, label }) => (
          <option key={address} value={address}>
            {label}
          </option>
        ))}
      </select>
      {value === undefined && (
        <input
          className="mono address-input"
          aria-label={`${name} by address`}
          placeholder="0x…"
          value={draft}
          onChange={(event) => setDraft(event.target.value)}
          onKeyDown={press}
        />
      )}
    </label>
  );
}

export function Transactions() {
  const filter = useFilter();
  const status = useStatus();
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <>
      <Heading
        title="Transactions"
        count={isFiltered ? 'filtered' : status.data && grouped(status.data.transaction_count)}
        actions={
          <>
            <Export filter={filter} />
            <Modes />
          </>
        }
      />
      <div className="filters">
        <label>
          type:
          <select
            value={filter.type ?? ''}
            onChange={(event) => setQuery({ type: event.target.value || undefined })}
          >
            <option value="">any</option>
            {TYPES.map((type) => (
              <option key={type} value={type}>
                {TYPE_NAMES[type]}
              </option>
            ))}
          </select>
        </label>
        <label>
          status:
          <select
            value={filter.status ?? ''}
            onChange={(event) => setQuery({ status: event.target.value || undefined })}
          >
            <option value="">any</option>
            <option value="SUCCEEDED">succeeded</option>
            <option value="REVERTED">reverted</option>
          </select>
        </label>
        <AddressFilter name="sender" value={filter.sender} />
        <AddressFilter name="contract" value={filter.contract} />
        {filter.block_number !== undefined && (
          <button type="button" className="button" onClick={() => setQuery({ block: undefined })}>
            block {filter.block_number} ✕
          </button>
        )}
      </div>
      <TransactionList
        filter={filter}
        empty={
          isFiltered ? (
            <p className="empty">
              No transaction matches. <Link href={to('transactions')}>Show all transactions</Link>
            </p>
          ) : (
            <p className="empty">There is no transaction on this chain yet.</p>
          )
        }
      />
    </>
  );
}
