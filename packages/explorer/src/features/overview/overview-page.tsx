// First page: what happened lately, what failed, which contracts are busy, and what chain it is.
import { useMemo } from 'react';
import { counted, grouped } from '../../format/amount.js';
import { to } from '../../navigation/route.js';
import { Heading, Unread } from '../../parts/page-states.js';
import { Link } from '../../parts/values.js';
import { useContractsKnown } from '../../rpc/queries.js';
import { ChainFacts } from './chain-facts.js';
import { type ChainSummary, useChainSummary } from './chain-summary.js';
import { Charts } from './charts.js';
import { FirstSteps } from './first-steps.js';
import { Busiest, Failures } from './lists.js';
import { Market } from './market.js';

export function OverviewPage() {
  const summary = useChainSummary();
  const { data } = summary;
  return (
    <>
      <Heading title="Overview" />
      {!data ? (
        <Unread query={summary} what="the chain" />
      ) : data.transactions.length === 0 ? (
        <Empty summary={data} />
      ) : (
        <Busy summary={data} />
      )}
    </>
  );
}

function Empty({ summary }: { readonly summary: ChainSummary }) {
  return (
    <>
      <p className="sentence">No transactions on this chain yet.</p>
      {summary.network && <Market network={summary.network} />}
      <div className="overview">
        <FirstSteps />
        <ChainFacts summary={summary} />
      </div>
    </>
  );
}

function Busy({ summary }: { readonly summary: ChainSummary }) {
  const { blocks, transactions, failures, hasOlder, status, network } = summary;
  const contracts = useMemo(
    () => [...new Set(failures.flatMap(({ call }) => (call ? [call.contract_address] : [])))],
    [failures],
  );
  const contractsKnown = useContractsKnown(contracts);
  const failed = transactions.filter(
    ({ execution_status }) => execution_status === 'REVERTED',
  ).length;
  const isCovered = status?.transaction_count === transactions.length;
  return (
    <>
      <p className="sentence">
        {status && (
          <>
            {counted(status.transaction_count, 'transaction')} in{' '}
            <Link href={to('blocks')}>{counted(status.block_count, 'block')}</Link>.{' '}
          </>
        )}
        {failed === 0 ? (
          `None${isCovered ? '' : ` of the newest ${grouped(transactions.length)}`} failed.`
        ) : (
          <>
            {!isCovered && `Of the newest ${grouped(transactions.length)}, `}
            <Link href={to('activity', undefined, { failed: '1' })}>{grouped(failed)} failed</Link>.
          </>
        )}
      </p>
      <Charts blocks={blocks} />
      {network && <Market network={network} />}
      <div className="overview">
        <div className="stack">
          <Failures of={failures} hasOlder={hasOlder} contractsKnown={contractsKnown} />
          <Busiest of={transactions} />
        </div>
        <ChainFacts summary={summary} />
      </div>
      <details className="connect">
        <summary>Connect a program</summary>
        <FirstSteps />
      </details>
    </>
  );
}
