// Call tree table: a row per frame, open along the path to the failure, with detail of the selected frame.
import type { CallTree, Frame } from '@starkbox/abi';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useMemo, useRef, useState } from 'react';
import { grouped, share } from '../../format/amount.js';
import { functionName, type Names, useNames } from '../../format/names.js';
import { isShortcut } from '../../navigation/key-events.js';
import { setQuery, usePlace } from '../../navigation/route.js';
import { rowHeight } from '../../parts/table/table.js';
import {
  asJson,
  CallLine,
  type Classes,
  FrameDetail,
  Outcome,
} from '../../parts/transaction/call-line.js';
import { Hostile } from '../../parts/values.js';
import { firstOpen, visibleFrames } from './open-frames.js';

const PHASES: Readonly<Record<Frame['phase'], string>> = {
  validate: 'validate',
  execute: 'execute',
  constructor: 'deploy',
  handler: 'handle',
  fee: 'fee',
};
const TALLEST = 560;
/** Smaller trees have no filter. */
const FEW = 12;

/** Frames whose contract or function name contains the text, with their ancestors. */
function matching(
  roots: readonly Frame[],
  letters: string,
  names: Names,
): { readonly found: ReadonlySet<string>; readonly kept: ReadonlySet<string> } {
  const found = new Set<string>();
  const kept = new Set<string>();
  const visit = (frame: Frame): boolean => {
    const name = `${names.get(frame.contract) ?? frame.contract}.${functionName(frame.selector) ?? frame.selector}`;
    const isOne = name.toLowerCase().includes(letters);
    if (isOne) found.add(frame.id);
    const leads = frame.children.map(visit).some(Boolean);
    if (isOne || leads) kept.add(frame.id);
    return isOne || leads;
  };
  roots.forEach(visit);
  return { found, kept };
}

/** Ancestors of a frame. */
function waysTo(id: string): readonly string[] {
  const parts = id.split('.');
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('.'));
}

export function CallTreeView({
  tree,
  classes,
  total,
}: {
  readonly tree: CallTree;
  readonly classes: Classes;
  readonly total: number;
}) {
  const wanted = usePlace().query.get('frame') ?? undefined;
  const [open, setOpen] = useState(() => {
    const first = firstOpen(tree);
    if (wanted !== undefined) for (const id of waysTo(wanted)) first.add(id);
    return first;
  });
  const names = useNames();
  const [filter, setFilter] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const letters = filter.trim().toLowerCase();
  const matches = useMemo(
    () => (letters === '' ? undefined : matching(tree.roots, letters, names)),
    [tree, letters, names],
  );
  const rows = useMemo(
    () =>
      matches
        ? visibleFrames(tree.roots, matches.kept).filter(({ id }) => matches.kept.has(id))
        : visibleFrames(tree.roots, open),
    [tree, open, matches],
  );
  const chosen = wanted ?? tree.cause?.id;
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
  const selected = rows.find(({ id }) => id === chosen);

  const toggle = (frame: Frame, isOpen: boolean): void => {
    const next = new Set(open);
    if (isOpen) next.add(frame.id);
    else next.delete(frame.id);
    setOpen(next);
  };
  const openAll = (frame: Frame, into: Set<string>): Set<string> => {
    into.add(frame.id);
    for (const child of frame.children) openAll(child, into);
    return into;
  };
  const move = (at: number): void => {
    const bounded = Math.max(0, Math.min(rows.length - 1, at));
    setActive(bounded);
    virtual.scrollToIndex(bounded, { align: 'auto' });
    requestAnimationFrame(() =>
      scroller.current?.querySelector<HTMLElement>(`[data-row="${bounded}"]`)?.focus(),
    );
  };
  const press = (event: KeyboardEvent): void => {
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
      e: () => setOpen(openAll(frame, new Set(open))),
      E: () => setOpen(tree.roots.reduce((all, root) => openAll(root, all), new Set<string>())),
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
  };

  const items = virtual.getVirtualItems();
  const before = items[0]?.start ?? 0;
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    <>
      {tree.count > FEW && (
        <div className="filters">
          <label>
            find
            <input
              ref={field}
              type="search"
              value={filter}
              onChange={({ target }) => setFilter(target.value)}
              onKeyDown={(event) => {
                if (event.key !== 'Escape') return;
                event.stopPropagation();
                setFilter('');
                move(0);
              }}
            />
          </label>
          {matches && (
            <span role="status">
              {grouped(matches.found.size)} {matches.found.size === 1 ? 'frame' : 'frames'}
            </span>
          )}
        </div>
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
          <tbody>
            {before > 0 && (
              <tr className="spacer" aria-hidden="true">
                <td style={{ height: before }} />
              </tr>
            )}
            {items.map(({ index }) => {
              const frame = rows[index];
              if (!frame) return null;
              const isOpen = open.has(frame.id);
              const isDim = frame.fate !== undefined || frame.phase === 'fee';
              return (
                <tr
                  key={frame.id}
                  data-row={index}
                  aria-rowindex={index + 2}
                  aria-level={frame.depth + 1}
                  aria-expanded={frame.children.length > 0 ? isOpen : undefined}
                  aria-selected={frame.id === chosen}
                  tabIndex={index === active ? 0 : -1}
                  className={isDim ? 'dim' : undefined}
                  onFocus={({ target, currentTarget }) => {
                    // Focus on a link inside of the row does not change the current row.
                    if (target === currentTarget) setActive(index);
                  }}
                  onClick={(event) => {
                    if (event.target instanceof Element && event.target.closest('a, button'))
                      return;
                    setQuery({ frame: frame.id });
                  }}
                >
                  <td className="main" role="gridcell">
                    <span className="tree-cell">
                      {Array.from({ length: Math.min(frame.depth, 12) }, (_, at) => (
                        // biome-ignore lint/suspicious/noArrayIndexKey: lines are all alike
                        <span key={at} className="line" aria-hidden="true" />
                      ))}
                      {frame.children.length > 0 ? (
                        <button
                          type="button"
                          tabIndex={-1}
                          className="plain twist"
                          aria-label={isOpen ? 'Close' : 'Open'}
                          onClick={() => toggle(frame, !isOpen)}
                        >
                          <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span>
                        </button>
                      ) : (
                        <span className="twist" />
                      )}
                      <span className="what">
                        {frame.depth === 0 && <span className="phase">{PHASES[frame.phase]}</span>}
                        {frame.failed && (
                          <span className="fail" role="img" aria-label="failed">
                            ✕{' '}
                          </span>
                        )}
                        <CallLine of={frame} classes={classes} />
                        {frame.cause !== undefined && (
                          <span className="fail">
                            {' '}
                            <Hostile text={frame.cause} quoted limit={80} />
                          </span>
                        )}
                        {frame.fate !== undefined && <span className="quiet"> {frame.fate}</span>}
                        <Outcome of={frame} classes={classes} />
                      </span>
                    </span>
                  </td>
                  <td className="wide soft" role="gridcell">
                    {frame.kind}
                  </td>
                  <td className="number" role="gridcell">
                    {frame.l2Gas === undefined ? '–' : grouped(frame.l2Gas)}
                  </td>
                  <td className="wide" role="gridcell">
                    {frame.phase === 'fee' && (
                      <span className="quiet" title="The fee is known before it is transferred.">
                        not charged
                      </span>
                    )}
                    {frame.l2Gas !== undefined && frame.phase !== 'fee' && (
                      <span
                        className="bar"
                        style={{ width: `${(share(frame.l2Gas, total) * 100).toFixed(1)}%` }}
                        title={`${(share(frame.l2Gas, total) * 100).toFixed(1)} % of the transaction`}
                      />
                    )}
                  </td>
                </tr>
              );
            })}
            {after > 0 && (
              <tr className="spacer" aria-hidden="true">
                <td style={{ height: after }} />
              </tr>
            )}
          </tbody>
        </table>
      </section>
      {selected && <FrameDetail of={selected} classes={classes} />}
    </>
  );
}
