// Tables: a virtual one, which renders only visible rows and has keyboard navigation over all, and a short one.
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import {
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  useContext,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { areLettersOn } from '../../navigation/key-events.js';
import { BesideContext, go } from '../../navigation/route.js';
import { runTask } from '../../state/tasks.js';
import { Button, PlainButton } from '../button.js';
import { Icon } from '../icons.js';
import { useFittingColumns } from './fitting-columns.js';

export interface Column<Row> {
  readonly head: string;
  /** CSS class of the width; the column without one takes the rest. */
  readonly width?: string;
  readonly number?: boolean;
  /** On a phone: main line, lead mark, or hidden; `only` is on phones alone. */
  readonly phone?: 'main' | 'lead' | 'none' | 'only';
  /**
   * Order of leaving out where the table is narrow: the highest first, zero never. Columns that a phone hides have 2,
   * others with a width 1.
   */
  readonly rank?: number;
  /** Smallest room of a column without a width, in rem. */
  readonly least?: number;
  /** Label on a phone, which has no column heads. */
  readonly phoneHead?: string;
  readonly cell: (row: Row, index: number) => ReactNode;
  /** Further CSS class of a cell. */
  readonly cellClass?: string | ((row: Row) => string);
  /** Whether only screen readers get the head. */
  readonly isHeadUnseen?: boolean;
  /** For sortable columns. */
  readonly onHead?: () => void;
  readonly sorted?: 'ascending' | 'descending';
}

/** A column of numbers; without a head on phones, these hide it. */
export function numberColumn<Row>(
  head: string,
  width: string,
  cell: Column<Row>['cell'],
  phoneHead?: string,
): Column<Row> {
  const onPhones = phoneHead === undefined ? { phone: 'none' as const } : { phoneHead };
  return { head, width, number: true, ...onPhones, cell };
}

interface TableProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly idOf: (row: Row) => string;
  readonly hrefOf?: (row: Row) => string | undefined;
  readonly copyOf?: (row: Row) => string;
  readonly classOf?: (row: Row) => string | undefined;
  readonly onEnd?: () => void;
  readonly onPoint?: (isPointing: boolean) => void;
  /** Opens a row in the side panel. */
  readonly onPeek?: ((row: Row) => void) | undefined;
  /** For rows without a page. */
  readonly onOpen?: ((row: Row) => void) | undefined;
  /** Total number of rows, if more than the given ones. */
  readonly total?: number;
  /** On a phone: rows of three lines instead of two. */
  readonly isTallOnPhones?: boolean;
  /** Whether rows take the height of their content. */
  readonly grows?: boolean;
}

/** Smallest width for a side panel. */
export const PEEK_FROM = 1024;

export function rowHeight(): number {
  return innerWidth < 640 ? 44 : 32;
}

function tallRowHeight(): number {
  return innerWidth < 640 ? 64 : 32;
}

export function VirtualTable<Row>(props: TableProps<Row>) {
  const { label, rows, classOf, onPoint, total, isTallOnPhones = false, grows = false } = props;
  const [table, columns] = useFittingColumns(props.columns);
  const { body, items, before, after, scrollTo, measure } = useRowsInView(props);
  const [active, setActive] = useState(0);
  const focusRow = (at: number): void => {
    const bounded = Math.max(0, Math.min(rows.length - 1, at));
    setActive(bounded);
    scrollTo(bounded);
    requestAnimationFrame(() => {
      body.current?.querySelector<HTMLElement>(`[data-row="${bounded}"]`)?.focus();
    });
  };
  return (
    <table
      ref={table}
      className={classes('table', isTallOnPhones && 'three-lines', grows && 'grows')}
      aria-label={label}
      aria-rowcount={(total ?? rows.length) + 1}
      onKeyDown={(event) => pressKey(event, props, active, focusRow)}
      onPointerEnter={() => onPoint?.(true)}
      onPointerLeave={() => onPoint?.(false)}
    >
      <TableHead columns={columns} />
      <tbody ref={body}>
        {before > 0 && <Spacer height={before} />}
        {items.map(({ index, key }) => {
          const row = rows[index];
          if (row === undefined) return null;
          return (
            <TableRow
              key={key}
              row={row}
              index={index}
              columns={columns}
              isActive={index === active}
              className={classOf?.(row)}
              measure={grows ? measure : undefined}
              activate={() => setActive(index)}
              open={(event) => openRow(event, row, props)}
            />
          );
        })}
        {after > 0 && <Spacer height={after} />}
      </tbody>
    </table>
  );
}

/** The virtualizer of the rows, and the space before and after those in view. */
function useRowsInView<Row>({ rows, idOf, onEnd, isTallOnPhones = false }: TableProps<Row>) {
  const body = useRef<HTMLTableSectionElement>(null);
  const isBeside = useContext(BesideContext);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const rect = body.current?.getBoundingClientRect();
    if (rect) setTop(rect.top + scrollY);
  }, []);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: isTallOnPhones ? tallRowHeight : rowHeight,
    // A list beside a panel scrolls in its own element, not the window.
    overscan: isBeside ? 200 : 6,
    scrollMargin: top,
    getItemKey: (at) => {
      const row = rows[at];
      return row === undefined ? at : idOf(row);
    },
  });
  const items = virtual.getVirtualItems();
  const first = items[0];
  const last = items.at(-1);
  const before = first ? first.start - top : 0;
  const after = last ? virtual.getTotalSize() - (last.end - top) : 0;
  const lastIndex = last?.index ?? -1;
  useEffect(() => {
    if (onEnd && lastIndex >= rows.length - 10) onEnd();
  }, [lastIndex, rows.length, onEnd]);
  const scrollTo = (at: number): void => virtual.scrollToIndex(at, { align: 'auto' });
  return { body, items, before, after, scrollTo, measure: virtual.measureElement };
}

/** Keys of the table; `active` is the row that has or last had the focus. */
function pressKey<Row>(
  event: KeyboardEvent,
  { rows, hrefOf, copyOf, onPeek, onOpen }: TableProps<Row>,
  active: number,
  focusRow: (at: number) => void,
): void {
  const row = rows[active];
  const isRow = event.target instanceof HTMLElement && event.target.dataset['row'] !== undefined;
  const isLetter = /^[a-z]$/.test(event.key);
  if (event.altKey || (isLetter && !areLettersOn())) return;
  if (isRow && (event.key === 'Enter' || event.key === 'o') && row !== undefined) {
    if (onOpen) {
      event.preventDefault();
      onOpen(row);
      return;
    }
    const href = hrefOf?.(row);
    if (href === undefined || (event.key === 'o' && (event.metaKey || event.ctrlKey))) return;
    event.preventDefault();
    if (event.metaKey || event.ctrlKey) globalThis.open(href, '_blank', 'noopener');
    else go(href);
    return;
  }
  if (event.metaKey || event.ctrlKey) return;
  if (isRow && event.key === ' ' && row !== undefined && onPeek) {
    event.preventDefault();
    onPeek(row);
    return;
  }
  const moves: Record<string, () => void> = {
    ArrowDown: () => focusRow(active + 1),
    j: () => focusRow(active + 1),
    ArrowUp: () => focusRow(active - 1),
    k: () => focusRow(active - 1),
    Home: () => focusRow(0),
    End: () => focusRow(rows.length - 1),
    y: () => {
      if (row !== undefined && copyOf) runTask(navigator.clipboard.writeText(copyOf(row)));
    },
  };
  const move = moves[event.key];
  if (!move) return;
  event.preventDefault();
  move();
}

function openRow<Row>(
  event: MouseEvent,
  row: Row,
  { hrefOf, onOpen, onPeek }: TableProps<Row>,
): void {
  const target = event.target;
  if (!(target instanceof Element) || target.closest('a, button, input, select, label')) return;
  if (getSelection()?.isCollapsed === false) return;
  if (onOpen) {
    onOpen(row);
    return;
  }
  if (onPeek && innerWidth >= PEEK_FROM) {
    onPeek(row);
    return;
  }
  const href = hrefOf?.(row);
  if (href !== undefined) go(href);
}

type Head = Pick<Column<never>, 'head' | 'width' | 'number' | 'onHead' | 'sorted' | 'isHeadUnseen'>;

export function TableHead({ columns }: { readonly columns: readonly Head[] }) {
  return (
    <thead>
      <tr>
        {columns.map(({ head, width, number, onHead, sorted, isHeadUnseen }) => (
          <th
            key={head}
            scope="col"
            className={classes(width, number && 'number')}
            aria-sort={sorted}
          >
            {onHead && <SortButton name={head} sorted={sorted} sort={onHead} />}
            {!onHead && (isHeadUnseen ? <span className="unseen">{head}</span> : head)}
          </th>
        ))}
      </tr>
    </thead>
  );
}

interface TableRowProps<Row> {
  readonly row: Row;
  readonly index: number;
  readonly columns: readonly Column<Row>[];
  readonly isActive: boolean;
  readonly className: string | undefined;
  /** Measures the height of the row. */
  readonly measure: ((row: HTMLTableRowElement | null) => void) | undefined;
  readonly activate: () => void;
  readonly open: (event: MouseEvent) => void;
}

function TableRow<Row>(props: TableRowProps<Row>) {
  const { row, index, columns, isActive, className, measure, activate, open } = props;
  return (
    <tr
      ref={measure}
      data-index={index}
      data-row={index}
      aria-rowindex={index + 2}
      tabIndex={isActive ? 0 : -1}
      className={className}
      onFocus={({ target, currentTarget }) => {
        // Focus on a link inside of the row does not change the current row.
        if (target === currentTarget) activate();
      }}
      onClick={open}
    >
      <Cells row={row} index={index} columns={columns} />
    </tr>
  );
}

type CellsProps<Row> = Pick<TableRowProps<Row>, 'row' | 'index' | 'columns'>;

function Cells<Row>({ row, index, columns }: CellsProps<Row>) {
  return columns.map(({ head, number, phone, phoneHead, cell, cellClass }) => (
    <td
      key={head}
      data-head={phoneHead}
      className={classes(
        number && 'number',
        phone === 'main' && 'main',
        phone === 'lead' && 'lead',
        typeof cellClass === 'function' ? cellClass(row) : cellClass,
      )}
    >
      {cell(row, index)}
    </td>
  ));
}

interface ShortTableProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly idOf: (row: Row) => string | number;
  /** Further CSS class of the table. */
  readonly className?: string;
  /** Whether a row stands for what the page shows. */
  readonly isSelected?: (row: Row) => boolean;
}

/** Table of few rows, which are all rendered, and whose rows do not open. */
export function ShortTable<Row>(props: ShortTableProps<Row>) {
  const { label, rows, idOf, className, isSelected } = props;
  const [table, columns] = useFittingColumns(props.columns);
  return (
    <table ref={table} className={classes('table', className)} aria-label={label}>
      <TableHead columns={columns} />
      <tbody>
        {rows.map((row, index) => (
          <tr key={idOf(row)} data-row={index} aria-selected={isSelected?.(row)}>
            <Cells row={row} index={index} columns={columns} />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface PageButtonsProps {
  /** Cursors of the pages up to the shown one; empty for the first page. */
  readonly cursors: readonly string[];
  readonly next: string | undefined;
  readonly change: (cursors: readonly string[]) => void;
  /** What a page holds. */
  readonly children: ReactNode;
}

/** Buttons of a list in pages; absent where all is on one. */
export function PageButtons({ cursors, next, change, children }: PageButtonsProps) {
  if (next === undefined && cursors.length === 0) return null;
  return (
    <div className="line-of">
      <Button aria-disabled={cursors.length === 0} onClick={() => change(cursors.slice(0, -1))}>
        Previous
      </Button>
      <Button
        aria-disabled={next === undefined}
        onClick={() => next !== undefined && change([...cursors, next])}
      >
        Next
      </Button>
      <span className="quiet">{children}</span>
    </div>
  );
}

function SortButton(props: { name: string; sorted: string | undefined; sort: () => void }) {
  return (
    <PlainButton onClick={props.sort}>
      <span className="signed">
        {props.name}
        {props.sorted && <Icon name={props.sorted === 'ascending' ? 'up' : 'down'} />}
      </span>
    </PlainButton>
  );
}

export function Spacer({ height }: { readonly height: number }) {
  return (
    <tr className="spacer" aria-hidden="true">
      <td style={{ height }} />
    </tr>
  );
}

export function classes(...names: readonly (string | false | undefined)[]): string {
  return names.filter(Boolean).join(' ');
}
