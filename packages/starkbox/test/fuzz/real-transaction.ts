// Signed transactions as a wallet would send them, which pass the checks that stop made-up ones.
import {
  type Class,
  contractAddress,
  publicKey,
  sign,
  starknetKeccak,
  Transaction,
  type TransactionValues,
} from '@starkbox/engine';
import { chance, type Dice, pick } from './random.js';

const CHAIN_ID = 'SN_SEPOLIA';

export interface Signer {
  readonly address: string;
  readonly privateKey: string;
}

export interface Call {
  readonly to: string;
  readonly name: string;
  readonly calldata: readonly string[];
}

/** A Sierra class as the RPC carries it. */
export interface SierraClass {
  readonly sierra_program: readonly string[];
  readonly contract_class_version: string;
  readonly entry_points_by_type: Readonly<Record<string, readonly object[]>>;
  readonly abi: string;
}

/** An entry point: the contract that has it, its name, and what it takes. */
export type EntryPoint = readonly [
  contract: string,
  name: string,
  ...takes: readonly ('address' | 'number' | 'class' | 'selector' | 'list')[],
];

/** Those that end at once, whatever they are given. */
export const ENTRY_POINTS: readonly [EntryPoint, ...EntryPoint[]] = [
  ['strk', 'transfer', 'address', 'number', 'number'],
  ['strk', 'approve', 'address', 'number', 'number'],
  ['strk', 'balance_of', 'address'],
  ['eth', 'transfer', 'address', 'number', 'number'],
  ['eth', 'name'],
  ['account', '__execute__', 'number'],
  ['account', '__validate__', 'number'],
  ['account', 'set_public_key', 'number', 'list'],
  ['account', 'is_valid_signature', 'number', 'list'],
  ['counter', 'increase', 'number'],
  ['counter', 'get'],
  ['emitter', 'emit_batch', 'number', 'number', 'number'],
  ['emitter', 'emit_raw', 'list', 'list'],
  ['emitter', 'emit_through', 'address', 'number', 'number', 'number'],
  ['messenger', 'deposit', 'number', 'address', 'number'],
  ['messenger', 'withdraw', 'number', 'number'],
  ['messenger', 'send', 'number', 'list'],
  ['messenger', 'balance_of', 'address'],
  ['context', 'current'],
  ['context', 'transaction'],
  ['context', 'store'],
  ['context', 'block_hash', 'number'],
  ['context', 'store_block_hash', 'number'],
  ['reverter', 'fail', 'list'],
  ['reverter', 'fail_text'],
  ['reverter', 'fail_via', 'address', 'list'],
  ['reverter', 'write', 'number'],
  ['reverter', 'write_then_fail', 'number', 'list'],
  ['reverter', 'forward', 'address', 'selector', 'list'],
  ['reverter', 'catch', 'address', 'selector', 'list'],
  ['reverter', 'library', 'class', 'selector', 'list'],
  ['reverter', 'recurse', 'number'],
  ['upgradable', 'version'],
  ['upgradable', 'set_kept', 'number'],
  ['upgradable', 'replace_class', 'class'],
  ['upgradable', 'replace_class_and_ask', 'class'],
  ['account_reject', '__validate__', 'number'],
  ['account_reject', '__execute__', 'number'],
  ['account_reject', 'set_mode', 'number'],
  ['slots', 'fill', 'number', 'number'],
  ['slots', 'put', 'number', 'number'],
  ['slots', 'read', 'number'],
  ['slots', 'constructor'],
  ['slots', 'no_such_function'],
];

export const selector = (name: string): string => starknetKeccak(name);
const hex = (value: number | bigint): string => `0x${value.toString(16)}`;

const bounds = (amount: bigint): object => ({
  max_amount: hex(amount),
  max_price_per_unit: hex(10n ** 10n),
});

const COMMON = {
  version: '0x3',
  tip: '0x0',
  paymaster_data: [],
  nonce_data_availability_mode: 'L1',
  fee_data_availability_mode: 'L1',
  resource_bounds: {
    l1_gas: bounds(10_000n),
    l1_data_gas: bounds(10_000n),
    l2_gas: bounds(20_000_000n),
  },
};

export function invoke(
  { address }: Signer,
  nonce: number,
  calls: readonly Call[],
): TransactionValues {
  return {
    type: 'INVOKE',
    ...COMMON,
    sender_address: address,
    calldata: [
      hex(calls.length),
      ...calls.flatMap(({ to, name, calldata }) => [
        to,
        selector(name),
        hex(calldata.length),
        ...calldata,
      ]),
    ],
    account_deployment_data: [],
    nonce: hex(nonce),
  };
}

export function deployAccount(
  classHash: string,
  { privateKey }: Signer,
  salt: number,
): TransactionValues {
  return {
    type: 'DEPLOY_ACCOUNT',
    ...COMMON,
    class_hash: classHash,
    contract_address_salt: hex(salt),
    constructor_calldata: [publicKey(privateKey)],
    nonce: '0x0',
  };
}

/** Where that account will be. */
export function deployedAddress(classHash: string, { privateKey }: Signer, salt: number): string {
  return contractAddress({
    salt: hex(salt),
    class_hash: classHash,
    constructor_calldata: [publicKey(privateKey)],
    deployer: '0x0',
  });
}

/** A class to declare, as its compiler left it or spoiled. */
export interface Declarable {
  readonly wire: SierraClass;
  readonly compiledClass: Class;
}

export function declare(
  { address }: Signer,
  nonce: number,
  { wire, compiledClass }: Declarable,
): TransactionValues {
  return {
    type: 'DECLARE',
    ...COMMON,
    resource_bounds: { ...COMMON.resource_bounds, l2_gas: bounds(2_000_000_000n) },
    sender_address: address,
    compiled_class_hash: compiledClass.compiledClassHash ?? '0x1',
    contract_class: wire,
    account_deployment_data: [],
    nonce: hex(nonce),
  };
}

/** Signed; with a made-up signature where the values have no hash, because they are spoiled. */
export function signed(
  values: TransactionValues,
  { privateKey }: Signer,
  declared?: Class,
): TransactionValues {
  const unsigned = { ...values, signature: [] };
  try {
    const { hash } = new Transaction(unsigned, CHAIN_ID, declared);
    return { ...values, signature: sign(privateKey, hash) };
  } catch {
    return { ...values, signature: ['0x1', '0x2'] };
  }
}

/** A class with one change that breaks an assumption of the compiler or of callers. */
export function spoiledClass(body: SierraClass, roll: Dice): SierraClass {
  const { sierra_program, entry_points_by_type } = body;
  const at = 6 + roll(sierra_program.length - 6);
  const felt = hex(pick(roll, [0n, 1n, 2n, 5n, 2n ** 64n, 2n ** 128n, 2n ** 250n]));
  switch (roll(7)) {
    case 0:
      return { ...body, sierra_program: sierra_program.slice(0, at) };
    case 1:
      return { ...body, sierra_program: sierra_program.toSpliced(at, 1) };
    case 2:
      return { ...body, sierra_program: sierra_program.toSpliced(at, 0, felt) };
    case 3: {
      const points = entry_points_by_type['EXTERNAL'] ?? [];
      const moved = points.map((point) => ({ ...point, function_idx: roll(40) }));
      const EXTERNAL = chance(roll, 50) ? moved : [...points, ...points.slice(0, 1)];
      return { ...body, entry_points_by_type: { ...entry_points_by_type, EXTERNAL } };
    }
    case 4:
      return { ...body, abi: pick(roll, ['', '[]', '{', 'null', '[[', '"\\ud800"']) };
    default:
      return { ...body, sierra_program: sierra_program.toSpliced(at, 1, felt) };
  }
}
