// Knows the page of one transaction: what happened in a sentence, why it failed, and the evidence below.
import { useMemo } from 'react';
import { CallTreeView } from '../parts/call-tree.js';
import { type Classes, EventLine } from '../parts/frame.js';
import { StateChanges } from '../parts/state-changes.js';
import { Heading, Json, Loading, Problem } from '../parts/states.js';
import { Tabs } from '../parts/tabs.js';
import { Address, Amount, BlockRef, Copy, Link, Status } from '../parts/values.js';
import { to, usePlace } from '../route.js';
import { buildTree, classesIn, type Receipt, type Trace } from '../trace/frames.js';
import { grouped, unitOf } from '../values/amount.js';
import { shortHash } from '../values/felt.js';
import { writeJson } from '../wire/json.js';
import { useLive } from '../wire/live.js';
import { useClasses, useTransaction } from '../wire/queries.js';
import { asCurl, RpcFailure } from '../wire/rpc.js';
import {
  classesByContract,
  feeEventOf,
  Movements,
  Path,
  Sentence,
  type StoryProps,
  Why,
} from './story.js';

const HASH_NOT_FOUND = 29;

export function TransactionPage({ id: hash }: { readonly id: string }) {
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
          <StateChanges diff={diff} before={receipt.block_number - 1} />
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
