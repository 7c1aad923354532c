// Live list of the events that match a filter, newest first; events of one kind have a column for each member.
import { type Abi, type Decoded, type DecodedEvent, decodeEvent } from '@starkbox/abi';
import { type ReactNode, useCallback, useMemo, useRef } from 'react';
import { grouped } from '../../format/amount.js';
import type { EventKind } from '../../format/event-kinds.js';
import { escapeText } from '../../format/untrusted-text.js';
import { to } from '../../navigation/route.js';
import type { EventFilter } from '../../rpc/event-filter.js';
import { useEvents } from '../../rpc/event-list.js';
import { type EventRow, idOf } from '../../rpc/event-pages.js';
import { useClasses } from '../../rpc/queries.js';
import { useToken } from '../../rpc/tokens.js';
import { Button } from '../button.js';
import { Empty, Loading, Problem } from '../page-states.js';
import { peek } from '../side-panel.js';
import { NewBar, useMode } from '../table/live-table.js';
import { type Column, VirtualTable } from '../table/table.js';
import { Address, BlockRef, Link, TxRef } from '../values.js';
import { EventLine } from './call-line.js';
import { Value } from './decoded-value.js';

const MAX_CLASSES = 100;
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
  const pointing = useRef(false);
  const isHeld = useCallback(() => pointing.current || scrollY > 40, []);
  const list = useEvents(filter, useMode(), isHeld);
  const classes = useClasses(
    useMemo(
      () =>
        [...new Set(list.rows.flatMap(({ classHash }) => classHash ?? []))].slice(0, MAX_CLASSES),
      [list.rows],
    ),
  );
  const hasSource = filter.address === undefined;
  const columns = useMemo(
    () => columnsOf?.(classes) ?? usualColumns(classes, kind, hasSource),
    [columnsOf, classes, kind, hasSource],
  );
  if (list.error && list.rows.length === 0) {
    return <Problem error={list.error} what="the events" retry={list.retry} />;
  }
  if (list.isLoading) return <Loading what="the events" />;
  return (
    <>
      {list.waiting > 0 && <NewBar reveal={list.reveal}>{grouped(list.waiting)}</NewBar>}
      {list.rows.length === 0 ? (
        <Empty
          icon="events"
          title={empty(list.hasMore)}
          {...(list.hasMore
            ? { action: <Button onClick={list.readMore}>Search older blocks</Button> }
            : {})}
        >
          {hint}
        </Empty>
      ) : (
        <VirtualTable
          label={label}
          rows={list.rows}
          columns={columns}
          idOf={idOf}
          hrefOf={({ transaction_hash }) => to('tx', transaction_hash, { tab: 'events' })}
          copyOf={({ transaction_hash }) => transaction_hash}
          onEnd={list.readMore}
          onPeek={({ transaction_hash }) => peek(transaction_hash)}
          onPoint={(isPointing) => {
            pointing.current = isPointing;
          }}
        />
      )}
    </>
  );
}

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
