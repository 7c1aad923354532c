// Commands of random histories, how likely each is, and how it is printed.
import fc from 'fast-check';
import { holder } from './accounts-and-contracts.js';
import type { Flaw } from './transactions.js';
import { PRICES, type PriceName } from './world.js';

export type Amount = number | 'half' | 'all' | 'too much';
/** A block, from the newest one backwards, or by a tag. */
export type Target =
  | { readonly back: number; readonly by: 'number' | 'hash' }
  | 'latest'
  | 'pre_confirmed'
  | 'l1_accepted'
  | 'unknown';

export type Command =
  | {
      readonly does: 'transfer';
      readonly from: number;
      readonly to: number;
      readonly amount: Amount;
      readonly flaw: Flaw;
      readonly tip: number;
    }
  | {
      /** Several calls in one transaction; counting by 0 reverts all of them. */
      readonly does: 'count';
      readonly from: number;
      readonly by: number;
      readonly pays: boolean;
      readonly flaw: Flaw;
    }
  | { readonly does: 'resend'; readonly which: number }
  | {
      readonly does: 'mint';
      readonly to: number;
      readonly amount: bigint;
      readonly unit: 'FRI' | 'WEI';
    }
  | { readonly does: 'declare'; readonly from: number; readonly flaw: Flaw }
  | { readonly does: 'deployAccount'; readonly flaw: Flaw }
  | { readonly does: 'sendToL1'; readonly from: number; readonly payload: number }
  | { readonly does: 'consume'; readonly payload: number }
  | { readonly does: 'deposit'; readonly user: number; readonly amount: number }
  | { readonly does: 'simulate'; readonly from: number; readonly to: number }
  | { readonly does: 'createBlock' }
  | { readonly does: 'wait'; readonly seconds: number }
  | { readonly does: 'abort'; readonly target: Target }
  | { readonly does: 'acceptOnL1'; readonly target: Target }
  | { readonly does: 'setTime'; readonly by: number; readonly generate: Generate }
  | { readonly does: 'increaseTime'; readonly by: number }
  | {
      readonly does: 'setGasPrice';
      readonly changes: Readonly<Partial<Record<PriceName, number>>>;
      readonly generate: Generate;
    }
  | { readonly does: 'setBalance'; readonly of: number; readonly amount: bigint }
  | { readonly does: 'setNonce'; readonly of: number; readonly nonce: number }
  | { readonly does: 'setSlot'; readonly of: number; readonly key: number; readonly value: number }
  | { readonly does: 'deployCounter'; readonly at: number }
  | { readonly does: 'breakState'; readonly how: 'no contract' | 'no class' | 'twice' | 'half' }
  | { readonly does: 'impersonate' | 'stopImpersonate'; readonly who: number }
  | { readonly does: 'autoImpersonate' | 'stopAutoImpersonate' }
  | { readonly does: 'snapshot' }
  | { readonly does: 'revert'; readonly which: number }
  | { readonly does: 'restart' };

export type Generate = boolean | undefined;

// Values.

const from = fc.nat(3);
const to = fc.nat(6);
const tip = fc.constantFrom(0, 0, 0, 3);
const generate = fc.constantFrom(undefined, true, false);
const amount: fc.Arbitrary<Amount> = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 1, max: 1000 }) },
  { weight: 1, arbitrary: fc.constantFrom('half', 'all', 'too much') },
);
const flaw: fc.Arbitrary<Flaw> = fc.oneof(
  { weight: 8, arbitrary: fc.constant<Flaw>('none') },
  {
    weight: 5,
    arbitrary: fc.constantFrom<Flaw>(
      'signature',
      'nonce too high',
      'nonce too low',
      'price too low',
    ),
  },
);
const target: fc.Arbitrary<Target> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ back: fc.nat(6), by: fc.constantFrom('number', 'hash') }),
  },
  { weight: 3, arbitrary: fc.constantFrom('latest', 'pre_confirmed', 'l1_accepted', 'unknown') },
);
/** Prices with different factors, so that a fee shows which of them was used. */
const price = fc.constantFrom(10 ** 9, 10 ** 8 + 7, 2 * 10 ** 9 + 11, 5 * 10 ** 9 + 9, 0);
const minting = fc.constantFrom(1n, 0n, 10n ** 18n, 2n ** 128n, 2n ** 254n, 2n ** 255n);

const setting = fc.constantFrom(10n ** 20n, 1000n, 0n, 2n ** 130n);

const changes = fc
  .array(fc.tuple(fc.constantFrom(...PRICES), price), { maxLength: 3 })
  .map((pairs): Readonly<Partial<Record<PriceName, number>>> => Object.fromEntries(pairs));

// Commands.

function of<D extends Command['does'], T extends object>(
  does: D,
  members: { [K in keyof T]: fc.Arbitrary<T[K]> },
): fc.Arbitrary<{ does: D } & T> {
  return fc.record(members).map((values) => ({ does, ...values }));
}

/** How likely each is. Those with transactions take most of the time. */
const WEIGHTED: readonly (readonly [number, fc.Arbitrary<Command>])[] = [
  [8, fc.constant({ does: 'createBlock' })],
  [16, of('transfer', { from, to, amount, flaw, tip })],
  [5, of('count', { from, by: fc.nat(3), pays: fc.boolean(), flaw })],
  [7, of('resend', { which: fc.nat(9) })],
  [5, of('mint', { to, amount: minting, unit: fc.constantFrom('FRI', 'WEI') })],
  [1, of('declare', { from, flaw })],
  [2, of('deployAccount', { flaw })],
  [2, of('simulate', { from, to })],
  [3, of('sendToL1', { from, payload: fc.nat(1) })],
  [3, of('consume', { payload: fc.nat(1) })],
  [2, of('deposit', { user: from, amount: fc.nat(2) })],
  [5, of('wait', { seconds: fc.integer({ min: 1, max: 90 }) })],
  [8, of('abort', { target })],
  [6, of('acceptOnL1', { target })],
  [5, of('setTime', { by: fc.integer({ min: -500, max: 500 }), generate })],
  [3, of('increaseTime', { by: fc.nat(500) })],
  [6, of('setGasPrice', { changes, generate })],
  [3, of('setBalance', { of: to, amount: setting })],
  [3, of('setNonce', { of: fc.nat(2), nonce: fc.nat(4) })],
  [3, of('setSlot', { of: fc.nat(2), key: fc.nat(1), value: fc.nat(2) })],
  [2, of('deployCounter', { at: fc.nat(1) })],
  [3, of('breakState', { how: fc.constantFrom('no contract', 'no class', 'twice', 'half') })],
  [3, of('impersonate', { who: from })],
  [2, of('stopImpersonate', { who: from })],
  [1, fc.constant({ does: 'autoImpersonate' })],
  [2, fc.constant({ does: 'stopAutoImpersonate' })],
  [8, fc.constant({ does: 'snapshot' })],
  [8, of('revert', { which: fc.nat(4) })],
  [1, fc.constant({ does: 'restart' })],
];

const command = fc.oneof(
  { withCrossShrink: true },
  ...WEIGHTED.map(([weight, arbitrary]) => ({ weight, arbitrary })),
);

/** Sequences of exactly this length, which shrink to shorter ones. */
class Sequences extends fc.Arbitrary<Command[]> {
  readonly #full: fc.Arbitrary<Command[]>;
  readonly #any: fc.Arbitrary<Command[]>;

  constructor(length: number) {
    super();
    this.#full = fc.array(command, { minLength: length, maxLength: length });
    this.#any = fc.array(command, { maxLength: length });
  }

  override generate(random: fc.Random, bias: number | undefined): fc.Value<Command[]> {
    return this.#full.generate(random, bias);
  }

  override canShrinkWithoutContext(value: unknown): value is Command[] {
    return this.#any.canShrinkWithoutContext(value);
  }

  override shrink(value: Command[], context: unknown): fc.Stream<fc.Value<Command[]>> {
    return this.#any.shrink(value, context);
  }
}

export function sequences(length: number): fc.Arbitrary<Command[]> {
  return new Sequences(length);
}

// Printing.

const holderName = (index: number): string => holder(index).name;
const flawed = (kind: Flaw): string => (kind === 'none' ? '' : ` (${kind})`);

function shownTarget(block: Target): string {
  return typeof block === 'string' ? block : `latest - ${block.back} by ${block.by}`;
}

function shownGenerate(value: Generate): string {
  return value === undefined ? '' : `, generate_block ${value}`;
}

/** One line. */
export function describeCommand(command: Command): string {
  switch (command.does) {
    case 'transfer': {
      const paid = command.tip > 0 ? `, tip ${command.tip}` : '';
      return `transfer ${holderName(command.from)} → ${holderName(command.to)}: ${command.amount}${paid}${flawed(command.flaw)}`;
    }
    case 'count': {
      const first = command.pays ? ' after a transfer of 1 to undeployed' : '';
      return `count by ${command.by} as ${holderName(command.from)}${first}${flawed(command.flaw)}`;
    }
    case 'mint':
      return `mint ${command.amount} ${command.unit} to ${holderName(command.to)}`;
    case 'declare':
      return `declare as ${holderName(command.from)}${flawed(command.flaw)}`;
    case 'deployAccount':
      return `deployAccount a3${flawed(command.flaw)}`;
    case 'sendToL1':
      return `sendToL1 [${command.payload}] as ${holderName(command.from)}`;
    case 'simulate':
      return `simulate a transfer ${holderName(command.from)} → ${holderName(command.to)}`;
    case 'deposit':
      return `deposit ${command.amount} for ${holderName(command.user)} from L1`;
    case 'abort':
    case 'acceptOnL1':
      return `${command.does} ${shownTarget(command.target)}`;
    case 'setTime':
      return `setTime now + ${command.by}${shownGenerate(command.generate)}`;
    case 'setGasPrice':
      return `setGasPrice ${JSON.stringify(command.changes)}${shownGenerate(command.generate)}`;
    case 'setBalance':
      return `setBalance ${holderName(command.of)} = ${command.amount}`;
    case 'setNonce':
      return `setNonce ${holderName(command.of)} = ${command.nonce}`;
    case 'setSlot':
      return `setSlot ${holderName(command.of)}[${command.key}] = ${command.value}`;
    case 'impersonate':
    case 'stopImpersonate':
      return `${command.does} ${holderName(command.who)}`;
    default: {
      const { does, ...rest } = command;
      return [does, ...Object.values(rest)].join(' ');
    }
  }
}
