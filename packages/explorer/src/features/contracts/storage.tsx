// Storage tab of a contract: slots, and edits that are reviewed and applied together.
import { shortHash } from '@starkbox/abi';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { counted } from '../../format/amount.js';
import { Action, act, LastDone } from '../../parts/action.js';
import { Button, PlainButton } from '../../parts/button.js';
import { Sheet } from '../../parts/dialog.js';
import { Loading, Problem } from '../../parts/page-states.js';
import { type Column, VirtualTable } from '../../parts/table/table.js';
import { SlotName } from '../../parts/transaction/slot-name.js';
import { type SlotNames, slotId, useSlotNames } from '../../parts/transaction/slot-names.js';
import { BlockRef } from '../../parts/values.js';
import { call, isMissing } from '../../rpc/client.js';
import { useLive } from '../../rpc/live-state.js';
import type { Result } from '../../rpc/methods.js';
import { runTask } from '../../state/tasks.js';
import { OtherSlot, type Row, StoredValue, ValueCell } from './slot-fields.js';

type Slot = Result<'devnet_getStorage'>['entries'][number];

/** An edited value that is not applied yet. */
interface Staged {
  readonly before: string;
  readonly after: string;
}

type Changes = ReadonlyMap<string, Staged>;

export function Storage({ address }: { readonly address: string }) {
  const [staged, setStaged] = useState<Changes>(new Map());
  const [isAsking, setAsking] = useState(false);
  const query = useSlots(address);
  const names = useNamesOf(address, query.slots, staged);
  const rows = useMemo(
    () => withStaged(query.slots, staged, (key) => names.get(slotId({ contract: address, key }))),
    [query.slots, staged, names, address],
  );

  const stage = (key: string, before: string, after: string): void => {
    const next = new Map(staged);
    if (after === before) next.delete(key);
    else next.set(key, { before, after });
    setStaged(next);
  };

  if (query.error && !query.data && !isMissing(query.error)) {
    return <Problem error={query.error} what="the storage" retry={query.refetch} />;
  }
  if (query.isPending && !query.error) return <Loading what="the storage" />;
  return (
    <div className="stack storage">
      <div className="line-of storage-bar">
        <OtherSlot address={address} stage={stage} />
        {staged.size > 0 && (
          <span className="line-of">
            <Action kind="primary" run={async () => setAsking(true)}>
              Apply {counted(staged.size, 'change')}…
            </Action>
            <Button onClick={() => setStaged(new Map())}>Discard</Button>
          </span>
        )}
      </div>
      {rows.length === 0 ? (
        <p className="empty">
          {query.error
            ? 'This node does not list slots. You can still change one by its key.'
            : 'All slots are zero.'}
        </p>
      ) : (
        <SlotTable address={address} rows={rows} readMore={query.readMore} stage={stage} />
      )}
      {isAsking && (
        <ApplySheet
          address={address}
          staged={staged}
          names={names}
          close={() => setAsking(false)}
          onApplied={() => {
            setStaged(new Map());
            setAsking(false);
            runTask(query.refetch());
          }}
        />
      )}
    </div>
  );
}

/** The slots of a contract that hold something, read page by page. */
function useSlots(address: string) {
  const beat = useLive((live) => live.beat);
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
  const readMore = (): void => {
    if (query.hasNextPage && !query.isFetchingNextPage) runTask(query.fetchNextPage());
  };
  const { data, error, isPending, refetch } = query;
  return { data, error, isPending, refetch, slots, readMore };
}

/** Also those of slots that are staged and hold nothing yet. */
function useNamesOf(contract: string, slots: readonly Slot[], staged: Changes): SlotNames {
  const places = useMemo(() => {
    const keys = new Set([...slots.map(({ key }) => key), ...staged.keys()]);
    return [...keys].map((key) => ({ contract, key }));
  }, [contract, slots, staged]);
  return useSlotNames(places);
}

/** Slots with their staged values; those that are staged but hold nothing yet come first. */
function withStaged(
  slots: readonly Slot[],
  staged: Changes,
  nameOf: (key: string) => Row['name'],
): readonly Row[] {
  const values = new Map(slots.map(({ key, value }) => [key, value]));
  const listed = new Set(slots.map(({ key }) => key));
  const added = [...staged]
    .filter(([key]) => !listed.has(key))
    .map(([key, { before, after }]) => ({
      key,
      name: nameOf(key),
      value: before,
      high: undefined,
      block: undefined,
      staged: after,
    }));
  return [
    ...added,
    ...slots.map(({ key, value, last_update_block }) => ({
      key,
      name: nameOf(key),
      value,
      high: nameOf(key)?.part === 'low' ? values.get(nextSlot(key)) : undefined,
      block: last_update_block,
      staged: staged.get(key)?.after,
    })),
  ];
}

const nextSlot = (key: string): string => `0x${(BigInt(key) + 1n).toString(16)}`;

interface SlotTableProps {
  readonly address: string;
  readonly rows: readonly Row[];
  readonly readMore: () => void;
  readonly stage: (key: string, before: string, after: string) => void;
}

function SlotTable({ address, rows, readMore, stage }: SlotTableProps) {
  const [editing, setEditing] = useState<string | undefined>();
  return (
    <VirtualTable
      label="Storage"
      rows={rows}
      idOf={(row) => row.key}
      copyOf={(row) => row.key}
      classOf={(row) => (row.staged === undefined ? undefined : 'staged')}
      onEnd={readMore}
      columns={slotColumns({ address, editing, setEditing, stage })}
    />
  );
}

interface Editing {
  readonly address: string;
  readonly editing: string | undefined;
  readonly setEditing: (key: string | undefined) => void;
  readonly stage: SlotTableProps['stage'];
}

function slotColumns({ address, editing, setEditing, stage }: Editing): readonly Column<Row>[] {
  return [
    {
      head: 'Slot',
      phone: 'main',
      cell: (row) =>
        row.name ? (
          <SlotName slot={row.key} name={row.name} joined={row.name.part === 'low'} />
        ) : (
          <code title={row.key} data-eq={row.key}>
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
          address={address}
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
        <PlainButton
          aria-label={`Edit slot ${shortHash(row.key)}`}
          onClick={() => setEditing(row.key)}
        >
          Edit
        </PlainButton>
      ),
    },
  ];
}

interface ApplySheetProps {
  readonly address: string;
  readonly staged: Changes;
  readonly names: SlotNames;
  readonly close: () => void;
  readonly onApplied: () => void;
}

function ApplySheet({ address, staged, names, close, onApplied }: ApplySheetProps) {
  const changes = counted(staged.size, 'change');
  const apply = async (): Promise<void> => {
    const storage_entries = [...staged].map(([key, { after }]) => ({
      key,
      value: after,
    }));
    const applied = await act(
      'Change the storage',
      'devnet_applyStateDiff',
      { state_diff: { storage_diffs: [{ address, storage_entries }] } },
      () => `${changes} applied`,
    );
    if (applied !== undefined) onApplied();
  };
  return (
    <Sheet label={`Apply ${changes}`} close={close} className="sheet wide">
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
                  <SlotName slot={key} name={names.get(slotId({ contract: address, key }))} />
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
          Written together by <code>devnet_applyStateDiff</code>, into the pre-confirmed block.
        </p>
        <div className="line-of">
          <Action kind="primary" run={apply}>
            Apply {changes}
          </Action>
          <Button onClick={close}>Cancel</Button>
        </div>
        <LastDone />
      </div>
    </Sheet>
  );
}
