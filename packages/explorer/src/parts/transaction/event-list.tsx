// Live list of the events that match a filter, newest first; events of one kind have a column for each member.
import { type Abi, type Decoded, type DecodedEvent, decodeEvent } from '@starkbox/abi';
import { type ReactNode, useCallback, useMemo } from 'react';
import type { EventKind } from '../../format/event-kinds.js';
import { escapeText } from '../../format/untrusted-text.js';
import { to } from '../../navigation/route.js';
import type { EventFilter } from '../../rpc/event-filter.js';
import { type EventRow, idOf, readEvents } from '../../rpc/event-pages.js';
import { useClasses } from '../../rpc/queries.js';
import { useToken } from '../../rpc/tokens.js';
import { Empty } from '../page-states.js';
import { peek } from '../side-panel.js';
import { LiveTable, useNamedIn } from '../table/live-table.js';
import type { Column } from '../table/table.js';
import { Address, BlockRef, Link, TxRef } from '../values.js';
import { EventLine } from './call-line.js';
import { Value } from './decoded-value.js';

/** Members beyond these are in the event line of the transaction's page. */
const MAX_MEMBERS = 6;

type Classes = ReadonlyMap<string, Abi>;

interface EventListProps {
  readonly filter: EventFilter;
  /** Whether all events are of this kind. */
  readonly kind?: EventKind | undefined;
  /** Columns in place of the usual ones. */
  readonly columnsOf?: (classes: Classes) => readonly Column<EventRow>[];
  readonly label?: string;
  /** Shown where no event was found; `hasMore` if older blocks were not searched. */
  readonly empty: (hasMore: boolean) => string;
  /** How such events come about. */
  readonly hint: ReactNode;
}

export function EventList(props: EventListProps) {
  const { filter, kind, columnsOf, label = 'Events', empty, hint } = props;
  const [hashes, onRows] = useNamedIn(classOf);
  const classes = useClasses(hashes);
  const hasSource = filter.address === undefined;
  const columns = useMemo(
    () => columnsOf?.(classes) ?? usualColumns(classes, kind, hasSource),
    [columnsOf, classes, kind, hasSource],
  );
  const read = useCallback(
    (cursor: string | undefined, isTip = false, newest?: EventRow) =>
      readEvents(filter, cursor, { isTip, newest }),
    [filter],
  );
  return (
    <LiveTable
      label={label}
      what="the events"
      listKey={['events', filter]}
      read={read}
      idOf={idOf}
      columns={columns}
      hrefOf={hrefOf}
      copyOf={copyOf}
      onPeek={onPeek}
      onRows={onRows}
      empty={(hasMore) => (
        <Empty icon="events" title={empty(hasMore)}>
          {hint}
        </Empty>
      )}
    />
  );
}

const classOf = ({ classHash }: EventRow): string | undefined => classHash;
const hrefOf = ({ transaction_hash }: EventRow): string =>
  to('tx', transaction_hash, { tab: 'events' });
const copyOf = ({ transaction_hash }: EventRow): string => transaction_hash;
const onPeek = ({ transaction_hash }: EventRow): void => peek(transaction_hash);

export const BLOCK_COLUMN: Column<EventRow> = {
  head: 'Block',
  width: 'w-block',
  phoneHead: '#',
  cell: ({ block_number }) =>
    block_number === undefined ? (
      <Link href={to('block', 'pre_confirmed')} title="pre-confirmed">
        <span className="warn">next</span>
      </Link>
    ) : (
      <BlockRef of={block_number} />
    ),
};

export const TRANSACTION_COLUMN: Column<EventRow> = {
  head: 'Transaction',
  width: 'w-hash',
  cell: ({ transaction_hash }) => <TxRef of={transaction_hash} />,
};

function usualColumns(
  classes: Classes,
  kind: EventKind | undefined,
  hasSource: boolean,
): readonly Column<EventRow>[] {
  const source: Column<EventRow> = {
    head: 'Source',
    width: 'w-name',
    cell: ({ from_address }) => <Address of={from_address} mark />,
  };
  return [
    BLOCK_COLUMN,
    ...(hasSource ? [source] : []),
    ...(kind ? memberColumns(classes, kind) : [lineColumn(classes)]),
    TRANSACTION_COLUMN,
  ];
}

function lineColumn(classes: Classes): Column<EventRow> {
  return {
    head: 'Event',
    phone: 'main',
    cellClass: 'event-line',
    cell: ({ keys, data, from_address, classHash }) => (
      <EventLine keys={keys} data={data} abi={classes.get(classHash ?? '')} from={from_address} />
    ),
  };
}

function memberColumns(classes: Classes, kind: EventKind): readonly Column<EventRow>[] {
  if (kind.fields.length === 0) return [lineColumn(classes)];
  return kind.fields.slice(0, MAX_MEMBERS).map(({ name, type }, at): Column<EventRow> => {
    const head = escapeText(name === '' ? `member ${at}` : name, 40).text;
    const isNumber = /::u\d+$|::i\d+$|^u\d+$|Uint256$/.test(type);
    return {
      head,
      number: isNumber,
      phoneHead: head,
      ...(at === 0 ? { phone: 'main' } : {}),
      cell: (row) => (
        <Member of={decodedEvent(row, classes)?.members[at]?.value} emitter={row.from_address} />
      ),
    };
  });
}

interface MemberProps {
  readonly of: Decoded | undefined;
  readonly emitter: string;
}

function Member({ of, emitter }: MemberProps) {
  const token = useToken(emitter);
  return of ? <Value of={of} token={token} /> : <span className="quiet">not decoded</span>;
}

const decodedEvents = new WeakMap<EventRow, DecodedEvent>();

/** The event, decoded once; undefined until its class is read. */
export function decodedEvent(row: EventRow, classes: Classes): DecodedEvent | undefined {
  const cached = decodedEvents.get(row);
  if (cached) return cached;
  const abi = classes.get(row.classHash ?? '');
  const event = abi && decodeEvent(row.keys, row.data, abi);
  if (event) decodedEvents.set(row, event);
  return event;
}
