// Storage tab of a contract: slots, and edits that are reviewed and applied together.
import { canonicalFelt, feltOf, InvalidInput, selectorOf, shortHash } from '@starkbox/abi';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useId, useMemo, useState } from 'react';
import { grouped } from '../../format/amount.js';
import { Action, act, LastDone } from '../../parts/action.js';
import { Sheet } from '../../parts/dialog.js';
import { Loading, Problem } from '../../parts/page-states.js';
import { VirtualTable } from '../../parts/table/table.js';
import { VARIABLES } from '../../parts/transaction/state-changes.js';
import { BlockRef, Felt } from '../../parts/values.js';
import { call, isMissing } from '../../rpc/client.js';
import { useLive } from '../../rpc/live-state.js';
import type { Result } from '../../rpc/methods.js';

type Slot = Result<'devnet_getStorage'>['entries'][number];

/** An edited value that is not applied yet. */
interface Staged {
  readonly before: string;
  readonly after: string;
}

interface Row {
  readonly key: string;
  readonly value: string;
  /** Undefined for a slot that was zero. */
  readonly block: number | undefined;
  readonly staged: string | undefined;
}

function readFelt(text: string): string | undefined {
  try {
    return feltOf(text.trim());
  } catch (error) {
    if (error instanceof InvalidInput) return undefined;
    throw error;
  }
}

/** A slot by key, or by the name of a plain storage variable. */
export function readSlot(text: string): string | undefined {
  const given = text.trim();
  return (
    canonicalFelt(given) ?? (/^[A-Za-z_]\w{0,200}$/.test(given) ? selectorOf(given) : undefined)
  );
}

export function Storage({ address }: { readonly address: string }) {
  const beat = useLive((live) => live.beat);
  const [staged, setStaged] = useState<ReadonlyMap<string, Staged>>(new Map());
  const [editing, setEditing] = useState<string | undefined>();
  const [isAsking, setAsking] = useState(false);
  const query = useInfiniteQuery({
    queryKey: ['storage', address, beat],
    placeholderData: (old) => old,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }) =>
      call('devnet_getStorage', {
        contract_address: address,
        limit: 100,
        block_id: 'pre_confirmed',
        ...(pageParam === undefined ? {} : { cursor: pageParam }),
      }),
    getNextPageParam: (page: Result<'devnet_getStorage'>) => page.next,
  });
  const slots = useMemo(
    () => query.data?.pages.flatMap((page): readonly Slot[] => page.entries) ?? [],
    [query.data],
  );
  const rows = useMemo((): readonly Row[] => {
    const known = new Set(slots.map(({ key }) => key));
    const added = [...staged]
      .filter(([key]) => !known.has(key))
      .map(([key, { before, after }]) => ({ key, value: before, block: undefined, staged: after }));
    return [
      ...added,
      ...slots.map(({ key, value, last_update_block }) => ({
        key,
        value,
        block: last_update_block,
        staged: staged.get(key)?.after,
      })),
    ];
  }, [slots, staged]);

  const stage = (key: string, before: string, after: string): void => {
    const next = new Map(staged);
    if (after === before) next.delete(key);
    else next.set(key, { before, after });
    setStaged(next);
  };
  const count = staged.size;
  const changes = `${grouped(count)} ${count === 1 ? 'change' : 'changes'}`;

  if (query.error && !query.data && !isMissing(query.error)) {
    return <Problem error={query.error} what="the storage" retry={() => void query.refetch()} />;
  }
  if (query.isPending && !query.error) return <Loading what="the storage" />;
  return (
    <div className="stack storage">
      <div className="line-of storage-bar">
        <OtherSlot address={address} stage={stage} />
        {count > 0 && (
          <span className="line-of">
            <Action kind="primary" run={async () => setAsking(true)}>
              Apply {changes}…
            </Action>
            <button type="button" className="button" onClick={() => setStaged(new Map())}>
              Forget them
            </button>
          </span>
        )}
      </div>
      {rows.length === 0 ? (
        <p className="empty">
          {query.error
            ? 'This node does not list slots; one can be changed nevertheless.'
            : 'Every slot of it is zero.'}
        </p>
      ) : (
        <VirtualTable
          label="Storage"
          rows={rows}
          idOf={(row) => row.key}
          copyOf={(row) => row.key}
          classOf={(row) => (row.staged === undefined ? undefined : 'staged')}
          onEnd={() => {
            if (query.hasNextPage && !query.isFetchingNextPage) void query.fetchNextPage();
          }}
          columns={[
            {
              head: 'Slot',
              phone: 'main',
              cell: (row) => (
                <code title={row.key} data-eq={row.key}>
                  {VARIABLES.has(row.key) && (
                    <span className="variable">{VARIABLES.get(row.key)} </span>
                  )}
                  {row.key}
                </code>
              ),
            },
            {
              head: 'Value',
              width: 'w-state',
              number: true,
              cell: (row) => (
                <ValueCell
                  row={row}
                  isEditing={editing === row.key}
                  close={() => setEditing(undefined)}
                  stage={(after) => stage(row.key, row.value, after)}
                />
              ),
            },
            {
              head: 'Changed in',
              width: 'w-kind',
              number: true,
              phoneHead: 'block',
              cell: (row) => row.block !== undefined && <BlockRef of={row.block} />,
            },
            {
              head: 'Edit',
              width: 'w-small',
              cell: (row) => (
                <button
                  type="button"
                  className="plain"
                  aria-label={`Edit slot ${shortHash(row.key)}`}
                  onClick={() => setEditing(row.key)}
                >
                  Edit
                </button>
              ),
            },
          ]}
        />
      )}
      {isAsking && (
        <Sheet label={`Apply ${changes}`} close={() => setAsking(false)} className="sheet wide">
          <div>
            <h2>Apply {changes} to the storage</h2>
            <table className="plain-table" aria-label="Changes">
              <thead>
                <tr>
                  <th scope="col">Slot</th>
                  <th scope="col">Before</th>
                  <th scope="col">After</th>
                </tr>
              </thead>
              <tbody>
                {[...staged].map(([key, { before, after }]) => (
                  <tr key={key}>
                    <td>
                      {VARIABLES.get(key)} <Felt of={key} />
                    </td>
                    <td>
                      <StoredValue of={before} />
                    </td>
                    <td>
                      <StoredValue of={after} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
            <p className="quiet">
              Written at once by <code>devnet_applyStateDiff</code>, into the block being built.
            </p>
            <div className="line-of">
              <Action
                kind="primary"
                run={async () => {
                  const storage_entries = [...staged].map(([key, { after }]) => ({
                    key,
                    value: after,
                  }));
                  const done = await act(
                    'Change the storage',
                    'devnet_applyStateDiff',
                    { state_diff: { storage_diffs: [{ address, storage_entries }] } },
                    () => `${changes} applied`,
                  );
                  if (done === undefined) return;
                  setStaged(new Map());
                  setAsking(false);
                  void query.refetch();
                }}
              >
                Apply {changes}
              </Action>
              <button type="button" className="button" onClick={() => setAsking(false)}>
                Cancel
              </button>
            </div>
            <LastDone />
          </div>
        </Sheet>
      )}
    </div>
  );
}

/** Focuses itself when it appears. */
const take = (element: HTMLInputElement | null): void => element?.focus();

function ValueCell({
  row,
  isEditing,
  close,
  stage,
}: {
  readonly row: Row;
  readonly isEditing: boolean;
  readonly close: () => void;
  readonly stage: (after: string) => void;
}) {
  const [text, setText] = useState<string | undefined>();
  if (!isEditing) {
    return row.staged === undefined ? (
      <StoredValue of={row.value} />
    ) : (
      <span className="warn">
        <StoredValue of={row.value} /> → <StoredValue of={row.staged} />
      </span>
    );
  }
  const draft = text ?? row.staged ?? row.value;
  const felt = readFelt(draft);
  const keep = (): void => {
    if (felt !== undefined) stage(felt);
    setText(undefined);
    close();
  };
  return (
    <input
      ref={take}
      className="mono cell-input"
      value={draft}
      aria-label={`New value of slot ${shortHash(row.key)}`}
      aria-invalid={felt === undefined}
      title={felt === undefined ? "Write a number or a 'short string'." : felt}
      onChange={(event) => setText(event.target.value)}
      onBlur={keep}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === 'Enter') keep();
        if (event.key === 'Escape') {
          setText(undefined);
          close();
        }
      }}
    />
  );
}

/** Adds a slot that is not listed because it is zero. */
function OtherSlot({
  address,
  stage,
}: {
  readonly address: string;
  readonly stage: (key: string, before: string, after: string) => void;
}) {
  const id = useId();
  const [slot, setSlot] = useState('');
  const [value, setValue] = useState('');
  const [isJudged, setJudged] = useState(false);
  const key = readSlot(slot);
  const felt = readFelt(value);
  const add = async (): Promise<void> => {
    setJudged(true);
    if (key === undefined || felt === undefined) return;
    const found = await call('starknet_getStorageAt', {
      block_id: 'pre_confirmed',
      contract_address: address,
      key,
    });
    stage(key, typeof found === 'string' ? found : found.value, felt);
    setSlot('');
    setValue('');
    setJudged(false);
  };
  return (
    <form
      className="line-of"
      aria-label="Change a slot"
      onSubmit={(event) => {
        event.preventDefault();
        void add();
      }}
    >
      <label>
        slot or variable
        <input
          className="mono slot-input"
          value={slot}
          aria-invalid={isJudged && key === undefined}
          aria-describedby={id}
          onChange={(event) => setSlot(event.target.value)}
        />
      </label>
      <label>
        new value
        <input
          className="mono slot-input"
          value={value}
          aria-invalid={isJudged && felt === undefined}
          aria-describedby={id}
          onChange={(event) => setValue(event.target.value)}
        />
      </label>
      <button type="submit" className="button">
        Stage it
      </button>
      <span id={id} className={isJudged ? 'fail' : 'quiet'}>
        {isJudged && (key === undefined || felt === undefined)
          ? 'Write a key (0x…) or a name, and a number.'
          : key !== undefined && canonicalFelt(slot) === undefined
            ? shortHash(key)
            : ''}
      </span>
    </form>
  );
}

function StoredValue({ of }: { readonly of: string }) {
  return of.length <= 18 ? <span title={of}>{grouped(BigInt(of))}</span> : <Felt of={of} />;
}
