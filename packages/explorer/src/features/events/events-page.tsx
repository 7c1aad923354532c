// Page with the list of events, its filters, and the filter as JSON.
import { canonicalFelt } from '@starkbox/abi';
import { useMemo, useState } from 'react';
import { writeJson } from '../../format/json.js';
import { useNames } from '../../format/names.js';
import { setQuery, to, useRoute } from '../../navigation/route.js';
import { Button } from '../../parts/button.js';
import { Form, NumberInput, TextInput } from '../../parts/inputs.js';
import { Heading, Json } from '../../parts/page-states.js';
import { Modes } from '../../parts/table/live-table.js';
import { EventList } from '../../parts/transaction/event-list.js';
import { Copy, Link } from '../../parts/values.js';
import { asCurl } from '../../rpc/client.js';
import {
  type EventFilter,
  readFilter,
  readKeys,
  subscription,
  wireFilter,
} from '../../rpc/event-filter.js';

const CHUNK = 100;

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
      <EventList
        filter={filter}
        empty={(hasMore) =>
          isFiltered
            ? `No event matches${hasMore ? ' in the blocks searched so far' : ''}.`
            : `No contract has emitted an event on this chain${hasMore ? ', in the blocks searched so far' : ''}.`
        }
        hint={
          isFiltered ? (
            <Link href={to('events')}>Show all events</Link>
          ) : (
            <>
              A contract emits an event with <code>self.emit</code>.
            </>
          )
        }
      />
    </>
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
