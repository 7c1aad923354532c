// Knows the small parts of a world as JSON text: all but its blocks, its states and its journal.
import type { Receipt } from '@starkbox/engine';
import { parse, stringify } from '../json.js';
import type { Clock } from './clock.js';
import type { Gas, GasPrices } from './gas.js';
import type { Impersonation } from './impersonation.js';
import { labelsFromJson, labelsToJson, NO_LABELS } from './labels.js';
import { type Messages, type MessagesJson, messagesFromJson, messagesToJson } from './messages.js';
import { PersistentSet } from './persistent.js';
import type { Included } from './transaction.js';
import { NOTHING_PENDING, type Pending, type World, withIncluded } from './world.js';

/** What is neither a block nor a state nor the journal. */
export type Moment = Omit<World, 'state' | 'latest' | 'history' | 'past' | 'journal'>;

/** Exact also for numbers beyond 2^53. */
export function momentText(moment: Moment): string {
  const { clock, gas, impersonation, messages, labels, acceptedOnL1, keepsHistory, pending } =
    moment;
  return stringify({
    clock: { offset: clock.offset, exact: clock.exact ?? null },
    gas,
    impersonation: { accounts: [...impersonation.accounts], auto: impersonation.auto },
    messages: messagesToJson(messages),
    ...(labels.isEmpty() ? {} : { labels: labelsToJson(labels) }),
    accepted_on_l1: acceptedOnL1 ?? null,
    keeps_history: keepsHistory,
    pending: pending.transactions.toArray().map(includedToJson),
  });
}

/** A transaction of the block under construction, as JSON can carry it. */
export function includedToJson({ record, signature, receipt }: Included): unknown {
  return {
    hash: record.hash,
    transaction: record.transaction,
    proof_facts: record.proofFacts ?? null,
    shown_receipt: record.receipt,
    trace: record.trace,
    signature,
    receipt: JSON.stringify(receipt),
  };
}

/** What `momentText` wrote; throws a `SyntaxError` or a `TypeError` for anything else. */
export function readMoment(text: string): Moment {
  const moment = members(parse(text), 'moment');
  return Object.freeze({
    clock: readClock(moment['clock']),
    gas: readGas(moment['gas']),
    impersonation: readImpersonation(moment['impersonation']),
    messages: readMessages(moment['messages']),
    labels: moment['labels'] === undefined ? NO_LABELS : labelsFromJson(moment['labels']),
    acceptedOnL1: optional(moment['accepted_on_l1'], wholeNumber),
    keepsHistory: truth(moment['keeps_history']),
    pending: readPending(moment['pending']),
  });
}

function readClock(value: unknown): Clock {
  const { offset, exact } = members(value, 'clock');
  return { offset: wholeNumber(offset), exact: optional(exact, wholeNumber) };
}

function readGas(value: unknown): Gas {
  const { current, next } = members(value, 'gas');
  const now = readPrices(current);
  const later = readPrices(next);
  // Equal prices are one object: blocks at equal prices then share theirs.
  return { current: now, next: stringify(now) === stringify(later) ? now : later };
}

function readPrices(value: unknown): GasPrices {
  const prices = members(value, 'prices');
  const read = (name: keyof GasPrices): bigint => {
    const price = prices[name];
    if (typeof price === 'bigint') return price;
    return BigInt(wholeNumber(price));
  };
  return {
    gas_price_wei: read('gas_price_wei'),
    data_gas_price_wei: read('data_gas_price_wei'),
    gas_price_fri: read('gas_price_fri'),
    data_gas_price_fri: read('data_gas_price_fri'),
    l2_gas_price_wei: read('l2_gas_price_wei'),
    l2_gas_price_fri: read('l2_gas_price_fri'),
  };
}

function readImpersonation(value: unknown): Impersonation {
  const { accounts, auto } = members(value, 'impersonation');
  return { accounts: PersistentSet(list(accounts, words)), auto: truth(auto) };
}

function readMessages(value: unknown): Messages {
  const json: MessagesJson = JSON.parse(stringify(value));
  return messagesFromJson(json);
}

function readPending(value: unknown): Pending {
  return list(value, includedFromJson).reduce(withIncluded, NOTHING_PENDING);
}

/** What `includedToJson` made. */
export function includedFromJson(value: unknown): Included {
  const one = members(value, 'transaction');
  const receipt: Receipt = JSON.parse(words(one['receipt']));
  return {
    record: {
      hash: words(one['hash']),
      transaction: words(one['transaction']),
      proofFacts: optional(one['proof_facts'], (facts) => list(facts, words)),
      receipt: words(one['shown_receipt']),
      trace: words(one['trace']),
    },
    signature: list(one['signature'], words),
    receipt,
  };
}

// Values.

function members(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) throw new TypeError(`there is no ${what}`);
  return { ...value };
}

function list<T>(value: unknown, read: (item: unknown) => T): readonly T[] {
  if (!Array.isArray(value)) throw new TypeError('a list is missing');
  return value.map((item) => read(item));
}

function optional<T>(value: unknown, read: (value: unknown) => T): T | undefined {
  return value === null ? undefined : read(value);
}

function words(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError('a text is missing');
  return value;
}

function wholeNumber(value: unknown): number {
  if (!Number.isSafeInteger(value)) throw new TypeError('a number is missing');
  return Number(value);
}

function truth(value: unknown): boolean {
  if (typeof value !== 'boolean') throw new TypeError('a yes or no is missing');
  return value;
}
