// Checks of the origin's answers, before they are cached: their shape by method, loose enough for any version of the
// specification, and that they are about what was asked.

import { isObject, membersOf } from '@starkbox/abi/basics';
import { Class } from '@starkbox/engine';
import { canonical, isFelt } from './reads.js';

interface Shape {
  readonly fits: (result: unknown) => boolean;
  /** For error messages. */
  readonly name: string;
}

type Members = Readonly<Record<string, (value: unknown) => boolean>>;

const isText = (value: unknown): boolean => typeof value === 'string';
const isCount = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0;
const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

function objectWith(members: Members): (value: unknown) => boolean {
  return (value) => {
    if (!isObject(value)) return false;
    return Object.entries(members).every(([name, fits]) => fits(value[name]));
  };
}

const listOf =
  (fits: (item: unknown) => boolean) =>
  (value: unknown): boolean =>
    isList(value) && value.every(fits);
const either =
  (...shapes: readonly ((value: unknown) => boolean)[]) =>
  (value: unknown): boolean =>
    shapes.some((fits) => fits(value));

const felt: Shape = { fits: isFelt, name: 'a felt' };
const count: Shape = { fits: isCount, name: 'a number' };
const text: Shape = { fits: isText, name: 'a string' };
const any: Shape = { fits: isObject, name: 'an object' };
const isBlock = objectWith({ block_number: isCount, status: isText, transactions: isList });
const isClosed = objectWith({ block_hash: isFelt, parent_hash: isFelt, timestamp: isCount });
const block: Shape = {
  // Only a block under construction has no hash.
  fits: (value) =>
    isBlock(value) && (membersOf(value)['block_hash'] === undefined || isClosed(value)),
  name: 'a block',
};
const transaction: Shape = { fits: objectWith({ type: isText }), name: 'a transaction' };
const contractClass: Shape = {
  fits: objectWith({ entry_points_by_type: isObject }),
  name: 'a class',
};

/** With flags, some methods return an object around the value. */
const SHAPES: Readonly<Record<string, Shape>> = {
  starknet_blockNumber: count,
  starknet_call: { fits: listOf(isFelt), name: 'a list of felts' },
  starknet_chainId: felt,
  starknet_estimateFee: { fits: listOf(isObject), name: 'a list of estimates' },
  starknet_estimateMessageFee: any,
  starknet_getBlockTransactionCount: count,
  starknet_getBlockWithReceipts: block,
  starknet_getBlockWithTxHashes: block,
  starknet_getBlockWithTxs: block,
  starknet_getClass: contractClass,
  starknet_getClassAt: contractClass,
  starknet_getClassHashAt: felt,
  starknet_getEvents: { fits: objectWith({ events: listOf(isObject) }), name: 'a page of events' },
  starknet_getMessagesStatus: { fits: listOf(isObject), name: 'a list of messages' },
  starknet_getNonce: felt,
  starknet_getStateUpdate: { fits: objectWith({ state_diff: isObject }), name: 'a state update' },
  starknet_getStorageAt: { fits: either(isFelt, objectWith({ value: isFelt })), name: 'a felt' },
  starknet_getStorageProof: any,
  starknet_getTransactionByBlockIdAndIndex: transaction,
  starknet_getTransactionByHash: transaction,
  starknet_getTransactionReceipt: {
    fits: objectWith({ transaction_hash: isFelt, finality_status: isText }),
    name: 'a receipt',
  },
  starknet_getTransactionStatus: {
    fits: objectWith({ finality_status: isText }),
    name: 'a status',
  },
  starknet_simulateTransactions: {
    fits: either(listOf(isObject), objectWith({ simulated_transactions: listOf(isObject) })),
    name: 'a list of simulations',
  },
  starknet_specVersion: text,
  starknet_traceBlockTransactions: {
    fits: either(listOf(isObject), objectWith({ traces: listOf(isObject) })),
    name: 'a list of traces',
  },
  starknet_traceTransaction: any,
};

/** The fault of a result, for the end of a sentence; `undefined` without one. */
export function shapeError(method: string, result: unknown): string | undefined {
  const shape = SHAPES[method];
  if (!shape || shape.fits(result)) return undefined;
  return `${described(result)} instead of ${shape.name}`;
}

/** What a question names, and its answer as well. */
const IDENTIFIED_BY: Readonly<Record<string, readonly ('block' | 'transaction')[]>> = {
  starknet_getBlockWithReceipts: ['block'],
  starknet_getBlockWithTxHashes: ['block'],
  starknet_getBlockWithTxs: ['block'],
  starknet_getStateUpdate: ['block'],
  starknet_getTransactionByHash: ['transaction'],
  starknet_getTransactionReceipt: ['transaction'],
};

/** The fault of a result that is about something else; `undefined` without one. */
export function subjectError(method: string, params: unknown, result: unknown): string | undefined {
  const answered = membersOf(result);
  const { block_id, transaction_hash } = membersOf(params);
  const { block_hash, block_number } = membersOf(block_id);
  const subjects = { block: { block_hash, block_number }, transaction: { transaction_hash } };
  for (const kind of IDENTIFIED_BY[method] ?? []) {
    for (const [name, expected] of Object.entries(subjects[kind])) {
      const value = answered[name];
      if (expected === undefined || value === undefined || isSame(expected, value)) continue;
      return `another ${kind}: ${name} ${described(value)} instead of ${described(expected)}`;
    }
  }
  return undefined;
}

function isSame(first: unknown, other: unknown): boolean {
  if (isFelt(first) && isFelt(other)) return canonical(first) === canonical(other);
  return String(first) === String(other);
}

/** Whether a class, as JSON text, has a hash. */
export async function hasClassHash(text: string, hash: string): Promise<boolean> {
  const actual = await Class.hashOf(text).catch(() => undefined);
  return actual === canonical(hash);
}

const MAX_LENGTH = 40;

function described(result: unknown): string {
  if (isList(result)) return 'a list';
  if (typeof result === 'object' && result !== null) return 'an object';
  const written = typeof result === 'string' ? JSON.stringify(result) : String(result);
  return written.length > MAX_LENGTH ? `${written.slice(0, MAX_LENGTH)}…` : written;
}
