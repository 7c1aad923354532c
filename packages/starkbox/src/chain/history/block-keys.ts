// Index keys of a block by its senders, called contracts, transaction types and effects.
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

export const sentBy = (address: string): number => markOf(address, SENDER);
/** Blocks in which a contract was called, the fee token included. */
export const calls = (address: string): number => markOf(address, CALLED);
export const holds = (type: string): number => markOf(type, TYPE);

/** @param diff the state difference of the block as JSON text without spaces */
export function blockKeysOf(
  transactions: readonly TransactionRecord[],
  diff: string,
): readonly number[] {
  const marks = new Set<number>();
  if (diff.includes('"deployed_contracts":[{')) marks.add(DEPLOYS);
  // Also of `deprecated_declared_classes`, whose entries are hashes.
  if (/declared_classes":\[[{"]/.test(diff)) marks.add(DECLARES);
  for (const { transaction, receipt, trace } of transactions) {
    marks.add(holds(typeOf(transaction)));
    const sender = senderOf(transaction, receipt);
    if (sender !== undefined) marks.add(sentBy(sender));
    if (isReverted(receipt)) {
      marks.add(FAILS);
      for (const address of failedContracts(receipt)) marks.add(calls(address));
    }
    if (sendsMessages(receipt)) marks.add(SENDS);
    for (const address of contractsIn(trace)) marks.add(calls(address));
  }
  return [...marks];
}

const CONTRACT = '"contract_address":"';

/**
 * The contracts that a trace names. JSON escapes quotation marks inside strings, so only members are found;
 * a regular expression would allocate ten times as much for every block.
 */
function contractsIn(trace: string): ReadonlySet<string> {
  const addresses = new Set<string>();
  for (let at = trace.indexOf(CONTRACT); at >= 0; at = trace.indexOf(CONTRACT, at + 1)) {
    const start = at + CONTRACT.length;
    addresses.add(trace.slice(start, trace.indexOf('"', start)));
  }
  return addresses;
}

const FAILED_CALL = /\(contract address: 0x0*([\da-f]+), class hash: 0x/g;

/** The contracts of a failure's path, as its reason lists them: the trace of a reverted execution has no calls. */
export function failedContracts(receipt: string): ReadonlySet<string> {
  if (!isReverted(receipt)) return new Set();
  return new Set(Array.from(receipt.matchAll(FAILED_CALL), ([, digits]) => `0x${digits}`));
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
