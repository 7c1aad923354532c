// What is expected of transactions: events, reverts, balances. Each check says why it failed.

import { type DecodedEvent, decodeEvent, readAbi, readFailure } from '@starkbox/abi';
import { membersOf } from '@starkbox/abi/basics';
import type { Explanation } from 'starkbox';
import { type Contract, num, RpcError, type RpcProvider } from 'starknet';
import { explainedBy, namesOf, textForTest } from '../client/explanation.js';
import {
  bundleOf,
  type Included,
  includedTransaction,
  resultOf,
  type Transaction,
  type TransactionResult,
} from './transaction.js';
import { type ExpectedMembers, expectedText, membersMatch, membersText } from './values.js';

export interface Verdict {
  readonly pass: boolean;
  readonly message: () => string;
}

/** A verdict with what a debugger opens if it fails the test. */
export interface Checked extends Verdict {
  /** Writes the bundle of the transaction; undefined if there is none. */
  readonly bundle: () => Promise<string | undefined>;
}

/** A contract whose events are looked for. */
export type EmittingContract = Pick<Contract, 'abi' | 'address'>;

const sameFelt = (a: string, b: string): boolean => BigInt(a) === BigInt(b);

async function verdict(
  pass: boolean,
  outcome: TransactionResult,
  lines: readonly string[],
): Promise<Checked> {
  const explained = await explainedOf(outcome);
  const text = [...lines, ...(explained ? ['', textForTest(explained)] : [])].join('\n');
  return { pass, message: () => text, bundle: () => bundleOf(outcome) };
}

/** What the node says about a transaction. */
async function explainedOf(outcome: TransactionResult): Promise<Explanation | undefined> {
  return 'receipt' in outcome
    ? explainedBy(outcome.provider, outcome.receipt.transaction_hash)
    : outcome.explained;
}

/** Whether a contract has emitted an event with these values; members that are not named may have any. */
export async function checkEmits(
  transaction: Transaction,
  contract: EmittingContract,
  name: string,
  values: ExpectedMembers = {},
): Promise<Checked> {
  const included = await includedTransaction(transaction);
  const abi = readAbi(contract.abi);
  const contractEvents = included.receipt.events.filter(({ from_address }) =>
    sameFelt(from_address, contract.address),
  );
  const events = contractEvents
    .map(({ keys, data }) => decodeEvent(keys, data, abi))
    .filter((event) => event !== undefined);
  const unknown = contractEvents.length - events.length;
  const isNamed = (event: DecodedEvent): boolean => event.name.split('::').at(-1) === name;
  const pass = events.some((event) => isNamed(event) && membersMatch(event.members, values));
  const emitted = [
    ...events.map((event) => `  ${event.name}(${membersText(event.members)})`),
    ...(unknown === 0 ? [] : [`  ${unknown} event${unknown === 1 ? '' : 's'} that its ABI lacks`]),
  ];
  return verdict(pass, included, [
    `Expected ${contract.address} ${pass ? 'not ' : ''}to emit ${name}(${expectedText(values)}).`,
    emitted.length === 0 ? 'It emitted nothing.' : `It emitted:\n${emitted.join('\n')}`,
  ]);
}

/**
 * Checks that a transaction reverted, or failed during estimation. A string is the whole panic message, or one of its
 * felts; a pattern matches the whole reason.
 */
export async function checkRevertsWith(
  transaction: Transaction,
  reason?: string | RegExp,
): Promise<Checked> {
  const outcome = await resultOf(transaction);
  const text = 'receipt' in outcome ? outcome.receipt.revert_reason : outcome.reason;
  const expectation = reason === undefined ? 'revert' : `revert with ${quote(reason)}`;
  if (text === undefined) {
    return verdict(false, outcome, [
      `Expected the transaction to ${expectation}, but it succeeded.`,
    ]);
  }
  const { message } = readFailure(text);
  const pass =
    reason === undefined ||
    (typeof reason === 'string'
      ? message === reason || message.split(', ').includes(reason)
      : reason.test(text));
  return verdict(pass, outcome, [
    `Expected the transaction ${pass ? 'not ' : ''}to ${expectation}; its reason is '${message}'.`,
  ]);
}

function quote(reason: string | RegExp): string {
  return typeof reason === 'string' ? `'${reason}'` : String(reason);
}

/** An address, or an object with one: an account or a contract. */
export type Addressed = string | { readonly address: string };
export type BalanceChange = readonly [who: Addressed, delta: bigint | number];

/**
 * Whether balances have changed by these amounts between the states before and after the transaction's block.
 * Its fee does not count.
 */
export async function checkChangesBalances(
  transaction: Transaction,
  token: Addressed,
  changes: readonly BalanceChange[],
): Promise<Checked> {
  const included = await includedTransaction(transaction);
  const { provider, receipt } = included;
  const holders = changes.map(([who]) => addressOf(who));
  const read = (block: number) =>
    Promise.all(holders.map((holder) => balanceOf(provider, addressOf(token), holder, block)));
  const block = receipt.block_number ?? 1;
  const [before, after] = await Promise.all([read(block - 1), read(block)]);
  const fees = await feesOf(included, addressOf(token));
  const actual = holders.map((holder, at) => {
    const delta = (after[at] ?? 0n) - (before[at] ?? 0n);
    return delta - (fees.get(num.toHex(holder)) ?? 0n);
  });
  const pass = changes.every(([, delta], at) => actual[at] === BigInt(delta));
  const names = await namesOf(provider, holders);
  const line = ([, delta]: BalanceChange, at: number) => ({
    isMet: actual[at] === BigInt(delta),
    text: `  ${names[at]} by ${delta}; it changed by ${actual[at]}`,
  });
  // The sort is stable: unmet expectations first, each group in the order of the test.
  const lines = changes
    .map(line)
    .toSorted((first, second) => Number(first.isMet) - Number(second.isMet));
  return verdict(pass, included, [
    pass ? 'Expected other balance changes than:' : 'Expected balance changes:',
    ...lines.map(({ text, isMet }) => (isMet && !pass ? `${text}, as expected` : text)),
  ]);
}

function addressOf(who: Addressed): string {
  return num.toHex(typeof who === 'string' ? who : who.address);
}

async function balanceOf(
  provider: RpcProvider,
  contractAddress: string,
  holder: string,
  block: number,
): Promise<bigint> {
  const ask = (entrypoint: string): Promise<readonly string[]> =>
    provider.callContract({ contractAddress, entrypoint, calldata: [holder] }, block);
  const [low = '0', high = '0'] = await ask('balance_of').catch((error: unknown) => {
    // Older tokens have the other name only.
    if (error instanceof RpcError && error.isType('ENTRYPOINT_NOT_FOUND')) return ask('balanceOf');
    throw error;
  });
  return BigInt(low) + (BigInt(high) << 128n);
}

/** The token that fees are paid in. */
const STRK = '0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d';

/** What the fee has changed in the token, by holder. */
async function feesOf(
  { provider, receipt }: Included,
  token: string,
): Promise<ReadonlyMap<string, bigint>> {
  const fee = BigInt(receipt.actual_fee.amount);
  if (token !== STRK || receipt.block_number === undefined) return new Map();
  const [transaction, block] = await Promise.all([
    provider.getTransactionByHash(receipt.transaction_hash),
    provider.getBlock(receipt.block_number),
  ]);
  const { sender_address, contract_address } = membersOf(transaction);
  const sender = num.toHex(String(sender_address ?? contract_address ?? 0));
  const sequencer = num.toHex(block.sequencer_address);
  return sender === sequencer
    ? new Map()
    : new Map([
        [sender, -fee],
        [sequencer, fee],
      ]);
}
