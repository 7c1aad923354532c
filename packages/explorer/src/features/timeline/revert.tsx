// Reverting to a snapshot: confirmation with the loss, and undo.
import { useState } from 'react';
import { counted } from '../../format/amount.js';
import { Action, act, LastDone } from '../../parts/action.js';
import { Button } from '../../parts/button.js';
import { Sheet } from '../../parts/dialog.js';
import { Checkbox } from '../../parts/inputs.js';
import { UntrustedText } from '../../parts/values.js';
import { useLive } from '../../rpc/live-state.js';
import { useStatus } from '../../rpc/queries.js';
import type { Snapshot } from '../../rpc/snapshots.js';
import { createStore, useStore } from '../../state/store.js';

interface PreviousChain {
  readonly what: string;
  readonly image: string;
}

const previousChain = createStore<PreviousChain | undefined>(undefined);

/** Offered while this tab holds an image of the chain before. */
export function UndoBar() {
  const previous = useStore(previousChain);
  if (!previous) return null;
  return (
    <div className="notice" role="status">
      <p>
        {previous.what}. This tab holds the previous chain; its later snapshots cannot be restored.
      </p>
      <Action
        run={async () => {
          const restored = await act(
            'Undo the revert',
            'devnet_load',
            { image: previous.image, format: 'image' },
            () => 'the chain is restored',
          );
          if (restored !== undefined) previousChain.set(undefined);
        }}
      >
        Undo
      </Action>
      <Button onClick={() => previousChain.set(undefined)}>Discard</Button>
    </div>
  );
}

/** Reverts; false if the node refuses something on the way. */
async function revert(
  snapshot: Snapshot,
  { isKept, isRetaken }: { readonly isKept: boolean; readonly isRetaken: boolean },
): Promise<boolean> {
  const id = snapshot.snapshot_id;
  let image: string | undefined;
  if (isKept) {
    const dump = await act(
      'Save the current chain',
      'devnet_dump',
      { format: 'image', inline: true },
      (result) => ('image' in result ? 'held' : new Error('The node returned no image.')),
    );
    if (dump === undefined || !('image' in dump) || typeof dump.image !== 'string') return false;
    image = dump.image;
  }
  const reverted = await act(`Revert to ${id}`, 'devnet_revert', { snapshot_id: id }, (isDone) =>
    isDone ? 'done' : new Error(`Snapshot ${id} was already used or is unknown.`),
  );
  if (reverted === undefined) return false;
  if (isRetaken) {
    await act(
      'Take the snapshot again',
      'devnet_snapshot',
      snapshot.name === undefined ? {} : { name: snapshot.name },
      (again) => `${again}`,
    );
  }
  previousChain.set(image === undefined ? undefined : { what: `Reverted to ${id}`, image });
  return true;
}

interface RevertSheetProps {
  readonly snapshot: Snapshot;
  /** Later snapshots, which are lost as well. */
  readonly later: readonly Snapshot[];
  readonly close: () => void;
}

export function RevertSheet({ snapshot, later, close }: RevertSheetProps) {
  const head = useLive((live) => live.head?.number ?? 0);
  const status = useStatus();
  const [isKept, setKept] = useState(true);
  const [isRetaken, setRetaken] = useState(true);
  const id = snapshot.snapshot_id;
  const lost = status.data && status.data.transaction_count - snapshot.transaction_count;

  const run = async (): Promise<void> => {
    if (await revert(snapshot, { isKept, isRetaken })) close();
  };

  return (
    <Sheet label={`Revert to ${id}`} close={close}>
      <div>
        <h2>
          Revert to {id}
          {snapshot.name !== undefined && (
            <>
              {' '}
              <UntrustedText text={snapshot.name} quoted limit={60} />
            </>
          )}
          ?
        </h2>
        <p>
          This removes {counted(head - snapshot.block_number, 'block')}
          {lost !== undefined && `, ${counted(lost, 'transaction')}`}
          {later.length > 0 &&
            ` and ${counted(later.length, 'snapshot')} (${later
              .slice(0, 5)
              .map((snapshot) => snapshot.snapshot_id)
              .join(', ')}${later.length > 5 ? ', …' : ''})`}
          . Subscribers get a reorg notice.
        </p>
        <Checkbox className="line-of" checked={isRetaken} change={setRetaken}>
          take the snapshot again: reverting uses it up
        </Checkbox>
        <Checkbox className="line-of" checked={isKept} change={setKept}>
          keep the current chain in this tab, to undo this later
        </Checkbox>
        <div className="line-of">
          <Action kind="danger" run={run}>
            Revert to {id}
          </Action>
          <Button onClick={close}>Cancel</Button>
        </div>
        <LastDone />
      </div>
    </Sheet>
  );
}
