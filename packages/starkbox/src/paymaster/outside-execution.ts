// Outside executions (SNIP-9): their typed data (SNIP-12), the hash that users sign, and the call of an account.
// The form of the typed data is the one that starknet.js 10.8 and starknet.py 0.30 build for outside executions.
import {
  encodeShortString,
  listOf,
  type Members,
  membersOf,
  PRIME,
  toFelt,
} from '@starkbox/abi/basics';
import { pedersen, poseidon, starknetKeccak } from '@starkbox/engine';
import type { PAYMASTER_TYPED_DATA } from '@starkbox/spec';
import { type ContractCall, callsAsCalldata } from '../chain/minter.js';
import { invalidParams } from '../errors.js';
import { stringify } from '../json/json.js';

/** The version of SNIP-9. */
export type OutsideVersion = 1 | 2;

export interface OutsideExecution {
  readonly version: OutsideVersion;
  /** The account that may execute it, or `ANY_CALLER`. */
  readonly caller: string;
  readonly nonce: string;
  /** Blocks that may contain it have a later time than the first, and an earlier one than the second. */
  readonly executeAfter: bigint;
  readonly executeBefore: bigint;
  readonly calls: readonly ContractCall[];
}

export const ANY_CALLER: string = encodeShortString('ANY_CALLER');

const NAME = 'Account.execute_from_outside';
const PREFIX = encodeShortString('StarkNet Message');

type Types = Readonly<Record<string, readonly { readonly name: string; readonly type: string }[]>>;

const fields = (members: Readonly<Record<string, string>>): Types[string] =>
  Object.entries(members).map(([name, type]) => ({ name, type }));

const TYPES: Readonly<Record<OutsideVersion, Types>> = {
  1: {
    StarkNetDomain: fields({ name: 'felt', version: 'felt', chainId: 'felt' }),
    OutsideExecution: fields({
      caller: 'felt',
      nonce: 'felt',
      execute_after: 'felt',
      execute_before: 'felt',
      calls_len: 'felt',
      calls: 'OutsideCall*',
    }),
    OutsideCall: fields({
      to: 'felt',
      selector: 'felt',
      calldata_len: 'felt',
      calldata: 'felt*',
    }),
  },
  2: {
    StarknetDomain: fields({
      name: 'shortstring',
      version: 'shortstring',
      chainId: 'shortstring',
      revision: 'shortstring',
    }),
    OutsideExecution: fields({
      Caller: 'ContractAddress',
      Nonce: 'felt',
      'Execute After': 'u128',
      'Execute Before': 'u128',
      Calls: 'Call*',
    }),
    Call: fields({ To: 'ContractAddress', Selector: 'selector', Calldata: 'felt*' }),
  },
};

/** Names of the members of a message. */
const MEMBERS = {
  1: {
    caller: 'caller',
    nonce: 'nonce',
    after: 'execute_after',
    before: 'execute_before',
    calls: 'calls',
    to: 'to',
    selector: 'selector',
    calldata: 'calldata',
  },
  2: {
    caller: 'Caller',
    nonce: 'Nonce',
    after: 'Execute After',
    before: 'Execute Before',
    calls: 'Calls',
    to: 'To',
    selector: 'Selector',
    calldata: 'Calldata',
  },
} as const;

/** @param chainId as a felt */
export function typedDataOf(execution: OutsideExecution, chainId: string): PAYMASTER_TYPED_DATA {
  const { version, caller, nonce, calls } = execution;
  const [after, before] = [toFelt(execution.executeAfter), toFelt(execution.executeBefore)];
  const types = TYPES[version];
  const primaryType = 'OutsideExecution';
  if (version === 1) {
    const domain = { name: NAME, version: '1', chainId };
    const outsideCalls = calls.map(({ to, selector, calldata }) => ({
      to,
      selector,
      calldata_len: calldata.length,
      calldata,
    }));
    const message = {
      caller,
      nonce,
      execute_after: after,
      execute_before: before,
      calls_len: calls.length,
      calls: outsideCalls,
    };
    return { types, primaryType, domain, message };
  }
  const domain = { name: NAME, version: '2', chainId, revision: '1' };
  const outsideCalls = calls.map(({ to, selector, calldata }) => ({
    To: to,
    Selector: selector,
    Calldata: calldata,
  }));
  const message = {
    Caller: caller,
    Nonce: nonce,
    'Execute After': after,
    'Execute Before': before,
    Calls: outsideCalls,
  };
  return { types, primaryType, domain, message };
}

/** An outside execution, and the chain that it is for, as a felt. */
export interface ReadTypedData {
  readonly execution: OutsideExecution;
  readonly chainId: string;
}

const PATH = 'params.transaction.invoke.typed_data';

/** @throws RpcError -32602 if the typed data is no outside execution */
export function readTypedData({ domain, message }: PAYMASTER_TYPED_DATA): ReadTypedData {
  const version: OutsideVersion = 'Calls' in message ? 2 : 1;
  const names = MEMBERS[version];
  const { name, chainId } = membersOf(domain);
  if (name !== NAME && felt(name, `${PATH}.domain.name`) !== encodeShortString(NAME)) {
    invalidParams(`${PATH}.domain.name: expected ${NAME}, got ${String(name)}`);
  }
  const calls = list(membersOf(message)[names.calls], `${PATH}.message.${names.calls}`);
  checkLength(
    calls.map((call) => ({ calldata: listOf(membersOf(call)[names.calldata]) })),
    `${PATH}.message.${names.calls}`,
  );
  const at = (member: keyof typeof names): string =>
    felt(membersOf(message)[names[member]], `${PATH}.message.${names[member]}`);
  return {
    chainId: felt(chainId, `${PATH}.domain.chainId`),
    execution: {
      version,
      caller: at('caller'),
      nonce: at('nonce'),
      executeAfter: BigInt(at('after')),
      executeBefore: BigInt(at('before')),
      calls: calls.map((call, index) =>
        readCall(membersOf(call), names, `${PATH}.message.${names.calls}[${index}]`),
      ),
    },
  };
}

/** Felts of all calls together, over which the main thread computes hashes. Public networks take no more calldata. */
const MAX_FELTS = 5000;

/** @throws RpcError -32602 if the calls of a user are too long together */
export function checkLength(
  calls: readonly { readonly calldata: readonly unknown[] }[],
  where: string,
): void {
  // Beside its calldata, a call has an address, a selector and a length.
  const felts = calls.reduce((sum, { calldata }) => sum + calldata.length + 3, 0);
  if (felts > MAX_FELTS) {
    invalidParams(`${where}: at most ${MAX_FELTS} felts in all calls, got ${felts}`);
  }
}

function readCall(
  call: Members,
  names: (typeof MEMBERS)[OutsideVersion],
  where: string,
): ContractCall {
  const calldata = list(call[names.calldata], `${where}.${names.calldata}`);
  return {
    to: felt(call[names.to], `${where}.${names.to}`),
    selector: felt(call[names.selector], `${where}.${names.selector}`),
    calldata: calldata.map((value, at) => felt(value, `${where}.${names.calldata}[${at}]`)),
  };
}

function list(value: unknown, where: string): readonly unknown[] {
  if (!Array.isArray(value)) invalidParams(`${where}: expected a list`);
  return listOf(value);
}

/** A felt as clients write it in typed data: a number, its digits, or a short string. */
function felt(value: unknown, where: string): string {
  const digits = typeof value === 'number' || typeof value === 'bigint' ? `${value}` : value;
  if (typeof digits === 'string' && /^(0x[0-9a-fA-F]{1,64}|\d{1,78})$/.test(digits)) {
    const number = BigInt(digits);
    if (number < PRIME) return toFelt(number);
  } else if (typeof value === 'string' && /^[\x20-\x7e]{1,31}$/.test(value)) {
    return encodeShortString(value);
  }
  return invalidParams(`${where}: expected a felt, got ${stringify(value) ?? 'nothing'}`);
}

/** The hash that the account of the user signs. */
export function messageHash(execution: OutsideExecution, chainId: string, user: string): string {
  const { version, caller, nonce, executeAfter, executeBefore, calls } = execution;
  const name = encodeShortString(NAME);
  const head = [caller, nonce, toFelt(executeAfter), toFelt(executeBefore)];
  if (version === 1) {
    const calldata = calls.map((call) =>
      pedersen([
        typeHash(1, 'OutsideCall'),
        call.to,
        call.selector,
        toFelt(call.calldata.length),
        pedersen(call.calldata),
      ]),
    );
    const domain = pedersen([typeHash(1, 'StarkNetDomain'), name, '0x1', chainId]);
    const message = [typeHash(1, 'OutsideExecution', 'OutsideCall'), ...head, toFelt(calls.length)];
    return pedersen([PREFIX, domain, user, pedersen([...message, pedersen(calldata)])]);
  }
  const hashes = calls.map((call) =>
    poseidon([typeHash(2, 'Call'), call.to, call.selector, poseidon(call.calldata)]),
  );
  const domain = poseidon([typeHash(2, 'StarknetDomain'), name, '0x2', chainId, '0x1']);
  const message = [typeHash(2, 'OutsideExecution', 'Call'), ...head, poseidon(hashes)];
  return poseidon([PREFIX, domain, user, poseidon(message)]);
}

/** The hash of a type and of the types in it. Revision 1 of SNIP-12 has names in quotes. */
function typeHash(version: OutsideVersion, ...names: readonly string[]): string {
  const quote = (text: string): string => (version === 1 ? text : `"${text}"`);
  const texts = names.map((name) => {
    const members = TYPES[version][name] ?? [];
    return `${quote(name)}(${members.map((member) => `${quote(member.name)}:${quote(member.type)}`).join(',')})`;
  });
  return starknetKeccak(texts.join(''));
}

/** Functions of accounts by version. */
export const FUNCTIONS: Readonly<Record<OutsideVersion, string>> = {
  1: 'execute_from_outside',
  2: 'execute_from_outside_v2',
};

/** The call by which another account executes it. */
export function outsideCall(
  user: string,
  execution: OutsideExecution,
  signature: readonly string[],
): ContractCall {
  const { version, caller, nonce, executeAfter, executeBefore, calls } = execution;
  return {
    to: user,
    selector: starknetKeccak(FUNCTIONS[version]),
    calldata: [
      caller,
      nonce,
      toFelt(executeAfter),
      toFelt(executeBefore),
      ...callsAsCalldata(calls),
      toFelt(signature.length),
      ...signature,
    ],
  };
}
