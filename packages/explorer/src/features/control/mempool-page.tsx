// Page of the mempool: the order of what waits, missing nonces, replacing, dropping, sealing.
import { shortHash } from '@starkbox/abi/basics';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { counted, grouped } from '../../format/amount.js';
import { generationText } from '../../format/time.js';
import { to } from '../../navigation/route.js';
import { Action, act, LastDone } from '../../parts/action.js';
import { PlainButton } from '../../parts/button.js';
import { Confirm, type Question } from '../../parts/confirm.js';
import { Icon } from '../../parts/icons.js';
import { Empty, Heading, Loading, Problem } from '../../parts/page-states.js';
import { type Column, numberColumn, PageButtons, ShortTable } from '../../parts/table/table.js';
import { CallSummary } from '../../parts/transaction/transaction-list.js';
import { Address, Link, TxRef, UntrustedText } from '../../parts/values.js';
import { call } from '../../rpc/client.js';
import { useContractsKnown, useStatus } from '../../rpc/queries.js';
import { useBlockSettings } from './block-settings.js';
import {
  delayOf,
  type Listed,
  MempoolButtons,
  PAGE_ROWS,
  useMempool,
  type WaitingRow,
} from './mempool.js';
import { Replace } from './replace-transaction.js';

export function MempoolPage() {
  const status = useStatus();
  const settings = useBlockSettings();
  const [question, setQuestion] = useState<Question | undefined>();
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const isUsed = status.data?.mempool_tx_count !== undefined;
  const list = useMempool(isUsed, cursors.at(-1));
  const { data } = list;
  return (
    <>
      <Heading title="Mempool" count={isUsed && data && grouped(data.size)} />
      <LastDone />
      {status.error && <Problem error={status.error} what="the status" retry={status.refetch} />}
      {status.data && !isUsed && <TurnedOff mode={settings.data?.block_generation_on} />}
      {isUsed && list.error && (
        <Problem error={list.error} what="the mempool" retry={list.refetch} />
      )}
      {isUsed && list.isPending && <Loading what="the mempool" />}
      {isUsed && data && (
        <div className="stack">
          <div className="meta">
            <span>{ORDERS[data.order]}</span>
            <span>{generationText(settings.data?.block_generation_on)}</span>
            <span>{grouped(status.data?.pre_confirmed_tx_count ?? 0)} pre-confirmed</span>
          </div>
          <MempoolButtons of={data} ask={setQuestion} />
          {data.size === 0 ? (
            <Empty icon="mempool" title="No transaction waits.">
              Send a transaction with a client: it waits here until you execute it with a button
              above or with <code>devnet_mempoolPreConfirm</code>.
            </Empty>
          ) : (
            <Waiting of={data} isWhole={cursors.length === 0 && data.next === undefined} />
          )}
          <PageButtons cursors={cursors} next={data.next} change={setCursors}>
            {PAGE_ROWS} of {grouped(data.size)} at a time, in order of arrival
          </PageButtons>
          <Dropped of={data} />
        </div>
      )}
      {question && <Confirm question={question} close={() => setQuestion(undefined)} />}
    </>
  );
}

const ORDERS: Readonly<Record<Listed['order'], string>> = {
  fifo: 'oldest first',
  tip: 'highest tip first, then oldest',
  random: 'random order from the seed',
  list: 'listed hashes first, then oldest',
};

/** What the mode is now, and how to change it. */
function TurnedOff({ mode }: { readonly mode: string | null | undefined }) {
  return (
    <Empty
      icon="mempool"
      title="The mempool is off."
      action={
        <Action
          run={() =>
            act(
              'Use the mempool',
              'devnet_setBlockSettings',
              { block_generation_on: 'mempool' },
              () => 'done',
            )
          }
        >
          Use the mempool
        </Action>
      }
    >
      The node now creates {generationText(mode ?? undefined)}. With{' '}
      <code>--block-generation-on mempool</code> transactions wait here as on a network, and you
      choose which to execute, replace or drop.
    </Empty>
  );
}

/** The first nonce of each sender that is missing before a transaction of it. */
function useMissing(rows: readonly WaitingRow[]) {
  const senders = useMemo(
    () => [
      ...new Set(
        rows.filter((row) => row.waits_for_nonce).map(({ sender_address }) => sender_address),
      ),
    ],
    [rows],
  );
  const { data } = useQuery({
    queryKey: ['now', 'mempool-nonces', senders, rows],
    enabled: senders.length > 0,
    queryFn: async () => {
      const nonces = await Promise.all(
        senders.map((contract_address) =>
          // An account that is not deployed yet has no nonce.
          call('starknet_getNonce', { block_id: 'pre_confirmed', contract_address }).catch(
            () => '0x0',
          ),
        ),
      );
      return new Map(senders.map((sender, at) => [sender, BigInt(nonces[at] ?? '0x0')]));
    },
  });
  return useMemo(() => {
    const missing = new Map<string, bigint>();
    for (const [sender, nonce] of data ?? []) {
      const nonces = new Set(
        rows.filter((row) => row.sender_address === sender).map((row) => BigInt(row.nonce)),
      );
      let next = nonce;
      while (nonces.has(next)) next += 1n;
      missing.set(sender, next);
    }
    return missing;
  }, [data, rows]);
}

/** Contracts whose classes name the called functions. */
function calledBy(rows: readonly WaitingRow[]): readonly string[] {
  return [...new Set(rows.flatMap((row) => (row.call ? [row.call.contract_address] : [])))];
}

function Waiting({ of, isWhole }: { readonly of: Listed; readonly isWhole: boolean }) {
  const [replacing, setReplacing] = useState<string | undefined>();
  const missing = useMissing(of.transactions);
  useContractsKnown(calledBy(of.transactions));
  const order = new Map(of.upcoming.map((hash, index) => [hash, index + 1]));
  const inOrder = of.transactions.toSorted(
    (a, b) =>
      (order.get(a.transaction_hash) ?? Number.POSITIVE_INFINITY) -
        (order.get(b.transaction_hash) ?? Number.POSITIVE_INFINITY) || 0,
  );
  const replaced = of.transactions.find((row) => row.transaction_hash === replacing);
  return (
    <>
      <Gaps rows={of.transactions} missing={missing} isWhole={isWhole} />
      <ShortTable
        className="tall"
        label="Waiting transactions"
        rows={inOrder}
        columns={waitingColumns(order, missing, setReplacing)}
        idOf={({ transaction_hash }) => transaction_hash}
      />
      {replaced && (
        <Replace
          key={replaced.transaction_hash}
          of={replaced}
          close={() => setReplacing(undefined)}
        />
      )}
    </>
  );
}

function waitingColumns(
  order: ReadonlyMap<string, number>,
  missing: ReadonlyMap<string, bigint>,
  replace: (hash: string) => void,
): readonly Column<WaitingRow>[] {
  return [
    numberColumn(
      'Order',
      'w-small',
      ({ transaction_hash }) => order.get(transaction_hash) ?? '–',
      'order',
    ),
    {
      head: 'Hash',
      width: 'w-hash',
      rank: 3,
      cell: ({ transaction_hash }) => <TxRef of={transaction_hash} />,
    },
    {
      head: 'Sender',
      width: 'w-name',
      cell: ({ sender_address }) => <Address of={sender_address} mark />,
    },
    { head: 'Call', phone: 'main', least: 10, cell: (row) => <CallSummary of={row} /> },
    numberColumn('Nonce', 'w-small', ({ nonce }) => grouped(BigInt(nonce)), 'nonce'),
    {
      head: 'Tip',
      width: 'w-count',
      rank: 2,
      number: true,
      phoneHead: 'tip',
      cell: ({ tip }) => grouped(BigInt(tip)),
    },
    {
      head: 'State',
      width: 'w-moment',
      rank: 0,
      cell: (row) => <WaitingState of={row} missing={missing.get(row.sender_address)} />,
    },
    {
      head: 'Actions',
      width: 'w-kind',
      rank: 0,
      cellClass: 'actions-cell',
      cell: (row) => <WaitingActions of={row} replace={replace} />,
    },
  ];
}

interface WaitingStateProps {
  readonly of: WaitingRow;
  /** The first missing nonce of its sender. */
  readonly missing: bigint | undefined;
}

function WaitingState({ of: row, missing }: WaitingStateProps) {
  if (!row.waits_for_nonce)
    return row.status === 'CANDIDATE' ? 'candidate' : (delayOf(row) ?? 'can be executed');
  return (
    <span className="warn">
      waits for {missing === undefined ? 'a smaller nonce' : `nonce ${grouped(missing)}`}
    </span>
  );
}

interface WaitingActionsProps {
  readonly of: WaitingRow;
  readonly replace: (hash: string) => void;
}

function WaitingActions({ of: row, replace }: WaitingActionsProps) {
  const { transaction_hash: hash } = row;
  return (
    <>
      {row.type === 'INVOKE' && row.status !== 'CANDIDATE' && (
        <PlainButton aria-label={`Replace ${hash}`} onClick={() => replace(hash)}>
          Replace…
        </PlainButton>
      )}
      <Action
        kind="plain"
        label={`Drop ${hash}`}
        run={() =>
          act('Drop from the mempool', 'devnet_mempoolRemove', { transaction_hash: hash }, () =>
            shortHash(hash),
          )
        }
      >
        Drop
      </Action>
    </>
  );
}

interface GapsProps {
  readonly rows: readonly WaitingRow[];
  readonly missing: ReadonlyMap<string, bigint>;
  readonly isWhole: boolean;
}

/** One sentence for each sender whose transactions cannot be executed. */
function Gaps({ rows, missing, isWhole }: GapsProps) {
  if (missing.size === 0 || !isWhole) return null;
  return (
    <ul className="entries" aria-label="Missing nonces">
      {[...missing].map(([sender, nonce]) => {
        const count = rows.filter(
          (row) => row.sender_address === sender && row.waits_for_nonce,
        ).length;
        return (
          <li key={sender}>
            <span className="signed warn">
              <Icon name="warning" />
            </span>{' '}
            <Address of={sender} mark />: nonce {grouped(nonce)} is missing, and{' '}
            {counted(count, 'transaction waits', 'transactions wait')} for it.
          </li>
        );
      })}
    </ul>
  );
}

function Dropped({ of: { dropped } }: { readonly of: Listed }) {
  if (dropped.length === 0) return null;
  return (
    <section aria-label="Dropped transactions">
      <h2>Dropped</h2>
      <ul className="entries">
        {dropped
          .toReversed()
          .slice(0, PAGE_ROWS)
          .map(({ transaction_hash, sender_address, nonce, reason }) => (
            <li key={`${transaction_hash} ${reason}`}>
              <code title={transaction_hash}>{shortHash(transaction_hash)}</code>{' '}
              <Address of={sender_address} mark /> nonce {grouped(BigInt(nonce))}:{' '}
              <UntrustedText text={reason} limit={200} />
            </li>
          ))}
      </ul>
      <p className="quiet">
        They have no status. Later transactions of the same sender wait for their nonces.{' '}
        <Link href={to('transactions')}>Executed transactions</Link>
      </p>
    </section>
  );
}
