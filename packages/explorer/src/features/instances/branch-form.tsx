// Form that branches the shown chain, from its head or from an earlier block.
import { type ReactNode, useState } from 'react';
import { chainPath, instanceId } from '../../format/chain-path.js';
import { Action, act, note } from '../../parts/action.js';
import { Form, NumberInput, numberIn, TextInput } from '../../parts/inputs.js';
import { ErrorText } from '../../parts/page-states.js';
import { asCurl, request } from '../../rpc/client.js';
import { useLive } from '../../rpc/live-state.js';
import { runTask } from '../../state/tasks.js';
import { readAgain, shortId } from './chains.js';

/**
 * The node branches a chain as it is now. For an earlier block, the later ones are aborted on the new instance,
 * which the branched chain does not notice.
 */
async function branch(name: string, at: number | undefined, tell: (id: string) => ReactNode) {
  const created = await act(
    'Create a branch',
    'devnet_createInstance',
    name === '' ? {} : { name },
    ({ instance_id: id }) => tell(id),
  );
  if (created === undefined || at === undefined) return created;
  const params = { starting_block_id: { block_number: at + 1 } };
  try {
    await request('devnet_abortBlocks', params, chainPath(created.instance_id));
    return created;
  } catch (error) {
    await request('devnet_deleteInstance', { instance_id: created.instance_id });
    const what = `Branch at block ${at}`;
    const outcome = <ErrorText of={error} />;
    note({ what, curl: asCurl('devnet_abortBlocks', params), outcome, isFailure: true });
    return undefined;
  }
}

interface BranchFormProps {
  readonly hrefOf: (path: string) => string;
  readonly canChooseBlock?: boolean;
  /** The block in the field at first. */
  readonly start?: string;
}

export function BranchForm({ hrefOf, canChooseBlock = false, start = '' }: BranchFormProps) {
  const [name, setName] = useState('');
  const [block, setBlock] = useState(start);
  const head = useLive((live) => live.head?.number);
  const label = name.trim();
  const at = numberIn(block.trim());
  const isWrong = block.trim() !== '' && (at === undefined || (head !== undefined && at > head));
  const create = async (): Promise<void> => {
    if (isWrong) return;
    const earlier = at !== undefined && at !== head ? at : undefined;
    const created = await branch(label, earlier, (id) => (
      <a href={hrefOf(chainPath(id))}>open {label === '' ? shortId(id) : label}</a>
    ));
    if (created !== undefined) {
      setName('');
      setBlock('');
    }
    await readAgain();
  };
  return (
    <Form className="fields" aria-label="New branch" submit={() => runTask(create())}>
      <TextInput label="Name (optional)" value={name} maxLength={100} change={setName} />
      {canChooseBlock && <NumberInput label="At block" value={block} change={setBlock} />}
      <Action
        kind="primary"
        run={create}
        refused={isWrong ? `Enter a block number up to ${head ?? 0}.` : undefined}
      >
        Branch {instanceId() === undefined ? 'the main chain' : 'this instance'}
        {canChooseBlock && ` at ${isWrong || at === undefined ? 'its head' : `block ${at}`}`}
      </Action>
      {/* Enter submits a form of several fields only with a button for it. */}
      <button type="submit" hidden aria-hidden="true" />
    </Form>
  );
}
