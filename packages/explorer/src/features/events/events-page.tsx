// Page with the list of events, its filters, and the filter as JSON.
import { type Abi, canonicalFelt } from '@starkbox/abi';
import { useCallback, useMemo, useRef, useState } from 'react';
import { grouped } from '../../format/amount.js';
import { writeJson } from '../../format/json.js';
import { useNames } from '../../format/names.js';
import { setQuery, to, useRoute } from '../../navigation/route.js';
import { Button } from '../../parts/button.js';
import { Form, NumberInput, TextInput } from '../../parts/inputs.js';
import { Heading, Json, Loading, Problem } from '../../parts/page-states.js';
import { Modes, NewBar, useMode } from '../../parts/table/live-table.js';
import { type Column, VirtualTable } from '../../parts/table/table.js';
import { EventLine } from '../../parts/transaction/call-line.js';
import { Address, BlockRef, Copy, Link, TxRef } from '../../parts/values.js';
import { asCurl } from '../../rpc/client.js';
import { useClasses } from '../../rpc/queries.js';
import { type EventFilter, readFilter, readKeys, subscription, wireFilter } from './filter.js';
import { useEvents } from './list.js';
import { type EventRow, idOf } from './read.js';

const CHUNK = 100;
const hrefOf = (row: EventRow): string => to('tx', row.transaction_hash, { tab: 'events' });

export function EventsPage() {
  const { query } = useRoute();
  const text = query.toString();
  const filter = useMemo(() => readFilter(new URLSearchParams(text)), [text]);
  const isFiltered = Object.values(filter).some((part) =>
    Array.isArray(part) ? part.length > 0 : part !== undefined,
  );
  return (
    <>
      <Heading title="Events" count={isFiltered && 'filtered'} actions={<Modes />} />
      <FilterForm key={text} filter={filter} written={query.get('keys') ?? ''} />
      <AsFilter filter={filter} />
      <List filter={filter} isFiltered={isFiltered} />
    </>
  );
}

interface ListProps {
  readonly filter: EventFilter;
  readonly isFiltered: boolean;
}

function List({ filter, isFiltered }: ListProps) {
  const pointing = useRef(false);
  const isHeld = useCallback(() => pointing.current || scrollY > 40, []);
  const list = useEvents(filter, useMode(), isHeld);
  const classes = useClasses(
    useMemo(
      () => [...new Set(list.rows.flatMap(({ classHash }) => classHash ?? []))].slice(0, 100),
      [list.rows],
    ),
  );
  const columns = useMemo(() => eventColumns(classes), [classes]);
  if (list.error && list.rows.length === 0) {
    return <Problem error={list.error} what="the events" retry={list.retry} />;
  }
  if (list.isLoading) return <Loading what="the events" />;
  return (
    <>
      {list.waiting > 0 && <NewBar reveal={list.reveal}>{grouped(list.waiting)}</NewBar>}
      {list.rows.length === 0 ? (
        <NoEvents isFiltered={isFiltered} hasMore={list.hasMore} readMore={list.readMore} />
      ) : (
        <VirtualTable
          label="Events"
          rows={list.rows}
          columns={columns}
          idOf={idOf}
          hrefOf={hrefOf}
          copyOf={({ transaction_hash }) => transaction_hash}
          onEnd={list.readMore}
          onPoint={(isPointing) => {
            pointing.current = isPointing;
          }}
        />
      )}
    </>
  );
}

function eventColumns(classes: ReadonlyMap<string, Abi>): readonly Column<EventRow>[] {
  return [
    {
      head: 'Block',
      width: 'w-block',
      phoneHead: '#',
      cell: ({ block_number }) =>
        block_number === undefined ? (
          <Link href={to('block', 'pre_confirmed')} title="pre-confirmed">
            <span className="warn">◐ next</span>
          </Link>
        ) : (
          <BlockRef of={block_number} />
        ),
    },
    {
      head: 'Source',
      width: 'w-name',
      cell: ({ from_address }) => <Address of={from_address} mark />,
    },
    {
      head: 'Event',
      phone: 'main',
      cell: ({ keys, data, from_address, classHash }) => (
        <EventLine keys={keys} data={data} abi={classes.get(classHash ?? '')} from={from_address} />
      ),
    },
    {
      head: 'Transaction',
      width: 'w-hash',
      cell: ({ transaction_hash }) => <TxRef of={transaction_hash} />,
    },
  ];
}

interface NoEventsProps {
  readonly isFiltered: boolean;
  readonly hasMore: boolean;
  readonly readMore: () => void;
}

function NoEvents({ isFiltered, hasMore, readMore }: NoEventsProps) {
  return (
    <div className="empty">
      {isFiltered ? (
        <p>
          No event matches{hasMore && ' in the blocks searched so far'}.{' '}
          <Link href={to('events')}>Show all events</Link>
        </p>
      ) : (
        <p>No event was emitted on this chain yet{hasMore && ', in the blocks searched so far'}.</p>
      )}
      {hasMore && <Button onClick={readMore}>Search older blocks</Button>}
    </div>
  );
}

interface FilterFormProps {
  readonly filter: EventFilter;
  readonly written: string;
}

function FilterForm({ filter, written }: FilterFormProps) {
  const names = useNames();
  const [address, setAddress] = useState(filter.address ?? '');
  const [name, setName] = useState(filter.name ?? '');
  const [keys, setKeys] = useState(written);
  const [from, setFrom] = useState(filter.from === undefined ? '' : String(filter.from));
  const [to_, setTo] = useState(filter.to === undefined ? '' : String(filter.to));
  const byName = useMemo(
    () => new Map([...names].map(([felt, label]) => [label.toLowerCase(), felt])),
    [names],
  );
  const source = canonicalFelt(address) ?? byName.get(address.trim().toLowerCase());
  const isAddressWrong = address.trim() !== '' && source === undefined;
  const areKeysWrong = readKeys(keys) === undefined;
  const submit = (): void => {
    if (isAddressWrong || areKeysWrong) return;
    setQuery({
      address: source,
      name: name.trim() || undefined,
      keys: keys.trim() || undefined,
      from: from.trim() || undefined,
      to: to_.trim() || undefined,
    });
  };
  return (
    <Form className="line-of line-form event-form" aria-label="Filter" submit={submit}>
      <SourceField text={address} change={setAddress} isWrong={isAddressWrong} />
      <TextInput label="event" value={name} placeholder="Transfer" change={setName} />
      <TextInput
        label="keys"
        className="mono"
        value={keys}
        placeholder="0x1|0x2, *, 0x3"
        aria-invalid={areKeysWrong}
        aria-describedby={areKeysWrong ? 'event-fault' : undefined}
        change={setKeys}
      />
      <NumberInput label="from block" value={from} change={setFrom} />
      <NumberInput label="to block" value={to_} change={setTo} />
      <Button type="submit">Show</Button>
      {(isAddressWrong || areKeysWrong) && (
        <span id="event-fault" className="fail">
          {isAddressWrong
            ? 'The source is neither a known name nor an address.'
            : 'Keys are felts like 0x1: commas separate positions, bars alternatives, * matches any key.'}
        </span>
      )}
    </Form>
  );
}

interface SourceFieldProps {
  readonly text: string;
  readonly change: (text: string) => void;
  readonly isWrong: boolean;
}

function SourceField({ text, change, isWrong }: SourceFieldProps) {
  const names = useNames();
  return (
    <>
      <TextInput
        label="source"
        list="event-sources"
        value={text}
        placeholder="name or 0x…"
        aria-invalid={isWrong}
        aria-describedby={isWrong ? 'event-fault' : undefined}
        change={change}
      />
      <datalist id="event-sources">
        {[...names].slice(0, 200).map(([felt, label]) => (
          <option key={felt} value={label} />
        ))}
      </datalist>
    </>
  );
}

/** The filter as a `starknet_getEvents` request. */
function AsFilter({ filter }: { readonly filter: EventFilter }) {
  const wire = wireFilter(filter, filter, CHUNK);
  const wish = writeJson(subscription(filter), 2);
  const json = writeJson(wire, 2);
  return (
    <details className="line-form">
      <summary>As filter</summary>
      <p className="line-of">
        for <code>starknet_getEvents</code> <Copy value={json} what="filter" />
        <Copy value={asCurl('starknet_getEvents', { filter: wire })} what="as curl" />
      </p>
      <Json of={json} />
      <p className="line-of">
        for <code>starknet_subscribeEvents</code> <Copy value={wish} what="subscription" />
      </p>
      <Json of={wish} />
    </details>
  );
}
