// Every read of a chain; none may be answered with an internal error.
import { ERRORS } from '@starkbox/spec';
import { STRK } from '@starkbox/test-support/signing';
import { expect } from 'vitest';
import type { LocalChain } from '../../../src/index.js';
import type { Json } from './sections.js';

const INTERNAL = ERRORS.INTERNAL_ERROR.code;
/** How many calls of a method were answered with a result. */
export const answeredCalls = new Map<string, number>();

export async function ask(node: LocalChain, method: string, params: object): Promise<Json> {
  const text = await node.handle(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  const answer: Json = Object(JSON.parse(text ?? ''));
  const { code }: { code?: unknown } = Object(answer['error']);
  answeredCalls.set(method, (answeredCalls.get(method) ?? 0) + (code === undefined ? 1 : 0));
  expect([method, params, code]).not.toEqual([method, params, INTERNAL]);
  return answer;
}

const resultOf = async (node: LocalChain, method: string, params: object = {}): Promise<Json> =>
  Object((await ask(node, method, params))['result']);
const listIn = (value: unknown, name: string): readonly Json[] => {
  const list: unknown = Object(value)[name];
  return Array.isArray(list) ? list : [];
};

/** Asks for everything that can be read. */
export async function readEverything(node: LocalChain): Promise<void> {
  const { block_count } = await resultOf(node, 'devnet_getStatus');
  const numbers = Array.from({ length: Number(block_count) }, (_, block_number) => ({
    block_number,
  }));
  const contracts = await resultOf(node, 'devnet_listContracts', { limit: 100 });
  const addresses = listIn(contracts, 'contracts').map(({ contract_address }) => contract_address);
  for (const block_id of [...numbers, 'latest', 'pre_confirmed', 'l1_accepted']) {
    await readBlock(node, block_id);
    for (const contract_address of addresses) {
      await ask(node, 'starknet_getNonce', { block_id, contract_address });
      await ask(node, 'starknet_getClassHashAt', { block_id, contract_address });
    }
    for (const contract_address of [STRK, ...addresses.slice(0, 3)]) {
      await ask(node, 'starknet_getStorageAt', { block_id, contract_address, key: '0x1' });
      await ask(node, 'devnet_getStorage', { block_id, contract_address, limit: 50 });
    }
  }
  for (const contract_address of addresses) {
    await ask(node, 'starknet_getClassAt', { block_id: 'latest', contract_address });
  }
  const classes = await resultOf(node, 'devnet_listClasses', { limit: 100 });
  for (const { class_hash } of listIn(classes, 'classes')) {
    await ask(node, 'starknet_getClass', { block_id: 'latest', class_hash });
    await ask(node, 'starknet_getCompiledCasm', { class_hash });
  }
  for (const [method, params] of [
    ['starknet_getEvents', { filter: { chunk_size: 1000 } }],
    ['starknet_getEvents', { filter: { from_block: 'pre_confirmed', chunk_size: 100 } }],
    ['starknet_getMessagesStatus', { transaction_hash: '0xabc' }],
    ['devnet_listBlocks', { limit: 100 }],
    ['devnet_listClasses', { limit: 100 }],
    ['devnet_getLabels', {}],
    ['devnet_search', { query: '0x1' }],
    ['devnet_search', { query: 'alice' }],
    ['devnet_getPredeployedAccounts', { with_balance: true }],
    ['starknet_blockHashAndNumber', {}],
    ['devnet_dump', { inline: true }],
  ] as const) {
    await ask(node, method, params);
  }
  await reportOnBlocks(node);
}

async function readBlock(node: LocalChain, block_id: unknown): Promise<void> {
  for (const method of [
    'starknet_getBlockWithTxHashes',
    'starknet_getBlockWithTxs',
    'starknet_getBlockTransactionCount',
    'starknet_getStateUpdate',
    'starknet_traceBlockTransactions',
  ]) {
    await ask(node, method, { block_id });
  }
  await ask(node, 'starknet_traceBlockTransactions', {
    block_id,
    trace_flags: ['RETURN_INITIAL_READS'],
  });
  const block = await resultOf(node, 'starknet_getBlockWithReceipts', { block_id });
  for (const [index, { receipt }] of listIn(block, 'transactions').entries()) {
    const { transaction_hash }: Json = Object(receipt);
    await ask(node, 'starknet_getTransactionByBlockIdAndIndex', { block_id, index });
    await ask(node, 'starknet_getTransactionByHash', { transaction_hash });
    await ask(node, 'starknet_getTransactionReceipt', { transaction_hash });
    await ask(node, 'starknet_getTransactionStatus', { transaction_hash });
    await ask(node, 'starknet_traceTransaction', { transaction_hash });
  }
}

/** Everything that decodes the texts of a transaction, or runs it again. */
export async function explainTransaction(
  node: LocalChain,
  transaction_hash: unknown,
): Promise<void> {
  await ask(node, 'devnet_explainTransaction', { transaction_hash });
  await ask(node, 'devnet_executedLines', { transaction_hash });
  const contracts = [{ contract_address: STRK, keys: ['0x1'] }];
  await ask(node, 'devnet_nameStorage', { contracts, transaction_hash });
}

/** Everything that reports on the transactions of many blocks. */
export async function reportOnBlocks(node: LocalChain): Promise<void> {
  for (const [method, params] of [
    ['devnet_gasReport', {}],
    ['devnet_gasReport', { group_by: 'contract', include: ['values', 'stacks'] }],
    ['devnet_gasReport', { include: ['resources'] }],
    ['devnet_coverage', {}],
    ['devnet_coverage', { include: ['statements'] }],
    ['devnet_listTransactions', { limit: 100 }],
    ['devnet_listTransactions', { limit: 100, filter: { status: 'REVERTED' } }],
    ['devnet_listTransactions', { limit: 100, filter: { contract: STRK } }],
    ['devnet_listMessages', { direction: 'TO_L1', limit: 100 }],
    ['devnet_listMessages', { direction: 'TO_L2', limit: 100 }],
  ] as const) {
    await ask(node, method, params);
  }
}
