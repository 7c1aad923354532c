// Table of the snapshots, newest first.
import { grouped } from '../../format/amount.js';
import { momentText } from '../../format/time.js';
import { setQuery } from '../../navigation/route.js';
import { Action } from '../../parts/action.js';
import { Loading } from '../../parts/page-states.js';
import { BlockRef, Copy, UntrustedText } from '../../parts/values.js';
import { useStatus } from '../../rpc/queries.js';
import type { Snapshot } from '../../rpc/snapshots.js';

const MOST_ROWS = 60;

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
      <p className="empty">
        No snapshots yet. A snapshot records the current chain at no cost; reverting to it later
        removes everything after it.
      </p>
    );
  }
  const newest = [...rows].sort((a, b) => (BigInt(a.snapshot_id) < BigInt(b.snapshot_id) ? 1 : -1));
  return (
    <>
      <table className="table tall" aria-label="Snapshots">
        <thead>
          <tr>
            <th scope="col" className="w-small">
              Id
            </th>
            <th scope="col">Name</th>
            <th scope="col" className="w-block number">
              Block
            </th>
            <th scope="col" className="w-moment">
              Chain time
            </th>
            <th scope="col" className="w-gas number">
              Blocks since
            </th>
            <th scope="col" className="w-gas number">
              Txs since
            </th>
            <th scope="col" className="w-actions">
              Do
            </th>
          </tr>
        </thead>
        <tbody>
          {newest.slice(0, MOST_ROWS).map((snapshot) => (
            <SnapshotRow
              key={snapshot.snapshot_id}
              snapshot={snapshot}
              head={head}
              transactions={transactions}
              ask={ask}
            />
          ))}
        </tbody>
      </table>
      {rows.length > MOST_ROWS && (
        <p className="quiet">
          The last {MOST_ROWS} of {grouped(rows.length)} snapshots.
        </p>
      )}
    </>
  );
}

interface SnapshotRowProps {
  readonly snapshot: Snapshot;
  readonly head: number;
  /** How many the chain has, once that is read. */
  readonly transactions: number | undefined;
  readonly ask: (snapshot: Snapshot) => void;
}

function SnapshotRow({ snapshot, head, transactions, ask }: SnapshotRowProps) {
  return (
    <tr data-row="">
      <td>
        <code>{snapshot.snapshot_id}</code>{' '}
      </td>
      <td className="main">
        <span aria-hidden="true">◆</span>{' '}
        {snapshot.name === undefined ? (
          <span className="quiet">no name</span>
        ) : (
          <UntrustedText text={snapshot.name} limit={60} />
        )}
      </td>
      <td className="number" data-head="block">
        <BlockRef of={snapshot.block_number} />
      </td>
      <td>{momentText(snapshot.timestamp)}</td>
      <td className="number" data-head="blocks since">
        {grouped(head - snapshot.block_number)}
      </td>
      <td className="number" data-head="txs since">
        {transactions === undefined ? '–' : grouped(transactions - snapshot.transaction_count)}
      </td>
      <td className="actions-cell">
        <span className="line-of">
          <Action
            kind="plain"
            label={`Revert to ${snapshot.snapshot_id}`}
            run={async () => ask(snapshot)}
          >
            Revert…
          </Action>
          <button
            type="button"
            className="plain"
            aria-label={`Compare ${snapshot.snapshot_id} with the head`}
            onClick={() => setQuery({ a: String(snapshot.block_number), b: String(head) })}
          >
            Compare
          </button>
          <Copy value={snapshot.snapshot_id} what="snapshot id" />
        </span>
      </td>
    </tr>
  );
}
