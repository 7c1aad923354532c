// Page with the list of transactions and its filters.
import { canonicalFelt } from '@starkbox/abi';
import { type KeyboardEvent, useMemo, useState } from 'react';
import { grouped } from '../../format/amount.js';
import { useNames } from '../../format/names.js';
import { setQuery, to, usePlace } from '../../navigation/route.js';
import { Heading } from '../../parts/page-states.js';
import { Modes } from '../../parts/table/live-table.js';
import { TransactionList, TYPE_NAMES } from '../../parts/transaction/transaction-list.js';
import { Link } from '../../parts/values.js';
import { type TransactionFilter, useStatus } from '../../rpc/queries.js';
import { Export } from './export.js';

const TYPES = ['INVOKE', 'DECLARE', 'DEPLOY_ACCOUNT', 'L1_HANDLER'] as const;
function useFilter(): TransactionFilter {
  const { query } = usePlace();
  const text = query.toString();
  return useMemo(() => {
    const params = new URLSearchParams(text);
    const type = TYPES.find((one) => one === params.get('type'));
    const status = params.get('status');
    const sender = canonicalFelt(params.get('sender') ?? '');
    const contract = canonicalFelt(params.get('contract') ?? '');
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

/** Address filter: a known address, or a typed one. */
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
    const address = canonicalFelt(draft);
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
            <p className="empty">No transactions on this chain yet.</p>
          )
        }
      />
    </>
  );
}
