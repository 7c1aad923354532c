// Card of snapshots and of the chain's image.
import { grouped } from '../../format/amount.js';
import { momentText } from '../../format/time.js';
import { Action, act } from '../../parts/action.js';
import { type AskProps, download, Group } from '../../parts/confirm.js';
import { Icon } from '../../parts/icons.js';
import { TakeSnapshot } from '../../parts/snapshot-form.js';
import { UntrustedText } from '../../parts/values.js';
import { useLive } from '../../rpc/live-state.js';
import { useSnapshots } from '../../rpc/snapshots.js';

export function SnapshotsCard({ ask }: AskProps) {
  const snapshots = useSnapshots();
  const head = useLive((live) => live.head?.number ?? 0);
  return (
    <Group name="Snapshots">
      <div className="fields">
        <TakeSnapshot />
        <Action run={download}>Download an image</Action>
      </div>
      {snapshots.data && snapshots.data.length > 0 && (
        <ul className="entries" aria-label="Snapshots">
          {snapshots.data.map((snapshot) => (
            <li key={snapshot.snapshot_id} className="line-of">
              <Icon name="snapshot" />
              <span>
                <code>{snapshot.snapshot_id}</code>{' '}
                {snapshot.name !== undefined && <UntrustedText text={snapshot.name} limit={60} />}
              </span>
              <span className="soft">
                block {snapshot.block_number}, {momentText(snapshot.timestamp)}
              </span>
              <Action
                label={`Revert to ${snapshot.snapshot_id}`}
                run={async () =>
                  ask({
                    title: `Revert to ${snapshot.snapshot_id}?`,
                    loss: `You lose ${grouped(head - snapshot.block_number)} blocks and every later snapshot. Reverting uses up the snapshot itself.`,
                    verb: `Revert to ${snapshot.snapshot_id}`,
                    canKeep: true,
                    run: () =>
                      act(
                        `Revert to ${snapshot.snapshot_id}`,
                        'devnet_revert',
                        { snapshot_id: snapshot.snapshot_id },
                        (isDone) =>
                          isDone
                            ? 'done'
                            : new Error('That snapshot was already used, or is unknown.'),
                      ),
                  })
                }
              >
                Revert…
              </Action>
            </li>
          ))}
        </ul>
      )}
    </Group>
  );
}
