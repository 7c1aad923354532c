// Table of events.
import type { EMITTED_EVENT, EVENT } from '@starkbox/spec';
import { useMemo } from 'react';
import { to } from '../../navigation/route.js';
import { type Column, VirtualTable } from '../table/table.js';
import { Address, TxRef } from '../values.js';
import { type Classes, EventLine } from './call-line.js';

/** With the hash of its transaction in lists over several. */
export type EventEntry = EVENT & Partial<Pick<EMITTED_EVENT, 'transaction_hash'>>;

interface Row {
  readonly at: number;
  readonly event: EventEntry;
}

const idOf = ({ at }: Row): string => String(at);

interface EventTableProps {
  readonly events: readonly EventEntry[];
  /** Class of a contract, by address. */
  readonly classOf: ReadonlyMap<string, string | undefined>;
  readonly classes: Classes;
  /** The event of the fee transfer, which is marked. */
  readonly fee?: EventEntry | undefined;
}

export function EventTable({ events, classOf, classes, fee }: EventTableProps) {
  const rows = useMemo(() => events.map((event, at): Row => ({ event, at })), [events]);
  const isOfMany = events[0]?.transaction_hash !== undefined;
  const columns = useMemo(
    (): readonly Column<Row>[] => [
      isOfMany
        ? {
            head: 'Transaction',
            width: 'w-hash',
            cell: ({ event }) => <TxRef of={event.transaction_hash ?? ''} />,
          }
        : { head: '#', width: 'w-status', number: true, phone: 'lead', cell: ({ at }) => at },
      {
        head: 'Source',
        width: 'w-name',
        cell: ({ event }) => <Address of={event.from_address} mark />,
      },
      {
        head: 'Event',
        phone: 'main',
        cell: ({ event }) => (
          <>
            <EventLine
              keys={event.keys}
              data={event.data}
              abi={classes.get(classOf.get(event.from_address) ?? '')}
              from={event.from_address}
              fold
            />
            {event === fee && ' the fee'}
          </>
        ),
      },
    ],
    [classes, classOf, fee, isOfMany],
  );
  return (
    <VirtualTable
      label="Events"
      rows={rows}
      columns={columns}
      idOf={idOf}
      grows
      classOf={({ event }) => (event === fee ? 'dim' : undefined)}
      hrefOf={({ event }) =>
        event.transaction_hash === undefined
          ? undefined
          : to('tx', event.transaction_hash, { tab: 'events' })
      }
    />
  );
}
