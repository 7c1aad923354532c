// Changes of an origin's block up to one of its transactions, for a fork that begins there.

import { listOf, type Members, membersOf } from '@starkbox/abi/basics';
import { Class, type StateDiff } from '@starkbox/engine';
import { ERRORS } from '@starkbox/spec';
import { ConfigError } from '../config/rules.js';
import { RpcError } from '../errors.js';
import { parse } from '../json/json.js';
import { originStateDiff } from '../json/state-diff.js';
import type { OriginClient } from './origin/client.js';

export interface ForkStart {
  /** Number of the block before that of the transaction. */
  readonly parent: number;
  /** Of the transaction's block. */
  readonly timestamp: number;
  /** Of the transaction's block. */
  readonly starknetVersion: string;
  /** Of each transaction up to the given one, in order. */
  readonly diffs: readonly StateDiff[];
  /** The classes that they declare. */
  readonly classes: readonly Class[];
}

/**
 * Reads the changes from traces: these are the actual ones, and nothing is executed.
 *
 * @param client at a block that is not before that of the transaction
 * @throws ConfigError if the transaction is in no block
 */
export async function readForkStart(
  client: Pick<OriginClient, 'forward' | 'ask'>,
  hash: string,
): Promise<ForkStart> {
  const request = async (method: string, params: Members): Promise<unknown> =>
    parse((await client.forward(method, params)).text);
  const wrong = (reason: string): never => {
    throw new ConfigError(`--fork-transaction ${hash}: ${reason}`, 'forkTransaction');
  };
  const receipt = await request('starknet_getTransactionReceipt', { transaction_hash: hash }).catch(
    (error: unknown) => {
      if (!(error instanceof RpcError) || error.code !== ERRORS.TXN_HASH_NOT_FOUND.code)
        throw error;
      return wrong('the network has no such transaction');
    },
  );
  const { block_number: number, block_hash } = membersOf(receipt);
  if (typeof number !== 'number' || block_hash === undefined) {
    return wrong('it is in no closed block yet');
  }
  if (number === 0) return wrong('it is in the first block, which has no state before it');
  const block_id = { block_number: number };
  const [header, traces] = await Promise.all([
    request('starknet_getBlockWithTxHashes', { block_id }).then(membersOf),
    request('starknet_traceBlockTransactions', { block_id }).then(listOf),
  ]);
  const index = traces.findIndex((trace) => membersOf(trace)['transaction_hash'] === hash);
  if (index < 0) return wrong(`the network has no trace of it in block ${number}`);
  const diffs = traces
    .slice(0, index + 1)
    .map((trace) => originStateDiff(membersOf(membersOf(trace)['trace_root'])['state_diff']));
  const hashes = diffs.flatMap(({ declared_classes, deprecated_declared_classes }) => [
    ...declared_classes.map(({ class_hash }) => class_hash),
    ...deprecated_declared_classes,
  ]);
  const classes: Class[] = [];
  for (const class_hash of hashes) {
    const text = await client.ask({ kind: 'class', class_hash });
    classes.push(await Class.compile(text ?? wrong(`the network has no class ${class_hash}`)));
  }
  return {
    parent: number - 1,
    timestamp: Number(header['timestamp']),
    starknetVersion: String(header['starknet_version'] ?? ''),
    diffs,
    classes,
  };
}
