// Tabs of a transaction: calls, gas, state changes, events, messages, source, debugger, raw JSON.

import { useMemo } from 'react';
import { writeJson } from '../../format/json.js';
import { lazyPage } from '../../navigation/lazy-page.js';
import { to, useRoute } from '../../navigation/route.js';
import { Empty, Json, Problem } from '../../parts/page-states.js';
import { Tabs } from '../../parts/tabs.js';
import { EventTable } from '../../parts/transaction/event-table.js';
import { StateChanges } from '../../parts/transaction/state-changes.js';
import { Address, Fact, FunctionName, Link } from '../../parts/values.js';
import type { Receipt, Trace, Transaction } from '../../rpc/methods.js';
import { CallTreeView } from './call-tree/call-tree.js';
import { Raw } from './raw-json.js';
import { SourceTab } from './source-tab.js';
import { classesByContract, feeEventOf, type SummaryProps } from './summary.js';
import { TransactionGas } from './transaction-gas.js';

/** With the debugger, which few visits open. */
const DebugTab = lazyPage(async () => (await import('./debug-tab.js')).DebugTab);

export function DetailTabs(
  props: SummaryProps & {
    readonly hash: string;
    readonly traceError: unknown;
    /** Whether all ABIs were read. */
    readonly isRead: boolean;
  },
) {
  const { hash, transaction, receipt, trace, traceError, tree, classes } = props;
  const tab = useRoute().query.get('tab') ?? 'calls';
  const diff = trace?.state_diff;
  const changes = diff ? countChanges(diff) : undefined;
  const classOf = useMemo(() => classesByContract(tree), [tree]);
  return (
    <>
      <Tabs
        current={tab}
        tabs={[
          { id: 'calls', name: 'Calls', count: tree.count },
          { id: 'gas', name: 'Gas' },
          { id: 'state', name: 'State', count: changes },
          { id: 'events', name: 'Events', count: receipt.events.length },
          { id: 'messages', name: 'Messages', count: receipt.messages_sent.length },
          { id: 'source', name: 'Source' },
          { id: 'debug', name: 'Debug' },
          { id: 'raw', name: 'Raw' },
        ]}
      />
      {tab === 'calls' && (
        <Calls hash={hash} receipt={receipt} tree={tree} classes={classes} error={traceError} />
      )}
      {tab === 'gas' && (
        <>
          {traceError !== undefined && <Problem error={traceError} what="the trace" />}
          <TransactionGas
            transaction={transaction}
            receipt={receipt}
            trace={trace}
            classes={classes}
          />
        </>
      )}
      {tab === 'state' &&
        (diff ? (
          <StateChanges
            diff={diff}
            before={receipt.block_number - 1}
            hints={{ transaction: receipt.transaction_hash }}
          />
        ) : (
          <p className="empty">This transaction has no trace, so its state changes are unknown.</p>
        ))}
      {tab === 'events' &&
        (receipt.events.length === 0 ? (
          <Empty icon="events" title="This transaction emitted no events.">
            A contract emits an event with <code>self.emit</code>.
          </Empty>
        ) : (
          <EventTable
            events={receipt.events}
            classOf={classOf}
            classes={classes}
            fee={feeEventOf(receipt)}
          />
        ))}
      {tab === 'messages' && <Crossings transaction={transaction} receipt={receipt} />}
      {tab === 'source' && <SourceTab hash={hash} />}
      {tab === 'debug' && <DebugTab.Page hash={hash} tree={tree} />}
      {tab === 'raw' && (
        <Raw hash={hash} transaction={transaction} receipt={receipt} trace={trace} />
      )}
    </>
  );
}

interface CallsProps extends Pick<SummaryProps, 'receipt' | 'tree' | 'classes'> {
  readonly hash: string;
  /** Why there is no trace. */
  readonly error: unknown;
}

function Calls({ hash, receipt, tree, classes, error }: CallsProps) {
  return (
    <>
      {error !== undefined && <Problem error={error} what="the trace" />}
      {tree.roots.length > 0 && (
        <CallTreeView
          key={hash}
          hash={hash}
          tree={tree}
          classes={classes}
          total={receipt.execution_resources.l2_gas}
        />
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

interface CrossingsProps {
  readonly transaction: Transaction;
  readonly receipt: Receipt;
}

/** Messages from and to L1. */
function Crossings({ transaction, receipt }: CrossingsProps) {
  const isFromL1 = transaction.type === 'L1_HANDLER';
  return (
    <div className="stack">
      {isFromL1 && (
        <dl className="facts" aria-label="Message from L1">
          <Fact name="from L1" className="mono">
            {transaction.calldata[0]}
          </Fact>
          <Fact name="to">
            <Address of={transaction.contract_address} mark />.
            <FunctionName selector={transaction.entry_point_selector} />
          </Fact>
          <Fact name="payload" className="mono">
            {transaction.calldata.slice(1, 50).join(', ')}
          </Fact>
        </dl>
      )}
      {receipt.messages_sent.length === 0 ? (
        <Empty icon="messages" title="This transaction sent no messages to L1.">
          A contract sends one with <code>send_message_to_l1_syscall</code>.
        </Empty>
      ) : (
        <Json of={writeJson(receipt.messages_sent, 2)} />
      )}
      {(isFromL1 || receipt.messages_sent.length > 0) && (
        <p>
          <Link href={to('messages')}>All messages between L1 and L2</Link>
        </p>
      )}
    </div>
  );
}
