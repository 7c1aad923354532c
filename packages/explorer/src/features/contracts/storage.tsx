// Storage tab of a contract: values by variable, and edits that are reviewed and applied together.
import { decodeStored, type SlotWrite, type StoredValue } from '@starkbox/abi/internal';
import { type ReactNode, useDeferredValue, useMemo, useState } from 'react';
import { counted, grouped } from '../../format/amount.js';
import { Action } from '../../parts/action.js';
import { Button, PlainButton } from '../../parts/button.js';
import { Empty, Loading, Problem } from '../../parts/page-states.js';
import { type Column, numberColumn, VirtualTable } from '../../parts/table/table.js';
import { SlotName, SlotValue } from '../../parts/transaction/slot-name.js';
import { BlockRef, UntrustedText } from '../../parts/values.js';
import { isMissing } from '../../rpc/client.js';
import { FilterField } from './filter-field.js';
import { ApplySheet, OtherSlot, type StagedChanges, type StagedValue } from './staged-changes.js';
import { LATER_PAGE, type StorageListing, useStorageListing } from './storage-listing.js';
import {
  filteredValues,
  type GroupRow,
  groupedRows,
  type StorageRow,
  sortedValues,
  type ValueRow,
  withWrites,
} from './storage-rows.js';
import { EditorSheet, hasOneField, InlineEditor } from './value-editor.js';

export function Storage({ address }: { readonly address: string }) {
  const [staged, setStaged] = useState<StagedChanges>(new Map());
  const [isAsking, setAsking] = useState(false);
  const [filter, setFilter] = useState('');
  const listing = useStorageListing(address);
  const { slots, names, read } = listing;
  const values = useMemo(
    () => sortedValues(address, { slots, names, read }),
    [address, slots, names, read],
  );
  const rows = useMemo(() => withStaged(values, staged), [values, staged]);
  const deferredFilter = useDeferredValue(filter);
  const shown = useMemo(() => filteredValues(rows, deferredFilter), [rows, deferredFilter]);

  const stage = (change: StagedValue): void => {
    const writes = change.writes.filter(({ key, value }) => value !== change.read(key));
    const next = new Map(staged);
    if (writes.length === 0) next.delete(change.value.key);
    else next.set(change.value.key, { ...change, writes });
    setStaged(next);
  };

  if (listing.error && values.length === 0 && !isMissing(listing.error)) {
    return <Problem error={listing.error} what="the storage" retry={listing.readAgain} />;
  }
  if (listing.isPending && !listing.error) return <Loading what="the storage" />;
  return (
    <div className="stack storage">
      <StorageBar
        filter={filter}
        setFilter={setFilter}
        changeCount={staged.size}
        apply={() => setAsking(true)}
        discard={() => setStaged(new Map())}
      />
      <Loaded
        of={listing}
        values={rows.length}
        shown={shown.length}
        isFiltered={deferredFilter !== ''}
      />
      {rows.length === 0 ? (
        <Empty
          icon="contracts"
          title={listing.error ? 'This node does not list slots.' : 'All slots are zero.'}
        >
          Set a slot by its key below.
        </Empty>
      ) : (
        <StorageTable
          address={address}
          rows={shown}
          staged={staged}
          listing={listing}
          isFiltered={deferredFilter !== ''}
          stage={stage}
        />
      )}
      <OtherSlot address={address} stage={stage} />
      {isAsking && (
        <ApplySheet
          address={address}
          staged={staged}
          close={() => setAsking(false)}
          onApplied={() => {
            setStaged(new Map());
            setAsking(false);
            listing.readAgain();
          }}
        />
      )}
    </div>
  );
}

interface StorageBarProps {
  readonly filter: string;
  readonly setFilter: (filter: string) => void;
  readonly changeCount: number;
  readonly apply: () => void;
  readonly discard: () => void;
}

function StorageBar({ filter, setFilter, changeCount, apply, discard }: StorageBarProps) {
  return (
    <div className="tab-bar storage-bar">
      <FilterField
        text={filter}
        change={setFilter}
        placeholder="Filter by variable, key or value"
      />
      {changeCount > 0 && (
        <span className="line-of">
          <Action kind="primary" run={async () => apply()}>
            Apply {counted(changeCount, 'change')}…
          </Action>
          <Button onClick={discard}>Discard</Button>
        </span>
      )}
    </div>
  );
}

/** Values with staged ones that hold nothing yet in front. */
function withStaged(values: readonly ValueRow[], staged: StagedChanges): readonly ValueRow[] {
  const listed = new Set(values.map(({ id }) => id));
  const added = [...staged.values()].filter(({ value }) => !listed.has(value.key));
  if (added.length === 0) return values;
  return [
    ...added.map(
      ({ value, name, title, read }): ValueRow => ({
        kind: 'value',
        id: value.key,
        value,
        name,
        title,
        decoded: decodeStored(value, read),
        block: undefined,
        isInGroup: false,
      }),
    ),
    ...values,
  ];
}

interface LoadedProps {
  readonly of: StorageListing;
  readonly values: number;
  readonly shown: number;
  readonly isFiltered: boolean;
}

/** How much is loaded, since groups and the filter cover no more. */
function Loaded({ of, values, shown, isFiltered }: LoadedProps) {
  const { slots, hasMore, isLoading, isOld } = of;
  return (
    <div className="line-of loaded">
      <span role="status" className="quiet">
        {isFiltered
          ? `${grouped(shown)} of ${counted(values, 'value')}`
          : `${counted(values, 'value')} in ${counted(slots.length, 'slot')}`}
        {hasMore && ', in the order of slot keys. Groups and the filter cover loaded slots only.'}
      </span>
      {hasMore && (
        <>
          <Button aria-disabled={isLoading} onClick={of.loadMore}>
            {isLoading ? 'Loading…' : `Load ${grouped(LATER_PAGE)} more`}
          </Button>
          <Button onClick={of.loadAll}>Load all</Button>
        </>
      )}
      {isOld && (
        <>
          <span className="warn">The chain has changed since.</span>
          <Button onClick={of.readAgain}>Read again</Button>
        </>
      )}
    </div>
  );
}

interface StorageTableProps {
  readonly address: string;
  readonly rows: readonly ValueRow[];
  readonly staged: StagedChanges;
  readonly listing: StorageListing;
  readonly isFiltered: boolean;
  readonly stage: (change: StagedValue) => void;
}

function StorageTable(props: StorageTableProps) {
  const { address, rows, staged, listing, isFiltered, stage } = props;
  const [toggled, setToggled] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [editing, setEditing] = useState<string | undefined>();
  const table = useMemo(() => groupedRows(rows, toggled, isFiltered), [rows, toggled, isFiltered]);
  const edited = rows.find(({ id }) => id === editing);
  const readOf = (value: StoredValue) => {
    const change = staged.get(value.key);
    return change ? withWrites(change.read, change.writes) : listing.read;
  };
  const editorOf = ({ value, name, title }: ValueRow) => ({
    address,
    value,
    title,
    read: readOf(value),
    stage: (writes: readonly SlotWrite[]) =>
      stage({ value, name, title, writes, read: staged.get(value.key)?.read ?? listing.read }),
    close: () => setEditing(undefined),
  });
  const isInline = edited !== undefined && hasOneField(edited.value, readOf(edited.value));
  const cells: StorageCells = {
    address,
    staged,
    toggle: ({ id, isOpen }) => setToggled(new Map([...toggled, [id, !isOpen]])),
    edit: setEditing,
    editor: (row) =>
      isInline && row.id === editing ? <InlineEditor {...editorOf(row)} /> : undefined,
  };
  return (
    <>
      <VirtualTable
        label="Storage"
        rows={table}
        idOf={(row) => row.id}
        copyOf={(row) => (row.kind === 'value' ? row.value.key : (row.variable ?? ''))}
        classOf={(row) =>
          row.kind === 'group' ? 'group' : staged.has(row.id) ? 'staged' : undefined
        }
        columns={storageColumns(cells)}
        grows
      />
      {edited && !isInline && <EditorSheet {...editorOf(edited)} />}
    </>
  );
}

interface StorageCells {
  readonly address: string;
  readonly staged: StagedChanges;
  readonly toggle: (group: GroupRow) => void;
  readonly edit: (id: string) => void;
  /** The editor of a row that is being edited in place. */
  readonly editor: (row: ValueRow) => ReactNode | undefined;
}

function storageColumns(cells: StorageCells): readonly Column<StorageRow>[] {
  const { address, staged, toggle, edit, editor } = cells;
  return [
    {
      head: 'Variable',
      phone: 'main',
      least: 17,
      cell: (row) =>
        row.kind === 'group' ? (
          <GroupHead of={row} toggle={() => toggle(row)} />
        ) : (
          <span className={row.isInGroup ? 'in-group' : undefined}>
            <SlotName slot={row.value.key} name={row.name} whole isInGroup={row.isInGroup} />
          </span>
        ),
    },
    {
      head: 'Type',
      width: 'w-type',
      phone: 'none',
      cell: (row) =>
        row.kind === 'value' &&
        row.value.type !== undefined && (
          <span className="quiet">
            <UntrustedText text={row.value.type} limit={60} />
          </span>
        ),
    },
    {
      head: 'Value',
      width: 'w-stored',
      rank: 0,
      number: true,
      cell: (row) =>
        row.kind === 'value' &&
        (editor(row) ?? <StoredCell address={address} row={row} staged={staged.get(row.id)} />),
    },
    numberColumn(
      'Block',
      'w-block',
      (row) => row.kind === 'value' && row.block !== undefined && <BlockRef of={row.block} />,
      'block',
    ),
    {
      head: 'Edit',
      width: 'w-small',
      rank: 0,
      isHeadUnseen: true,
      cell: (row) =>
        row.kind === 'value' &&
        row.decoded !== undefined && (
          <PlainButton aria-label={`Edit ${row.title}`} onClick={() => edit(row.id)}>
            Edit
          </PlainButton>
        ),
    },
  ];
}

function GroupHead({ of, toggle }: { readonly of: GroupRow; readonly toggle: () => void }) {
  return (
    <PlainButton className="plain group-head" aria-expanded={of.isOpen} onClick={toggle}>
      <span className="variable">
        {of.variable === undefined ? (
          'Slots without a name'
        ) : (
          <UntrustedText text={of.variable} limit={60} />
        )}
      </span>{' '}
      <span className="count">{grouped(of.count)}</span>
    </PlainButton>
  );
}

interface StoredCellProps {
  readonly address: string;
  readonly row: ValueRow;
  readonly staged: StagedValue | undefined;
}

function StoredCell({ address, row: { value, name, decoded }, staged }: StoredCellProps) {
  if (decoded === undefined) return <span className="quiet">not loaded</span>;
  const stored = <SlotValue contract={address} name={name} of={decoded} fold />;
  if (!staged) return stored;
  const after = decodeStored(value, withWrites(staged.read, staged.writes));
  return (
    <span className="warn">
      {stored} → {after && <SlotValue contract={address} name={name} of={after} fold />}
    </span>
  );
}
