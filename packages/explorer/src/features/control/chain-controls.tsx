// Controls of the chain's state: snapshots, dump, load, restart.
import { useId, useState } from 'react';
import { grouped } from '../../format/amount.js';
import { momentText } from '../../format/time.js';
import { Action, act } from '../../parts/action.js';
import { type AskProps, download, Group } from '../../parts/confirm.js';
import { TakeSnapshot } from '../../parts/snapshot-form.js';
import { UntrustedText } from '../../parts/values.js';
import { canWrite, useLive } from '../../rpc/live-state.js';
import type { Params } from '../../rpc/methods.js';
import { useStatus } from '../../rpc/queries.js';
import { useSnapshots } from '../../rpc/snapshots.js';
import { runTask } from '../../state/tasks.js';

export function State({ ask }: AskProps) {
  const status = useStatus();
  const snapshots = useSnapshots();
  const head = useLive((live) => live.head?.number ?? 0);
  const loss = `${grouped(status.data?.block_count ?? 0)} blocks, ${grouped(status.data?.transaction_count ?? 0)} transactions and ${snapshots.data?.length ?? 0} snapshots are lost`;
  return (
    <Group name="State">
      <div className="line-of">
        <TakeSnapshot />
        <Action run={download}>Download an image</Action>
        <Load ask={ask} loss={loss} />
        <Action
          kind="danger"
          run={async () =>
            ask({
              title: 'Restart the chain?',
              loss: `The chain returns to genesis: ${loss}.`,
              verb: 'Restart the chain',
              canKeep: true,
              run: () => act('Restart the chain', 'devnet_restart', {}, () => 'it is at genesis'),
            })
          }
        >
          Restart the chain…
        </Action>
      </div>
      {snapshots.data && snapshots.data.length > 0 && (
        <ul className="entries" aria-label="Snapshots">
          {snapshots.data.map((snapshot) => (
            <li key={snapshot.snapshot_id} className="line-of">
              <span>
                ◆ <code>{snapshot.snapshot_id}</code>{' '}
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
                    loss: `${grouped(head - snapshot.block_number)} blocks and every later snapshot are lost. Reverting uses up the snapshot itself.`,
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

/** Replaces the chain by one from a file. */
function Load({ ask, loss }: AskProps & { readonly loss: string }) {
  const id = useId();
  const [problem, setProblem] = useState<string | undefined>();
  const isLive = useLive(({ connection }) => canWrite(connection));
  const take = async (file: File): Promise<void> => {
    const params = await chainIn(file);
    setProblem(params ? undefined : 'The file is neither an image nor a journal.');
    if (!params) return;
    ask({
      title: 'Load another chain?',
      loss: `The chain in the file replaces this one: ${loss}.`,
      verb: 'Load the chain',
      canKeep: true,
      run: () => act('Load a chain', 'devnet_load', params, () => 'loaded'),
    });
  };
  return (
    <>
      <label htmlFor={id}>load a file</label>
      <input
        id={id}
        type="file"
        disabled={!isLive}
        aria-describedby={`${id}-problem`}
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          if (file) runTask(take(file));
          // Lets the same file be selected again.
          target.value = '';
        }}
      />
      <span id={`${id}-problem`} className="fail" role="alert">
        {problem}
      </span>
    </>
  );
}

/** A journal is a JSON list of calls; a binary file is an image. */
async function chainIn(file: File): Promise<Params<'devnet_load'> | undefined> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (bytes.length === 0) return undefined;
  if (bytes[0] !== '['.charCodeAt(0)) return { image: base64(bytes), format: 'image' };
  try {
    return { events: JSON.parse(new TextDecoder().decode(bytes)) };
  } catch {
    return undefined;
  }
}

function base64(bytes: Uint8Array): string {
  const letters: string[] = [];
  // `String.fromCharCode` takes a limited number of arguments.
  for (let at = 0; at < bytes.length; at += 0x8000) {
    letters.push(String.fromCharCode(...bytes.subarray(at, at + 0x8000)));
  }
  return btoa(letters.join(''));
}
