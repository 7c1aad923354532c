// Page of one transaction: summary, failure, details.
import { classesIn, shortHash } from '@starkbox/abi';
import { useQuery } from '@tanstack/react-query';
import { useContext, useEffect, useMemo, useState } from 'react';
import { grouped, unitOf } from '../../format/amount.js';
import { useNames } from '../../format/names.js';
import { momentText } from '../../format/time.js';
import { to, useRoute } from '../../navigation/route.js';
import { act } from '../../parts/action.js';
import { Button } from '../../parts/button.js';
import { Confirm, type Question } from '../../parts/confirm.js';
import { Label } from '../../parts/label-form.js';
import { BesideContext, Heading, Loading, Problem } from '../../parts/page-states.js';
import { Amount, BlockRef, Copy, Link, Status, UntrustedText } from '../../parts/values.js';
import { call, RpcFailure } from '../../rpc/client.js';
import { liveNow, useLive } from '../../rpc/live-state.js';
import type { Receipt, Result, Transaction } from '../../rpc/methods.js';
import { useClasses, useHeader, useTransaction } from '../../rpc/queries.js';
import { lastPastChange } from '../../rpc/undone-blocks.js';
import { runTask } from '../../state/tasks.js';
import { treeOf } from '../../traces/whole-frame.js';
import { DetailTabs } from './detail-tabs.js';
import { Path, Sentence, Why } from './summary.js';
import { TokenTransfers } from './token-transfers.js';

const HASH_NOT_FOUND = 29;

type Loaded = NonNullable<ReturnType<typeof useTransaction>['data']>;

/** Recently viewed transactions, in case a revert removes them from the chain. */
const remembered = new Map<string, Loaded>();
const MOST_REMEMBERED = 20;

function remember(hash: string, loaded: Loaded): void {
  remembered.delete(hash);
  remembered.set(hash, loaded);
  const [oldest] = remembered.keys();
  if (remembered.size > MOST_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
}

const CHANGES: Readonly<Record<string, string>> = {
  revert: 'the chain was reverted to a snapshot',
  restart: 'the chain was restarted',
  load: 'another chain was loaded',
  abort: 'blocks were aborted',
};

/** Whether the chain was cut since, as seen by this tab. */
function changeText(): string {
  const turn = lastPastChange();
  if (!turn) return 'the chain has changed';
  const what = CHANGES[turn.why ?? ''] ?? 'the chain has changed';
  return `${what} at ${new Date(turn.at).toLocaleTimeString()}`;
}

/** A transaction that is not final is read again as the chain grows. */
function useProgress(receipt: Receipt | undefined, refetch: () => void): void {
  const beat = useLive((live) => live.beat);
  const accepted = useLive(
    (live) => live.operations.find(({ event }) => event === 'accepted_on_l1')?.id ?? 0,
  );
  const isOpen = receipt?.finality_status === 'PRE_CONFIRMED';
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change may have closed its block
  useEffect(() => {
    if (isOpen) refetch();
  }, [beat]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only acceptance on L1 matters here
  useEffect(() => {
    if (accepted > 0) refetch();
  }, [accepted]);
}

export function TransactionPage({ id: hash }: { readonly id: string }) {
  const { data: read, error, isPending, refetch } = useTransaction(hash);
  const isUnknown = error instanceof RpcFailure && error.code === HASH_NOT_FOUND;
  const data = read ?? (isUnknown ? remembered.get(hash) : undefined);
  useEffect(() => {
    if (read) remember(hash, read);
  }, [hash, read]);
  useProgress(read?.receipt, () => runTask(refetch()));
  const tree = useMemo(() => data && treeOf(data.transaction, data.trace, data.receipt), [data]);
  const classes = useClasses(useMemo(() => (tree ? classesIn(tree.roots) : []), [tree]));
  const name = useNames().get(hash);
  // The debugger needs the room of the summary.
  const isDebugged = useRoute().query.get('tab') === 'debug';

  if (isPending) {
    return (
      <>
        <Heading title={`tx ${shortHash(hash)}`}>Transaction</Heading>
        <Loading what="the transaction" />
      </>
    );
  }
  if (!data || !tree) {
    return (
      <>
        <Heading title={`tx ${shortHash(hash)}`}>Transaction</Heading>
        {isUnknown ? (
          <MissingTransaction hash={hash} refetch={refetch} />
        ) : (
          <Problem error={error} what="the transaction" retry={refetch} />
        )}
      </>
    );
  }
  const { transaction, receipt, trace, traceError } = data;
  const isOk = receipt.execution_status === 'SUCCEEDED';
  const parts = { transaction, receipt, trace, tree, classes };
  return (
    <>
      {!read && (
        <div className="notice failed" role="status">
          <p>This transaction no longer exists: {changeText()}. It is shown as it was.</p>
        </div>
      )}
      <Heading
        title={`${isOk ? 'Succeeded' : 'Reverted'} · tx ${shortHash(hash)}`}
        count={name !== undefined && <UntrustedText text={name} limit={60} />}
        actions={read && <Actions hash={hash} transaction={transaction} receipt={receipt} />}
      >
        <Status of={receipt.execution_status} words />
      </Heading>
      <p className="sentence">
        <Sentence {...parts} />
      </p>
      {isDebugged || <Summary hash={hash} isCurrent={read !== undefined} {...parts} />}
      <DetailTabs hash={hash} traceError={traceError} {...parts} />
    </>
  );
}

function Summary({
  hash,
  isCurrent,
  transaction,
  receipt,
  tree,
  classes,
}: Omit<Parameters<typeof DetailTabs>[0], 'traceError'> & { readonly isCurrent: boolean }) {
  return (
    <>
      <p className="whole">
        {hash} <Copy value={hash} what="transaction hash" />
      </p>
      <Facts hash={hash} transaction={transaction} receipt={receipt} isCurrent={isCurrent} />
      <Path finality={receipt.finality_status} />
      {receipt.execution_status === 'SUCCEEDED' ? (
        <TokenTransfers receipt={receipt} tree={tree} classes={classes} />
      ) : (
        <Why
          hash={hash}
          tree={tree}
          classes={classes}
          reason={'revert_reason' in receipt ? receipt.revert_reason : ''}
        />
      )}
    </>
  );
}

/** Statuses of transactions that have no receipt yet. */
const WAITING: Readonly<Record<string, string>> = {
  RECEIVED: 'This transaction waits in the mempool.',
  CANDIDATE: 'This transaction is selected for the block under construction.',
};

interface MissingProps {
  readonly hash: string;
  /** Reads the transaction again. */
  readonly refetch: () => void;
}

/** A transaction without a receipt: it waits, or this chain does not have it. */
function MissingTransaction({ hash, refetch }: MissingProps) {
  const beat = useLive((live) => live.beat);
  const { data } = useQuery({
    queryKey: ['now', 'transaction status', hash, beat],
    placeholderData: (old: Result<'starknet_getTransactionStatus'> | undefined) => old,
    queryFn: () => call('starknet_getTransactionStatus', { transaction_hash: hash }),
  });
  const waiting = data && WAITING[data.finality_status];
  const isIncluded = data !== undefined && waiting === undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: read again once it is included
  useEffect(() => {
    if (isIncluded) refetch();
  }, [isIncluded]);
  if (waiting !== undefined) {
    return (
      <div className="empty">
        <p>{waiting}</p>
        <p className="whole">{hash}</p>
        <p>
          <Link href={to('control')}>Pre-confirm, seal or remove it</Link>
        </p>
      </div>
    );
  }
  return (
    <div className="empty">
      <p>This chain has no transaction with this hash.</p>
      <p className="whole">{hash}</p>
      {lastPastChange() && <p>Since this tab was opened, {changeText()}.</p>}
      <p>
        <Link href={to('transactions')}>All transactions</Link>
      </p>
    </div>
  );
}

interface FactsProps {
  readonly hash: string;
  readonly transaction: Transaction;
  readonly receipt: Receipt;
  /** Whether it is still on the chain. */
  readonly isCurrent: boolean;
}

function Facts({ hash, transaction, receipt, isCurrent }: FactsProps) {
  const header = useHeader(isCurrent ? receipt : undefined).data;
  const unit = unitOf(receipt.actual_fee.unit);
  const index = header?.transactions.indexOf(hash);
  const { l2_gas, l1_gas, l1_data_gas } = receipt.execution_resources;
  return (
    <div className="meta">
      <span>
        {kindName(transaction.type)}{' '}
        {'version' in transaction && `v${Number(BigInt(transaction.version) & 0xffn)}`}
      </span>
      {'nonce' in transaction && <span>nonce {grouped(BigInt(transaction.nonce))}</span>}
      <span>
        block{' '}
        {receipt.finality_status === 'PRE_CONFIRMED' ? (
          <Link href={to('block', 'pre_confirmed')}>pre-confirmed</Link>
        ) : (
          <BlockRef of={receipt.block_number} />
        )}
        {index !== undefined && index >= 0 && ` #${index}`}
      </span>
      {header && <span>{momentText(header.timestamp)}</span>}
      <span>
        fee <Amount of={BigInt(receipt.actual_fee.amount)} unit={unit} />
      </span>
      <span>l2 {grouped(l2_gas)}</span>
      {l1_gas > 0 && <span>l1 {grouped(l1_gas)}</span>}
      <span>data {grouped(l1_data_gas)}</span>
      {'tip' in transaction && <span>tip {grouped(BigInt(transaction.tip))}</span>}
    </div>
  );
}

function kindName(type: string): string {
  const words = type.toLowerCase().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

interface ActionsProps {
  readonly hash: string;
  readonly transaction: Transaction;
  readonly receipt: Receipt;
}

function Actions({ hash, transaction, receipt }: ActionsProps) {
  const [question, setQuestion] = useState<Question | undefined>();
  const label = useNames().get(hash);
  if (useContext(BesideContext)) return null;
  const block = receipt.block_number;
  const isClosed = receipt.finality_status !== 'PRE_CONFIRMED';
  return (
    <>
      {transaction.type === 'INVOKE' && (
        <Link className="button" href={to('simulate', undefined, { tx: hash })}>
          Simulate again
        </Link>
      )}
      {isClosed && block > 0 && (
        <Button
          onClick={() => {
            const gone = (liveNow().head?.number ?? block) - block + 1;
            setQuestion({
              title: 'Revert to before this transaction?',
              loss: `Its block ${block} and all after it are lost: ${grouped(gone)} in all.`,
              verb: `Abort from block ${block}`,
              canKeep: true,
              run: () =>
                act(
                  `Abort from block ${block}`,
                  'devnet_abortBlocks',
                  { starting_block_id: { block_number: block } },
                  ({ aborted }) => `${grouped(aborted.length)} blocks aborted`,
                ),
            });
          }}
        >
          Revert to before this…
        </Button>
      )}
      <Label value={hash} label={label} />
      {question && <Confirm question={question} close={() => setQuestion(undefined)} />}
    </>
  );
}
