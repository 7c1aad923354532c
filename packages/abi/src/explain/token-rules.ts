// Causes of failures in tokens: balances and allowances.
import type { Frame } from '../call-tree.js';
import type { NamedValue } from '../decode.js';
import { decodeShortString, toFelt } from '../felt.js';
import { ETH_ADDRESS, STRK_ADDRESS } from '../names.js';
import { selectorOf } from '../selector.js';
import type { RemedyAction } from './explained.js';
import {
  amountText,
  exactAmountText,
  type Facts,
  feesOf,
  mintAction,
  mintText,
  type PossibleFinding,
  type Rule,
} from './finding.js';
import { numberText } from './view.js';

/** A transfer that failed. */
interface Transfer {
  readonly token: string;
  readonly owner: string;
  readonly amount: bigint;
  /** Who moves it, if not the owner. */
  readonly spender: string | undefined;
}

const UNITS: ReadonlyMap<string, string> = new Map([
  [STRK_ADDRESS, 'STRK'],
  [ETH_ADDRESS, 'ETH'],
]);

const OWN = /^(transfer|burn|send|withdraw)$/;
const FOREIGN = /^(transfer_from|transferFrom|burn_from|burnFrom)$/;

function transferOf(frame: Frame, { view, caller, sender }: Facts): Transfer | undefined {
  const name = view.functionOf(frame);
  const inputs = view.inputsOf(frame);
  const amount = inputs?.findLast(isAmount)?.value;
  if (!inputs || amount?.kind !== 'number') return undefined;
  const mover = frame.caller ?? caller?.contract ?? sender;
  const [first] = inputs;
  const common = { token: frame.contract, amount: amount.value };
  if (FOREIGN.test(name) && first?.value.kind === 'address') {
    return { ...common, owner: first.value.felt, spender: mover };
  }
  return OWN.test(name) && mover !== undefined
    ? { ...common, owner: mover, spender: undefined }
    : undefined;
}

const LOW_HALF = (1n << 128n) - 1n;

const isAmount = ({ value }: NamedValue): boolean => value.kind === 'number';

/** A number that a token returns under one of two names. */
async function readNumber(
  { sources: { read } }: Facts,
  token: string,
  names: readonly string[],
  calldata: readonly string[],
): Promise<bigint | undefined> {
  for (const name of names) {
    const [low, high = '0x0'] = (await read?.(token, name, calldata)) ?? [];
    if (low !== undefined) return BigInt(low) + (BigInt(high) << 128n);
  }
  return undefined;
}

function inUnits(amount: bigint, token: string): string {
  const unit = UNITS.get(token);
  return unit === undefined ? numberText(amount) : amountText(amount, unit);
}

const MAX_TOKEN_DECIMALS = 77;

/** `25 GLD`, as the token's own `decimals` and `symbol` say; the base units of a token that has neither. */
async function inTokens(amount: bigint, token: string, facts: Facts): Promise<string> {
  const unit = UNITS.get(token);
  if (unit !== undefined) return exactAmountText(amount, unit);
  const { read } = facts.sources;
  const decimals = Number((await read?.(token, 'decimals', []))?.[0] ?? 'NaN');
  if (!(decimals <= MAX_TOKEN_DECIMALS)) return numberText(amount);
  const answer = (await read?.(token, 'symbol', [])) ?? [];
  const symbol = decodeShortString((answer.length === 1 ? answer[0] : answer.at(-2)) ?? '');
  return exactAmountText(amount, symbol ?? 'tokens', decimals);
}

/** How the owner of a token gets the missing amount: a call as text, and as an action. */
async function remedyOf(
  { token, owner, amount }: Transfer,
  missing: bigint,
  facts: Facts,
): Promise<{ readonly callText: string; readonly action: RemedyAction }> {
  const unit = UNITS.get(token);
  const who = facts.view.address(owner);
  if (unit !== undefined) {
    const fees = owner === facts.sender && unit === 'STRK' ? feesOf(facts) : 0n;
    return {
      callText: mintText(owner, missing, unit, fees),
      action: mintAction(owner, missing, unit, who, fees),
    };
  }
  return {
    callText: `devnet_deal {"token": "${token}", "address": "${owner}", "amount": "${amount}"}`,
    action: {
      kind: 'deal',
      label: `Give ${who} the missing ${await inTokens(missing, token, facts)}`,
      method: 'devnet_deal',
      params: { token, address: owner, amount: String(amount) },
    },
  };
}

async function balance(_: RegExpExecArray, facts: Facts): Promise<PossibleFinding> {
  const { frame, view } = facts;
  const moved = frame && transferOf(frame, facts);
  if (!moved || facts.isUncertain) return undefined;
  const { token, owner, amount } = moved;
  const name = view.contract(frame);
  const balance = await readNumber(facts, token, ['balance_of', 'balanceOf'], [owner]);
  const who = view.address(owner);
  if (balance === undefined || balance >= amount) {
    return { hint: `${who} holds less than ${inUnits(amount, token)} of ${name} at this point.` };
  }
  const missing = amount - balance;
  const { callText, action } = await remedyOf(moved, missing, facts);
  const balanceText = inUnits(balance, token);
  return {
    hint: `${who} held ${balanceText}${UNITS.has(token) ? '' : ` of ${name}`} before, but the transfer needs ${inUnits(amount, token)}: ${inUnits(missing, token)} are missing. Send less, or call ${callText}.`,
    advice: `${who} held ${await inTokens(balance, token, facts)} before, but the transfer needs ${await inTokens(amount, token, facts)}.`,
    actions: [action],
  };
}

async function allowance(_: RegExpExecArray, facts: Facts): Promise<PossibleFinding> {
  const { frame, view } = facts;
  const moved = frame && transferOf(frame, facts);
  if (!moved || moved.spender === undefined) return undefined;
  const { token, owner, amount, spender } = moved;
  const allowed = await readNumber(facts, token, ['allowance'], [owner, spender]);
  const [from, by] = [view.address(owner), view.address(spender)];
  const has = allowed === undefined ? 'less' : inUnits(allowed, token);
  return {
    hint: `${from} allows ${by} to spend ${has}, but the transfer needs ${inUnits(amount, token)}. ${from} must first call approve(spender: ${spender}, amount: ${amount}) of ${view.contract(frame)}.`,
    advice: `${from} allows ${by} to spend ${allowed === undefined ? 'less' : await inTokens(allowed, token, facts)}, but the transfer needs ${await inTokens(amount, token, facts)}.`,
    actions: [
      {
        kind: 'approve',
        label: `Allow ${by} to spend ${await inTokens(amount, token, facts)} of ${from}`,
        params: {
          sender_address: owner,
          contract_address: token,
          entry_point_selector: selectorOf('approve'),
          calldata: [spender, toFelt(amount & LOW_HALF), toFelt(amount >> 128n)],
        },
      },
    ],
  };
}

export const TOKEN_RULES: readonly Rule[] = [
  { pattern: /allowance/i, find: allowance },
  {
    pattern: /insufficient.{0,3}balance|exceeds balance|balance too low|u256_sub Overflow/i,
    find: balance,
  },
];
