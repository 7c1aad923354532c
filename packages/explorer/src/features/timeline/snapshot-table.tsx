// Table of the snapshots, newest first.
import { grouped } from '../../format/amount.js';
import { momentText } from '../../format/time.js';
import { setQuery } from '../../navigation/route.js';
import { Action } from '../../parts/action.js';
import { PlainButton } from '../../parts/button.js';
import { Icon } from '../../parts/icons.js';
import { Empty, Loading } from '../../parts/page-states.js';
import { type Column, numberColumn, ShortTable } from '../../parts/table/table.js';
import { BlockRef, Copy, UntrustedText } from '../../parts/values.js';
import { useStatus } from '../../rpc/queries.js';
import type { Snapshot } from '../../rpc/snapshots.js';

const MAX_ROWS = 60;

interface SnapshotTableProps {
  readonly rows: readonly Snapshot[];
  readonly head: number;
  readonly ask: (snapshot: Snapshot) => void;
  readonly isLoading: boolean;
}

export function SnapshotTable({ rows, head, ask, isLoading }: SnapshotTableProps) {
  const transactions = useStatus().data?.transaction_count;
  if (isLoading) return <Loading what="the snapshots" />;
  if (rows.length === 0) {
    return (
      <Empty icon="snapshot" title="No snapshots yet.">
        Take one above or with <code>devnet_snapshot</code>. Reverting to it later removes
        everything after it.
      </Empty>
    );
  }
  const newest = [...rows].sort((a, b) => (BigInt(a.snapshot_id) < BigInt(b.snapshot_id) ? 1 : -1));
  return (
    <>
      <ShortTable
        className="tall"
        label="Snapshots"
        rows={newest.slice(0, MAX_ROWS)}
        columns={snapshotColumns(head, transactions, ask)}
        idOf={({ snapshot_id }) => snapshot_id}
      />
      {rows.length > MAX_ROWS && (
        <p className="quiet">
          The last {MAX_ROWS} of {grouped(rows.length)} snapshots.
        </p>
      )}
    </>
  );
}

/** @param transactions how many the chain has, once that is read */
function snapshotColumns(
  head: number,
  transactions: number | undefined,
  ask: SnapshotTableProps['ask'],
): readonly Column<Snapshot>[] {
  return [
    { head: 'Id', width: 'w-small', cell: ({ snapshot_id }) => <code>{snapshot_id}</code> },
    {
      head: 'Name',
      phone: 'main',
      least: 12,
      cell: ({ name }) => (
        <span className="with-icon">
          <Icon name="snapshot" />{' '}
          {name === undefined ? (
            <span className="quiet">no name</span>
          ) : (
            <UntrustedText text={name} limit={60} />
          )}
        </span>
      ),
    },
    numberColumn('Block', 'w-block', ({ block_number }) => <BlockRef of={block_number} />, 'block'),
    {
      head: 'Chain time',
      width: 'w-moment',
      rank: 2,
      cell: ({ timestamp }) => momentText(timestamp),
    },
    {
      head: 'Blocks since',
      width: 'w-gas',
      number: true,
      rank: 3,
      phoneHead: 'blocks since',
      cell: ({ block_number }) => grouped(head - block_number),
    },
    {
      head: 'Txs since',
      width: 'w-gas',
      number: true,
      phoneHead: 'txs since',
      cell: ({ transaction_count }) =>
        transactions === undefined ? '–' : grouped(transactions - transaction_count),
    },
    {
      head: 'Actions',
      width: 'w-actions',
      rank: 0,
      cellClass: 'actions-cell',
      cell: (snapshot) => <SnapshotActions of={snapshot} head={head} ask={ask} />,
    },
  ];
}

interface SnapshotActionsProps extends Pick<SnapshotTableProps, 'head' | 'ask'> {
  readonly of: Snapshot;
}

function SnapshotActions({ of: snapshot, head, ask }: SnapshotActionsProps) {
  return (
    <span className="line-of">
      <Action
        kind="plain"
        label={`Revert to ${snapshot.snapshot_id}`}
        run={async () => ask(snapshot)}
      >
        Revert…
      </Action>
      <PlainButton
        aria-label={`Compare ${snapshot.snapshot_id} with the head`}
        onClick={() => setQuery({ a: String(snapshot.block_number), b: String(head) })}
      >
        Compare
      </PlainButton>
      <Copy value={snapshot.snapshot_id} what="snapshot id" />
    </span>
  );
}
