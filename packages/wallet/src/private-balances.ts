// Requests for private balances (STRK20). A local chain has no privacy pool, so no account is registered in one.
import type { Members } from '@starkbox/abi/basics';
import { invalid, WalletError } from './errors.js';
import { callsOf, feltOf, fieldsOf, listOf, textOf } from './read.js';

/** Members of each action that must be felts. */
const FELTS: Readonly<Record<string, readonly string[]>> = {
  deposit: ['token', 'amount'],
  withdraw: ['token', 'amount', 'recipient'],
  transfer: ['token', 'recipient'],
  invoke: ['contract'],
  shadow_account_invoke: ['nonce'],
};
const PLACEHOLDER = /^\$\{(?:openNoteIds\[\d+\]|poolAddress)\}$/;
const POLICIES: ReadonlySet<unknown> = new Set(['all', 'diff', 'exact']);

/** The error of the wallet API for an account that is not registered, unless the parameters are wrong. */
export function notRegistered(
  check: (params: Members) => void,
): (params: Members) => Promise<never> {
  return async (params) => {
    check(params);
    const reason = 'This chain has no privacy pool (STRK20), so the account is not registered.';
    throw new WalletError('NOT_REGISTERED', reason);
  };
}

export function checkActions({ actions }: Members): void {
  const list = listOf(actions, 'actions');
  if (list.length === 0) throw invalid('actions is empty.');
  for (const [at, action] of list.entries()) checkAction(action, `actions[${at}]`);
}

export function checkTokens({ tokens, valid_until: limit }: Members): void {
  for (const [at, token] of listOf(tokens, 'tokens').entries()) feltOf(token, `tokens[${at}]`);
  if (limit !== undefined && !Number.isSafeInteger(limit)) {
    throw invalid('valid_until is not a time in seconds.');
  }
}

export function checkShadowAccount({ dapp_name: name, nonce }: Members): void {
  checkName(name, 'dapp_name');
  if (nonce !== undefined) feltOf(nonce, 'nonce');
}

/** The proof of a call that `wallet_strk20PrepareInvoke` of another wallet returned. */
export function checkProof(value: unknown): void {
  const { data, output, proof_facts: facts } = fieldsOf(value, 'proof');
  textOf(data, 'proof.data');
  for (const [at, felt] of listOf(output, 'proof.output').entries()) {
    feltOf(felt, `proof.output[${at}]`);
  }
  for (const [at, felt] of listOf(facts, 'proof.proof_facts').entries()) {
    feltOf(felt, `proof.proof_facts[${at}]`);
  }
}

function checkAction(value: unknown, name: string): void {
  const action = fieldsOf(value, name);
  const { type } = action;
  const felts = typeof type === 'string' && Object.hasOwn(FELTS, type) ? FELTS[type] : undefined;
  if (!felts) throw invalid(`${name}.type is not one of ${Object.keys(FELTS).join(', ')}.`);
  for (const member of felts) feltOf(action[member], `${name}.${member}`);
  if (type === 'transfer' && action['amount'] !== 'OPEN') {
    feltOf(action['amount'], `${name}.amount`);
  }
  if (type === 'invoke') {
    for (const [at, felt] of listOf(action['calldata'], `${name}.calldata`).entries()) {
      if (typeof felt !== 'string' || !PLACEHOLDER.test(felt)) {
        feltOf(felt, `${name}.calldata[${at}]`);
      }
    }
  }
  if (type === 'shadow_account_invoke') {
    checkName(action['dapp_name'], `${name}.dapp_name`);
    callsOf(action['calls']);
    const policy = fieldsOf(action['collect_policy'], `${name}.collect_policy`);
    if (!POLICIES.has(policy['type'])) {
      throw invalid(`${name}.collect_policy.type is not one of all, diff, exact.`);
    }
    if (policy['type'] === 'exact') feltOf(policy['amount'], `${name}.collect_policy.amount`);
  }
}

/** A felt, or a short string. */
function checkName(value: unknown, name: string): void {
  const text = textOf(value, name);
  if (/^0x/i.test(text)) feltOf(text, name);
  else if (!/^[ -~]{1,31}$/.test(text)) throw invalid(`${name} is not a short string.`);
}
