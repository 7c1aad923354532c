// Page of one transaction: summary, failure, details.
import { buildTree, type CallTree, type Frame } from '@starkbox/abi';
import { shortHash } from '@starkbox/abi/basics';
import { classesIn } from '@starkbox/abi/internal';
import { type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import { grouped } from '../../format/amount.js';
import { useClassNamesOf, useNames, useNamesOf } from '../../format/names.js';
import { timeText } from '../../format/time.js';
import { isShortcut } from '../../navigation/key-events.js';
import { BesideContext, setQuery, to, useRoute } from '../../navigation/route.js';
import { act } from '../../parts/action.js';
import { Button } from '../../parts/button.js';
import { Confirm, type Question } from '../../parts/confirm.js';
import { Label } from '../../parts/label-form.js';
import { Heading, Loading, Problem } from '../../parts/page-states.js';
import { usePreparedChanges } from '../../parts/transaction/state-changes.js';
import { useMedia } from '../../parts/use-media.js';
import { Link, Status, UntrustedText } from '../../parts/values.js';
import { call, RpcFailure } from '../../rpc/client.js';
import { liveNow, useLive } from '../../rpc/live-state.js';
import type { Receipt, Transaction } from '../../rpc/methods.js';
import {
  useAbis,
  useClasses,
  useCurrent,
  useExplained,
  useHeader,
  useTransaction,
} from '../../rpc/queries.js';
import { lastPastChange } from '../../rpc/undone-blocks.js';
import { runTask } from '../../state/tasks.js';
import { DetailTabs } from './detail-tabs.js';
import { TransactionFacts } from './facts.js';
import { Failure, FailureHeadline, Rejection } from './failure.js';
import { Neighbours } from './neighbours.js';
import { Sentence } from './summary.js';
import { TokenTransfers } from './token-transfers.js';

const HASH_NOT_FOUND = 29;

type Loaded = NonNullable<ReturnType<typeof useTransaction>['data']>;

/** Recently viewed transactions, in case a revert removes them from the chain. */
const remembered = new Map<string, Loaded>();
const MAX_REMEMBERED = 20;

function remember(hash: string, loaded: Loaded): void {
  remembered.delete(hash);
  remembered.set(hash, loaded);
  const [oldest] = remembered.keys();
  if (remembered.size > MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
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
  return `${what} at ${timeText(Math.floor(turn.at / 1000))} UTC`;
}

/** A transaction that is not final is read again as the chain grows. */
function useProgress(receipt: Receipt | undefined, refetch: () => void): void {
  const revision = useLive((live) => live.revision);
  const accepted = useLive(
    (live) => live.operations.find(({ event }) => event === 'accepted_on_l1')?.id ?? 0,
  );
  const isOpen = receipt?.finality_status === 'PRE_CONFIRMED';
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change may have closed its block
  useEffect(() => {
    if (isOpen) refetch();
  }, [revision]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only acceptance on L1 matters here
  useEffect(() => {
    if (accepted > 0) refetch();
  }, [accepted]);
}

/** ABIs by class hash, and of contracts whose calls have no class, because a revert undid them, by address. */
function useCalledClasses(tree: CallTree | undefined) {
  const hashes = useMemo(() => (tree ? classesIn(tree.roots) : []), [tree]);
  const addresses = useMemo(() => (tree ? contractsWithoutClass(tree.roots) : []), [tree]);
  const byHash = useClasses(hashes);
  useClassNamesOf(hashes);
  const byAddress = useAbis(addresses);
  const classes = useMemo(() => new Map([...byAddress, ...byHash]), [byAddress, byHash]);
  return { classes, isRead: classes.size >= hashes.length + addresses.length };
}

/** Most contracts whose ABIs are read for calls that were undone. */
const MAX_UNDONE = 50;

/** Most contracts whose names are read before the tree is shown. */
const MAX_NAMED = 100;

function contractsIn(tree: CallTree | undefined): readonly string[] {
  const addresses = new Set<string>();
  const visit = ({ contract, children }: Frame): void => {
    addresses.add(contract);
    if (addresses.size < MAX_NAMED) children.forEach(visit);
  };
  tree?.roots.forEach(visit);
  return [...addresses];
}

function contractsWithoutClass(frames: readonly Frame[]): readonly string[] {
  const addresses = new Set<string>();
  const visit = ({ contract, classHash, children }: Frame): void => {
    if (classHash === undefined) addresses.add(contract);
    children.forEach(visit);
  };
  frames.forEach(visit);
  return [...addresses].slice(0, MAX_UNDONE);
}

export function TransactionPage({ id: hash }: { readonly id: string }) {
  const { data: read, error, isPending, refetch } = useTransaction(hash);
  const isUnknown = error instanceof RpcFailure && error.code === HASH_NOT_FOUND;
  const data = read ?? (isUnknown ? remembered.get(hash) : undefined);
  useEffect(() => {
    if (read) remember(hash, read);
  }, [hash, read]);
  useProgress(read?.receipt, () => runTask(refetch()));
  const tree = useMemo(() => data && buildTree(data.transaction, data.trace, data.receipt), [data]);
  const { classes, isRead } = useCalledClasses(tree);
  // Asked for with the classes, because the page is shown once these are read.
  useHeader(read?.receipt);
  const name = useNamesOf(useMemo(() => contractsIn(tree), [tree])).get(hash);

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
  const parts = { transaction, receipt, trace, tree, classes, isRead };
  return (
    <div className="transaction">
      {!read && (
        <div className="notice failed" role="status">
          <p>This transaction no longer exists: {changeText()}. The page shows it as it was.</p>
        </div>
      )}
      <Heading
        title={`${isOk ? 'Succeeded' : 'Reverted'} · tx ${shortHash(hash)}`}
        count={
          <>
            {name !== undefined && <UntrustedText text={name} limit={60} />}
            <Neighbours transaction={transaction} receipt={receipt} />
          </>
        }
        actions={read && <Actions hash={hash} transaction={transaction} receipt={receipt} />}
      >
        <Status of={receipt.execution_status} words />
      </Heading>
      <Body hash={hash} traceError={traceError} isCurrent={read !== undefined} {...parts} />
    </div>
  );
}

type DetailProps = Parameters<typeof DetailTabs>[0];

/** The failure is above everything else; the rest follows once its height is known. */
function Body({ isCurrent, ...props }: DetailProps & { readonly isCurrent: boolean }) {
  const { hash, transaction, receipt, tree, classes, isRead } = props;
  const isReverted = receipt.execution_status === 'REVERTED';
  const reason = 'revert_reason' in receipt ? receipt.revert_reason : '';
  const explained = useExplained(hash, isReverted);
  const isSettled = useSettled(hash, isRead && !explained.isLoading);
  const tab = useRoute().query.get('tab');
  // The debugger needs the room of the summary.
  const isDebugged = tab === 'debug';
  usePreparedChanges(
    tab === 'state' ? props.trace?.state_diff : undefined,
    receipt.block_number - 1,
    { transaction: hash },
  );
  useFailureKey(tree, isDebugged);
  if (!isSettled) return <Loading what="its calls" />;
  return (
    <>
      {isReverted && !isDebugged && (
        <Failure
          hash={hash}
          transaction={transaction}
          tree={tree}
          reason={reason}
          explained={explained.data ?? undefined}
        />
      )}
      <p className="sentence">
        <Sentence {...props} />
        {isReverted && isDebugged && (
          <span className="fail">
            {' '}
            <FailureHeadline reason={reason} explained={explained.data ?? undefined} />
          </span>
        )}
      </p>
      {isDebugged || (
        <PhoneFold isFolded={tab !== null && tab !== 'calls'}>
          {!isReverted && <TokenTransfers receipt={receipt} tree={tree} classes={classes} />}
          <TransactionFacts
            hash={hash}
            transaction={transaction}
            receipt={receipt}
            isCurrent={isCurrent}
          />
        </PhoneFold>
      )}
      <DetailTabs {...props} />
    </>
  );
}

interface PhoneFoldProps {
  readonly isFolded: boolean;
  readonly children: ReactNode;
}

/** On a phone, a chosen tab begins on the first screen. */
function PhoneFold({ isFolded, children }: PhoneFoldProps) {
  const isPhone = useMedia('(max-width: 639px)');
  if (!isPhone || !isFolded) return children;
  return (
    <details>
      <summary>Details</summary>
      {children}
    </details>
  );
}

/** After this time, values that arrive may move the page. */
const MAX_WAIT_MILLISECONDS = 2_000;

/** Whether what decides the heights of the page was read, or has taken too long. */
function useSettled(hash: string, isReady: boolean): boolean {
  const [settled, setSettled] = useState<string | undefined>();
  useEffect(() => {
    if (isReady) setSettled(hash);
    const timer = setTimeout(() => setSettled(hash), MAX_WAIT_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [hash, isReady]);
  return isReady || settled === hash;
}

/** `x` goes to the failing call from every tab; the call tree and the debugger handle the key themselves. */
function useFailureKey({ cause }: CallTree, isDebugged: boolean): void {
  const id = isDebugged ? undefined : cause?.id;
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.key !== 'x' || !isShortcut(event) || id === undefined) return;
      if (document.querySelector('[role="treegrid"]')) return;
      setQuery({ tab: undefined, frame: id });
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [id]);
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
  const { data, error } = useCurrent(['now', 'transaction status', hash], () =>
    call('starknet_getTransactionStatus', { transaction_hash: hash }),
  );
  const waiting = data && WAITING[data.finality_status];
  const isIncluded = data !== undefined && waiting === undefined;
  const rejection = useExplained(hash, error !== null).data;
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
  if (rejection?.status === 'REJECTED') return <Rejection explained={rejection} />;
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
              loss: `You lose block ${block} and all later blocks: ${grouped(gone)} in all.`,
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
