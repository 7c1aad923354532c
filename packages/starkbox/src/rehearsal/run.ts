// One run of a transaction, in the form in which runs are compared.
import { listOf, type Members, membersOf } from '@starkbox/abi/basics';
import type { Executed, Gas, MessageToL1, Receipt, Rejected } from '@starkbox/engine';
import type { STATE_DIFF } from '@starkbox/spec';
import { parse } from '../json/json.js';
import { originStateDiff } from '../json/state-diff.js';
import { invocationsOf } from './find.js';

/** A call in the order of execution. */
export interface RunCall {
  /** Positions from the outermost call on. */
  readonly path: string;
  readonly contract: string;
  readonly classHash: string;
  readonly selector: string;
  readonly result: readonly string[];
}

export interface RunEvent {
  readonly from: string;
  readonly keys: readonly string[];
  readonly data: readonly string[];
}

/** Values by contract and slot. */
export type Writes = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** A slot whose value differs after the runs; absent where a run did not write it. */
export interface SlotDifference {
  readonly contract: string;
  readonly key: string;
  readonly old: string | undefined;
  readonly new: string | undefined;
}

export interface Run {
  readonly status: 'SUCCEEDED' | 'REVERTED' | 'REJECTED';
  /** Of a failure. */
  readonly reason: string | undefined;
  readonly gas: Gas | undefined;
  readonly calls: readonly RunCall[];
  /** Classes that ran, with the class of the fee token. */
  readonly classes: ReadonlySet<string>;
  /** Without the event of the fee transfer. */
  readonly events: readonly RunEvent[];
  readonly messages: readonly MessageToL1[];
  readonly writes: Writes;
  readonly diff: STATE_DIFF;
  readonly fee: bigint;
  /** The contract that the fee was paid in. */
  readonly feeToken: string | undefined;
  readonly trace: Members;
}

const NOTHING: STATE_DIFF = originStateDiff({});

export function runOf(execution: Executed | Rejected): Run {
  if (execution.outcome === 'rejected') {
    return {
      status: 'REJECTED',
      reason: execution.rejection.message,
      gas: undefined,
      calls: [],
      classes: new Set(),
      events: [],
      messages: [],
      writes: new Map(),
      diff: NOTHING,
      fee: 0n,
      feeToken: undefined,
      trace: {},
    };
  }
  const { receipt } = execution;
  const trace = membersOf(parse(execution.trace));
  const transfer = membersOf(trace['fee_transfer_invocation']);
  const diff = originStateDiff(trace['state_diff']);
  const calls = callsOf(invocationsOf(trace));
  return {
    status: receipt.execution_status,
    reason: receipt.revert_reason,
    gas: receipt.execution_resources,
    calls,
    classes: new Set([...calls, ...callsOf([transfer])].map(({ classHash }) => classHash)),
    events: eventsOf(receipt, transfer),
    messages: receipt.messages_sent,
    writes: writesOf(diff),
    diff,
    fee: BigInt(receipt.actual_fee.amount),
    feeToken:
      typeof transfer['contract_address'] === 'string' ? transfer['contract_address'] : undefined,
    trace,
  };
}

/** The fee is paid last. */
function eventsOf({ events }: Receipt, transfer: Members): readonly RunEvent[] {
  const count = countEvents(transfer);
  return events
    .slice(0, events.length - count)
    .map(({ from_address: from, keys, data }) => ({ from, keys, data }));
}

function countEvents(call: Members): number {
  return listOf(call['calls']).reduce<number>(
    (sum, inner) => sum + countEvents(membersOf(inner)),
    listOf(call['events']).length,
  );
}

function callsOf(invocations: readonly Members[]): readonly RunCall[] {
  const calls: RunCall[] = [];
  const collect = (value: Members, path: string): void => {
    const { contract_address: contract, class_hash, entry_point_selector: selector } = value;
    if (typeof contract !== 'string') return;
    calls.push({
      path,
      contract,
      classHash: String(class_hash),
      selector: String(selector),
      result: listOf(value['result']).map(String),
    });
    for (const [index, inner] of listOf(value['calls']).entries()) {
      collect(membersOf(inner), `${path}.${index}`);
    }
  };
  for (const [index, invocation] of invocations.entries()) collect(invocation, String(index));
  return calls;
}

export function writesOf({ storage_diffs }: STATE_DIFF): Writes {
  return new Map(
    storage_diffs.map(({ address, storage_entries }) => [
      address,
      new Map(storage_entries.map(({ key, value }) => [key, value])),
    ]),
  );
}
