// Calls with valid and damaged params: from the documents, real transactions, classes.

import { fileURLToPath } from 'node:url';
import type { TransactionValues } from '@starkbox/engine';
import { DOCUMENTS } from '@starkbox/spec/documents';
import { documentsIn, paramsValues, Spec } from '@starkbox/test-support';
import fc from 'fast-check';
import {
  accounts,
  type ChainContents,
  contractCall,
  contracts,
  SALTS,
  seeded,
  spare,
} from './chain-contents.js';
import { isRecord, mutated } from './mutation.js';
import { chance, type Dice, pick, weighted } from './random.js';
import * as real from './real-transaction.js';

export const spec: Spec = new Spec({
  name: 'our documents',
  read: documentsIn(fileURLToPath(DOCUMENTS)),
  files: [
    'read.json',
    'write.json',
    'trace.json',
    'ws.json',
    'casm.json',
    'devnet.json',
    'paymaster.json',
  ],
});

/** How often they come, where others have twenty. */
const SELDOM: Readonly<Record<string, number>> = {
  // They end what others rely on.
  devnet_restart: 1,
  devnet_abortBlocks: 3,
  devnet_reorg: 3,
  devnet_replaceClass: 3,
  devnet_revert: 4,
  devnet_setBlockSettings: 4,
  devnet_setNetworkConditions: 3,
  devnet_setCongestion: 2,
  devnet_setGasPrice: 4,
  devnet_setTime: 5,
  devnet_increaseTime: 5,
  devnet_autoImpersonate: 4,
  devnet_stopAutoImpersonate: 8,
  // It tries thousands of hashes.
  devnet_nameStorage: 1,
  // Their answers are always the same, and some are large.
  'rpc.discover': 1,
  starknet_specVersion: 5,
  starknet_chainId: 5,
  starknet_syncing: 5,
  devnet_getConfig: 5,
  devnet_dump: 5,
  devnet_load: 5,
  devnet_postmanLoad: 5,
  starknet_getClass: 5,
  starknet_getClassAt: 5,
  starknet_getCompiledCasm: 5,
  // A compiler runs for each.
  starknet_addDeclareTransaction: 5,
};

const METHODS = [...spec.methods.values()]
  .filter(({ notification }) => !notification)
  .map(({ name }): readonly [number, string] => [frequency(name), name]);

function frequency(method: string): number {
  // They need a socket, and are refused without one.
  if (/_(un)?subscribe/.test(method)) return 3;
  return SELDOM[method] ?? 20;
}

/** Params that fit the schema of a method. */
function madeUp(method: string, roll: Dice): Readonly<Record<string, unknown>> {
  const [params = {}] = fc.sample(paramsValues(spec, method), { numRuns: 1, seed: roll(2 ** 31) });
  return harmless(params);
}

/** Nothing outside of the node's own folder and of this machine is to be touched. */
function harmless(params: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return {
    ...params,
    ...('path' in params && { path: 'fuzz.json' }),
    // A thousand blocks take a second.
    ...(typeof params['count'] === 'number' && { count: Math.min(params['count'], 3) }),
    ...('network_url' in params && { network_url: 'http://127.0.0.1:9/' }),
  };
}

export interface Call {
  readonly method: string;
  readonly params: unknown;
  readonly sender?: string;
}

export function fromSchema(roll: Dice): Call {
  const method = weighted(roll, METHODS);
  return { method, params: madeUp(method, roll) };
}

export function aboutKnown(roll: Dice, contents: ChainContents): Call {
  const { method, params } = fromSchema(roll);
  return { method, params: seeded(params, method, contents, roll) };
}

export function spoiledParams(roll: Dice, contents: ChainContents): Call {
  const base = chance(roll, 25) ? fromSchema(roll) : aboutKnown(roll, contents);
  let params = base.params;
  for (let times = 1 + roll(2); times > 0; times -= 1) params = mutated(params, roll);
  return { method: base.method, params: isRecord(params) ? harmless(params) : params };
}

// Transactions of wallets.

export type Spoil = 'nothing' | 'before signing' | 'after signing';

export function transaction(
  roll: Dice,
  contents: ChainContents,
  index: number,
  spoil: Spoil,
): Call {
  // Others are under way, of which each has another sender.
  const signer = accounts[index % accounts.length];
  if (signer === undefined) throw new Error('there are accounts');
  const nonce = contents.nonces.get(signer.address) ?? 0;
  const whole = values(roll, contents, signer, nonce);
  const unsigned = spoil === 'before signing' ? mutated(whole, roll) : whole;
  const signed = isRecord(unsigned) ? real.signed(unsigned, signer) : unsigned;
  const submitted = spoil === 'after signing' ? mutated(signed, roll) : signed;
  const isDeploy = whole['type'] === 'DEPLOY_ACCOUNT';
  return {
    ...door(roll, contents, isDeploy ? 'deploy_account' : 'invoke', submitted),
    ...(isDeploy ? {} : { sender: signer.address }),
  };
}

function values(
  roll: Dice,
  contents: ChainContents,
  signer: (typeof accounts)[number],
  nonce: number,
): TransactionValues {
  if (chance(roll, 20)) {
    const salt = accounts.indexOf(signer) + accounts.length * roll(SALTS / accounts.length);
    const classHash = chance(roll, 85) ? contents.accountClass : pick(roll, contents.classes);
    return real.deployAccount(classHash ?? '0x1', signer, salt);
  }
  const length = chance(roll, 85) ? 1 : roll(4);
  return real.invoke(
    signer,
    nonce,
    Array.from({ length }, () => contractCall(contents, roll)),
  );
}

/** A call without a transaction, or a message from L1. */
export function view(roll: Dice, contents: ChainContents): Call {
  const { to, name, calldata } = contractCall(contents, roll);
  const block_id = chance(roll, 70) ? 'latest' : { block_number: roll(contents.tip + 1) };
  const entry_point_selector = real.selector(name);
  if (chance(roll, 70)) {
    const request = { contract_address: to, entry_point_selector, calldata };
    return { method: 'starknet_call', params: { request, block_id } };
  }
  const payload = calldata.slice(1);
  const l1 = `0x${'0'.repeat(36)}1234`;
  if (chance(roll, 50)) {
    const message = { from_address: l1, to_address: to, entry_point_selector, payload };
    return { method: 'starknet_estimateMessageFee', params: { message, block_id } };
  }
  return {
    method: 'devnet_postmanSendMessageToL2',
    params: {
      l1_contract_address: l1,
      l2_contract_address: to,
      entry_point_selector,
      payload,
      paid_fee_on_l1: '0x1',
      nonce: `0x${roll(9)}`,
    },
  };
}

const FLAGS = ['SKIP_VALIDATE', 'SKIP_FEE_CHARGE', 'RETURN_INITIAL_READS'] as const;

/** Sends, estimates, simulates or proves a transaction. */
function door(roll: Dice, contents: ChainContents, name: string, submitted: unknown): Call {
  const block = chance(roll, 80) ? 'pre_confirmed' : { block_number: roll(contents.tip + 2) };
  const flags = FLAGS.filter(() => chance(roll, 40));
  const list = chance(roll, 70) ? [submitted] : [submitted, submitted];
  switch (roll(8)) {
    case 0:
      return {
        method: 'starknet_estimateFee',
        params: [list, flags.filter((flag) => flag === 'SKIP_VALIDATE'), block],
      };
    case 1:
    case 2:
      return { method: 'starknet_simulateTransactions', params: [block, list, flags] };
    case 3:
      return { method: 'starknet_proveTransaction', params: [block, submitted] };
    default: {
      const words = name.split('_').map((word) => word[0]?.toUpperCase() + word.slice(1));
      return {
        method: `starknet_add${words.join('')}Transaction`,
        params: { [`${name}_transaction`]: submitted },
      };
    }
  }
}

/** A test class, whole or damaged, in one of the methods that compile it. */
export function declaration(roll: Dice, contents: ChainContents, index: number): Call {
  const signer = accounts[index % accounts.length];
  if (signer === undefined) throw new Error('there are accounts');
  const isWhole = chance(roll, 15);
  const { wire, compiledClass } = isWhole ? spare : (pick(roll, contracts) ?? spare);
  const body = isWhole ? wire : real.spoiledClass(wire, roll);
  if (roll(3) === 0) {
    return {
      method: 'devnet_applyStateDiff',
      params: { state_diff: {}, classes: [{ contract_class: body }] },
    };
  }
  const nonce = contents.nonces.get(signer.address) ?? 0;
  const submitted = real.signed(
    real.declare(signer, nonce, { wire: body, compiledClass }),
    signer,
    compiledClass,
  );
  return { ...door(roll, contents, 'declare', submitted), sender: signer.address };
}
