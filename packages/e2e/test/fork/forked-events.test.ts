// Events on both sides of the fork point as one range, with any bounds and pages.
import { ERRORS } from '@starkbox/spec';
import { mint, startPair } from '@starkbox/test-support/fork/pair';
import { STRK } from '@starkbox/test-support/signing';
import { afterAll, describe, expect, test } from 'vitest';

/** Two events a block: 1 to 4 are the origin's, 6 to 8 the fork's; 5 is its empty first one. */
const OWN_FIRST = 5;
const hashes: string[] = [];

const pair = await startPair(async (origin) => {
  for (let block = 1; block <= 4; block += 1) await mint(origin, '0x1234', block);
});
const fork = await pair.fork();
for (let block = 6; block <= 8; block += 1) await mint(fork, '0x1234', block);
for (let block_number = 0; block_number <= 8; block_number += 1) {
  const block = await fork.client.call('starknet_getBlockWithTxHashes', {
    block_id: { block_number },
  });
  hashes.push('block_hash' in block ? block.block_hash : '');
}
// Later blocks of the origin are not to be seen.
for (let block = 5; block <= 12; block += 1) await mint(pair.origin, '0x1234', block);
afterAll(() => pair.close());

async function pages(filter: object, chunk_size = 100): Promise<readonly (readonly number[])[]> {
  const pageNumbers: number[][] = [];
  let continuation_token: string | undefined;
  do {
    const page = await fork.client.call('starknet_getEvents', {
      filter: { ...filter, chunk_size, ...(continuation_token ? { continuation_token } : {}) },
    });
    pageNumbers.push(page.events.map(({ block_number }) => block_number ?? -1));
    continuation_token = page.continuation_token;
    expect(pageNumbers.length).toBeLessThan(50);
  } while (continuation_token !== undefined);
  return pageNumbers;
}

const blocks = async (filter: object, chunk_size?: number): Promise<readonly number[]> => [
  ...new Set((await pages(filter, chunk_size)).flat()),
];
const at = (block_number: number) => ({ block_number });

describe.each(['number', 'hash'] as const)('by %s', (kind) => {
  const id = (number: number) =>
    kind === 'number' ? at(number) : { block_hash: hashes[number] ?? '' };

  test.each([
    ['both before', 1, 2, [1, 2]],
    ['both after', 6, 7, [6, 7]],
    ['straddling', 3, 7, [3, 4, 6, 7]],
    ['up to the fork point', 2, 4, [2, 3, 4]],
    ['the fork point itself', 4, 4, [4]],
    ['the first own block itself', OWN_FIRST, OWN_FIRST, []],
    ['from the fork point', 4, 6, [4, 6]],
    ['from the first own block', OWN_FIRST, 8, [6, 7, 8]],
    ['everything', 0, 8, [1, 2, 3, 4, 6, 7, 8]],
    ['the wrong way round', 7, 3, []],
  ])('events.4 %s', async (_name, from, to, expected) => {
    const filter = { from_block: id(from), to_block: id(to), address: STRK };
    expect(await blocks(filter)).toEqual(expected);
    for (const size of [1, 2, 3, 5]) expect(await blocks(filter, size)).toEqual(expected);
    const counts = (await pages(filter, 3)).flat();
    expect(counts).toHaveLength(2 * expected.length);
  });
});

test('events.4 every pair of ends: numbers, hashes, tags and none', async () => {
  const numbers = hashes.map((_, number) => number);
  const ends = [
    ...numbers.map((number) => ({ id: at(number), first: number, last: number })),
    ...numbers.map((number) => ({
      id: { block_hash: hashes[number] },
      first: number,
      last: number,
    })),
    { id: 'latest', first: 8, last: 8 },
    { id: 'pre_confirmed', first: 9, last: 9 },
    { id: undefined, first: 0, last: 9 },
  ];
  const full = [1, 2, 3, 4, 6, 7, 8].flatMap((number) => [number, number]);
  for (const { id: from_block, first } of ends) {
    for (const { id: to_block, last } of ends) {
      const pageNumbers = await pages({ from_block, to_block }, 3);
      const expected = full.filter((number) => number >= first && number <= last);
      expect(pageNumbers.flat(), JSON.stringify({ from_block, to_block })).toEqual(expected);
      // Only the last page of either side may be short.
      expect(pageNumbers.filter(({ length }) => length < 3).length).toBeLessThanOrEqual(2);
    }
  }
});

test('events.4 by tag, and without ends', async () => {
  expect(await blocks({})).toEqual([1, 2, 3, 4, 6, 7, 8]);
  expect(await blocks({ to_block: 'latest' })).toEqual([1, 2, 3, 4, 6, 7, 8]);
  expect(await blocks({ from_block: 'latest' })).toEqual([8]);
  expect(await blocks({ from_block: at(7), to_block: 'pre_confirmed' })).toEqual([7, 8]);
  expect(await blocks({ from_block: at(4), to_block: 'pre_confirmed' })).toEqual([4, 6, 7, 8]);
});

test('events.4 an origin that is not needed is not asked', async () => {
  pair.proxy.forget();
  await blocks({ from_block: at(OWN_FIRST) });
  expect(pair.proxy.requests).toBe(0);
});

test('events.4 what is no block or token is refused', async () => {
  const failure = (filter: object) =>
    fork.client.failure('starknet_getEvents', { filter: { chunk_size: 5, ...filter } });
  expect(await failure({ from_block: at(99) })).toMatchObject({
    code: ERRORS.BLOCK_NOT_FOUND.code,
  });
  expect(await failure({ to_block: at(9) })).toMatchObject({ code: ERRORS.BLOCK_NOT_FOUND.code });
  expect(await failure({ to_block: { block_hash: '0x99' } })).toMatchObject({
    code: ERRORS.BLOCK_NOT_FOUND.code,
  });
  expect(await failure({ from_block: 'l1_accepted' })).toMatchObject({
    code: ERRORS.BLOCK_NOT_FOUND.code,
  });
  expect(await failure({ continuation_token: 'nonsense' })).toMatchObject({
    code: ERRORS.INVALID_CONTINUATION_TOKEN.code,
  });
  expect(await failure({ continuation_token: 'origin-nonsense' })).toMatchObject({
    code: ERRORS.INVALID_CONTINUATION_TOKEN.code,
  });
});

test('events.4 filters hold on both sides', async () => {
  expect(await blocks({ address: '0x5' })).toEqual([]);
  expect(await blocks({ address: [STRK, '0x5'] })).toEqual([1, 2, 3, 4, 6, 7, 8]);
  expect(await blocks({ keys: [['0x5']] })).toEqual([]);
});

test('events.4 accepted on L1: blocks of the origin, then all', async () => {
  const accept = (starting_block_id: unknown) =>
    fork.client.call('devnet_acceptOnL1', { starting_block_id });
  expect((await accept(at(2))).accepted).toEqual([]);
  expect(await blocks({ from_block: 'l1_accepted', to_block: at(4) })).toEqual([2, 3, 4]);
  expect(await blocks({ to_block: 'l1_accepted' })).toEqual([1, 2]);
  const status = async (number: number) => {
    const block = await fork.client.call('starknet_getBlockWithReceipts', { block_id: at(number) });
    const [first] = block.transactions;
    return ['status' in block && block.status, first?.receipt.finality_status];
  };
  expect(await status(2)).toEqual(['ACCEPTED_ON_L1', 'ACCEPTED_ON_L1']);
  expect(await status(3)).toEqual(['ACCEPTED_ON_L2', 'ACCEPTED_ON_L2']);
  expect(
    await fork.client.failure('devnet_acceptOnL1', { starting_block_id: at(1) }),
  ).toMatchObject({ message: 'Block already accepted on L1' });
  pair.proxy.mishap = () => ({ kind: 'reset' });
  expect((await accept(at(7))).accepted).toEqual([hashes[7], hashes[6], hashes[5]]);
  pair.proxy.mishap = () => undefined;
  expect(await status(4)).toEqual(['ACCEPTED_ON_L1', 'ACCEPTED_ON_L1']);
  expect(await blocks({ from_block: 'l1_accepted' })).toEqual([7, 8]);
  const untouched = await pair.origin.client.call('starknet_getBlockWithTxHashes', {
    block_id: at(1),
  });
  expect(untouched).toMatchObject({ status: 'ACCEPTED_ON_L2' });
  const { transactions } = await fork.client.call('starknet_getBlockWithTxHashes', {
    block_id: at(1),
  });
  for (const method of [
    'starknet_getTransactionReceipt',
    'starknet_getTransactionStatus',
  ] as const) {
    expect(await fork.client.call(method, { transaction_hash: transactions[0] })).toMatchObject({
      finality_status: 'ACCEPTED_ON_L1',
    });
  }
});
