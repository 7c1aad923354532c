// Controls of the mempool: what waits in it, and what becomes of it.
import { shortHash } from '@starkbox/abi/basics';
import { useQuery } from '@tanstack/react-query';
import { counted, grouped } from '../../format/amount.js';
import { to } from '../../navigation/route.js';
import { Action, act } from '../../parts/action.js';
import { type AskProps, Group, Sealed } from '../../parts/confirm.js';
import { CallSummary } from '../../parts/transaction/transaction-list.js';
import { Address, Copy, Link, UntrustedText } from '../../parts/values.js';
import { call } from '../../rpc/client.js';
import { useLive } from '../../rpc/live-state.js';
import type { Result } from '../../rpc/methods.js';
import { useStatus } from '../../rpc/queries.js';

export type Listed = Result<'devnet_mempoolList'>;
export type WaitingRow = Listed['transactions'][number];

export const PAGE_ROWS = 50;
const MAX_DROPPED = 5;

/** A page of what waits. */
export function useMempool(isUsed: boolean, cursor?: string) {
  const revision = useLive((live) => live.revision);
  const epoch = useLive((live) => live.epoch);
  return useQuery({
    enabled: isUsed,
    queryKey: ['now', 'mempool', revision, epoch, cursor],
    placeholderData: (old: Listed | undefined) => old,
    queryFn: () =>
      call('devnet_mempoolList', {
        limit: PAGE_ROWS,
        ...(cursor === undefined ? {} : { cursor }),
      }),
  });
}

/** Shown where blocks come from the mempool, or transactions wait in it. */
export function Mempool({ ask }: AskProps) {
  const status = useStatus();
  const isUsed = status.data?.mempool_tx_count !== undefined;
  const { data } = useMempool(isUsed);
  if (!data || !isUsed) return null;
  return (
    <Group name="Mempool">
      <div className="meta">
        <span>{grouped(data.size)} waiting</span>
        <span>order {data.order}</span>
        <Link href={to('mempool')}>Open the mempool page</Link>
      </div>
      <MempoolButtons of={data} ask={ask} />
      <Waiting of={data} />
      <Dropped of={data} />
    </Group>
  );
}

/** Buttons that execute or remove what waits. */
export function MempoolButtons({ of: data, ask }: AskProps & { readonly of: Listed }) {
  const none = data.upcoming.length === 0 ? 'No transaction can be executed.' : undefined;
  return (
    <div className="line-of">
      <PreConfirm refused={none} count={1} name="Pre-confirm next" />
      <PreConfirm refused={none} name="Pre-confirm all" />
      <Action
        run={() =>
          act('Seal a block', 'devnet_mempoolSeal', {}, ({ block_hash }) => (
            <Sealed hash={block_hash} />
          ))
        }
      >
        Seal a block
      </Action>
      <Action
        kind="danger"
        refused={data.size === 0 ? 'The mempool is empty.' : undefined}
        run={async () =>
          ask({
            title: 'Clear the mempool?',
            loss: `You lose ${counted(data.size, 'transaction')}.`,
            verb: 'Clear the mempool',
            canKeep: false,
            run: () =>
              act(
                'Clear the mempool',
                'devnet_mempoolClear',
                {},
                ({ removed }) => `${removed} transactions removed`,
              ),
          })
        }
      >
        Clear…
      </Action>
    </div>
  );
}

interface PreConfirmProps {
  readonly refused: string | undefined;
  readonly count?: number;
  readonly name: string;
}

function PreConfirm({ refused, count, name }: PreConfirmProps) {
  return (
    <Action
      refused={refused}
      run={() =>
        act(
          name,
          'devnet_mempoolPreConfirm',
          count === undefined ? {} : { count },
          ({ pre_confirmed, dropped }) =>
            `${pre_confirmed.length} pre-confirmed, ${dropped.length} dropped`,
        )
      }
    >
      {name}
    </Action>
  );
}

function Waiting({ of }: { readonly of: Listed }) {
  if (of.transactions.length === 0) return null;
  const order = new Map(of.upcoming.map((hash, index) => [hash, index + 1]));
  return (
    <ul className="entries" aria-label="Waiting transactions">
      {of.transactions.map((row) => (
        <li key={row.transaction_hash} className="line-of">
          <Link href={to('tx', row.transaction_hash)}>
            <code>{shortHash(row.transaction_hash)}</code>
          </Link>
          <Copy value={row.transaction_hash} what="hash" />
          <Address of={row.sender_address} mark />
          <span>
            <CallSummary of={row} />
          </span>
          <span className="soft">
            nonce {Number(row.nonce)}, tip {grouped(BigInt(row.tip))}
          </span>
          <span>{stateOf(row, order.get(row.transaction_hash))}</span>
          <Action
            label={`Remove ${row.transaction_hash}`}
            run={() =>
              act(
                'Remove from the mempool',
                'devnet_mempoolRemove',
                { transaction_hash: row.transaction_hash },
                () => shortHash(row.transaction_hash),
              )
            }
          >
            Remove
          </Action>
        </li>
      ))}
      {of.next !== undefined && <li className="soft">and {grouped(of.size - PAGE_ROWS)} more</li>}
    </ul>
  );
}

/** What keeps a transaction from its execution under network conditions. */
export function delayOf({ waits_for_price, waits_for_blocks }: WaitingRow): string | undefined {
  if (waits_for_blocks !== undefined) return `delayed by ${counted(waits_for_blocks, 'block')}`;
  return waits_for_price ? 'waits for a lower price' : undefined;
}

function stateOf(row: WaitingRow, position: number | undefined): string {
  const { status, waits_for_nonce } = row;
  if (waits_for_nonce) return 'waits for a nonce';
  const delay = delayOf(row);
  if (delay !== undefined) return delay;
  const name = status === 'CANDIDATE' ? 'candidate' : 'received';
  return position === undefined ? name : `${name}, number ${position} in order`;
}

function Dropped({ of }: { readonly of: Listed }) {
  const newest = of.dropped.slice(-MAX_DROPPED).toReversed();
  if (newest.length === 0) return null;
  return (
    <ul className="entries" aria-label="Dropped transactions">
      {newest.map(({ transaction_hash, reason }) => (
        <li key={`${transaction_hash} ${reason}`} className="line-of">
          <code>{shortHash(transaction_hash)}</code>
          <span className="soft">dropped:</span>
          <UntrustedText text={reason} limit={120} />
        </li>
      ))}
    </ul>
  );
}
