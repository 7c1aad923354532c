// Rows of a call tree: frames, events between them, and runs of equal calls, as far as they are open.
import type { CallTree, Frame, Names } from '@starkbox/abi';
import { functionName } from '../../../format/names.js';

export type TreeRow =
  | {
      readonly kind: 'frame';
      readonly id: string;
      readonly level: number;
      readonly frame: Frame;
      readonly isParent: boolean;
    }
  | {
      readonly kind: 'event';
      readonly id: string;
      readonly level: number;
      readonly frame: Frame;
      /** Index in the frame's events. */
      readonly index: number;
    }
  | {
      readonly kind: 'run';
      readonly id: string;
      readonly level: number;
      /** Equal calls that follow each other. */
      readonly frames: readonly Frame[];
    };

/** Larger trees fold equal siblings. */
const MAX_UNFOLDED = 200;
const SHORTEST_RUN = 3;

/** How a tree is shown. */
export interface TreeView {
  /** Ids of open rows. */
  readonly open: ReadonlySet<string>;
  readonly hasEvents: boolean;
}

type Item =
  | { readonly event: number }
  | { readonly frame: Frame }
  | { readonly run: readonly Frame[] };

const orders = new WeakMap<Frame, number>();

/** Order of the first event in a frame and the calls inside of it. */
function firstOrder(frame: Frame): number {
  const order = orders.get(frame);
  if (order !== undefined) return order;
  let first = Number.POSITIVE_INFINITY;
  for (const { order } of frame.events) first = Math.min(first, order);
  for (const child of frame.children) first = Math.min(first, firstOrder(child));
  orders.set(frame, first);
  return first;
}

/**
 * What is inside of a frame, in order. Only events have an order: one that is emitted beside calls without events
 * stands behind them.
 */
function itemsOf(frame: Frame, { hasEvents }: Pick<TreeView, 'hasEvents'>, folds: boolean): Item[] {
  const items: Item[] = [];
  const events = hasEvents
    ? frame.events.map(({ order }, event) => ({ order, event })).sort((a, b) => a.order - b.order)
    : [];
  let next = 0;
  const addEvents = (before: number): void => {
    for (let event = events[next]; event && event.order < before; event = events[++next])
      items.push({ event: event.event });
  };
  let run: Frame[] = [];
  const addRun = (): void => {
    if (folds && run.length >= SHORTEST_RUN) items.push({ run });
    else for (const frame of run) items.push({ frame: frame });
    run = [];
  };
  for (const child of frame.children) {
    const first = firstOrder(child);
    const isBetween = events[next] !== undefined && first > (events[next]?.order ?? 0);
    if (isBetween && first !== Number.POSITIVE_INFINITY) {
      addRun();
      addEvents(first);
    }
    if (run[0] && !isEqual(run[0], child)) addRun();
    run.push(child);
  }
  addRun();
  addEvents(Number.POSITIVE_INFINITY);
  return items;
}

function isEqual(a: Frame, b: Frame): boolean {
  return (
    !a.failed &&
    !b.failed &&
    a.contract === b.contract &&
    a.selector === b.selector &&
    a.classHash === b.classHash &&
    a.kind === b.kind &&
    a.fate === b.fate
  );
}

const runId = (run: readonly Frame[]): string => `run ${run[0]?.id}`;

/** The visible rows in order. */
export function rowsOf(tree: CallTree, view: TreeView): readonly TreeRow[] {
  const folds = tree.count > MAX_UNFOLDED;
  const rows: TreeRow[] = [];
  const visit = (frame: Frame, level: number): void => {
    const isParent = frame.children.length > 0 || (view.hasEvents && frame.events.length > 0);
    rows.push({ kind: 'frame', id: frame.id, level, frame, isParent });
    if (!view.open.has(frame.id)) return;
    for (const item of itemsOf(frame, view, folds)) {
      if ('event' in item) {
        const id = `${frame.id} event ${item.event}`;
        rows.push({ kind: 'event', id, level: level + 1, frame, index: item.event });
      } else if ('frame' in item) visit(item.frame, level + 1);
      else {
        const id = runId(item.run);
        rows.push({ kind: 'run', id, level: level + 1, frames: item.run });
        if (view.open.has(id)) for (const frame of item.run) visit(frame, level + 2);
      }
    }
  };
  for (const root of tree.roots) visit(root, 0);
  return rows;
}

/** Frames whose contract or function name contains the text, with their ancestors, as rows. */
export function matchingRows(
  tree: CallTree,
  letters: string,
  names: Names,
): { readonly matchCount: number; readonly rows: readonly TreeRow[] } {
  const rows: TreeRow[] = [];
  let matchCount = 0;
  const visit = (frame: Frame): void => {
    const name = `${names.get(frame.contract) ?? frame.contract}.${functionName(frame.selector) ?? frame.selector}`;
    const isOne = name.toLowerCase().includes(letters);
    if (isOne) matchCount++;
    const index = rows.length;
    const isParent = frame.children.length > 0;
    rows.push({ kind: 'frame', id: frame.id, level: frame.depth, frame, isParent });
    frame.children.forEach(visit);
    // Without a match inside, nothing was added after it.
    if (!isOne && rows.length === index + 1) rows.pop();
  };
  tree.roots.forEach(visit);
  return { matchCount: matchCount, rows };
}

/** Adds a frame and all inside of it. */
export function withInner(frame: Frame, into: Set<string>): Set<string> {
  into.add(frame.id);
  for (const hasEvents of [true, false]) {
    for (const item of itemsOf(frame, { hasEvents }, true))
      if ('run' in item) into.add(runId(item.run));
  }
  for (const child of frame.children) withInner(child, into);
  return into;
}

/** Open at first: the path to the failure, the outermost calls, and the way to the wanted frame. */
export function firstOpen(tree: CallTree, frameId: string | undefined): Set<string> {
  const open = new Set<string>();
  const deepest = tree.count > MAX_UNFOLDED ? 1 : 2;
  const leads = (frame: Frame): boolean =>
    frameId !== undefined && (frameId === frame.id || frameId.startsWith(`${frame.id}.`));
  const visit = (frame: Frame): void => {
    const isWay = leads(frame);
    const isMain = frame.phase === 'execute' || frame.phase === 'handler';
    if (frame.failed || (isWay && frame.id !== frameId) || (isMain && frame.depth < deepest))
      open.add(frame.id);
    if (isWay && frame.id !== frameId) {
      for (const hasEvents of [true, false]) {
        for (const item of itemsOf(frame, { hasEvents }, true))
          if ('run' in item && item.run.some(leads)) open.add(runId(item.run));
      }
    }
    frame.children.forEach(visit);
  };
  tree.roots.forEach(visit);
  return open;
}
