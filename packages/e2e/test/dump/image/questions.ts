// Reads whose answers an image must preserve, at every block.
import {
  accountClass,
  COUNTER,
  MESSENGER,
  STRK,
  selector,
} from '@starkbox/test-support/model/accounts-and-contracts';
import {
  blockIds,
  everything,
  type NodeClient,
  type Question,
  valueQuestion,
} from '@starkbox/test-support/model/reading';
import { transactionsOf, type World } from '@starkbox/test-support/model/world';

/** More than a model would have to know: other forms, other names, other ways to the same. */
export function* everyQuestion(world: World, keepsHistory: boolean): Iterable<Question> {
  yield* everything(world, keepsHistory);
  yield { method: 'devnet_getConfig', params: {} };
  yield { method: 'starknet_blockNumber', params: {} };
  const latest = world.blocks.length - 1;
  for (const block_id of [...blockIds(world), ...hashIds(world)]) {
    yield { method: 'starknet_getBlockWithTxHashes', params: { block_id } };
    yield { method: 'starknet_getBlockWithTxs', params: { block_id } };
    yield { method: 'starknet_getBlockWithReceipts', params: { block_id } };
    yield { method: 'starknet_getBlockTransactionCount', params: { block_id } };
    yield { method: 'starknet_getStateUpdate', params: { block_id } };
    yield {
      method: 'starknet_getTransactionByBlockIdAndIndex',
      params: { block_id, index: 0 },
    };
    yield { method: 'devnet_getAccountBalance', params: { address: '0xbeef', block_id } };
    yield {
      method: 'starknet_getClassAt',
      params: { block_id, contract_address: COUNTER },
    };
    yield {
      method: 'starknet_getEvents',
      params: { filter: { from_block: block_id, to_block: block_id, chunk_size: 100 } },
    };
  }
  for (const { hash } of transactionsOf(world)) {
    const transaction_hash = hash;
    yield { method: 'starknet_getTransactionByHash', params: { transaction_hash } };
    yield { method: 'starknet_getTransactionStatus', params: { transaction_hash } };
    yield { method: 'starknet_traceTransaction', params: { transaction_hash } };
  }
  for (const name of world.values.keys()) {
    if (name.startsWith('slot')) yield withDate(valueQuestion(name, 'pre_confirmed'));
    yield valueQuestion(name, 'latest');
    const block_id = { block_number: Math.floor(latest / 2) };
    if (name.startsWith('slot')) yield withDate(valueQuestion(name, block_id));
    yield valueQuestion(name, block_id);
    const [kind, class_hash] = name.split(' ');
    if (kind === 'declared') yield { method: 'starknet_getCompiledCasm', params: { class_hash } };
  }
  for (const contract_address of [STRK, MESSENGER]) {
    for (const block_id of ['latest', 'pre_confirmed']) {
      yield { method: 'starknet_getClassHashAt', params: { block_id, contract_address } };
      yield { method: 'starknet_getNonce', params: { block_id, contract_address } };
    }
  }
  yield {
    method: 'starknet_getClass',
    params: { block_id: 'latest', class_hash: accountClass.hash },
  };
}

function hashIds({ blocks }: World): readonly { readonly block_hash: string }[] {
  return blocks.flatMap(({ hash }) => (hash === undefined ? [] : [{ block_hash: hash }]));
}

/** A read of storage that also tells when the slot was written. */
function withDate({ method, params }: Question): Question {
  return { method, params: { ...Object(params), response_flags: ['INCLUDE_LAST_UPDATE_BLOCK'] } };
}

/** All pages of the transfers, as texts. */
export async function transferPages(door: NodeClient): Promise<readonly string[]> {
  const pages: string[] = [];
  const filter = { address: STRK, keys: [[selector('Transfer')]], chunk_size: 3 };
  for (let token: string | undefined = ''; token !== undefined; ) {
    const from: object = token === '' ? {} : { continuation_token: token };
    const params = { filter: { ...filter, ...from } };
    const page = await door.ask('starknet_getEvents', params);
    pages.push(JSON.stringify(page));
    token = page.continuation_token;
  }
  return pages;
}
