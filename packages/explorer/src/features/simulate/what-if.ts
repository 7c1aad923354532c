// Overrides of a simulation while they are edited: read as the node takes them, and their form in the page's address.
import { shortAddress } from '@starkbox/abi/basics';
import { addressOf, feltOf, InvalidInput, type Resolve } from '@starkbox/abi/internal';
import { amountText, ETH, priceText, readAmount, readGasPrice, STRK } from '../../format/amount.js';
import { isoText, readMoment } from '../../format/time.js';
import type { Overrides } from '../../parts/send/run.js';

/** The inputs of each kind of override, by their labels and placeholders. */
export const KINDS = {
  time: { text: 'time', fields: { value: ['Time', '+1 d'] } },
  number: { text: 'block number', fields: { value: ['Block number', '1000'] } },
  price: { text: 'gas price', fields: { name: ['Resource', ''], value: ['Price', 'gfri'] } },
  balance: {
    text: 'balance',
    fields: {
      subject: ['Holder', 'account 1'],
      name: ['Token', 'STRK'],
      value: ['Balance', '100'],
    },
  },
  storage: {
    text: 'storage',
    fields: {
      subject: ['Contract', 'name or 0x…'],
      name: ['Variable or key', 'balances[account 1]'],
      value: ['Values', '5, 0'],
    },
  },
  class: {
    text: 'class',
    fields: { subject: ['Contract', 'name or 0x…'], value: ['Class hash', '0x…'] },
  },
  nonce: { text: 'nonce', fields: { subject: ['Account', 'account 1'], value: ['Nonce', '0'] } },
} as const satisfies Record<string, { text: string; fields: Fields }>;

type Field = 'subject' | 'name' | 'value';
type Fields = Readonly<Partial<Record<Field, readonly [label: string, placeholder: string]>>>;
export type Kind = keyof typeof KINDS;

/** Kinds of gas, by their names in requests. */
export const RESOURCES = {
  l2: ['L2 gas', 'l2_gas_price_fri'],
  l1: ['L1 gas', 'gas_price_fri'],
  data: ['L1 data gas', 'data_gas_price_fri'],
} as const;

/** One override as typed. */
export interface OverrideDraft extends Readonly<Record<Field, string>> {
  readonly id: number;
  readonly kind: Kind;
}

export const MAX_OVERRIDES = 30;
const MAX_FIELD_LENGTH = 300;
let nextId = 1;

export const isKind = (name: unknown): name is Kind => typeof name === 'string' && name in KINDS;
const isResource = (name: string): name is keyof typeof RESOURCES => name in RESOURCES;

export function newOverride(kind: Kind = 'time', texts: readonly string[] = []): OverrideDraft {
  const [subject = '', name = kind === 'price' ? 'l2' : '', value = ''] = texts;
  return { id: nextId++, kind, subject, name, value };
}

/** The short form for the page's address. */
export function packedOverrides(drafts: readonly OverrideDraft[]): unknown {
  return drafts.map(({ kind, subject, name, value }) => [kind, subject, name, value]);
}

/** Reads the short form, which is untrusted. */
export function unpackedOverrides(value: unknown): readonly OverrideDraft[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, MAX_OVERRIDES).flatMap((row: unknown) => {
    const [kind, ...texts]: readonly unknown[] = Array.isArray(row) ? row : [];
    const fields = texts.map((text) =>
      typeof text === 'string' ? text.slice(0, MAX_FIELD_LENGTH) : '',
    );
    return isKind(kind) ? [newOverride(kind, fields)] : [];
  });
}

const SPANS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };
const LATER = /^\+\s*(\d{1,9})\s*([smhd])$/;

/** Seconds since 1970: a date, a number, or `+1 d` from now on. */
function readClock(text: string, now: number): number {
  const [, count, unit] = LATER.exec(text.trim()) ?? [];
  if (count !== undefined) return now + Number(count) * (SPANS[unit ?? ''] ?? 1);
  const moment = readMoment(text);
  if (moment !== undefined) return moment;
  throw new InvalidInput(
    'A time is a date such as 2026-11-16T01:00:00Z, seconds since 1970, or a span such as +1 d.',
  );
}

/** An override as the node takes it, and in words. */
export interface ReadOverride {
  readonly overrides: Overrides;
  readonly words: string;
}

type Reader = (
  draft: OverrideDraft,
  context: { readonly resolve: Resolve; readonly now: number },
) => ReadOverride;

const READERS: Readonly<Record<Kind, Reader>> = {
  time({ value }, { now }) {
    const timestamp = readClock(value, now);
    return { overrides: { block: { timestamp } }, words: `time = ${isoText(timestamp)}` };
  },
  number({ value }) {
    if (!/^\d{1,15}$/.test(value.trim())) throw new InvalidInput('Enter a block number.');
    const block_number = Number(value);
    return { overrides: { block: { block_number } }, words: `block number = ${block_number}` };
  },
  price({ name, value }) {
    const price = readGasPrice(value, STRK);
    if (price === undefined || price === 0n)
      throw new InvalidInput('A price is a number above zero, in gfri.');
    const [resource, field] = RESOURCES[isResource(name) ? name : 'l2'];
    const gas_prices = { [field]: price };
    return {
      overrides: { block: { gas_prices } },
      words: `${resource} price = ${priceText(price, STRK)}`,
    };
  },
  balance({ subject, name, value }, { resolve }) {
    const address = addressOf(subject.trim(), resolve);
    const token = name.trim().toUpperCase();
    const unit = token === 'ETH' ? ETH : STRK;
    const holder = subject.trim();
    if (token === '' || token === 'STRK' || token === 'ETH') {
      const amount = readAmount(value, unit);
      if (amount === undefined) throw new InvalidInput('Enter an amount, for example 1.5.');
      const override = {
        address,
        amount: String(amount),
        unit: token === 'ETH' ? ('WEI' as const) : ('FRI' as const),
      };
      return {
        overrides: { balances: [override] },
        words: `balance of ${holder} = ${amountText(amount, unit)}`,
      };
    }
    if (!/^\d{1,78}$/.test(value.trim()))
      throw new InvalidInput("Enter a whole number, in the token's smallest unit.");
    const contract = addressOf(name.trim(), resolve);
    return {
      overrides: { balances: [{ address, amount: value.trim(), token: contract }] },
      words: `balance of ${holder} in ${name.trim()} = ${value.trim()}`,
    };
  },
  storage({ subject, name, value }, { resolve }) {
    const contract_address = addressOf(subject.trim(), resolve);
    const felts = value.split(',').map((text) => readValue(text, resolve));
    const [first = '0x0'] = felts;
    const entry = { ...readSlot(name, resolve), value: felts.length === 1 ? first : felts };
    return {
      overrides: { storage: [{ contract_address, entries: [entry] }] },
      words: `${name.trim()} of ${subject.trim()} = ${value.trim()}`,
    };
  },
  class({ subject, value }, { resolve }) {
    const contract_address = addressOf(subject.trim(), resolve);
    const class_hash = feltOf(value.trim());
    return {
      overrides: { classes: [{ contract_address, class_hash }] },
      words: `class of ${subject.trim()} = ${shortAddress(class_hash)}`,
    };
  },
  nonce({ subject, value }, { resolve }) {
    const contract_address = addressOf(subject.trim(), resolve);
    return {
      overrides: { nonces: [{ contract_address, nonce: feltOf(value.trim()) }] },
      words: `nonce of ${subject.trim()} = ${value.trim()}`,
    };
  },
};

/** A number, a short string, or the name of an address. */
function readValue(text: string, resolve: Resolve): string {
  return resolve(text.trim()) ?? feltOf(text.trim());
}

/** `0x…`, `variable`, or `variable[key][key]`. */
function readSlot(text: string, resolve: Resolve) {
  const name = text.trim();
  if (name.startsWith('0x')) return { key: feltOf(name) };
  const [, variable, keysText = ''] = /^([A-Za-z_]\w{0,99})((?:\[[^\]]+\])*)$/.exec(name) ?? [];
  if (variable === undefined)
    throw new InvalidInput('Enter a variable, balances[account 1] for a map, or a key 0x….');
  const keys = [...keysText.matchAll(/\[([^\]]+)\]/g)].flatMap(([, list = '']) =>
    list.split(',').map((key) => readValue(key, resolve)),
  );
  return keys.length === 0 ? { variable } : { variable, keys };
}

/** What a row says, or what is wrong with it. */
export function readOverride(
  draft: OverrideDraft,
  resolve: Resolve,
  now: number,
): ReadOverride | string {
  try {
    return READERS[draft.kind](draft, { resolve, now });
  } catch (error) {
    if (error instanceof InvalidInput) return error.message;
    throw error;
  }
}

/** All rows as one, or undefined for none; throws what is wrong with the first faulty row. */
export function readOverrides(
  drafts: readonly OverrideDraft[],
  resolve: Resolve,
  now: number,
): { readonly overrides: Overrides; readonly words: readonly string[] } | undefined {
  if (drafts.length === 0) return undefined;
  let all: Overrides = {};
  const words: string[] = [];
  for (const [index, draft] of drafts.entries()) {
    const read = readOverride(draft, resolve, now);
    if (typeof read === 'string') throw new Error(`Override ${index + 1}: ${read}`);
    all = merged(all, read.overrides);
    words.push(read.words);
  }
  return { overrides: all, words };
}

function merged(all: Overrides, { block, ...lists }: Overrides): Overrides {
  const { gas_prices, ...rest } = block ?? {};
  const prices = { ...all.block?.gas_prices, ...gas_prices };
  const whole = { ...all.block, ...rest };
  const hasPrices = Object.keys(prices).length > 0;
  return {
    ...all,
    ...(block ? { block: hasPrices ? { ...whole, gas_prices: prices } : whole } : {}),
    ...joined('storage', all, lists),
    ...joined('classes', all, lists),
    ...joined('nonces', all, lists),
    ...joined('balances', all, lists),
  };
}

function joined<K extends 'storage' | 'classes' | 'nonces' | 'balances'>(
  name: K,
  all: Overrides,
  more: Overrides,
): Partial<Overrides> {
  const list = [...(all[name] ?? []), ...(more[name] ?? [])];
  return list.length === 0 ? {} : { [name]: list };
}
