// Knows the page of one transaction: what happened in a sentence, why it failed, and the evidence below.
import { type ReactNode, useMemo } from 'react';
import { decodeEvent } from '../abi/decode.js';
import { readFailure } from '../abi/failure.js';
import { CallLine, CallTreeView, type Classes, EventLine } from '../parts/call-tree.js';
import { tokenOf } from '../parts/decoded.js';
import { StateChanges } from '../parts/state-changes.js';
import { Heading, Json, Loading, Problem } from '../parts/states.js';
import { Tabs } from '../parts/tabs.js';
import {
  Address,
  Amount,
  BlockRef,
  ClassRef,
  Copy,
  FunctionName,
  Hostile,
  Link,
  Status,
} from '../parts/values.js';
import { to, usePlace } from '../route.js';
import {
  buildTree,
  type CallTree,
  classesIn,
  type Frame,
  type Receipt,
  readMulticall,
  type Transaction as Sent,
  senderOf,
  type Trace,
} from '../trace/frames.js';
import { grouped, unitOf } from '../values/amount.js';
import { shortHash } from '../values/felt.js';
import { selectorOf } from '../values/keccak.js';
import { writeJson } from '../wire/json.js';
import { useLive } from '../wire/live.js';
import { useClasses, useTransaction } from '../wire/queries.js';
import { asCurl, RpcFailure } from '../wire/rpc.js';

const HASH_NOT_FOUND = 29;
const DEPLOYERS = new Set([selectorOf('deployContract'), selectorOf('deploy_contract')]);

export function TransactionPage({ hash }: { readonly hash: string }) {
  const { data, error, isPending, refetch } = useTransaction(hash);
  const tree = useMemo(() => data && buildTree(data.transaction, data.trace, data.receipt), [data]);
  const classes = useClasses(useMemo(() => (tree ? classesIn(tree.roots) : []), [tree]));
  const upheaval = useLive((live) => live.upheaval);

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
        {error instanceof RpcFailure && error.code === HASH_NOT_FOUND ? (
          <div className="empty">
            <p>No transaction with this hash is on this chain.</p>
            <p className="whole">{hash}</p>
            {upheaval !== undefined && (
              <p>The chain was changed while this page was open: {upheaval}.</p>
            )}
            <p>
              <Link href={to('transactions')}>All transactions</Link>
            </p>
          </div>
        ) : (
          <Problem error={error} what="the transaction" retry={() => void refetch()} />
        )}
      </>
    );
  }
  const { transaction, receipt, trace, traceError } = data;
  const isOk = receipt.execution_status === 'SUCCEEDED';
  const unit = unitOf(receipt.actual_fee.unit);
  const { l2_gas, l1_gas, l1_data_gas } = receipt.execution_resources;
  return (
    <>
      <Heading
        title={`${isOk ? 'Succeeded' : 'Reverted'} · tx ${shortHash(hash)}`}
        actions={
          <Copy
            value={asCurl('starknet_traceTransaction', { transaction_hash: hash })}
            what="as curl"
          />
        }
      >
        <Status of={receipt.execution_status} words />
      </Heading>
      <p className="sentence">
        <Sentence
          transaction={transaction}
          receipt={receipt}
          trace={trace}
          tree={tree}
          classes={classes}
        />
      </p>
      <p className="whole">
        {hash} <Copy value={hash} what="transaction hash" />
      </p>
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
        </span>
        <span>
          fee <Amount of={BigInt(receipt.actual_fee.amount)} unit={unit} />
        </span>
        <span>l2 {grouped(l2_gas)}</span>
        {l1_gas > 0 && <span>l1 {grouped(l1_gas)}</span>}
        <span>data {grouped(l1_data_gas)}</span>
        {'tip' in transaction && <span>tip {grouped(BigInt(transaction.tip))}</span>}
      </div>
      <Path finality={receipt.finality_status} />
      {isOk ? (
        <Movements receipt={receipt} trace={trace} classes={classes} />
      ) : (
        <Why
          tree={tree}
          classes={classes}
          reason={'revert_reason' in receipt ? receipt.revert_reason : ''}
        />
      )}
      <Evidence
        hash={hash}
        transaction={transaction}
        receipt={receipt}
        trace={trace}
        traceError={traceError}
        tree={tree}
        classes={classes}
      />
    </>
  );
}

function kindName(type: string): string {
  const words = type.toLowerCase().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** From received to accepted on L1, as far as it has come. */
function Path({ finality }: { readonly finality: string }) {
  const steps = ['Received', 'Pre-confirmed', 'Accepted on L2', 'Accepted on L1'];
  const reached = finality === 'PRE_CONFIRMED' ? 1 : finality === 'ACCEPTED_ON_L1' ? 3 : 2;
  return (
    <ol className="path" aria-label="Status">
      {steps.map((step, at) => (
        <li
          key={step}
          className={at <= reached ? 'done' : undefined}
          aria-current={at === reached ? 'step' : undefined}
        >
          {at <= reached ? '●' : '○'} {step}
        </li>
      ))}
    </ol>
  );
}

interface StoryProps {
  readonly transaction: Sent;
  readonly receipt: Receipt;
  readonly trace: Trace | undefined;
  readonly tree: CallTree;
  readonly classes: Classes;
}

/** The frames that the sender asked for. */
function userFrames(tree: CallTree): readonly Frame[] {
  return tree.roots.find(({ phase }) => phase === 'execute')?.children ?? [];
}

function Sentence({ transaction, receipt, tree, classes }: StoryProps): ReactNode {
  const sender = senderOf(transaction);
  const failure = 'revert_reason' in receipt ? readFailure(receipt.revert_reason) : undefined;
  const end = failure ? (
    <>
      ; it failed with <Hostile text={failure.message} quoted limit={160} />.
    </>
  ) : (
    '.'
  );
  if (sender === undefined) return <>A contract was deployed{end}</>;
  const who = <Address of={sender} mark />;
  if (transaction.type === 'DECLARE') {
    return (
      <>
        {who} declared the class <ClassRef of={transaction.class_hash} copy />
        {end}
      </>
    );
  }
  if (transaction.type === 'DEPLOY_ACCOUNT')
    return (
      <>
        The account {who} was deployed{end}
      </>
    );
  if (transaction.type === 'L1_HANDLER') {
    return (
      <>
        A message from L1 called {who}.<FunctionName selector={transaction.entry_point_selector} />
        {end}
      </>
    );
  }
  const calls =
    userFrames(tree).length > 0
      ? userFrames(tree)
      : ('calldata' in transaction && readMulticall(transaction.calldata)) || [];
  const [first] = calls;
  if (!first)
    return (
      <>
        {who} sent a transaction{end}
      </>
    );
  const deployed = 'contract_address' in receipt ? undefined : deployedBy(receipt);
  if (calls.length === 1 && DEPLOYERS.has(first.selector) && deployed !== undefined) {
    return (
      <>
        {who} deployed <Address of={deployed} mark copy />
        {end}
      </>
    );
  }
  const isSame = calls.every(
    ({ contract, selector }) => contract === first.contract && selector === first.selector,
  );
  if (isSame) {
    return (
      <>
        {who} called{' '}
        {calls.length === 1 && 'id' in first && !failure ? (
          <CallLine of={first} classes={classes} />
        ) : (
          <>
            <Address of={first.contract} mark />.<FunctionName selector={first.selector} />
          </>
        )}
        {calls.length > 1 && ` ×${calls.length}`}
        {end}
      </>
    );
  }
  return (
    <>
      {who} made {calls.length} calls:{' '}
      {calls.slice(0, 4).map((one, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: calls have no identity but their place
        <span key={at}>
          {at > 0 && ', '}
          <Address of={one.contract} mark />.<FunctionName selector={one.selector} />
        </span>
      ))}
      {calls.length > 4 && ', …'}
      {end}
    </>
  );
}

const CONTRACT_DEPLOYED = selectorOf('ContractDeployed');

function deployedBy(receipt: Receipt): string | undefined {
  return receipt.events.find(({ keys }) => keys[0] === CONTRACT_DEPLOYED)?.data[0];
}

/** The way to the failure, with its last words. The whole protocol text is one click away. */
function Why({
  tree,
  classes,
  reason,
}: {
  readonly tree: CallTree;
  readonly classes: Classes;
  readonly reason: string;
}) {
  const way: Frame[] = [];
  let level: readonly Frame[] = tree.roots.filter(({ phase }) => phase !== 'fee');
  for (
    let next = level.find(({ failed }) => failed);
    next;
    next = level.find(({ failed }) => failed)
  ) {
    way.push(next);
    level = next.children;
  }
  const nest = (at: number): ReactNode => {
    const frame = way[at];
    if (!frame) {
      return (
        <li className="cause">
          ✕ <Hostile text={tree.cause?.cause ?? readFailure(reason).message} />
        </li>
      );
    }
    return (
      <li>
        {at === 0 ? (
          <>
            <Address of={frame.contract} mark />.<FunctionName selector={frame.selector} />
          </>
        ) : (
          <CallLine of={frame} classes={classes} labels />
        )}
        <ul>{nest(at + 1)}</ul>
      </li>
    );
  };
  return (
    <section className="why" aria-label="Why it failed">
      <ul>{nest(0)}</ul>
      {tree.isUncertain && (
        <p className="soft">
          Several of the calls are equal; one of them failed, shown is the last.
        </p>
      )}
      <details>
        <summary>Protocol text</summary>
        <pre>
          {reason
            .slice(0, 20_000)
            .split('\n')
            .map((line, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place
              <span key={at}>
                <Hostile text={line} limit={2_000} />
                {'\n'}
              </span>
            ))}
        </pre>
      </details>
    </section>
  );
}

/** Tokens that went from one to another, the fee on its own line. */
function Movements({
  receipt,
  trace,
  classes,
}: {
  readonly receipt: Receipt;
  readonly trace: Trace | undefined;
  readonly classes: Classes;
}) {
  const classOf = classesByContract(trace);
  const fee = feeEventOf(receipt);
  const moves = receipt.events.flatMap((event) => {
    const unit = tokenOf(event.from_address);
    const abi = classes.get(classOf.get(event.from_address) ?? '');
    if (!unit || !abi || event === fee) return [];
    const decoded = decodeEvent(event.keys, event.data, abi);
    if (decoded?.name !== 'Transfer') return [];
    const [from, to_, value] = decoded.members.map((member) => member.value);
    if (from?.kind !== 'address' || to_?.kind !== 'address' || value?.kind !== 'number') return [];
    return [{ from: from.felt, to: to_.felt, value: value.value, unit }];
  });
  if (moves.length === 0) return null;
  return (
    <ul className="story" aria-label="Token movements">
      {moves.slice(0, 8).map((move, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: equal movements are no mistake
        <li key={at}>
          {move.from === '0x0' ? 'minted' : <Address of={move.from} />} →{' '}
          {move.to === '0x0' ? 'burnt' : <Address of={move.to} />}{' '}
          <Amount of={move.value} unit={move.unit} />
        </li>
      ))}
      {moves.length > 8 && <li className="quiet">and {moves.length - 8} more</li>}
    </ul>
  );
}

/** The fee is the last thing that a transaction pays, to the sequencer. */
function feeEventOf(receipt: Receipt): Receipt['events'][number] | undefined {
  const last = receipt.events.at(-1);
  return last && last.data[0] === receipt.actual_fee.amount ? last : undefined;
}

function classesByContract(trace: Trace | undefined): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if ('contract_address' in value && 'class_hash' in value && 'calls' in value) {
      found.set(String(value.contract_address), String(value.class_hash));
      if (Array.isArray(value.calls)) value.calls.forEach(visit);
    }
  };
  if (trace) Object.values(trace).forEach(visit);
  return found;
}

function Evidence({
  hash,
  transaction,
  receipt,
  trace,
  traceError,
  tree,
  classes,
}: StoryProps & { readonly hash: string; readonly traceError: unknown }) {
  const tab = usePlace().query.get('tab') ?? 'calls';
  const diff = trace?.state_diff;
  const changes = diff ? countChanges(diff) : undefined;
  const classOf = useMemo(() => classesByContract(trace), [trace]);
  return (
    <>
      <Tabs
        current={tab}
        tabs={[
          { id: 'calls', name: 'Calls', count: tree.count },
          { id: 'state', name: 'State', count: changes },
          { id: 'events', name: 'Events', count: receipt.events.length },
          { id: 'messages', name: 'Messages', count: receipt.messages_sent.length },
          { id: 'raw', name: 'Raw' },
        ]}
      />
      {tab === 'calls' && (
        <>
          {traceError !== undefined && <Problem error={traceError} what="the trace" />}
          {tree.roots.length > 0 && (
            <CallTreeView
              key={hash}
              tree={tree}
              classes={classes}
              total={receipt.execution_resources.l2_gas}
            />
          )}
        </>
      )}
      {tab === 'state' &&
        (diff ? (
          <StateChanges diff={diff} before={receipt.block_number - 1} classes={classes} />
        ) : (
          <p className="empty">
            There is no trace of this transaction, so its changes are not known.
          </p>
        ))}
      {tab === 'events' && <Events receipt={receipt} classOf={classOf} classes={classes} />}
      {tab === 'messages' &&
        (receipt.messages_sent.length === 0 ? (
          <p className="empty">It sent no message to L1.</p>
        ) : (
          <Json of={writeJson(receipt.messages_sent, 2)} />
        ))}
      {tab === 'raw' && (
        <div className="stack">
          {(
            [
              ['Transaction', transaction],
              ['Receipt', receipt],
              ['Trace', trace],
            ] as const
          ).map(([name, value]) => (
            <details key={name} open={name === 'Transaction'}>
              <summary>
                {name} <Copy value={writeJson(value, 2)} what={name.toLowerCase()} />
              </summary>
              <Json of={writeJson(value, 2)} />
            </details>
          ))}
        </div>
      )}
    </>
  );
}

function countChanges(diff: Trace['state_diff'] & {}): number {
  return (
    diff.storage_diffs.reduce((sum, { storage_entries }) => sum + storage_entries.length, 0) +
    diff.nonces.length +
    diff.deployed_contracts.length +
    diff.declared_classes.length +
    diff.replaced_classes.length
  );
}

function Events({
  receipt,
  classOf,
  classes,
}: {
  readonly receipt: Receipt;
  readonly classOf: ReadonlyMap<string, string>;
  readonly classes: Classes;
}) {
  if (receipt.events.length === 0) return <p className="empty">It emitted no event.</p>;
  const fee = feeEventOf(receipt);
  return (
    <table className="table" aria-label="Events">
      <thead>
        <tr>
          <th scope="col" className="w-status number">
            <span aria-hidden="true">#</span>
            <span className="unseen">Number</span>
          </th>
          <th scope="col" className="w-name">
            Source
          </th>
          <th scope="col">Event</th>
        </tr>
      </thead>
      <tbody>
        {receipt.events.slice(0, 300).map((event, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an event is known by its place
          <tr key={at} data-row={at} className={event === fee ? 'dim' : undefined}>
            <td className="number lead">{at}</td>
            <td>
              <Address of={event.from_address} mark />
            </td>
            <td className="main">
              <EventLine
                keys={event.keys}
                data={event.data}
                abi={classes.get(classOf.get(event.from_address) ?? '')}
                from={event.from_address}
              />
              {event === fee && ' the fee'}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
