// Index keys of a block by its senders, called contracts, transaction types and effects.
import type { StateDiff } from '@starkbox/engine';
import { markOf } from './block-index.js';
import type { TransactionRecord } from './header.js';

// Above the roles of events, which take one number for each key position.
const [KIND, SENDER, CALLED, TYPE] = [1000, 1001, 1002, 1003] as const;

/** Blocks that deployed contracts. */
export const DEPLOYS: number = markOf('deploys', KIND);
/** Blocks that declared classes. */
export const DECLARES: number = markOf('declares', KIND);
/** Blocks with a reverted transaction. */
export const FAILS: number = markOf('fails', KIND);
/** Blocks that sent messages to L1. */
export const SENDS: number = markOf('sends', KIND);
/** Blocks of records without block keys; every search must include them. */
export const UNKNOWN: number = markOf('unknown', KIND);

export const sentBy = (address: string): number => markOf(address, SENDER);
/** Blocks in which a contract was called, the fee token included. */
export const calls = (address: string): number => markOf(address, CALLED);
export const holds = (type: string): number => markOf(type, TYPE);

/** @param diff the state difference of the block as JSON text */
export function blockKeysOf(
  transactions: readonly TransactionRecord[],
  diff: string,
): readonly number[] {
  const marks = new Set<number>();
  const changed: StateDiff = JSON.parse(diff);
  if (changed.deployed_contracts.length > 0) marks.add(DEPLOYS);
  if (changed.declared_classes.length + changed.deprecated_declared_classes.length > 0) {
    marks.add(DECLARES);
  }
  for (const { transaction, receipt, trace } of transactions) {
    marks.add(holds(typeOf(transaction)));
    const sender = senderOf(transaction, receipt);
    if (sender !== undefined) marks.add(sentBy(sender));
    if (isReverted(receipt)) marks.add(FAILS);
    if (sendsMessages(receipt)) marks.add(SENDS);
    // JSON escapes quotation marks inside strings, so the pattern matches members only.
    for (const [, address = ''] of trace.matchAll(/"contract_address":"(0x[\da-f]+)"/g)) {
      marks.add(calls(address));
    }
  }
  return [...marks];
}

/** @param transaction as JSON text */
export function typeOf(transaction: string): string {
  return /"type":"([A-Z_\d]+)"/.exec(transaction)?.[1] ?? '';
}

/** The sending or deployed account, or the contract that received a message from L1. */
export function senderOf(transaction: string, receipt: string): string | undefined {
  return (/"sender_address":"(0x[\da-f]+)"/.exec(transaction) ??
    /"contract_address":"(0x[\da-f]+)"/.exec(transaction) ??
    /"contract_address":"(0x[\da-f]+)"/.exec(receipt))?.[1];
}

export function isReverted(receipt: string): boolean {
  return receipt.includes('"execution_status":"REVERTED"');
}

export function sendsMessages(receipt: string): boolean {
  return receipt.includes('"messages_sent":[{') && !isReverted(receipt);
}
