// How many hashes a search for names of slots computes, at first and again.
import { toFelt } from '@starkbox/abi/basics';
import { storageAddress } from '@starkbox/engine';
import { closeAfterFile } from '@starkbox/test-support/closing';
import { expect, test } from 'vitest';
import {
  MAX_HASHES,
  StorageNames,
  searchMark,
} from '../../../src/chain/storage-names/storage-names.js';
import { bareChain } from '../../support/bare-chain.js';

const chain = await bareChain('transaction');
closeAfterFile(() => chain.close());

/** A cache that counts what is computed: what it does not have is set. */
class CountingCache extends Map<string, string> {
  computed = 0;

  override set(pair: string, hash: string): this {
    this.computed += 1;
    return super.set(pair, hash);
  }
}

async function search(names: StorageNames, first: number, felts: readonly string[] = []) {
  const { world, options } = chain;
  const addresses = options.genesis.accounts.map(({ address }) => address);
  const slots = Array.from({ length: 10 }, (_, at) => toFelt(2n ** 240n + BigInt(first + at)));
  const budget = { left: MAX_HASHES };
  const contract = options.genesis.strk.address;
  const slotNames = await names.of({ world, addresses, budget }, { contract, slots, felts });
  return { found: slotNames, spent: MAX_HASHES - budget.left };
}

test('slots without a name cost hashes once for each class and word, not for each request', async () => {
  const cache = new CountingCache();
  const names = new StorageNames(undefined, cache);
  const cold = await search(names, 0);
  const computed = cache.computed;
  expect(cold.found.size).toBe(0);
  expect(computed).toBeGreaterThan(500);
  expect(cold.spent).toBeGreaterThanOrEqual(computed);

  const warm = await search(names, 100);
  expect(warm.found.size).toBe(0);
  expect(cache.computed).toBe(computed);
  // Cached hashes count too, so that a request stays bounded.
  expect(warm.spent).toBeGreaterThan(0);
  expect(warm.spent).toBeLessThan(cold.spent / 20);

  await search(names, 200, [toFelt(2n ** 200n)]);
  expect(cache.computed).toBeGreaterThan(computed);
  expect(cache.computed).toBeLessThan(computed * 1.5);
});

test('what is kept of a vain search is short for any number of felts, and differs with each part of it', () => {
  const felts = Array.from({ length: 500 }, (_, at) => toFelt(2n ** 250n + BigInt(at)));
  const request = { contract: '0x1', transaction: '0x2', felts };
  const marks = [
    searchMark(request)('0x3', 4),
    searchMark({ ...request, contract: '0x5' })('0x3', 4),
    searchMark({ ...request, transaction: '0x5' })('0x3', 4),
    searchMark({ ...request, felts: felts.slice(1) })('0x3', 4),
    searchMark(request)('0x5', 4),
    searchMark(request)('0x3', 5),
    searchMark(request)('0x3', undefined),
  ];
  expect(new Set(marks).size).toBe(marks.length);
  expect(new Set(marks.map((mark) => mark.length))).toEqual(new Set([22]));
});

test('names are the same with hashes from the cache', async () => {
  const cache = new CountingCache();
  const { world, options } = chain;
  const { accounts, strk } = options.genesis;
  const [{ address = '' } = {}] = accounts;
  const slotQuery = {
    contract: strk.address,
    slots: [storageAddress('ERC20_balances', [address])],
  };
  const nameOf = async () => {
    // What it has found it keeps, so another one begins anew.
    const names = new StorageNames(undefined, cache);
    const budget = { left: MAX_HASHES };
    return [...(await names.of({ world, addresses: [address], budget }, slotQuery)).values()];
  };
  const cold = await nameOf();
  expect(cold).toMatchObject([{ variable: 'ERC20_balances' }]);
  const computed = cache.computed;
  expect(await nameOf()).toEqual(cold);
  expect(cache.computed).toBe(computed);
});
