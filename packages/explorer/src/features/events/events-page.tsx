// Page with the list of events, its filters, and the filter as JSON.
import type { Names } from '@starkbox/abi';
import { useMemo } from 'react';
import { writeJson } from '../../format/json.js';
import { escapeText } from '../../format/untrusted-text.js';
import { to, useRoute } from '../../navigation/route.js';
import {
  addressFault,
  blockFault,
  FilterChips,
  type FilterField,
} from '../../parts/filter-chips.js';
import { Heading, Json } from '../../parts/page-states.js';
import { Modes } from '../../parts/table/live-table.js';
import { EventList } from '../../parts/transaction/event-list.js';
import { Copy, Link } from '../../parts/values.js';
import { asCurl } from '../../rpc/client.js';
import {
  type EventFilter,
  isEventName,
  readFilter,
  readKeys,
  subscription,
  wireFilter,
} from '../../rpc/event-filter.js';

const CHUNK = 100;
const MAX_TEXT_LENGTH = 200;

type FilterName = 'address' | 'name' | 'keys' | 'from' | 'to';

const FIELDS: readonly FilterField<FilterName>[] = [
  { name: 'address', label: 'Contract', isAddress: true, fault: addressFault },
  {
    name: 'name',
    label: 'Event',
    placeholder: 'Transfer',
    fault: (text) => (isEventName(text) ? undefined : 'An event is a name like Transfer.'),
  },
  {
    name: 'keys',
    label: 'Keys',
    placeholder: '0x1|0x2, *, 0x3',
    fault: (text) =>
      readKeys(text) === undefined
        ? 'Keys are felts like 0x1: commas separate positions, bars alternatives, * matches any key.'
        : undefined,
  },
  { name: 'from', label: 'From block', placeholder: '12', fault: blockFault },
  { name: 'to', label: 'To block', placeholder: '12', fault: blockFault },
];

function filterText(name: FilterName, value: string, names: Names): string {
  const label = name === 'address' ? names.get(value) : undefined;
  // An address of the page can have any text.
  return label ?? escapeText(value, MAX_TEXT_LENGTH).text;
}

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
      <FilterChips fields={FIELDS} textOf={filterText} />
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

/** The filter as a `starknet_getEvents` request. */
function AsFilter({ filter }: { readonly filter: EventFilter }) {
  const wire = wireFilter(filter, filter, CHUNK);
  const subscriptionJson = writeJson(subscription(filter), 2);
  const json = writeJson(wire, 2);
  return (
    <details className="line-form">
      <summary>As a request</summary>
      <p className="line-of">
        for <code>starknet_getEvents</code> <Copy value={json} what="filter" />
        <Copy value={asCurl('starknet_getEvents', { filter: wire })} what="as curl" />
      </p>
      <Json of={json} />
      <p className="line-of">
        for <code>starknet_subscribeEvents</code>{' '}
        <Copy value={subscriptionJson} what="subscription" />
      </p>
      <Json of={subscriptionJson} />
    </details>
  );
}
