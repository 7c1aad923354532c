// Page of recent activity: transactions and changes to the sandbox, newest first.
import { useCallback, useMemo, useState } from 'react';
import { offsetText, timeText } from '../../format/time.js';
import { setQuery, to, useRoute } from '../../navigation/route.js';
import { Button, PlainButton } from '../../parts/button.js';
import { Icon } from '../../parts/icons.js';
import { Integer } from '../../parts/number.js';
import { Empty, Heading } from '../../parts/page-states.js';
import { peek, usePeeked } from '../../parts/side-panel.js';
import { LiveTable, Modes, useNamedIn } from '../../parts/table/live-table.js';
import { type Column, numberColumn } from '../../parts/table/table.js';
import { CallSummary, Fee } from '../../parts/transaction/transaction-list.js';
import { Address, Age, BlockRef, Link, Status } from '../../parts/values.js';
import { type Operation, useLive } from '../../rpc/live-state.js';
import { readTransactions, type TransactionFilter, useContractsKnown } from '../../rpc/queries.js';
import { arrange, type Row } from './activity-rows.js';

export function ActivityPage() {
  const { query } = useRoute();
  const failedOnly = query.get('failed') === '1';
  const operations = useLive((live) => live.operations);
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set());
  const [contracts, onRows] = useNamedIn(calledBy);
  const contractsKnown = useContractsKnown(contracts);
  const peeked = usePeeked();
  const isPeeked = useCallback(
    ({ run }: Row) => run !== undefined && run.first.transaction_hash === peeked,
    [peeked],
  );
  const filter = useMemo(
    (): TransactionFilter => (failedOnly ? { status: 'REVERTED' } : {}),
    [failedOnly],
  );
  const read = useCallback(
    async (cursor: string | undefined, isTip?: boolean) => {
      const page = await readTransactions(filter, cursor, isTip);
      const rows = page.rows.map((row): Row => ({ id: row.transaction_hash, source: row }));
      return { ...page, rows };
    },
    [filter],
  );
  const arrangeRows = useCallback(
    (rows: readonly Row[]) => arrange(rows, failedOnly ? [] : operations, unfolded),
    [operations, unfolded, failedOnly],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: functions have names once their classes are known
  const columns = useMemo(
    () => activityColumns((id) => setUnfolded((old) => new Set([...old, id]))),
    [contractsKnown],
  );
  return (
    <>
      <Heading
        title="Activity"
        actions={
          <>
            <Button
              aria-pressed={failedOnly}
              onClick={() => setQuery({ failed: failedOnly ? undefined : '1' })}
            >
              Failed only
            </Button>
            <Modes />
          </>
        }
      />
      <LiveTable
        label="Activity"
        what="the history"
        listKey={['activity', filter]}
        read={read}
        idOf={idOf}
        columns={columns}
        hrefOf={hrefOf}
        copyOf={idOf}
        arrange={arrangeRows}
        onRows={onRows}
        onPeek={onPeek}
        isPeeked={isPeeked}
        empty={failedOnly ? <NoFailures /> : <NoActivity />}
      />
    </>
  );
}

function NoFailures() {
  return (
    <Empty icon="activity" title="No transaction has failed on this chain.">
      To see why a call would fail, <Link href={to('simulate')}>simulate</Link> it first.
    </Empty>
  );
}

/** @param unfold shows the transactions that are folded in a row */
function activityColumns(unfold: (id: string) => void): readonly Column<Row>[] {
  return [
    {
      head: 'Block',
      width: 'w-block',
      phoneHead: '#',
      cell: ({ run, operation }) =>
        run ? (
          <BlockRef of={run.first.block_number} />
        ) : (
          <span className="quiet">{operation?.block}</span>
        ),
    },
    {
      head: 'Age',
      width: 'w-age',
      number: true,
      cell: ({ run, operation }) =>
        run ? <Age of={run.first.timestamp} /> : operation && <Age of={operation.chainTime} />,
    },
    {
      head: 'Status',
      isHeadUnseen: true,
      width: 'w-status',
      phone: 'lead',
      cell: ({ run }) =>
        run ? (
          <Status of={run.first.execution_status} />
        ) : (
          <span className="sign" aria-hidden="true">
            <Icon name="snapshot" />
          </span>
        ),
    },
    {
      head: 'Activity',
      phone: 'main',
      least: 26,
      cell: ({ id, run, operation }) =>
        run ? (
          <>
            {run.first.sender_address !== undefined && (
              <span className="not-on-phones">
                <Address of={run.first.sender_address} mark /> <span className="quiet">→</span>{' '}
              </span>
            )}
            <CallSummary of={run.first} />
            {run.count > 1 && (
              <PlainButton onClick={() => unfold(id)}>
                <span className="signed">
                  {run.count} alike <Icon name="right" />
                </span>
              </PlainButton>
            )}
          </>
        ) : (
          operation && <OperationText of={operation} />
        ),
    },
    {
      head: 'Sender',
      width: 'w-name',
      phone: 'only',
      cell: ({ run }) =>
        run?.first.sender_address !== undefined && <Address of={run.first.sender_address} mark />,
    },
    numberColumn('L2 gas', 'w-gas', ({ run }) => run && <Integer of={run.first.l2_gas} />),
    numberColumn('Fee STRK', 'w-fee', ({ run }) => run && <Fee of={run.first.fee} />),
  ];
}

const onPeek = ({ run }: Row): void => {
  if (run) peek(run.first.transaction_hash);
};
const calledBy = ({ source }: Row): string | undefined => source?.call?.contract_address;
const idOf = (row: Row): string => row.id;
const hrefOf = ({ run, operation }: Row): string | undefined =>
  run ? to('tx', run.first.transaction_hash) : operation && to('block', operation.block);

const OPERATIONS: Readonly<Record<string, string>> = {
  snapshot: 'snapshot taken',
  snapshot_deleted: 'snapshot deleted',
  revert: 'reverted to a snapshot',
  restart: 'chain restarted',
  load: 'chain loaded',
  gas: 'gas prices changed',
  impersonation: 'impersonation changed',
  label: 'label changed',
  network: 'network conditions set',
  abort: 'blocks aborted',
  accepted_on_l1: 'blocks accepted on L1',
  state: 'state edited',
};

function OperationText({ of }: { readonly of: Operation }) {
  if (of.event === 'time') {
    const offset = offsetText(of.chainTime - Math.floor(Date.now() / 1000));
    return (
      <span className="soft">
        clock set to {timeText(of.chainTime)}
        {offset !== undefined && ` (${offset})`}
      </span>
    );
  }
  return <span className="soft">{OPERATIONS[of.event] ?? of.event}</span>;
}

function NoActivity() {
  return (
    <Empty icon="activity" title="No transactions on this chain yet.">
      Send the first one with a snippet of the <Link href={to('')}>overview</Link>.
    </Empty>
  );
}
