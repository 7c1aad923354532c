// Call tree table: frames with the events between them, open along the path to the failure, and the selected frame.
import type { CallTree, Frame } from '@starkbox/abi';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { counted } from '../../../format/amount.js';
import { useNames } from '../../../format/names.js';
import { isShortcut } from '../../../navigation/key-events.js';
import { go, setQuery, to, useRoute } from '../../../navigation/route.js';
import { Checkbox, TextInput } from '../../../parts/inputs.js';
import { Integer } from '../../../parts/number.js';
import { rowHeight, Spacer, TableHead } from '../../../parts/table/table.js';
import { asJson, type Classes, FrameDetail } from '../../../parts/transaction/call-line.js';
import { runTask } from '../../../state/tasks.js';
import { Row } from './frame-row.js';
import { firstOpen, matchingRows, rowsOf, type TreeRow, withInner } from './rows.js';

const TALLEST = 560;
/** Smaller trees have no filter. */
const FEW = 12;
const HEADS = [
  { head: 'Frame' },
  { head: 'L2 gas', width: 'w-gas', number: true },
  { head: 'Share', width: 'w-share' },
];

interface CallTreeProps {
  /** The transaction. */
  readonly hash: string;
  readonly tree: CallTree;
  readonly classes: Classes;
  readonly total: number;
}

export function CallTreeView({ hash, tree, classes, total }: CallTreeProps) {
  const frameId = useRoute().query.get('frame') ?? undefined;
  const chosen = frameId ?? tree.cause?.id;
  const field = useRef<HTMLInputElement>(null);
  const [filter, setFilter] = useState('');
  const { rows, open, setOpen, found: matchCount, hasEvents } = useRows(tree, frameId, filter);
  const { scroller, virtual, active, setActive, move } = useActiveRow(rows, chosen);
  const selected = rows.find(({ id }) => id === chosen);
  const toggle = (id: string, isOpen: boolean): void => {
    const others = [...open].filter((rowId) => rowId !== id);
    setOpen(new Set(isOpen ? [...others, id] : others));
  };
  const showFailure = useFailureRow(tree, rows, { open, setOpen, move });
  const press = (event: KeyboardEvent): void =>
    pressKey(event, { hash, tree, rows, active, open, setOpen, toggle, move, showFailure, field });

  const items = virtual.getVirtualItems();
  const before = items[0]?.start ?? 0;
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    <div className="calls">
      <div>
        <div className="filters">
          {tree.count > FEW && (
            <Find
              field={field}
              text={filter}
              change={setFilter}
              leave={() => move(0)}
              matchCount={matchCount}
            />
          )}
          <EventsBox tree={tree} hasEvents={hasEvents} />
        </div>
        <section
          ref={scroller}
          className="tree-scroll"
          aria-label="Calls"
          style={{ maxHeight: TALLEST }}
        >
          <table
            className="table tree"
            role="treegrid"
            aria-label="Call tree"
            aria-rowcount={rows.length + 1}
            onKeyDown={press}
          >
            <TableHead columns={HEADS} />
            <tbody>
              {before > 0 && <Spacer height={before} />}
              {items.map(({ index }) => {
                const row = rows[index];
                return (
                  row && (
                    <Row
                      key={row.id}
                      row={row}
                      index={index}
                      classes={classes}
                      total={total}
                      isOpen={open.has(row.id)}
                      isChosen={row.id === chosen}
                      isActive={index === active}
                      measure={virtual.measureElement}
                      activate={setActive}
                      toggle={toggle}
                    />
                  )
                );
              })}
              {after > 0 && <Spacer height={after} />}
            </tbody>
          </table>
        </section>
        <OutsideCalls tree={tree} total={total} />
        {selected?.kind === 'frame' && <Detail of={selected.frame} classes={classes} hash={hash} />}
      </div>
    </div>
  );
}

/** The rest of the gas that the receipt has, so that the tree and the receipt agree. */
function OutsideCalls({ tree, total }: Pick<CallTreeProps, 'tree' | 'total'>) {
  const charged = tree.roots.filter(({ phase }) => phase !== 'fee');
  const outside = charged.reduce((rest, { l2Gas = 0 }) => rest - l2Gas, total);
  if (outside <= 0) return null;
  const isReverted = charged.some(({ failed }) => failed);
  return (
    <p className="outside-calls">
      <span>
        {isReverted
          ? 'Reverted calls, and charges outside of calls'
          : 'Outside of the calls: calldata, signature, events, messages and steps of the protocol'}
      </span>
      <Integer of={outside} />
    </p>
  );
}

interface DetailProps {
  readonly of: Frame;
  readonly classes: Classes;
  readonly hash: string;
}

function Detail({ of, classes, hash }: DetailProps) {
  const debugAddress = (event?: number): string => debugOf(hash, of.id, event);
  return (
    <FrameDetail
      of={of}
      classes={classes}
      debugAddress={of.fate === 'not reached' || of.phase === 'fee' ? undefined : debugAddress}
    />
  );
}

/** The debugger at a call, or at an event that it emitted. */
function debugOf(hash: string, call: string, event?: number): string {
  return to('tx', hash, {
    tab: 'debug',
    call,
    ...(event === undefined ? {} : { event: String(event) }),
  });
}

function EventsBox({ tree, hasEvents }: { readonly tree: CallTree; readonly hasEvents: boolean }) {
  const isUsed = useMemo(() => emits(tree.roots), [tree]);
  if (!isUsed) return null;
  return (
    <Checkbox
      checked={hasEvents}
      change={(isOn) => setQuery({ emitted: isOn ? undefined : 'hidden' })}
    >
      events
    </Checkbox>
  );
}

const emits = (frames: readonly Frame[]): boolean =>
  frames.some(({ events, children }) => events.length > 0 || emits(children));

/** The rows that are shown: those that are open, or those that match the filter. */
function useRows(tree: CallTree, frameId: string | undefined, filter: string) {
  const hasEvents = useRoute().query.get('emitted') !== 'hidden';
  const [open, setOpen] = useState(() => firstOpen(tree, frameId));
  const names = useNames();
  const letters = filter.trim().toLowerCase();
  const matches = useMemo(
    () => (letters === '' ? undefined : matchingRows(tree, letters, names)),
    [tree, letters, names],
  );
  const rows = useMemo(
    () => matches?.rows ?? rowsOf(tree, { open, hasEvents }),
    [tree, open, hasEvents, matches],
  );
  return { rows, open, setOpen, found: matches?.matchCount, hasEvents };
}

/** The row that the keyboard is at, and the virtualizer that scrolls to it. */
function useActiveRow(rows: readonly TreeRow[], chosen: string | undefined) {
  const [active, setActive] = useState(() =>
    Math.max(
      0,
      rows.findIndex(({ id }) => id === chosen),
    ),
  );
  const scroller = useRef<HTMLElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: rowHeight,
    overscan: 8,
    initialRect: { width: TALLEST, height: TALLEST },
  });
  const move = (at: number): void => {
    const bounded = Math.max(0, Math.min(rows.length - 1, at));
    setActive(bounded);
    virtual.scrollToIndex(bounded, { align: 'auto' });
    requestAnimationFrame(() =>
      scroller.current?.querySelector<HTMLElement>(`[data-row="${bounded}"]`)?.focus(),
    );
  };
  return { scroller, virtual, active, setActive, move };
}

type Opening = Pick<Keys, 'open' | 'setOpen' | 'move'>;

/** Goes to the failing call, by a function and by `x` from anywhere on the page. */
function useFailureRow(
  tree: CallTree,
  rows: readonly TreeRow[],
  { open, setOpen, move }: Opening,
): () => void {
  const [isWanted, setWanted] = useState(false);
  const id = tree.cause?.id;
  const show = (): void => {
    if (id === undefined) return;
    setOpen(new Set([...open, ...firstOpen(tree, id)]));
    setQuery({ frame: id });
    setWanted(true);
  };
  const latest = useRef(show);
  latest.current = show;
  useEffect(() => {
    const press = (event: globalThis.KeyboardEvent): void => {
      if (event.key !== 'x' || !isShortcut(event)) return;
      event.preventDefault();
      latest.current();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  // The row is there after the path was opened.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each request
  useEffect(() => {
    const at = rows.findIndex((row) => row.kind === 'frame' && row.frame.id === id);
    if (!isWanted || at < 0) return;
    setWanted(false);
    move(at);
  }, [isWanted, rows]);
  return show;
}

interface Keys {
  readonly hash: string;
  readonly tree: CallTree;
  readonly rows: readonly TreeRow[];
  readonly active: number;
  readonly open: ReadonlySet<string>;
  readonly setOpen: (open: Set<string>) => void;
  readonly toggle: (id: string, isOpen: boolean) => void;
  readonly move: (at: number) => void;
  readonly showFailure: () => void;
  readonly field: RefObject<HTMLInputElement | null>;
}

function pressKey(event: KeyboardEvent, of: Keys): void {
  const { hash, tree, rows, active, open, setOpen, toggle, move, showFailure, field } = of;
  if (event.metaKey || event.ctrlKey || event.altKey) return;
  if (event.key.length === 1 && !isShortcut(event)) return;
  const row = rows[active];
  if (!row) return;
  const frames = row.kind === 'run' ? row.frames : [row.frame];
  const [frame] = frames;
  if (!frame) return;
  const keys: Record<string, () => void> = {
    ArrowDown: () => move(active + 1),
    j: () => move(active + 1),
    ArrowUp: () => move(active - 1),
    k: () => move(active - 1),
    Home: () => move(0),
    End: () => move(rows.length - 1),
    ArrowRight: () => (open.has(row.id) ? move(active + 1) : toggle(row.id, true)),
    ArrowLeft: () => {
      const inner = rows[active + 1];
      if (open.has(row.id) && inner !== undefined && inner.level > row.level) toggle(row.id, false);
      else move(rows.findLastIndex(({ level }, at) => at < active && level < row.level));
    },
    e: () =>
      setOpen(frames.reduce((all, frame) => withInner(frame, all), new Set(open).add(row.id))),
    E: () => setOpen(tree.roots.reduce((all, root) => withInner(root, all), new Set<string>())),
    x: showFailure,
    c: () => runTask(navigator.clipboard.writeText(asJson(frame))),
    g: () => setQuery({ tab: 'gas', focus: frame.id, frame: undefined }),
    d: () => go(debugOf(hash, frame.id)),
    '/': () => field.current?.focus(),
    Enter: () =>
      row.kind === 'run' ? toggle(row.id, !open.has(row.id)) : setQuery({ frame: frame.id }),
  };
  const act = keys[event.key];
  if (!act) return;
  event.preventDefault();
  // Outside of the tree the same key opens the search.
  event.stopPropagation();
  act();
}

interface FindProps {
  readonly field: RefObject<HTMLInputElement | null>;
  readonly text: string;
  readonly change: (text: string) => void;
  /** Gives the focus back to the tree. */
  readonly leave: () => void;
  /** How many frames match; undefined without a filter. */
  readonly matchCount: number | undefined;
}

function Find({ field, text, change, leave, matchCount }: FindProps) {
  return (
    <>
      <TextInput
        label="find"
        ref={field}
        type="search"
        value={text}
        change={change}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          event.stopPropagation();
          change('');
          leave();
        }}
      />
      {matchCount !== undefined && <span role="status">{counted(matchCount, 'frame')}</span>}
    </>
  );
}
