// Transactions as they are sent, and what they do to the model.
import { messageToL1Hash, sign, Transaction, type TransactionValues } from '@starkbox/engine';
import { ERRORS } from '@starkbox/spec';
import * as cast from './accounts-and-contracts.js';
import {
  balanceOf,
  className,
  declaredName,
  moved,
  nonceName,
  numberAt,
  slotName,
  type Values,
  type World,
  wide,
  withBalance,
  withValues,
} from './world.js';

/** What a part of a transaction does; undefined if it fails. */
export type Effect = (values: Values) => Values | undefined;

/** A transaction that was or will be sent. */
export interface Sent {
  readonly type: 'INVOKE' | 'DECLARE' | 'DEPLOY_ACCOUNT';
  readonly method:
    | 'starknet_addInvokeTransaction'
    | 'starknet_addDeclareTransaction'
    | 'starknet_addDeployAccountTransaction';
  readonly params: object;
  readonly hash: string;
  readonly sender: string;
  readonly nonce: bigint;
  readonly tip: bigint;
  /** The most it may cost. */
  readonly offered: bigint;
  readonly maxPrice: bigint;
  readonly isSigned: boolean;
  readonly effects: readonly Effect[];
  /** Hashes of messages to L1. */
  readonly messages: readonly string[];
}

/** What is wrong with a transaction before it runs. */
export type Flaw = 'none' | 'signature' | 'nonce too high' | 'nonce too low' | 'price too low';

export interface Call {
  readonly to: string;
  readonly name: string;
  readonly calldata: readonly string[];
  readonly effect: Effect;
  readonly messages: readonly string[];
}

// Calls.

export function transferCall(from: string, to: string, amount: bigint): Call {
  return {
    to: cast.STRK,
    name: 'transfer',
    calldata: [to, cast.hex(amount & (2n ** 128n - 1n)), cast.hex(amount >> 128n)],
    effect: (values) => moved(values, from, to, amount),
    messages: [],
  };
}

/** Fails with 0, and where no counter is. */
export function countCall(by: number): Call {
  const name = slotName(cast.COUNTER, cast.COUNT);
  return {
    to: cast.COUNTER,
    name: 'increase',
    calldata: [cast.hex(by)],
    effect: (values) =>
      by === 0 || !values.has(className(cast.COUNTER))
        ? undefined
        : withValues(values, [[name, numberAt(values, name) + BigInt(by)]]),
    messages: [],
  };
}

export function messageToL1(payload: number) {
  return {
    from_address: cast.MESSENGER,
    to_address: cast.L1_RECEIVER,
    payload: [cast.hex(payload)],
  };
}

export function sendCall(payload: number): Call {
  return {
    to: cast.MESSENGER,
    name: 'send',
    calldata: [cast.L1_RECEIVER, '0x1', cast.hex(payload)],
    effect: (values) => (values.has(className(cast.MESSENGER)) ? values : undefined),
    messages: [messageToL1Hash(messageToL1(payload))],
  };
}

/** What a message from L1 does, as the messenger's handler writes it. */
export function deposited(values: Values, user: string, amount: number): Values | undefined {
  if (amount === 0) return undefined;
  const slot = slotName(cast.MESSENGER, cast.heldSlot(user));
  return withValues(values, [
    [slot, numberAt(values, slot) + BigInt(amount)],
    [slotName(cast.MESSENGER, cast.L1_SENDER_SLOT), cast.L1_SENDER],
  ]);
}

/** Undefined if a token cannot hold so much. */
export function minted(
  values: Values,
  to: string,
  amount: bigint,
  token: string,
  supply: bigint,
): Values | undefined {
  if (supply + amount >= 2n ** 256n) return undefined;
  const more = withValues(values, wide(token, cast.SUPPLY, supply + amount));
  return withBalance(more, to, balanceOf(more, to, token) + amount, token);
}

// Transactions.

const MAX_PRICE = 10n ** 10n;
const L1_GAS = 100_000n;

function bounds(l2: bigint, maxPrice: bigint) {
  const of = (amount: bigint) => ({
    max_amount: cast.hex(amount),
    max_price_per_unit: cast.hex(maxPrice),
  });
  return { l1_gas: of(L1_GAS), l1_data_gas: of(L1_GAS), l2_gas: of(l2) };
}

export interface How {
  readonly flaw: Flaw;
  readonly tip: number;
}

interface Making extends How {
  readonly type: Sent['type'];
  readonly account: cast.Account;
  readonly world: World;
  readonly l2Gas: bigint;
  readonly effects: readonly Effect[];
  readonly messages?: readonly string[];
  readonly fields: TransactionValues;
  readonly declared?: Transaction['declared'];
}

function make({ type, account, world, flaw, tip, l2Gas, fields, declared, ...rest }: Making): Sent {
  const maxPrice = flaw === 'price too low' ? 1n : MAX_PRICE;
  const now = numberAt(world.values, nonceName(account.address));
  const nonce =
    flaw === 'nonce too high' ? now + 1n : flaw === 'nonce too low' && now > 0n ? now - 1n : now;
  const values = {
    type,
    version: '0x3',
    nonce: cast.hex(nonce),
    tip: cast.hex(tip),
    paymaster_data: [],
    nonce_data_availability_mode: 'L1',
    fee_data_availability_mode: 'L1',
    resource_bounds: bounds(l2Gas, maxPrice),
    ...fields,
  };
  const { hash } = new Transaction({ ...values, signature: [] }, cast.CHAIN_ID, declared);
  const isSigned = flaw !== 'signature';
  const signature = isSigned ? sign(account.privateKey, hash) : ['0x1', '0x2'];
  const [method, param] = DOORS[type];
  return {
    type,
    method,
    params: { [param]: { ...values, signature } },
    hash,
    sender: account.address,
    nonce,
    tip: BigInt(tip),
    offered: 2n * L1_GAS * maxPrice + l2Gas * (maxPrice + BigInt(tip)),
    maxPrice,
    isSigned,
    effects: rest.effects,
    messages: rest.messages ?? [],
  };
}

const DOORS = {
  INVOKE: ['starknet_addInvokeTransaction', 'invoke_transaction'],
  DECLARE: ['starknet_addDeclareTransaction', 'declare_transaction'],
  DEPLOY_ACCOUNT: ['starknet_addDeployAccountTransaction', 'deploy_account_transaction'],
} as const;

export function invoke(
  world: World,
  account: cast.Account,
  calls: readonly Call[],
  how: How,
): Sent {
  const calldata = [
    cast.hex(calls.length),
    ...calls.flatMap(({ to, name, calldata: callData }) => [
      to,
      cast.selector(name),
      cast.hex(callData.length),
      ...callData,
    ]),
  ];
  return make({
    type: 'INVOKE',
    account,
    world,
    ...how,
    l2Gas: 10n ** 7n,
    effects: [
      // Where validation is skipped, an account that is not there fails only now.
      (values) => (values.has(className(account.address)) ? values : undefined),
      ...calls.map(({ effect }) => effect),
    ],
    messages: calls.flatMap(({ messages }) => messages),
    fields: { sender_address: account.address, calldata, account_deployment_data: [] },
  });
}

export function declare(world: World, account: cast.Account, how: How): Sent {
  const { compiledClass, wire } = cast.spareClass;
  return make({
    type: 'DECLARE',
    account,
    world,
    ...how,
    l2Gas: 10n ** 9n,
    effects: [
      (values) =>
        withValues(values, [
          [declaredName(compiledClass.hash), compiledClass.compiledClassHash ?? ''],
        ]),
    ],
    fields: {
      sender_address: account.address,
      compiled_class_hash: compiledClass.compiledClassHash,
      contract_class: wire,
      account_deployment_data: [],
    },
    declared: compiledClass,
  });
}

/** Of the account that is not there yet. */
export function deployAccount(world: World, how: How): Sent {
  const account = cast.late;
  const { address, publicKey } = account;
  return make({
    type: 'DEPLOY_ACCOUNT',
    account,
    world,
    ...how,
    l2Gas: 10n ** 7n,
    effects: [
      (values) =>
        withValues(values, [
          [className(address), cast.accountClass.hash],
          ...cast
            .deployedSlots(account)
            .map(([key, value]) => [slotName(address, key), value] as const),
        ]),
    ],
    fields: {
      class_hash: cast.accountClass.hash,
      contract_address_salt: cast.LATE_SALT,
      constructor_calldata: [publicKey],
    },
  });
}

// What becomes of them.

/** The code of the error that refuses a transaction; undefined if it runs. */
export function refusal(
  world: World,
  transaction: Sent,
  isKnown: boolean,
  wantsExactNonce: boolean,
): number | undefined {
  const { values, current, impersonated, auto } = world;
  if (isKnown) return ERRORS.DUPLICATE_TX.code;
  const nonce = numberAt(values, nonceName(transaction.sender));
  const strict = wantsExactNonce || transaction.type === 'DECLARE';
  if (transaction.nonce < nonce || (strict && transaction.nonce > nonce))
    return ERRORS.INVALID_TRANSACTION_NONCE.code;
  const gasPrices = [current.gas_price_fri, current.data_gas_price_fri, current.l2_gas_price_fri];
  if (gasPrices.some((price) => BigInt(price) > transaction.maxPrice))
    return ERRORS.INSUFFICIENT_RESOURCES_FOR_VALIDATE.code;
  if (balanceOf(values, transaction.sender) < transaction.offered)
    return ERRORS.INSUFFICIENT_ACCOUNT_BALANCE.code;
  const isDeployed = values.has(className(transaction.sender));
  if (isDeployed && transaction.type === 'DEPLOY_ACCOUNT') return -1;
  const canValidate = transaction.isSigned && (isDeployed || transaction.type === 'DEPLOY_ACCOUNT');
  if (!canValidate && !auto && !impersonated.has(transaction.sender))
    return ERRORS.VALIDATION_FAILURE.code;
  const { hash } = cast.spareClass.compiledClass;
  if (transaction.type === 'DECLARE' && values.has(declaredName(hash)))
    return ERRORS.CLASS_ALREADY_DECLARED.code;
  return undefined;
}

/** The values after the effects; undefined if one of them fails. */
export function after(values: Values, effects: readonly Effect[]): Values | undefined {
  return effects.reduce<Values | undefined>((now, effect) => now && effect(now), values);
}
