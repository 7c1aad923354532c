// Transfers of a token, newest first, from its Transfer events.
import { type Abi, type Decoded, selectorOf } from '@starkbox/abi';
import { useCallback, useMemo } from 'react';
import type { Unit } from '../../../format/amount.js';
import { eventKindsOf } from '../../../format/event-kinds.js';
import { to } from '../../../navigation/route.js';
import { Amount } from '../../../parts/number.js';
import {
  BLOCK_COLUMN,
  decodedEvent,
  EventList,
  TRANSACTION_COLUMN,
} from '../../../parts/transaction/event-list.js';
import { Address, Link } from '../../../parts/values.js';
import type { EventFilter } from '../../../rpc/event-filter.js';
import type { EventRow } from '../../../rpc/event-pages.js';

interface TransfersProps {
  readonly address: string;
  readonly abi: Abi | undefined;
  readonly unit: Unit;
}

export function Transfers({ address, abi, unit }: TransfersProps) {
  const filter = useMemo((): EventFilter => {
    const kind = abi && eventKindsOf(abi).find(({ name }) => /(?:^|\.)Transfer$/.test(name));
    const keys = kind?.keys ?? [selectorOf('Transfer')];
    return {
      address,
      name: undefined,
      keys: keys.map((key) => [key]),
      from: undefined,
      to: undefined,
    };
  }, [address, abi]);
  const columnsOf = useCallback(
    (classes: ReadonlyMap<string, Abi>) => {
      const transferOf = (row: EventRow) => readTransfer(row, classes);
      return [
        BLOCK_COLUMN,
        {
          head: 'From',
          phoneHead: 'from',
          cell: (row: EventRow) => <Party of={transferOf(row)?.from} otherwise="mint" />,
        },
        {
          head: 'To',
          phoneHead: 'to',
          cell: (row: EventRow) => <Party of={transferOf(row)?.to} otherwise="burn" />,
        },
        {
          head: 'Amount',
          width: 'w-amount',
          number: true,
          phone: 'main' as const,
          cell: (row: EventRow) => {
            const value = transferOf(row)?.value;
            return value === undefined ? (
              <span className="quiet">not decoded</span>
            ) : (
              <Amount of={value} unit={unit} />
            );
          },
        },
        TRANSACTION_COLUMN,
      ];
    },
    [unit],
  );
  return (
    <EventList
      label="Transfers"
      filter={filter}
      columnsOf={columnsOf}
      empty={(hasMore) =>
        `No ${unit.symbol} was transferred${hasMore ? ' in the blocks searched so far' : ''}.`
      }
      hint={
        <>
          Call <code>transfer</code> on the{' '}
          <Link href={to('contract', address, { tab: 'interact' })}>Interact tab</Link>.
        </>
      }
    />
  );
}

/** The zero address stands for the mint or burn. */
function Party({ of, otherwise }: { readonly of: string | undefined; readonly otherwise: string }) {
  if (of === undefined) return null;
  return of === '0x0' ? <span className="quiet">{otherwise}</span> : <Address of={of} mark />;
}

interface Transfer {
  readonly from: string;
  readonly to: string;
  readonly value: bigint;
}

function readTransfer(row: EventRow, classes: ReadonlyMap<string, Abi>): Transfer | undefined {
  const [from, to, value] = decodedEvent(row, classes)?.members.map((member) => member.value) ?? [];
  const amount = value && amountIn(value);
  if (from?.kind !== 'address' || to?.kind !== 'address' || amount === undefined) return undefined;
  return { from: from.felt, to: to.felt, value: amount };
}

/** Amounts of old tokens are felts. */
function amountIn(value: Decoded): bigint | undefined {
  if (value.kind === 'number') return value.value;
  return value.kind === 'felt' ? BigInt(value.felt) : undefined;
}
