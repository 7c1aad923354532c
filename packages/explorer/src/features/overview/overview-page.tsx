// First page: what happened lately, what failed, which contracts are busy, and what chain it is.
import { useMemo } from 'react';
import { counted, grouped } from '../../format/amount.js';
import { to } from '../../navigation/route.js';
import { Heading, Loading, Problem } from '../../parts/page-states.js';
import { Link } from '../../parts/values.js';
import { useContractsKnown } from '../../rpc/queries.js';
import { ChainFacts } from './chain-facts.js';
import { Charts } from './charts.js';
import { FirstSteps } from './first-steps.js';
import { Busiest, Failures } from './lists.js';
import { type News, useNews } from './news.js';

export function OverviewPage() {
  const { data, error, refetch } = useNews();
  return (
    <>
      <Heading title="Overview" />
      {error && !data ? (
        <Problem error={error} what="the chain" retry={refetch} />
      ) : !data ? (
        <Loading what="the chain" />
      ) : data.transactions.length === 0 ? (
        <Empty news={data} />
      ) : (
        <Busy news={data} />
      )}
    </>
  );
}

function Empty({ news }: { readonly news: News }) {
  return (
    <>
      <p className="sentence">No transactions on this chain yet.</p>
      <div className="overview">
        <FirstSteps />
        <ChainFacts news={news} />
      </div>
    </>
  );
}

function Busy({ news }: { readonly news: News }) {
  const { blocks, transactions, failures, hasOlder, status, isSubstitute } = news;
  const contracts = useMemo(
    () => [...new Set(failures.flatMap(({ call }) => (call ? [call.contract_address] : [])))],
    [failures],
  );
  const known = useContractsKnown(contracts);
  const failed = transactions.filter(
    ({ execution_status }) => execution_status === 'REVERTED',
  ).length;
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
          <>None of the newest {grouped(transactions.length)} failed.</>
        ) : (
          <>
            Of the newest {grouped(transactions.length)},{' '}
            <Link href={to('activity', undefined, { failed: '1' })}>{grouped(failed)} failed</Link>.
          </>
        )}
      </p>
      <Charts blocks={blocks} />
      {isSubstitute && (
        <p className="quiet">
          This node does not serve the lists of Starkbox (restricted methods): these are its newest{' '}
          {grouped(blocks.length)} blocks.
        </p>
      )}
      <div className="overview">
        <div className="stack">
          <Failures of={failures} hasOlder={hasOlder} known={known} />
          <Busiest of={transactions} />
        </div>
        <ChainFacts news={news} />
      </div>
      <details className="connect">
        <summary>Connect a program</summary>
        <FirstSteps />
      </details>
    </>
  );
}
