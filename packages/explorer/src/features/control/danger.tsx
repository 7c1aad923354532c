// Section of the actions that lose blocks or the chain. Each asks for confirmation.
import { useId, useState } from 'react';
import { grouped } from '../../format/amount.js';
import { Action, act } from '../../parts/action.js';
import { type AskProps, Group } from '../../parts/confirm.js';
import { NumberInput } from '../../parts/inputs.js';
import { canWrite, useLive } from '../../rpc/live-state.js';
import type { Params } from '../../rpc/methods.js';
import { useStatus } from '../../rpc/queries.js';
import { useSnapshots } from '../../rpc/snapshots.js';
import { runTask } from '../../state/tasks.js';
import { wholeNumber } from './block-settings.js';

export function DangerCards({ ask }: AskProps) {
  return (
    <section className="danger-zone" aria-labelledby="danger">
      <h2 id="danger">Actions that lose data</h2>
      <div className="cards">
        <Abort ask={ask} />
        <Reorganise ask={ask} />
        <ReplaceChain ask={ask} />
      </div>
    </section>
  );
}

function Abort({ ask }: AskProps) {
  const [from, setFrom] = useState('');
  const head = useLive((live) => live.head?.number ?? 0);
  const number = wholeNumber(from);
  const isWrong = number === undefined || number < 1 || number > head;
  return (
    <Group name="Abort blocks">
      <p className="quiet">Remove a block and all later blocks.</p>
      <div className="fields">
        <NumberInput label="First block to abort" value={from} change={setFrom} />
        <Action
          kind="danger"
          refused={isWrong ? `Enter a block number from 1 to ${head}.` : undefined}
          run={async () =>
            ask({
              title: `Abort from block ${number}?`,
              loss: `You lose blocks ${number} to ${head}: ${grouped(head - (number ?? 0) + 1)} in all.`,
              verb: `Abort from block ${number}`,
              canKeep: true,
              run: () =>
                act(
                  `Abort from block ${number}`,
                  'devnet_abortBlocks',
                  { starting_block_id: { block_number: number ?? 0 } },
                  ({ aborted }) => `${aborted.length} blocks aborted`,
                ),
            })
          }
        >
          Abort from {number ?? '…'}
        </Action>
      </div>
    </Group>
  );
}

function Reorganise({ ask }: AskProps) {
  const [depth, setDepth] = useState('');
  const head = useLive((live) => live.head?.number ?? 0);
  const number = wholeNumber(depth);
  const isWrong = number === undefined || number < 1 || number > head;
  return (
    <Group name="Reorganize">
      <p className="quiet">Replace the newest blocks with empty blocks.</p>
      <div className="fields">
        <NumberInput label="Blocks to replace" value={depth} change={setDepth} />
        <Action
          kind="danger"
          refused={isWrong ? `Enter a number of blocks from 1 to ${head}.` : undefined}
          run={async () =>
            ask({
              title: `Replace the newest ${number} blocks?`,
              loss: `Empty blocks replace ${grouped(number ?? 0)} blocks. You lose their transactions.`,
              verb: 'Replace the blocks',
              canKeep: true,
              run: () =>
                act(
                  `Replace ${number} blocks`,
                  'devnet_reorg',
                  { depth: number ?? 1 },
                  ({ blocks }) => `${blocks.length} new blocks`,
                ),
            })
          }
        >
          Replace blocks…
        </Action>
      </div>
    </Group>
  );
}

function ReplaceChain({ ask }: AskProps) {
  const status = useStatus();
  const snapshots = useSnapshots();
  const loss = `${grouped(status.data?.block_count ?? 0)} blocks, ${grouped(status.data?.transaction_count ?? 0)} transactions and ${snapshots.data?.length ?? 0} snapshots`;
  return (
    <Group name="Replace the chain">
      <Load ask={ask} loss={loss} />
      <div>
        <Action
          kind="danger"
          run={async () =>
            ask({
              title: 'Restart the chain?',
              loss: `The chain returns to genesis. You lose ${loss}.`,
              verb: 'Restart the chain',
              canKeep: true,
              run: () => act('Restart the chain', 'devnet_restart', {}, () => 'it is at genesis'),
            })
          }
        >
          Restart the chain…
        </Action>
      </div>
    </Group>
  );
}

/** Replaces the chain by one from a file. */
function Load({ ask, loss }: AskProps & { readonly loss: string }) {
  const id = useId();
  const [problem, setProblem] = useState<string | undefined>();
  const isLive = useLive(({ connection }) => canWrite(connection));
  const load = async (file: File): Promise<void> => {
    const params = await chainIn(file);
    setProblem(params ? undefined : 'The file is neither an image nor a journal.');
    if (!params) return;
    ask({
      title: 'Load another chain?',
      loss: `The chain in the file replaces this chain. You lose ${loss}.`,
      verb: 'Load the chain',
      canKeep: true,
      run: () => act('Load a chain', 'devnet_load', params, () => 'loaded'),
    });
  };
  return (
    <div className="fields">
      <label htmlFor={id}>
        Load an image or a journal
        <input
          id={id}
          type="file"
          disabled={!isLive}
          aria-describedby={`${id}-problem`}
          onChange={({ target }) => {
            const [file] = target.files ?? [];
            if (file) runTask(load(file));
            // Lets the same file be selected again.
            target.value = '';
          }}
        />
      </label>
      <span id={`${id}-problem`} className="fail" role="alert">
        {problem}
      </span>
    </div>
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
