// Causes of failures before and after execution: nonces, resource bounds, gas and the balance that pays for it.
import { toFelt } from '../felt.js';
import type { Bounds } from '../transactions/invoke.js';
import type { RemedyAction } from './explained.js';
import {
  amountText,
  type Facts,
  feesOf,
  mintAction,
  mintText,
  mostFee,
  type PossibleFinding,
  type Rule,
} from './finding.js';

const RESOURCES: ReadonlyMap<string, keyof Bounds> = new Map([
  ['L1Gas', 'l1_gas'],
  ['L1DataGas', 'l1_data_gas'],
  ['L2Gas', 'l2_gas'],
]);
const ESTIMATE = 'starknet_estimateFee returns the required amounts and prices';

const resource = (name: string | undefined): string => RESOURCES.get(name ?? '') ?? 'gas';

function senderName({ view, sender }: Facts): string {
  return sender === undefined ? 'the account' : view.address(sender);
}

function nonce(
  [, account = '0', transactionNonce = '0']: RegExpExecArray,
  facts: Facts,
): PossibleFinding {
  const [due, nonceSent] = [BigInt(account), BigInt(transactionNonce)];
  const what = `the nonce of ${senderName(facts)} is ${due}, and the transaction has ${nonceSent}`;
  if (nonceSent < due) {
    return {
      what,
      hint: `A transaction with nonce ${nonceSent} is already in a block. Use nonce ${due}: starknet_getNonce at the block pre_confirmed returns it.`,
    };
  }
  const missing = nonceSent - due === 1n ? `nonce ${due}` : `nonces ${due} to ${nonceSent - 1n}`;
  return { what, hint: `Send ${missing} first, or use nonce ${due}.` };
}

/** An estimate does not say which nonce is due. */
async function unnamedNonce(match: RegExpExecArray, facts: Facts): Promise<PossibleFinding> {
  const { sender, transaction, sources } = facts;
  const due = sender === undefined ? undefined : await sources.nonceAt?.(sender);
  if (due === undefined || transaction.nonce === undefined) return undefined;
  return nonce(Object.assign(match, { 1: due, 2: transaction.nonce }), facts);
}

const TOO_LOW =
  /Max (L1Gas|L1DataGas|L2Gas) (amount|price) \((\d+)\) is lower than the (?:minimal gas amount|actual gas price): (\d+)/;

type RaisedBounds = Partial<Record<keyof Bounds, Partial<Bounds['l1_gas']>>>;

/** Sends the transaction again with higher bounds; the account must sign it anew. */
function raiseBounds(bounds: RaisedBounds, label: string): RemedyAction {
  return { kind: 'set_resource_bounds', label, params: { resource_bounds: bounds } };
}

function boundsTooLow(match: RegExpExecArray): PossibleFinding {
  const lowBounds = [...match.input.matchAll(new RegExp(TOO_LOW, 'g'))];
  const raised: Partial<Record<keyof Bounds, Record<string, string>>> = {};
  for (const [, name, what, , least = '0'] of lowBounds) {
    const kind = RESOURCES.get(name ?? '');
    const member = what === 'amount' ? 'max_amount' : 'max_price_per_unit';
    if (kind) raised[kind] = { ...raised[kind], [member]: toFelt(BigInt(least)) };
  }
  const all = lowBounds.map(([, name, what, offered = '0', least = '0']) => {
    const bound = `${resource(name)}.${what === 'amount' ? 'max_amount' : 'max_price_per_unit'}`;
    return `${bound} is ${offered}, at least ${least} is needed (${BigInt(least) - BigInt(offered)} more)`;
  });
  return {
    what: `its resource bounds are too low to start: ${all.join('; ')}`,
    hint: `Raise them in resource_bounds; ${ESTIMATE}.`,
    actions: [raiseBounds(raised, 'Send again with the least bounds that start')],
  };
}

function boundsUnusable(): PossibleFinding {
  return {
    what: 'its resource bounds offer no gas',
    hint: `Set max_amount and max_price_per_unit of l2_gas and l1_data_gas; ${ESTIMATE}.`,
  };
}

/** A second run can use a little more gas than the first. */
const withMargin = (gas: bigint): bigint => (gas * 11n) / 10n + 1n;

function usedMore([, name, limit = '0', consumed = '0']: RegExpExecArray): PossibleFinding {
  const bound = `resource_bounds.${resource(name)}.max_amount`;
  const [most, needed] = [BigInt(limit), BigInt(consumed)];
  const kind = RESOURCES.get(name ?? '');
  return {
    what: `it used ${needed} ${resource(name)}, ${needed - most} more than the ${most} that it offered`,
    isWhole: true,
    hint: `Raise ${bound} from ${most} to ${needed} (${toFelt(needed)}) or more; ${ESTIMATE}.`,
    ...(kind === undefined
      ? {}
      : {
          actions: [
            raiseBounds(
              { [kind]: { max_amount: toFelt(withMargin(needed)) } },
              `Send again with at most ${withMargin(needed)} ${kind}`,
            ),
          ],
        }),
  };
}

/** The needed gas is unknown: bounds are doubled. */
const OUT_OF_GAS_FACTOR = 2n;

function outOfGas(_: RegExpExecArray, { transaction, frame }: Facts): PossibleFinding {
  const bounds = transaction.resource_bounds;
  if (frame?.phase === 'validate') {
    return {
      what: 'it used more gas than validation allows',
      hint: 'The network limits validation regardless of the bounds: move work to the execution, or look for an endless loop.',
    };
  }
  if (!bounds) {
    return {
      what: 'the execution ran out of gas',
      hint: "A call has as much gas as the network's largest transaction: look for an endless loop, or split the work.",
    };
  }
  const [l1, l2] = [BigInt(bounds.l1_gas.max_amount), BigInt(bounds.l2_gas.max_amount)];
  const isL1 = l2 === 0n;
  const kind = isL1 ? 'l1_gas' : 'l2_gas';
  const limit = isL1 ? l1 : l2;
  const raised = limit * OUT_OF_GAS_FACTOR;
  return {
    what: `it used all of the ${limit} ${kind} that it offered`,
    hint: `Raise resource_bounds.${kind}.max_amount above ${limit}; ${ESTIMATE}. If no amount is enough, look for an endless loop.`,
    actions: [
      raiseBounds(
        { [kind]: { max_amount: toFelt(raised) } },
        `Send again with at most ${raised} ${kind}`,
      ),
    ],
  };
}

export function accountNotDeployed(address: string, view: Facts['view']): PossibleFinding {
  return {
    what: `the account ${view.address(address)} is not deployed`,
    isWhole: true,
    hint: `Deploy ${address} first with a DEPLOY_ACCOUNT transaction, or send from a predeployed account: devnet_getPredeployedAccounts lists them.`,
  };
}

async function poorSender(
  [, balance = '0']: RegExpExecArray,
  facts: Facts,
): Promise<PossibleFinding> {
  const { transaction, sender, view, sources } = facts;
  const balanceFri = BigInt(balance);
  const fee = mostFee(transaction);
  if (fee === undefined || sender === undefined) return undefined;
  const mayBeMissing = transaction.type !== 'DEPLOY_ACCOUNT' && sources.classAt !== undefined;
  if (mayBeMissing && (await sources.classAt?.(sender)) === undefined) {
    return accountNotDeployed(sender, view);
  }
  const missing = fee - balanceFri;
  return {
    what: `it may cost up to ${amountText(fee, 'STRK')}, and ${senderName(facts)} holds ${amountText(balanceFri, 'STRK')}`,
    hint: `${amountText(missing, 'STRK')} are missing: call ${mintText(sender, missing, 'STRK')}. Or lower the resource bounds; ${ESTIMATE}.`,
    advice: `${amountText(missing, 'STRK')} are missing. Mint them, or lower the resource bounds; ${ESTIMATE}.`,
    actions: [mintAction(sender, missing, 'STRK', senderName(facts))],
  };
}

function feeNotPaid(
  [, fee = '0', low = '0', high = '0']: RegExpExecArray,
  facts: Facts,
): PossibleFinding {
  const [due, remaining] = [BigInt(fee), BigInt(low) + (BigInt(high) << 128n)];
  if (facts.sender === undefined) return undefined;
  const [missing, fees] = [due - remaining, feesOf(facts)];
  return {
    what: `the fee is ${amountText(due, 'STRK')}, and ${senderName(facts)} was left with ${amountText(remaining, 'STRK')}`,
    isWhole: true,
    hint: `The calls spent the tokens for the fee: leave at least ${amountText(due, 'STRK')}, or call ${mintText(facts.sender, missing, 'STRK', fees)}.`,
    advice: `The calls spent the tokens for the fee: leave at least ${amountText(due, 'STRK')}, or mint more.`,
    actions: [mintAction(facts.sender, missing, 'STRK', senderName(facts), fees)],
  };
}

function l1Fee([, due = '0', paid = '0']: RegExpExecArray): PossibleFinding {
  return {
    what: `the message paid ${paid} wei on L1, and its execution costs ${due} wei`,
    hint: `Send at least ${due} wei with the message: paid_fee_on_l1, or the value of sendMessageToL2; starknet_estimateMessageFee returns the amount.`,
  };
}

export const GAS_RULES: readonly Rule[] = [
  { pattern: /Account nonce: (0x[0-9a-f]+|\d+); got: (0x[0-9a-f]+|\d+)/i, find: nonce },
  { pattern: /Account transaction nonce is invalid/, find: unnamedNonce },
  { pattern: TOO_LOW, find: boundsTooLow },
  { pattern: /l2_gas and l1_data_gas need a max_amount/, find: boundsUnusable },
  {
    pattern: /Insufficient max (L1Gas|L1DataGas|L2Gas): max amount: (\d+), actual used: (\d+)/,
    find: usedMore,
  },
  { pattern: /RunResources has no remaining steps|^Out of gas$/m, find: outOfGas },
  { pattern: /exceed balance \((\d+)\)/, find: poorSender },
  {
    pattern: /Insufficient fee token balance\. Fee: (\d+), balance: low\/high (\d+)\/(\d+)/,
    find: feeNotPaid,
  },
  { pattern: /Actual fee \((\d+)\) exceeded paid fee on L1 \((\d+)\)/, find: l1Fee },
];
