// Index keys of a block by its senders, called contracts, transaction types and effects.
import type { StateDiff } from '@starkbox/engine';
import { markOf } from './block-index.js';
import type { TransactionRecord } from './header.js';

// Roles far from those of events, of which there is one for each place of a key.
const [KIND, SENDER, CALLED, TYPE] = [1000, 1001, 1002, 1003] as const;

/** Blocks that made contracts. */
export const DEPLOYS: number = markOf('deploys', KIND);
/** Blocks that declared classes. */
export const DECLARES: number = markOf('declares', KIND);
/** Blocks with a transaction that failed. */
export const FAILS: number = markOf('fails', KIND);
/** Blocks that sent messages to L1. */
export const SENDS: number = markOf('sends', KIND);
/** Blocks from before there were landmarks: any of them may be wanted. */
export const UNKNOWN: number = markOf('unknown', KIND);

export const sentBy = (address: string): number => markOf(address, SENDER);
/** A contract that was called, or paid a fee in. */
export const calls = (address: string): number => markOf(address, CALLED);
export const holds = (type: string): number => markOf(type, TYPE);

/** @param diff what the block changed, as JSON text */
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
    // A quotation mark inside of a text has a backslash before it, so that this finds members alone.
    for (const [, address = ''] of trace.matchAll(/"contract_address":"(0x[\da-f]+)"/g)) {
      marks.add(calls(address));
    }
  }
  return [...marks];
}

/** The type of a transaction, from its text. */
export function typeOf(transaction: string): string {
  return /"type":"([A-Z_\d]+)"/.exec(transaction)?.[1] ?? '';
}

/** The account that sent it or came to be by it, or the contract that a message from L1 went to. */
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
