// Columns that fit the width of a table: the least important ones are left out, heads and cells together.
import { type RefObject, useLayoutEffect, useMemo, useRef, useState } from 'react';

interface FittedColumn {
  readonly head: string;
  readonly width?: string;
  readonly number?: boolean;
  readonly least?: number;
  readonly phone?: 'main' | 'lead' | 'none' | 'only';
  readonly rank?: number;
}

/** Rows are lists of lines below this width. */
const PHONE = 640;
/** Usual room for columns without a width, in rem. */
const LEAST_MAIN = 11;
const LEAST_OTHER = 6;

/** The larger, the earlier a column is left out; zero stays. */
function rankOf({ rank, width, phone }: FittedColumn): number {
  if (rank !== undefined) return rank;
  if (width === undefined || phone === 'main' || phone === 'lead') return 0;
  return phone === 'none' ? 2 : 1;
}

/**
 * Heads of the columns that a table of this width has no room for.
 * @param widthOf pixels of a column
 */
export function withoutRoom(
  columns: readonly FittedColumn[],
  room: number,
  widthOf: (column: FittedColumn) => number,
): readonly string[] {
  let needed = columns.reduce((sum, column) => sum + widthOf(column), 0);
  const leaving = columns
    .map((column, at) => ({ column, at, rank: rankOf(column) }))
    .filter(({ rank }) => rank > 0)
    .sort((a, b) => b.rank - a.rank || b.at - a.at);
  const removed: FittedColumn[] = [];
  for (const { column } of leaving) {
    if (needed <= room) break;
    needed -= widthOf(column);
    removed.push(column);
  }
  // A wide column that leaves last can make room for narrower ones.
  return removed.toReversed().flatMap((column) => {
    const width = widthOf(column);
    if (needed + width > room) return [column.head];
    needed += width;
    return [];
  });
}

/** Pixels of a CSS class that sets a width; style sheets own the widths. */
function measureClass(name: string, inside: HTMLElement): number {
  const probe = document.createElement('i');
  probe.className = name;
  probe.hidden = true;
  inside.append(probe);
  const width = Number.parseFloat(getComputedStyle(probe).width);
  probe.remove();
  return Number.isNaN(width) ? 0 : width;
}

function leftOut(columns: readonly FittedColumn[], frame: HTMLElement): string {
  const isPhone = innerWidth < PHONE;
  const unwanted = isPhone ? 'none' : 'only';
  const heads = columns.filter(({ phone }) => phone === unwanted).map(({ head }) => head);
  if (isPhone) return heads.join('\n');
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  const widths = new Map<string, number>();
  const widthOf = ({ width, least, number }: FittedColumn): number => {
    if (width === undefined) return (least ?? (number ? LEAST_OTHER : LEAST_MAIN)) * rem;
    const pixels = widths.get(width) ?? measureClass(width, frame);
    widths.set(width, pixels);
    return pixels;
  };
  const others = columns.filter(({ phone }) => phone !== unwanted);
  return [...heads, ...withoutRoom(others, contentWidth(frame), widthOf)].join('\n');
}

/** The table itself may be wider than its frame. */
function contentWidth(frame: HTMLElement): number {
  const { paddingLeft, paddingRight } = getComputedStyle(frame);
  return frame.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
}

/** @returns a reference for the table, and the columns that fit into it */
export function useFittingColumns<Column extends FittedColumn>(
  columns: readonly Column[],
): readonly [table: RefObject<HTMLTableElement | null>, fitting: readonly Column[]] {
  const table = useRef<HTMLTableElement>(null);
  const [left, setLeft] = useState('');
  // Pages make their columns anew with each rendering.
  const key = columns.map(({ head, width, rank }) => `${head} ${width} ${rank}`).join('\n');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the columns
  useLayoutEffect(() => {
    const frame = table.current?.parentElement;
    if (!frame) return;
    const fit = (): void => setLeft(leftOut(columns, frame));
    fit();
    const observer = new ResizeObserver(fit);
    observer.observe(frame);
    return () => observer.disconnect();
  }, [key]);
  const fitting = useMemo(() => {
    const heads = new Set(left.split('\n'));
    return left === '' ? columns : columns.filter(({ head }) => !heads.has(head));
  }, [columns, left]);
  return [table, fitting];
}
