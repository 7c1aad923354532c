// Lists of the overview: the last failures, and the contracts that were called most.
import { memo, useMemo } from 'react';
import { counted, grouped, share } from '../../format/amount.js';
import { to } from '../../navigation/route.js';
import { type Column, numberColumn, ShortTable } from '../../parts/table/table.js';
import {
  Address,
  Age,
  FunctionName,
  Link,
  OutcomeSign,
  UntrustedText,
} from '../../parts/values.js';
import type { TransactionRow } from '../../rpc/queries.js';
import { type FailureGroup, groupFailures, groupQuery } from './failure-groups.js';

const MAX_CONTRACTS = 6;
const MAX_GROUPS = 5;
const MAX_REASON_LENGTH = 160;

interface FailuresProps {
  readonly of: readonly TransactionRow[];
  readonly hasOlder: boolean;
  /** Changes when functions have got names. */
  readonly contractsKnown: number;
}

export const Failures = memo(function Failures({ of: rows, hasOlder }: FailuresProps) {
  const groups = useMemo(() => groupFailures(rows), [rows]);
  const others = groups.slice(MAX_GROUPS).reduce((sum, { count }) => sum + count, 0);
  return (
    <section className="panel" aria-label="Last failures">
      <div className="panel-head">
        <h2>Last failures</h2>
        {rows.length > 0 && (
          <Link href={to('transactions', undefined, { status: 'REVERTED' })}>
            {others > 0 ? `${counted(others, 'other failure')}` : 'all failures'}
          </Link>
        )}
      </div>
      {rows.length === 0 ? (
        <p className="soft">
          {hasOlder
            ? 'None of the newest transactions has failed.'
            : 'No transaction has failed on this chain.'}
        </p>
      ) : (
        <ol className="failures">
          {groups.slice(0, MAX_GROUPS).map((group) => (
            <FailureRow key={group.key} of={group} hasOlder={hasOlder} />
          ))}
        </ol>
      )}
    </section>
  );
});

interface FailureRowProps {
  readonly of: FailureGroup;
  readonly hasOlder: boolean;
}

function FailureRow({ of: group, hasOlder }: FailureRowProps) {
  const { message, newest, count, senders } = group;
  return (
    <li>
      <OutcomeSign isOk={false} word="Reverted" />
      <span>
        <Link href={to('tx', newest.transaction_hash)} className="reason">
          {message === '' ? (
            'no reason given'
          ) : (
            <UntrustedText text={message} quoted limit={MAX_REASON_LENGTH} />
          )}
        </Link>
        <span className="what soft">
          {newest.sender_address !== undefined && (
            <>
              {senders > 1 ? (
                counted(senders, 'sender')
              ) : (
                <Address of={newest.sender_address} mark />
              )}{' '}
              →{' '}
            </>
          )}
          {newest.call && (
            <>
              <Address of={newest.call.contract_address} />.
              <FunctionName selector={newest.call.selector} />
              {newest.call_count > 1 && ` + ${grouped(newest.call_count - 1)} more`}
            </>
          )}
        </span>
      </span>
      {count > 1 ? (
        <Link className="failure-count" href={to('transactions', undefined, groupQuery(group))}>
          {grouped(count)}
          {hasOlder && '+'} times
        </Link>
      ) : (
        <span />
      )}
      <span className="quiet nowrap">
        <Age of={newest.timestamp} />
      </span>
    </li>
  );
}

interface CalledContract {
  readonly address: string;
  transactions: number;
  failed: number;
  gas: number;
}

/** Contracts by how many of the transactions call them first. */
function busiest(rows: readonly TransactionRow[]): readonly CalledContract[] {
  const byAddress = new Map<string, CalledContract>();
  for (const { call, execution_status, l2_gas } of rows) {
    if (!call) continue;
    const address = call.contract_address;
    const contract = byAddress.get(address) ?? { address, transactions: 0, failed: 0, gas: 0 };
    byAddress.set(address, contract);
    contract.transactions++;
    contract.gas += l2_gas;
    if (execution_status === 'REVERTED') contract.failed++;
  }
  return [...byAddress.values()]
    .sort((a, b) => b.transactions - a.transactions)
    .slice(0, MAX_CONTRACTS);
}

/** @param most transactions of the busiest contract */
function busiestColumns(most: number): readonly Column<CalledContract>[] {
  return [
    { head: 'Contract', phone: 'main', cell: ({ address }) => <Address of={address} mark /> },
    {
      head: 'Share',
      isHeadUnseen: true,
      width: 'w-share',
      phone: 'none',
      cell: ({ transactions }) => (
        <svg className="share-bar" viewBox="0 0 100 8" aria-hidden="true">
          <rect className="chart-bar" width={share(transactions, most) * 100} height="8" />
        </svg>
      ),
    },
    numberColumn('Txs', 'w-count', ({ transactions }) => grouped(transactions), 'txs'),
    {
      head: 'Failed',
      width: 'w-count',
      number: true,
      phoneHead: 'failed',
      cellClass: ({ failed }) => (failed > 0 ? 'fail' : 'quiet'),
      cell: ({ failed }) => grouped(failed),
    },
    numberColumn('L2 gas', 'w-gas', ({ gas }) => grouped(gas), 'gas'),
  ];
}

export const Busiest = memo(function Busiest({ of }: { readonly of: readonly TransactionRow[] }) {
  const rows = busiest(of);
  return (
    <section className="panel flush" aria-label="Busiest contracts">
      <div className="panel-head">
        <h2>Busiest contracts</h2>
        <span className="quiet">
          {of.length === 1
            ? 'of one transaction'
            : `of the newest ${grouped(of.length)} transactions`}
        </span>
      </div>
      {rows.length === 0 ? (
        <p className="soft">None of them calls a contract.</p>
      ) : (
        <ShortTable
          className="bare"
          label="Busiest contracts"
          rows={rows}
          columns={busiestColumns(rows[0]?.transactions ?? 0)}
          idOf={({ address }) => address}
        />
      )}
    </section>
  );
});
