// Lists of blocks and transactions, each as a summary.
import { listOf, memberOf } from '@starkbox/abi/basics';
import type { BLOCK_ROW, TRANSACTION_FILTER, TRANSACTION_ROW } from '@starkbox/spec';
import { BoundedMap } from '../../bounded-map.js';
import {
  calls,
  FAILS,
  failedContracts,
  holds,
  isReverted,
  senderOf,
  sentBy,
  typeOf,
} from '../history/block-keys.js';
import type { Header, TransactionRecord } from '../history/header.js';
import { readReceipt, readTrace, readTransaction } from '../history/stored-texts.js';
import { pendingNumber } from '../world/find-block.js';
import { nextTime, transactionAt, transactionHashesOf, type World } from '../world/world.js';
import { callsIn } from './called-functions.js';
import { type Page, readPage } from './page.js';

// Blocks.

/** A block without its finality, which may still change. */
export type BlockSummary = Omit<BLOCK_ROW, 'finality_status'>;

/** A page of blocks ends early at this number of transactions. */
const TRANSACTIONS = 2000;
const CACHED_SUMMARIES = 2048;

/** Summaries of closed blocks, with a cache: a closed block never changes. */
export class BlockLister {
  readonly #summaries = new BoundedMap<string, BlockSummary>(CACHED_SUMMARIES);

  /** Blocks before a number, newest first, and the number that the next page starts before. */
  list(
    world: World,
    before: number | undefined,
    limit: number,
  ): { readonly blocks: readonly BlockSummary[]; readonly next: number | undefined } {
    const { history } = world;
    const blocks: BlockSummary[] = [];
    let effort = 0;
    let number = Math.min(before ?? history.next, history.next) - 1;
    for (; number >= history.first && blocks.length < limit; number -= 1) {
      const header = history.header(number);
      if (!header) break;
      if (!this.#summaries.get(header.hash)) effort += header.transactionCount;
      if (effort > TRANSACTIONS && blocks.length > 0) break;
      blocks.push(this.#summary(world, header));
    }
    return { blocks, next: number >= history.first ? number + 1 : undefined };
  }

  #summary(world: World, header: Header): BlockSummary {
    const cached = this.#summaries.get(header.hash);
    if (cached) return cached;
    const summary = summaryOf(world, header);
    this.#summaries.set(header.hash, summary);
    return summary;
  }
}

function summaryOf({ history }: World, header: Header): BlockSummary {
  const fee = { FRI: 0n, WEI: 0n };
  let [failed, gas] = [0, 0];
  for (const text of header.transactionCount === 0 ? [] : history.receipts(header.number)) {
    const receipt = readReceipt(text);
    fee[receipt.actual_fee.unit] += BigInt(receipt.actual_fee.amount);
    gas += receipt.execution_resources.l2_gas;
    if (receipt.execution_status === 'REVERTED') failed += 1;
  }
  return Object.freeze({
    block_number: header.number,
    block_hash: header.hash,
    timestamp: header.timestamp,
    transaction_count: header.transactionCount,
    failed_count: failed,
    event_count: header.eventCount,
    fee: { fri: fee.FRI.toString(), wei: fee.WEI.toString() },
    l2_gas: gas,
  });
}

// Transactions.

/** A transaction without its finality, which may still change. */
export type TransactionSummary = Omit<TRANSACTION_ROW, 'finality_status'>;

const MAX_REASON_LENGTH = 300;

/** Transactions that pass a filter, newest first, those of the pending block included. */
export function listTransactions(
  world: World,
  filter: TRANSACTION_FILTER,
  { cursor, limit }: { readonly cursor: string | undefined; readonly limit: number },
): Promise<Page<TransactionSummary>> {
  const { block_number: only, from_block = 0, to_block = Number.POSITIVE_INFINITY } = filter;
  const from = Math.min(pendingNumber(world), only ?? to_block, to_block);
  const to = Math.max(world.history.first, only ?? from_block, from_block);
  if (to > from) return Promise.resolve({ rows: [], next: undefined });
  return readPage({
    world,
    from,
    to,
    cursor,
    limit,
    blockKeys: wantedKeys(filter),
    rowsIn: (block) =>
      transactionHashesOf(world, block).map((_, index) => () => {
        const record = transactionAt(world, block, index);
        return record && passes(record, filter)
          ? summarise(world, record, block, index)
          : undefined;
      }),
  });
}

const TYPES = ['INVOKE', 'DECLARE', 'DEPLOY_ACCOUNT', 'DEPLOY', 'L1_HANDLER'];

/** The groups of keys that blocks with such transactions have. */
export function wantedKeys({
  sender,
  contract,
  type,
  status,
  revert_reason: reason,
}: TRANSACTION_FILTER): readonly (readonly number[])[] {
  const groups = [(type === undefined ? TYPES : [type]).map(holds)];
  if (sender !== undefined) groups.push([sentBy(sender)]);
  if (contract !== undefined) groups.push([sentBy(contract), calls(contract)]);
  if (status === 'REVERTED' || reason !== undefined) groups.push([FAILS]);
  return groups;
}

function passes(
  { transaction, receipt, trace }: TransactionRecord,
  { sender, nonce, contract, type, status, selector, revert_reason: reason }: TRANSACTION_FILTER,
): boolean {
  if (type !== undefined && typeOf(transaction) !== type) return false;
  if (nonce !== undefined && !hasNonce(transaction, nonce)) return false;
  if (status !== undefined && isReverted(receipt) !== (status === 'REVERTED')) return false;
  const from = (sender ?? contract) ? senderOf(transaction, receipt) : undefined;
  if (sender !== undefined && from !== sender) return false;
  const isCalled = (address: string): boolean =>
    from === address ||
    isIn(trace, 'contract_address', address) ||
    failedContracts(receipt).has(address);
  if (contract !== undefined && !isCalled(contract)) return false;
  if (selector !== undefined && !callsFunction(transaction, trace, selector)) return false;
  return reason === undefined || failsWith(receipt, reason);
}

/** Parses only a transaction whose text may have the nonce. */
function hasNonce(transaction: string, nonce: string): boolean {
  if (!transaction.includes(`"${nonce}"`)) return false;
  return memberOf(readTransaction(transaction), 'nonce') === nonce;
}

type CallMember = 'contract_address' | 'entry_point_selector';

/** Whether a call of a trace has a value, other than the transfer of the fee. */
function isIn(trace: string, member: CallMember, value: string): boolean {
  if (!trace.includes(`"${member}":"${value}"`)) return false;
  const { fee_transfer_invocation: _, ...calls } = readTrace(trace);
  return Object.values(calls).some((call) => hasCall(call, member, value));
}

function hasCall(call: unknown, member: CallMember, value: string): boolean {
  if (memberOf(call, member) === value) return true;
  return listOf(memberOf(call, 'calls')).some((inner) => hasCall(inner, member, value));
}

/** The trace of a reverted execution has no calls, so those that were sent count as well. */
function callsFunction(transaction: string, trace: string, selector: string): boolean {
  if (isIn(trace, 'entry_point_selector', selector)) return true;
  if (!transaction.includes(`"${selector}"`)) return false;
  return callsIn(readTransaction(transaction)).some((call) => call.selector === selector);
}

function failsWith(receipt: string, part: string): boolean {
  if (!isReverted(receipt)) return false;
  const { revert_reason: reason = '' } = readReceipt(receipt);
  return reason.toLowerCase().includes(part.toLowerCase());
}

function summarise(
  world: World,
  { hash, transaction, receipt: text }: TransactionRecord,
  block: number,
  index: number,
): TransactionSummary {
  const receipt = readReceipt(text);
  const values = readTransaction(transaction);
  const functionCalls = callsIn(values);
  const [first] = functionCalls;
  const sender = senderOf(transaction, text);
  const { revert_reason: reason } = receipt;
  return {
    transaction_hash: hash,
    block_number: block,
    index,
    type: values.type,
    ...(sender === undefined ? {} : { sender_address: sender }),
    ...(first ? { call: first } : {}),
    call_count: functionCalls.length,
    execution_status: receipt.execution_status,
    fee: receipt.actual_fee,
    l2_gas: receipt.execution_resources.l2_gas,
    ...(reason === undefined ? {} : { revert_reason: reason.slice(-MAX_REASON_LENGTH) }),
    timestamp: world.history.header(block)?.timestamp ?? nextTime(world),
  };
}
