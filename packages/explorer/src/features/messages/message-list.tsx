// List of the messages in one direction, newest first.
import { type Abi, decodeInputs } from '@starkbox/abi';
import { shortAddress } from '@starkbox/abi/basics';
import { Fragment, useCallback, useMemo, useState } from 'react';
import { Icon, type IconName } from '../../parts/icons.js';
import { Empty } from '../../parts/page-states.js';
import { LiveTable } from '../../parts/table/live-table.js';
import type { Column } from '../../parts/table/table.js';
import { Members, RawFelts, Value } from '../../parts/transaction/decoded-value.js';
import { Address, Age, FunctionName } from '../../parts/values.js';
import { call } from '../../rpc/client.js';
import type { Result } from '../../rpc/methods.js';
import { type Page, useAbis } from '../../rpc/queries.js';

export type Direction = 'TO_L1' | 'TO_L2';
export type MessageRow = Result<'devnet_listMessages'>['messages'][number];

export const STATES: Readonly<
  Record<
    MessageRow['state'],
    { readonly sign: IconName; readonly word: string; readonly tone: string }
  >
> = {
  HANDLED: { sign: 'done', word: 'handled', tone: 'ok' },
  REVERTED: { sign: 'cross', word: 'its handler reverted', tone: 'fail' },
  PENDING: { sign: 'pending', word: 'in a block that is not closed yet', tone: 'warn' },
  SENT: { sign: 'dot', word: 'sent, not relayed to L1 yet', tone: 'soft' },
  DELIVERED: { sign: 'settled', word: 'on L1', tone: 'l1' },
  CONSUMED: { sign: 'done', word: 'consumed', tone: 'ok' },
};

export const idOf = ({ direction, row }: Placed): string =>
  `${direction} ${row.transaction_hash} ${row.index}`;

/** Prefix of row ids, because one page shows both directions. */
export interface Placed {
  readonly direction: Direction;
  readonly row: MessageRow;
}

const MAX_CONTRACTS = 50;

interface LaneProps {
  readonly direction: Direction;
  readonly open: string | undefined;
  readonly onOpen: (placed: Placed, abis: ReadonlyMap<string, Abi>) => void;
}

export function Lane({ direction, open, onOpen }: LaneProps) {
  const [contracts, setContracts] = useState<readonly string[]>([]);
  const abis = useAbis(contracts);
  const read = useCallback(
    async (cursor: string | undefined): Promise<Page<Placed>> => {
      const { messages, next } = await call('devnet_listMessages', {
        direction,
        ...(cursor === undefined ? {} : { cursor }),
      });
      return { rows: messages.map((row) => ({ direction, row })), next };
    },
    [direction],
  );
  const onRows = useCallback(
    (rows: readonly Placed[]) => {
      if (direction === 'TO_L1') return;
      const addresses = new Set(rows.map(({ row }) => row.to_address));
      const next = [...addresses].slice(0, MAX_CONTRACTS);
      setContracts((old) =>
        old.length === next.length && old.every((address) => addresses.has(address)) ? old : next,
      );
    },
    [direction],
  );
  const columns = useMemo(() => messageColumns(direction, abis), [direction, abis]);
  return (
    <LiveTable
      label={direction === 'TO_L1' ? 'Messages to L1' : 'Messages to L2'}
      what="messages"
      listKey={['messages', direction]}
      read={read}
      idOf={idOf}
      columns={columns}
      hrefOf={() => undefined}
      copyOf={({ row }) => row.message_hash}
      classOf={(placed) => (idOf(placed) === open ? 'is-open' : undefined)}
      onOpen={(placed) => onOpen(placed, abis)}
      onRows={onRows}
      empty={
        direction === 'TO_L1' ? (
          <Empty icon="messages" title="No contract has sent a message to L1.">
            A contract sends one with <code>send_message_to_l1_syscall</code>.
          </Empty>
        ) : (
          <Empty icon="messages" title="No message has come from L1.">
            To send one, choose “Send a message to L2” above.
          </Empty>
        )
      }
    />
  );
}

function messageColumns(
  direction: Direction,
  abis: ReadonlyMap<string, Abi>,
): readonly Column<Placed>[] {
  return [
    {
      head: 'Age',
      width: 'w-age',
      number: true,
      cell: ({ row }) => <Age of={row.timestamp} />,
    },
    {
      head: 'Status',
      isHeadUnseen: true,
      width: 'w-status',
      phone: 'lead',
      cell: ({ row: { state } }) => {
        const { sign, word, tone } = STATES[state];
        return (
          <span className={`sign ${tone}`} role="img" aria-label={word} title={word}>
            <Icon name={sign} />
          </span>
        );
      },
    },
    {
      head: 'Message',
      phone: 'main',
      cell: ({ row }) => <Message of={row} direction={direction} abis={abis} />,
    },
    { head: 'State', width: 'w-word', cell: ({ row }) => <Short of={row} /> },
  ];
}

const SHORT: Readonly<Record<MessageRow['state'], string>> = {
  HANDLED: 'handled',
  REVERTED: 'reverted',
  PENDING: 'pending',
  SENT: 'waits',
  DELIVERED: 'on L1',
  CONSUMED: 'consumed',
};

function Short({ of: { state } }: { readonly of: MessageRow }) {
  return <span className={STATES[state].tone}>{SHORT[state]}</span>;
}

interface MessageProps {
  readonly of: MessageRow;
  readonly direction: Direction;
  readonly abis: ReadonlyMap<string, Abi>;
}

function Message({ of, direction, abis }: MessageProps) {
  if (direction === 'TO_L1') {
    return (
      <>
        <Address of={of.from_address} mark /> (<Felts of={of.payload} />)
        <span className="quiet">
          {' '}
          to <L1Address of={of.to_address} />
        </span>
      </>
    );
  }
  return (
    <>
      <Address of={of.to_address} mark />.
      <FunctionName selector={of.selector ?? '0x0'} />(
      <Payload of={of} abi={abis.get(of.to_address)} />)
      <span className="quiet">
        {' '}
        from <L1Address of={of.from_address} />
      </span>
    </>
  );
}

const SHOWN = 6;

/** Payload without an ABI; felts that are short strings are shown as text. */
function Felts({ of }: { readonly of: readonly string[] }) {
  return (
    <>
      {of.slice(0, SHOWN).map((felt, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: felts repeat
        <Fragment key={at}>
          {at > 0 && ', '}
          <Value of={{ kind: 'felt', felt }} />
        </Fragment>
      ))}
      {of.length > SHOWN && `, … ${of.length} in all`}
    </>
  );
}

/** L1 addresses have no page. */
export function L1Address({ of }: { readonly of: string }) {
  return (
    <span className="mono" title={of} data-eq={of}>
      {shortAddress(of)}
    </span>
  );
}

interface PayloadProps {
  readonly of: MessageRow;
  readonly abi: Abi | undefined;
  readonly labels?: boolean;
}

/** Payload of a message to L2, decoded by the ABI of its handler. */
export function Payload({ of, abi, labels = false }: PayloadProps) {
  const handler = abi?.functions.get(of.selector ?? '');
  const decoded =
    handler && abi && decodeInputs(handler, [of.from_address, ...of.payload], abi)?.slice(1);
  if (!decoded) return <RawFelts of={of.payload} />;
  return <Members of={decoded} labels={labels} />;
}
