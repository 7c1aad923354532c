// Page with the list of transactions, its filters, views and columns.
import { useMemo } from 'react';
import { grouped } from '../../../format/amount.js';
import { useNames } from '../../../format/names.js';
import { to, useRoute } from '../../../navigation/route.js';
import { Empty, Heading } from '../../../parts/page-states.js';
import { Modes } from '../../../parts/table/live-table.js';
import { TransactionList } from '../../../parts/transaction/transaction-list.js';
import { Link } from '../../../parts/values.js';
import { useStatus } from '../../../rpc/queries.js';
import { ColumnChoice, useColumns } from './columns.js';
import { Export } from './export.js';
import { filterQuery, filterText, readFilter } from './filter.js';
import { Filters } from './filters.js';
import { Views } from './views.js';

export function TransactionsPage() {
  const { query } = useRoute();
  const text = query.toString();
  const filter = useMemo(() => readFilter(new URLSearchParams(text)), [text]);
  const status = useStatus();
  const columns = useColumns();
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <>
      <Heading
        title="Transactions"
        count={isFiltered ? 'filtered' : status.data && grouped(status.data.transaction_count)}
        actions={
          <>
            <ColumnChoice />
            <Export filter={filter} />
            <Modes />
          </>
        }
      />
      <div className="list-filters">
        <Views />
        <Filters />
      </div>
      <TransactionList
        filter={filter}
        heads={columns}
        empty={
          isFiltered ? (
            <NoMatch query={filterQuery(query)} />
          ) : (
            <Empty icon="transactions" title="No transactions on this chain yet.">
              Send the first one with a snippet from the <Link href={to('')}>overview</Link>.
            </Empty>
          )
        }
      />
    </>
  );
}

/** Links that leave out one filter each, so that the one without a match is found. */
function NoMatch({ query }: { readonly query: Readonly<Record<string, string>> }) {
  const names = useNames();
  const all = Object.entries(query);
  return (
    <Empty
      icon="search"
      title="No transaction matches."
      action={
        <Link className="button" href={to('transactions')}>
          Show all transactions
        </Link>
      }
    >
      {all.length > 1 && (
        <p className="line-of">
          Remove one filter:
          {all.map(([name, value]) => (
            <Link
              key={name}
              href={to(
                'transactions',
                undefined,
                Object.fromEntries(all.filter(([other]) => other !== name)),
              )}
            >
              {filterText(name, value, names)}
            </Link>
          ))}
        </p>
      )}
    </Empty>
  );
}
