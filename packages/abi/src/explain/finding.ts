// What a known cause of failures adds to an explanation, and the facts that it is found by.
import type { Frame } from '../call-tree.js';
import { groupDigits } from '../text-layout.js';
import type { TracedTransaction } from '../trace.js';
import type { Bounds } from '../transactions/invoke.js';
import type { RemedyAction } from './explained.js';
import type { Sources, View } from './view.js';

/** A transaction with what causes of failures are found by. A call has the type `CALL`. */
export interface ExplainedTransaction extends TracedTransaction {
  readonly resource_bounds?: Bounds;
  readonly tip?: string;
  readonly class_hash?: string;
  readonly nonce?: string;
}

export interface Facts {
  readonly transaction: ExplainedTransaction;
  /** The account; undefined for calls and messages from L1. */
  readonly sender: string | undefined;
  /** That failed first; undefined if nothing was called. */
  readonly frame: Frame | undefined;
  /** The frame that called it. */
  readonly caller: Frame | undefined;
  /** Whether another call could be the one that failed. */
  readonly isUncertain: boolean;
  readonly view: View;
  readonly sources: Sources;
}

export interface Finding {
  /** What happened, as the end of a sentence; the message of the failure by default. */
  readonly what?: string;
  /** Whether that names the contract and the function, if they matter. */
  readonly isWhole?: boolean;
  /** What to do about it. */
  readonly hint: string;
  /** The hint without the calls that `actions` hold. */
  readonly advice?: string;
  /** Calls that remedy the cause, the best one first. */
  readonly actions?: readonly RemedyAction[];
}

export type PossibleFinding = Finding | undefined;

/** A cause that failures of this text have. */
export interface Rule {
  readonly pattern: RegExp;
  readonly find: (
    match: RegExpExecArray,
    facts: Facts,
  ) => PossibleFinding | Promise<PossibleFinding>;
}

const TOKEN_DECIMALS = 18;
const MAX_DECIMALS = 6;
const BASE_UNITS: ReadonlyMap<string, string> = new Map([
  ['STRK', 'fri'],
  ['ETH', 'wei'],
]);

/** The digits before and behind the decimal point, without zeros at the end. */
function partsOf(amount: bigint, decimals: number) {
  const token = 10n ** BigInt(decimals);
  const fraction = String(amount % token)
    .padStart(decimals, '0')
    .replace(/0+$/, '');
  return { whole: amount / token, fraction };
}

/** `1.5 STRK`; what is cut off at the end is marked. */
export function amountText(
  amount: bigint,
  unit: string,
  decimals: number = TOKEN_DECIMALS,
): string {
  const { whole, fraction } = partsOf(amount, decimals);
  if (whole === 0n && amount > 0n && fraction.search(/[^0]/) >= MAX_DECIMALS) {
    return `${amount} ${BASE_UNITS.get(unit) ?? `base units of ${unit}`}`;
  }
  if (fraction === '') return `${whole} ${unit}`;
  const isCut = fraction.length > MAX_DECIMALS;
  return `${whole}.${fraction.slice(0, MAX_DECIMALS)}${isCut ? '…' : ''} ${unit}`;
}

/** `4,001.25 STRK`, with all of its digits. */
export function exactAmountText(
  amount: bigint,
  unit: string,
  decimals: number = TOKEN_DECIMALS,
): string {
  const { whole, fraction } = partsOf(amount, decimals);
  return `${groupDigits(whole)}${fraction === '' ? '' : `.${fraction}`} ${unit}`;
}

/** How an address gets the missing amount of STRK or ETH, and what fees take from it. */
export function mintText(address: string, missing: bigint, unit: string, fees = 0n): string {
  const call = `devnet_mint {"address": "${address}", "amount": "${missing + fees}", "unit": "${unit === 'ETH' ? 'WEI' : 'FRI'}"}`;
  return fees === 0n ? call : `${call}, which includes fees`;
}

/** Gives an address the missing amount of STRK or ETH, and what fees take from it. */
export function mintAction(
  address: string,
  missing: bigint,
  unit: string,
  name: string,
  fees = 0n,
): RemedyAction {
  const more = fees === 0n ? '' : `, and ${exactAmountText(fees, unit)} for fees`;
  return {
    kind: 'mint',
    label: `Give ${name} the missing ${exactAmountText(missing, unit)}${more}`,
    method: 'devnet_mint',
    params: { address, amount: String(missing + fees), unit: unit === 'ETH' ? 'WEI' : 'FRI' },
  };
}

/** L2 gas that an estimate, whose bounds are zero, is taken to use: a large transaction of the network. */
const ESTIMATED_L2_GAS = 1_000_000_000n;

/** What a sender needs for its fees: a reverted transaction has paid one, and the next one pays another. */
export function feesOf({ transaction, sources: { l2GasPrice = 0n } }: Facts): bigint {
  return 2n * (mostFee(transaction) ?? 0n) || ESTIMATED_L2_GAS * l2GasPrice;
}

/** The most that a transaction may cost. */
export function mostFee({
  resource_bounds: bounds,
  tip = '0x0',
}: ExplainedTransaction): bigint | undefined {
  if (!bounds) return undefined;
  const cost = (name: keyof Bounds, extra = 0n): bigint =>
    BigInt(bounds[name].max_amount) * (BigInt(bounds[name].max_price_per_unit) + extra);
  return cost('l1_gas') + cost('l1_data_gas') + cost('l2_gas', BigInt(tip));
}
