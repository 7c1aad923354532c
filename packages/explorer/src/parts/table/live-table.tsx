// Table of a live list: follow modes, held-back rows, empty state.
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { grouped } from '../../format/amount.js';
import { setQuery, useRoute } from '../../navigation/route.js';
import { type LiveList, type ReadPage, useLiveList } from '../../rpc/live-list.js';
import { Button } from '../button.js';
import { Choice } from '../inputs.js';
import { Loading, Problem } from '../page-states.js';
import { type Column, classes, VirtualTable } from './table.js';

type Mode = 'paused' | 'live' | 'tail';

const MODES: readonly (readonly [Mode, text: string, hint: string])[] = [
  ['paused', 'Paused', 'The list does not change (p)'],
  ['live', 'Live', 'The list counts new rows and shows them when you ask (p)'],
  ['tail', 'Tail', 'New rows appear on top unless you point at the list or scroll (p)'],
];

export function useMode(): Mode {
  const mode = useRoute().query.get('mode');
  return mode === 'paused' || mode === 'live' ? mode : 'tail';
}

export function Modes() {
  const mode = useMode();
  return (
    <Choice
      label="List updates"
      options={MODES}
      value={mode}
      change={(chosen) => setQuery({ mode: chosen === 'tail' ? undefined : chosen })}
    />
  );
}

/** The next mode, for the `p` key. */
export function nextMode(mode: Mode): string | undefined {
  if (mode === 'paused') return 'live';
  return mode === 'live' ? undefined : 'paused';
}

/** Further down, new rows on top would move what is read. */
const TOP = 40;

/** How a list takes in new rows: as chosen, and held still where the pointer or the reader is. */
export function useFollow() {
  const mode = useMode();
  const isPointing = useRef(false);
  const showsAtOnce = useCallback(
    () => mode === 'tail' && !isPointing.current && scrollY <= TOP,
    [mode],
  );
  const onPoint = useCallback((isOver: boolean) => {
    isPointing.current = isOver;
  }, []);
  return { isPaused: mode === 'paused', showsAtOnce, onPoint };
}

const MAX_NAMED = 100;

/** Classes or contracts of the first rows, each once, and what a list's `onRows` takes to learn them. */
export function useNamedIn<Row>(
  of: (row: Row) => string | undefined,
): readonly [felts: readonly string[], onRows: (rows: readonly Row[]) => void] {
  const [felts, setFelts] = useState<readonly string[]>([]);
  const onRows = useCallback(
    (rows: readonly Row[]) => {
      const next = [...new Set(rows.flatMap((row) => of(row) ?? []))].slice(0, MAX_NAMED);
      setFelts((old) => (old.join() === next.join() ? old : next));
    },
    [of],
  );
  return [felts, onRows];
}

interface LiveTableProps<Row> {
  readonly label: string;
  readonly what: string;
  readonly listKey: readonly unknown[];
  readonly read: ReadPage<Row>;
  readonly idOf: (row: Row) => string;
  readonly columns: readonly Column<Row>[];
  readonly hrefOf: (row: Row) => string | undefined;
  readonly copyOf?: (row: Row) => string;
  readonly classOf?: (row: Row) => string | undefined;
  readonly onPeek?: (row: Row) => void;
  /** The row that the panel beside the list shows. */
  readonly isPeeked?: (row: Row) => boolean;
  readonly onOpen?: (row: Row) => void;
  /** A function is told whether older blocks were not searched. */
  readonly empty: ReactNode | ((hasMore: boolean) => ReactNode);
  readonly total?: number;
  readonly onRows?: (rows: readonly Row[]) => void;
  /** Transforms rows before they are shown. */
  readonly arrange?: (rows: readonly Row[]) => readonly Row[];
}

export function LiveTable<Row>(props: LiveTableProps<Row>) {
  const {
    label,
    what,
    listKey,
    read,
    idOf,
    columns,
    hrefOf,
    copyOf,
    classOf,
    onPeek,
    isPeeked,
    onOpen,
    empty,
    total,
    onRows,
    arrange,
  } = props;
  const { isPaused, showsAtOnce, onPoint } = useFollow();
  const list = useLiveList({ key: listKey, read, idOf, isPaused, showsAtOnce });
  const { readMore } = list;
  const onEnd = useCallback(() => readMore(), [readMore]);
  useEffect(() => onRows?.(list.rows), [list.rows, onRows]);

  const rows = useMemo(() => (arrange ? arrange(list.rows) : list.rows), [arrange, list.rows]);
  const newIds = useNewIds(list.rows, idOf);
  const rowClass = useCallback(
    (row: Row) =>
      classes(classOf?.(row), isPeeked?.(row) && 'is-peeked', newIds.has(idOf(row)) && 'is-new'),
    [classOf, isPeeked, newIds, idOf],
  );
  // Counts held-back rows without rendering the table again.
  const table = useMemo(
    () => (
      <VirtualTable
        label={label}
        rows={rows}
        columns={columns}
        idOf={idOf}
        hrefOf={hrefOf}
        {...(copyOf ? { copyOf } : {})}
        classOf={rowClass}
        {...(total === undefined ? {} : { total })}
        onEnd={onEnd}
        onPoint={onPoint}
        onPeek={onPeek}
        onOpen={onOpen}
      />
    ),
    [label, rows, columns, idOf, hrefOf, copyOf, rowClass, total, onEnd, onPoint, onPeek, onOpen],
  );

  if (list.error && list.rows.length === 0) {
    return <Problem error={list.error} what={what} retry={list.retry} />;
  }
  if (list.isLoading) return <Loading what={what} />;
  return (
    <>
      {list.waiting > 0 && (
        <NewBar reveal={list.reveal}>
          {grouped(list.waiting)}
          {list.hasMoreWaiting && '+'}
        </NewBar>
      )}
      {list.rows.length > 0 ? table : typeof empty === 'function' ? empty(list.hasMore) : empty}
      <OlderRows of={list} />
    </>
  );
}

/** Continues a list where it does not by itself: past a limit of reading, or where no row matched. */
function OlderRows({ of }: { readonly of: LiveList<unknown> }) {
  if (!of.hasMore || (of.olderRowsHint === undefined && of.rows.length > 0)) return null;
  return (
    <p className="filters">
      {of.olderRowsHint}
      <Button onClick={() => of.readMore(true)}>
        {of.olderRowsHint === undefined ? 'Search older blocks' : 'Continue there'}
      </Button>
    </p>
  );
}

/** More rows at once are a flood, in which motion is no cue. */
const MAX_NEW = 10;
const NONE: ReadonlySet<string> = new Set();

/** Ids of the rows that came on top with the last change. */
function useNewIds<Row>(rows: readonly Row[], idOf: (row: Row) => string): ReadonlySet<string> {
  const before = useRef<readonly Row[]>([]);
  const newIds = useMemo(() => {
    const [top] = before.current;
    if (top === undefined) return NONE;
    const topId = idOf(top);
    const count = rows.slice(0, MAX_NEW + 1).findIndex((row) => idOf(row) === topId);
    return count > 0 ? new Set(rows.slice(0, count).map(idOf)) : NONE;
  }, [rows, idOf]);
  useEffect(() => {
    before.current = rows;
  }, [rows]);
  return newIds;
}

interface NewBarProps {
  readonly children: ReactNode;
  readonly reveal: () => void;
}

/** Button with the number of held-back rows. */
export function NewBar({ children, reveal }: NewBarProps) {
  return (
    <button
      type="button"
      className="new-bar"
      onClick={() => {
        scrollTo(0, 0);
        reveal();
      }}
    >
      {children} new
    </button>
  );
}
