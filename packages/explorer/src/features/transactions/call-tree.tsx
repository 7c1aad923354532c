// Call tree table: a row per frame, open along the path to the failure, with detail of the selected frame.
import type { CallTree, Frame } from '@starkbox/abi';
import { useVirtualizer } from '@tanstack/react-virtual';
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useMemo,
  useRef,
  useState,
} from 'react';
import { grouped } from '../../format/amount.js';
import { useNames } from '../../format/names.js';
import { isShortcut } from '../../navigation/key-events.js';
import { setQuery, usePlace } from '../../navigation/route.js';
import { rowHeight, Spacer } from '../../parts/table/table.js';
import { asJson, type Classes, FrameDetail } from '../../parts/transaction/call-line.js';
import { FrameRow } from './call-tree-row.js';
import { firstOpen, matchingFrames, visibleFrames, waysTo, withInner } from './open-frames.js';

const TALLEST = 560;
/** Smaller trees have no filter. */
const FEW = 12;

interface CallTreeProps {
  readonly tree: CallTree;
  readonly classes: Classes;
  readonly total: number;
  /** Shown at the side of the tree, or below it where there is no room. */
  readonly beside?: ReactNode;
}

export function CallTreeView({ tree, classes, total, beside }: CallTreeProps) {
  const wanted = usePlace().query.get('frame') ?? undefined;
  const chosen = wanted ?? tree.cause?.id;
  const field = useRef<HTMLInputElement>(null);
  const [filter, setFilter] = useState('');
  const { rows, open, setOpen, matches } = useRows(tree, wanted, filter);
  const { scroller, virtual, active, setActive, move } = useActiveRow(rows, chosen);
  const selected = rows.find(({ id }) => id === chosen);
  const toggle = (frame: Frame, isOpen: boolean): void => {
    const next = new Set(open);
    if (isOpen) next.add(frame.id);
    else next.delete(frame.id);
    setOpen(next);
  };
  const press = (event: KeyboardEvent): void =>
    pressKey(event, { tree, rows, active, open, setOpen, toggle, move, field });

  const items = virtual.getVirtualItems();
  const before = items[0]?.start ?? 0;
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    <div className="calls">
      <div>
        {tree.count > FEW && (
          <Find
            field={field}
            text={filter}
            change={setFilter}
            clear={() => {
              setFilter('');
              move(0);
            }}
            found={matches?.found.size}
          />
        )}
        <section
          ref={scroller}
          className="tree-scroll"
          aria-label="Calls"
          style={{ height: Math.min(TALLEST, rows.length * rowHeight() + 36) }}
        >
          <table
            className="table tree"
            role="treegrid"
            aria-label="Call tree"
            aria-rowcount={rows.length + 1}
            onKeyDown={press}
          >
            <TreeHead />
            <tbody>
              {before > 0 && <Spacer height={before} />}
              {items.map(({ index }) => {
                const frame = rows[index];
                return (
                  frame && (
                    <FrameRow
                      key={frame.id}
                      frame={frame}
                      index={index}
                      classes={classes}
                      total={total}
                      isOpen={open.has(frame.id)}
                      isChosen={frame.id === chosen}
                      isActive={index === active}
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
        {beside}
        {selected && <FrameDetail of={selected} classes={classes} />}
      </div>
    </div>
  );
}

/** The frames that are shown: those that are open, or those that match the filter. */
function useRows(tree: CallTree, wanted: string | undefined, filter: string) {
  const [open, setOpen] = useState(() => {
    const first = firstOpen(tree);
    if (wanted !== undefined) for (const id of waysTo(wanted)) first.add(id);
    return first;
  });
  const names = useNames();
  const letters = filter.trim().toLowerCase();
  const matches = useMemo(
    () => (letters === '' ? undefined : matchingFrames(tree.roots, letters, names)),
    [tree, letters, names],
  );
  const rows = useMemo(
    () =>
      matches
        ? visibleFrames(tree.roots, matches.kept).filter(({ id }) => matches.kept.has(id))
        : visibleFrames(tree.roots, open),
    [tree, open, matches],
  );
  return { rows, open, setOpen, matches };
}

/** The row that the keyboard is at, and the virtualizer that scrolls to it. */
function useActiveRow(rows: readonly Frame[], chosen: string | undefined) {
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

interface Keys {
  readonly tree: CallTree;
  readonly rows: readonly Frame[];
  readonly active: number;
  readonly open: ReadonlySet<string>;
  readonly setOpen: (open: Set<string>) => void;
  readonly toggle: (frame: Frame, isOpen: boolean) => void;
  readonly move: (at: number) => void;
  readonly field: RefObject<HTMLInputElement | null>;
}

function pressKey(event: KeyboardEvent, of: Keys): void {
  const { tree, rows, active, open, setOpen, toggle, move, field } = of;
  if (event.metaKey || event.ctrlKey || event.altKey) return;
  if (event.key.length === 1 && !isShortcut(event)) return;
  const frame = rows[active];
  if (!frame) return;
  const keys: Record<string, () => void> = {
    ArrowDown: () => move(active + 1),
    j: () => move(active + 1),
    ArrowUp: () => move(active - 1),
    k: () => move(active - 1),
    Home: () => move(0),
    End: () => move(rows.length - 1),
    ArrowRight: () => (open.has(frame.id) ? move(active + 1) : toggle(frame, true)),
    ArrowLeft: () => {
      if (open.has(frame.id) && frame.children.length > 0) toggle(frame, false);
      else move(rows.findIndex(({ id }) => id === frame.id.slice(0, frame.id.lastIndexOf('.'))));
    },
    e: () => setOpen(withInner(frame, new Set(open))),
    E: () => setOpen(tree.roots.reduce((all, root) => withInner(root, all), new Set<string>())),
    x: () => move(rows.findIndex(({ cause }) => cause !== undefined)),
    c: () => void navigator.clipboard.writeText(asJson(frame)),
    g: () => setQuery({ tab: 'gas', focus: frame.id, frame: undefined }),
    '/': () => field.current?.focus(),
    Enter: () => setQuery({ frame: frame.id }),
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
  readonly clear: () => void;
  /** How many frames match; undefined without a filter. */
  readonly found: number | undefined;
}

function Find({ field, text, change, clear, found }: FindProps) {
  return (
    <div className="filters">
      <label>
        find
        <input
          ref={field}
          type="search"
          value={text}
          onChange={({ target }) => change(target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return;
            event.stopPropagation();
            clear();
          }}
        />
      </label>
      {found !== undefined && (
        <span role="status">
          {grouped(found)} {found === 1 ? 'frame' : 'frames'}
        </span>
      )}
    </div>
  );
}

function TreeHead() {
  return (
    <thead>
      <tr>
        <th scope="col">Frame</th>
        <th scope="col" className="w-kind">
          Kind
        </th>
        <th scope="col" className="w-gas number">
          l2 gas
        </th>
        <th scope="col" className="w-share">
          Share
        </th>
      </tr>
    </thead>
  );
}
