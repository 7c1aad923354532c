// Shapes of the answers of an Ethereum node.
import { isObject } from '@starkbox/abi/basics';
import type { Hex } from 'viem';

/** The expected form of an answer, for error messages, and its reader. */
export interface Shape<T> {
  readonly name: string;
  /** `undefined` for an answer that has another shape. */
  readonly read: (answer: unknown) => T | undefined;
}

export interface Block {
  readonly number: number;
  readonly hash: string;
  /** Absent on chains without EIP-1559. */
  readonly baseFeePerGas: bigint | undefined;
}

export interface L1Receipt {
  readonly isSuccess: boolean;
  /** Address of the deployed contract. */
  readonly contractAddress: string | undefined;
}

export interface RawLog {
  readonly address: string;
  readonly topics: readonly Hex[];
  readonly data: Hex;
  readonly block: number;
  readonly index: number;
  readonly transactionHash: string;
}

export const QUANTITY: Shape<bigint> = {
  name: 'a number',
  read: (answer) => (isHex(answer) && /^0x\w{1,64}$/.test(answer) ? BigInt(answer) : undefined),
};

export const COUNT: Shape<number> = { name: 'a number', read: readCount };

export const DATA: Shape<Hex> = {
  name: 'bytes in hexadecimal digits',
  read: (answer) => (isHex(answer) && answer.length % 2 === 0 ? answer : undefined),
};

export const HASH: Shape<string> = { name: 'a hash', read: readHash };

export const BLOCK: Shape<Block> = {
  name: 'a block',
  read(answer) {
    if (!isObject(answer)) return undefined;
    const number = readCount(answer['number']);
    const hash = readHash(answer['hash']);
    const fee = answer['baseFeePerGas'] ?? undefined;
    const baseFeePerGas = fee === undefined ? undefined : QUANTITY.read(fee);
    if (number === undefined || hash === undefined) return undefined;
    if (fee !== undefined && baseFeePerGas === undefined) return undefined;
    return { number, hash, baseFeePerGas };
  },
};

/** The hash of a block; null if there is none. */
export const BLOCK_HASH: Shape<string | null> = {
  name: 'a block',
  read: (answer) => (isObject(answer) ? readHash(answer['hash']) : readNull(answer)),
};

export const RECEIPT: Shape<L1Receipt | null> = {
  name: 'a receipt',
  read(answer) {
    if (!isObject(answer)) return readNull(answer);
    const status = readCount(answer['status']);
    const contract = answer['contractAddress'] ?? undefined;
    if (status === undefined || (contract !== undefined && !isAddress(contract))) return undefined;
    return { isSuccess: status === 1, contractAddress: contract?.toLowerCase() };
  },
};

/** Whether the transaction exists. */
export const TRANSACTION: Shape<boolean> = {
  name: 'a transaction',
  read: (answer) => (isObject(answer) ? true : answer === null ? false : undefined),
};

export const BOOLEAN: Shape<boolean> = {
  name: 'true or false',
  read: (answer) => (typeof answer === 'boolean' ? answer : undefined),
};

export const TEXT: Shape<string> = {
  name: 'a text',
  read: (answer) => (typeof answer === 'string' ? answer : undefined),
};

/** The logs of a range of blocks. */
export function logsOf(fromBlock: number, toBlock: number): Shape<readonly RawLog[]> {
  return {
    name: `a list of logs of blocks ${fromBlock} to ${toBlock}`,
    read(answer) {
      if (!Array.isArray(answer)) return undefined;
      const logs: RawLog[] = [];
      for (const entry of answer) {
        const log = readLog(entry);
        if (!log || log.block < fromBlock || log.block > toBlock) return undefined;
        logs.push(log);
      }
      return logs;
    },
  };
}

function readLog(entry: unknown): RawLog | undefined {
  if (!isObject(entry)) return undefined;
  const { address, topics, data } = entry;
  const block = readCount(entry['blockNumber']);
  const index = readCount(entry['logIndex']);
  const transactionHash = readHash(entry['transactionHash']);
  if (!isAddress(address) || !Array.isArray(topics) || !topics.every(isHex) || !isHex(data)) {
    return undefined;
  }
  if (block === undefined || index === undefined || transactionHash === undefined) return undefined;
  return { address: address.toLowerCase(), topics, data, block, index, transactionHash };
}

/** An answer as an error shows it. */
export function shownAnswer(answer: unknown): string {
  const text = JSON.stringify(answer) ?? 'nothing';
  return text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text;
}

const MAX_SHOWN_LENGTH = 100;

function readCount(answer: unknown): number | undefined {
  const value = QUANTITY.read(answer);
  return value === undefined || value > Number.MAX_SAFE_INTEGER ? undefined : Number(value);
}

function readHash(answer: unknown): string | undefined {
  return isHex(answer) && answer.length === 66 ? answer : undefined;
}

function readNull(answer: unknown): null | undefined {
  return answer === null ? null : undefined;
}

function isAddress(value: unknown): value is Hex {
  return isHex(value) && value.length === 42;
}

function isHex(value: unknown): value is Hex {
  return typeof value === 'string' && /^0x[0-9a-fA-F]*$/.test(value);
}
