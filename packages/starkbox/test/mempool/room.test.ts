// Limits of what waits in a mempool: in all, and of one sender.
import { expect, test } from 'vitest';
import {
  EMPTY_MEMPOOL,
  type Mempool,
  type PoolTransaction,
  withoutAll,
  withoutExecuted,
  withoutWaiting,
  withSelected,
  withWaiting,
} from '../../src/chain/mempool/mempool.js';
import { assertHasRoom } from '../../src/chain/steps/mempool-steps.js';

const MEGABYTE = 2 ** 20;
const TEXT = 'x'.repeat(MEGABYTE);

function transaction(sender: string, nonce: number): PoolTransaction {
  return {
    hash: `${sender} ${nonce}`,
    type: 'INVOKE',
    sender,
    nonce: BigInt(nonce),
    tip: 0n,
    maxPrice: 0n,
    transaction: TEXT,
    proofFacts: undefined,
    contractClass: undefined,
  };
}

/** The pool with transactions of a megabyte, as long as there is room. */
function filledBy(sender: string, pool: Mempool): Mempool {
  let filled = pool;
  for (let nonce = 0; hasRoom(filled, sender, nonce); nonce += 1) {
    filled = withWaiting(filled, transaction(sender, nonce), 0n);
  }
  return filled;
}

function hasRoom(pool: Mempool, sender: string, nonce: number): boolean {
  try {
    assertHasRoom(pool, transaction(sender, nonce));
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: -1 });
    return false;
  }
}

test('a sender has room for 32 megabytes, and all together for 128', () => {
  let pool = filledBy('0x1', EMPTY_MEMPOOL);
  expect(pool.waiting.size).toBe(32);
  for (const sender of ['0x2', '0x3', '0x4']) {
    expect(hasRoom(pool, sender, 0)).toBe(true);
    pool = filledBy(sender, pool);
  }
  expect([pool.waiting.size, pool.size]).toEqual([128, 128 * MEGABYTE]);
  expect(hasRoom(pool, '0x5', 0)).toBe(false);
});

test('a transaction that leaves makes room for one of its size', () => {
  const full = filledBy('0x1', EMPTY_MEMPOOL);
  const [selected, first] = withSelected(full) ?? [];
  if (!selected || !first) throw new Error('nothing can be executed');
  const smallerPools = [
    withoutExecuted(selected, first),
    withoutWaiting(full, transaction('0x1', 31)),
  ];
  for (const pool of smallerPools) {
    expect(hasRoom(pool, '0x1', 32)).toBe(true);
    expect(pool.size).toBe(31 * MEGABYTE);
    const again = withWaiting(pool, transaction('0x1', 32), 0n);
    expect(hasRoom(again, '0x1', 33)).toBe(false);
  }
  expect(withoutAll(full).size).toBe(0);
});

test('the class of a declaration and proof facts count too', () => {
  const declaration = { ...transaction('0x1', 0), contractClass: TEXT, proofFacts: [TEXT] };
  const pool = withWaiting(EMPTY_MEMPOOL, declaration, 0n);
  expect(pool.size).toBe(3 * MEGABYTE);
});
