// Shapes of the origin's answers by method, loose enough for any version of the specification.

import { isObject } from '../../json/reader.js';
import { isFelt } from './reads.js';

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
const block: Shape = {
  fits: objectWith({ block_number: isCount, status: isText, transactions: isList }),
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

const LONGEST = 40;

function described(result: unknown): string {
  if (isList(result)) return 'a list';
  if (typeof result === 'object' && result !== null) return 'an object';
  const written = typeof result === 'string' ? JSON.stringify(result) : String(result);
  return written.length > LONGEST ? `${written.slice(0, LONGEST)}…` : written;
}
