// Lists of the overview: the last failures, and the contracts that were called most.
import { readFailure } from '@starkbox/abi';
import { memo } from 'react';
import { grouped, share } from '../../format/amount.js';
import { to } from '../../navigation/route.js';
import { Address, Age, FunctionName, Link, UntrustedText } from '../../parts/values.js';
import type { TransactionRow } from '../../rpc/queries.js';

const MOST_CONTRACTS = 6;
const LONGEST_REASON = 160;

interface FailuresProps {
  readonly of: readonly TransactionRow[];
  readonly hasOlder: boolean;
  /** Changes when functions have got names. */
  readonly contractsKnown: number;
}

export const Failures = memo(function Failures({ of: rows, hasOlder }: FailuresProps) {
  return (
    <section className="panel" aria-label="Last failures">
      <div className="panel-head">
        <h2>Last failures</h2>
        {rows.length > 0 && <Link href={to('activity', undefined, { failed: '1' })}>all</Link>}
      </div>
      {rows.length === 0 ? (
        <p className="soft">
          {hasOlder
            ? 'None of the newest transactions has failed.'
            : 'No transaction has failed on this chain.'}
        </p>
      ) : (
        <ol className="failures">
          {rows.map((row) => (
            <FailureRow key={row.transaction_hash} of={row} />
          ))}
        </ol>
      )}
    </section>
  );
});

function FailureRow({ of: row }: { readonly of: TransactionRow }) {
  const reason = row.revert_reason === undefined ? '' : readFailure(row.revert_reason).message;
  return (
    <li>
      <span className="fail" role="img" aria-label="Reverted">
        ✕
      </span>
      <span className="failure">
        <Link href={to('tx', row.transaction_hash)} className="reason">
          {reason === '' ? (
            'no reason given'
          ) : (
            <UntrustedText text={reason} quoted limit={LONGEST_REASON} />
          )}
        </Link>
        <span className="what soft">
          {row.sender_address !== undefined && (
            <>
              <Address of={row.sender_address} mark /> →{' '}
            </>
          )}
          {row.call && (
            <>
              <Address of={row.call.contract_address} />.
              <FunctionName selector={row.call.selector} />
              {row.call_count > 1 && ` + ${grouped(row.call_count - 1)} more`}
            </>
          )}
        </span>
      </span>
      <span className="quiet nowrap">
        <Age of={row.timestamp} />
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
    .slice(0, MOST_CONTRACTS);
}

export const Busiest = memo(function Busiest({ of }: { readonly of: readonly TransactionRow[] }) {
  const rows = busiest(of);
  const most = rows[0]?.transactions ?? 0;
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
        <table className="table bare" aria-label="Busiest contracts">
          <thead>
            <tr>
              <th scope="col">Contract</th>
              <th scope="col" className="w-share wide">
                <span className="unseen">Share</span>
              </th>
              <th scope="col" className="w-count number">
                Txs
              </th>
              <th scope="col" className="w-count number">
                Failed
              </th>
              <th scope="col" className="w-gas number">
                L2 gas
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ address, transactions, failed, gas }, at) => (
              <tr key={address} data-row={at}>
                <td className="main">
                  <Address of={address} mark />
                </td>
                <td className="wide">
                  <svg className="share-bar" viewBox="0 0 100 8" aria-hidden="true">
                    <rect
                      className="chart-bar"
                      width={share(transactions, most) * 100}
                      height="8"
                    />
                  </svg>
                </td>
                <td className="number" data-head="txs">
                  {grouped(transactions)}
                </td>
                <td className={failed > 0 ? 'number fail' : 'number quiet'} data-head="failed">
                  {grouped(failed)}
                </td>
                <td className="number" data-head="gas">
                  {grouped(gas)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
});
