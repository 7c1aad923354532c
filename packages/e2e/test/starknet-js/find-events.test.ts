// Queries for events: by contract, by key, by block, in pages.

import { deployed } from '@starkbox/test-support/contracts';
import { startRecordedNode } from '@starkbox/test-support/recorded-node';
import { type Contract, hash, num, RpcError } from 'starknet';
import { afterAll, beforeAll, expect, test } from 'vitest';

const { provider, account, close } = await startRecordedNode();
afterAll(close);

let emitter: Contract;
/** The blocks with three and with five events. */
let three: number;
let five: number;

beforeAll(async () => {
  emitter = await deployed(account(0), 'emitter');
  const batch = async (count: number): Promise<number> => {
    const args = [count, 2, 1];
    const receipt = await emitter.invoke('emit_batch', args, { waitForTransaction: true });
    return receipt.block_number;
  };
  three = await batch(3);
  five = await batch(5);
});

test('all events of a contract come in their order, with block and transaction', async () => {
  const { events, continuation_token } = await provider.getEvents({
    address: emitter.address,
    chunk_size: 100,
  });
  expect(continuation_token).toBeUndefined();
  expect(events.map((event) => Number(event.keys[0]))).toEqual([
    ...[0, 1000, 2000],
    ...[0, 1000, 2000, 3000, 4000],
  ]);
  const { transactions, block_hash } = await provider.getBlockWithTxHashes(three);
  expect(events[1]).toEqual({
    block_hash,
    block_number: three,
    transaction_hash: transactions[0],
    transaction_index: 0,
    event_index: 1,
    from_address: emitter.address,
    keys: ['0x3e8', '0x3e9'],
    data: ['0x5dc'],
  });
});

test('pages follow each other until there are no more', async () => {
  const keys: number[] = [];
  const sizes: number[] = [];
  let token: string | undefined;
  do {
    const page = await provider.getEvents({
      address: emitter.address,
      chunk_size: 3,
      ...(token !== undefined && { continuation_token: token }),
    });
    sizes.push(page.events.length);
    keys.push(...page.events.map((event) => Number(event.keys[0])));
    token = page.continuation_token;
  } while (token !== undefined);
  expect(sizes).toEqual([3, 3, 2]);
  expect(keys).toEqual([0, 1000, 2000, 0, 1000, 2000, 3000, 4000]);
});

test('keys and blocks narrow the search', async () => {
  const find = async (filter: Partial<Parameters<typeof provider.getEvents>[0]>) => {
    const { events } = await provider.getEvents({
      address: emitter.address,
      chunk_size: 100,
      ...filter,
    });
    return events.map((event) => [event.block_number, Number(event.keys[0])]);
  };
  const blocks = (from: number, to: number) => ({
    from_block: { block_number: from },
    to_block: { block_number: to },
  });
  expect(await find({ keys: [['0x3e8', '0xfa0']] })).toEqual([
    [three, 1000],
    [five, 1000],
    [five, 4000],
  ]);
  expect(await find({ keys: [[], ['0xfa1']] })).toEqual([[five, 4000]]);
  expect(await find(blocks(three, three))).toHaveLength(3);
  expect(await find({ ...blocks(three, five), keys: [['0x7d0']] })).toHaveLength(2);
  expect(await find(blocks(0, three - 1))).toEqual([]);
  expect(await find({ address: '0x5' })).toEqual([]);
});

test('events of a call within a call come in the order they happened', async () => {
  const other = await deployed(account(0), 'emitter');
  const args = [other.address, 2, 1, 0];
  const receipt = await emitter.invoke('emit_through', args, { waitForTransaction: true });
  const { events } = await provider.getEvents({
    from_block: { block_number: receipt.block_number },
    to_block: 'latest',
    chunk_size: 3 + 1,
  });
  expect(events.map((event) => event.from_address)).toEqual([
    emitter.address,
    num.toHex(other.address),
    num.toHex(other.address),
    emitter.address,
  ]);
  expect(events[0]?.keys).toEqual([hash.getSelectorFromName('Calling'), num.toHex(other.address)]);
});

test('a token that was made up is refused', async () => {
  const filter = { address: emitter.address, chunk_size: 3, continuation_token: 'abc' };
  const refused = await provider.getEvents(filter).catch((error: unknown) => error);
  expect(refused instanceof RpcError && refused.isType('INVALID_CONTINUATION_TOKEN')).toBe(true);
});
