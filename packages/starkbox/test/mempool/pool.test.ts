// The mempool as a value: who is next, who waits again, who is dropped, and what two pools differ in.
import { describe, expect, test } from 'vitest';
import {
  countSelected,
  droppedBetween,
  EMPTY_MEMPOOL,
  findByNonce,
  inMempool,
  lacksNonce,
  type Mempool,
  type PoolTransaction,
  type QueuedTransaction,
  withAccountNonce,
  withDropped,
  withNext,
  withoutAll,
  withoutExecuted,
  withoutSelection,
  withoutWaiting,
  withSelected,
  withWaiting,
} from '../../src/chain/mempool/mempool.js';
import { isDelayed, isExecutable, isUnderpriced, readyKey } from '../../src/chain/mempool/rules.js';
import { atOnce } from '../../src/scheduling/slices.js';

const transaction = (sender: string, nonce: number, changes: Partial<PoolTransaction> = {}) => ({
  ...{ hash: `0x${sender}${nonce}`, type: 'INVOKE' as const, sender, nonce: BigInt(nonce) },
  ...{ tip: 0n, maxPrice: 10n, transaction: '{}', proofFacts: undefined },
  contractClass: undefined,
  ...changes,
});

const poolOf = (...transactions: readonly PoolTransaction[]): Mempool =>
  transactions.reduce((pool, sent) => withWaiting(pool, sent, 0n), EMPTY_MEMPOOL);

/** The hashes in the order in which they would be selected. */
function orderOf(pool: Mempool): readonly string[] {
  const hashes: string[] = [];
  for (let next = withSelected(pool); next; next = withSelected(next[0])) hashes.push(next[1].hash);
  return hashes;
}

const selectedOf = (pool: Mempool): readonly [Mempool, QueuedTransaction] => {
  const next = withSelected(pool);
  if (!next) throw new Error('one can be selected');
  return next;
};

describe('the order', () => {
  const [a0, a1, b0, c1] = [
    transaction('a', 0, { tip: 1n }),
    transaction('a', 1, { tip: 9n }),
    transaction('b', 0, { tip: 5n }),
    transaction('c', 1),
  ];

  test('is by arrival, and of each sender by nonces', () => {
    expect(orderOf(poolOf(a1, b0, c1, a0))).toEqual(['0xb0', '0xa0', '0xa1']);
    const returned = withWaiting(poolOf(b0), a0, 0n, { end: 'first' });
    expect(orderOf(returned)).toEqual(['0xa0', '0xb0']);
    expect([returned.first, returned.next]).toEqual([2 ** 40 - 1, 2 ** 40 + 1]);
    expect(lacksNonce(poolOf(c1), c1)).toBe(true);
    expect(lacksNonce(poolOf(a0, a1), a1)).toBe(false);
    expect(lacksNonce(poolOf(a0), transaction('a', 2))).toBe(true);
    expect(findByNonce(poolOf(a0), 'a', 0n)?.hash).toBe('0xa0');
    expect(findByNonce(poolOf(a0), 'a', 1n)).toBeUndefined();
  });

  test('is by tips or a list, where the rules say so', () => {
    const ordered = (order: Mempool['order']) =>
      orderOf(
        [a0, a1, b0].reduce((pool, sent) => withWaiting(pool, sent, 0n), {
          ...EMPTY_MEMPOOL,
          order,
        }),
      );
    expect(ordered({ kind: 'tip', seed: 0 })).toEqual(['0xb0', '0xa0', '0xa1']);
    expect(ordered({ kind: 'list', seed: 0, list: ['0xb0'] })).toEqual(['0xb0', '0xa0', '0xa1']);
    expect(ordered({ kind: 'list', seed: 0 })).toEqual(['0xa0', '0xa1', '0xb0']);
    const key = (tip: bigint, arrival = 1) =>
      readyKey({ kind: 'tip', seed: 0 }, { hash: '0x1', tip, arrival });
    expect([key(2n ** 64n - 1n), key(9n), key(9n, 2), key(0n)].toSorted()).toEqual([
      ...[key(2n ** 64n - 1n), key(9n), key(9n, 2), key(0n)],
    ]);
    const random = (seed: number) =>
      readyKey({ kind: 'random', seed }, { hash: '0x1', tip: 0n, arrival: 1 });
    expect(random(1)).not.toBe(random(2));
  });

  test('leaves out what is delayed or underpriced', () => {
    const gate = { round: 3, price: 10n };
    expect([isDelayed({ gate }, { since: 3 }), isDelayed({ gate }, { since: 4 })]).toEqual([
      false,
      true,
    ]);
    expect([isDelayed({ gate }, {}), isDelayed({ gate: undefined }, { since: 9 })]).toEqual([
      false,
      false,
    ]);
    const isLow = (maxPrice: bigint) => isUnderpriced({ gate }, { maxPrice });
    expect([isLow(9n), isLow(10n)]).toEqual([true, false]);
    expect(isUnderpriced({ gate: { round: 3, price: undefined } }, { maxPrice: 0n })).toBe(false);
    expect(isUnderpriced({ gate: undefined }, { maxPrice: 0n })).toBe(false);
    expect(isExecutable({ gate }, { since: 4, maxPrice: 10n })).toBe(false);
    expect(isExecutable({ gate }, { since: 3, maxPrice: 9n })).toBe(false);
    const gated = { ...EMPTY_MEMPOOL, gate };
    expect(orderOf(withWaiting(gated, a0, 0n, { since: 4 }))).toEqual([]);
    expect(orderOf(withWaiting(gated, a0, 0n, { since: 3 }))).toEqual(['0xa0']);
  });
});

describe('a selection', () => {
  const pool = poolOf(transaction('a', 0), transaction('b', 0), transaction('a', 1));

  test('has places, and is executed in their order', () => {
    const [one, first] = selectedOf(pool);
    const [two, second] = selectedOf(one);
    expect([first.position, second.position, countSelected(two)]).toEqual([0, 1, 2]);
    expect(withNext(two)?.[1].hash).toBe('0xa0');
    const executed = withoutExecuted(two, first);
    expect([countSelected(executed), inMempool(executed, '0xa0')]).toEqual([1, undefined]);
    expect(withNext(executed)?.[1].hash).toBe('0xb0');
    expect(withoutExecuted(two, { ...first, position: undefined })).toBe(two);
    const [three, third] = selectedOf(executed);
    expect([third.hash, third.position]).toEqual(['0xa1', 2]);
    expect(withSelected(three)).toBeUndefined();
    expect(withSelected(pool, '0xffff')).toBeUndefined();
  });

  test('waits again when its block closes, or one before it leaves', () => {
    const [one] = selectedOf(pool);
    const [two] = selectedOf(selectedOf(one)[0]);
    expect(countSelected(two)).toBe(3);
    const closed = atOnce(withoutSelection(two));
    expect([countSelected(closed), orderOf(closed)]).toEqual([0, ['0xa0', '0xb0', '0xa1']]);
    const without = withoutWaiting(two, transaction('a', 0));
    expect([countSelected(without), orderOf(without)]).toEqual([1, []]);
    expect(inMempool(without, '0xa1')?.position).toBeUndefined();
    expect(withoutWaiting(two, transaction('z', 0))).toBe(two);
    const last = withoutWaiting(two, transaction('a', 1));
    expect([countSelected(last), last.senders.get('a')?.queue.size]).toEqual([2, 1]);
    expect(withoutWaiting(last, transaction('b', 0)).senders.has('b')).toBe(false);
  });

  test('follows the nonce of the account', () => {
    const [one] = selectedOf(pool);
    const later = atOnce(withAccountNonce(one, 'a', 1n));
    expect(later.dropped.map(({ hash }) => hash).toArray()).toEqual(['0xa0']);
    expect(later.dropped.first()?.reason).toBe('The nonce of the account is already 1.');
    expect([countSelected(later), orderOf(later)]).toEqual([0, ['0xb0', '0xa1']]);
    expect(atOnce(withAccountNonce(one, 'a', 0n))).toBe(one);
    expect(atOnce(withAccountNonce(one, 'z', 5n))).toBe(one);
    const gone = atOnce(withAccountNonce(one, 'a', 2n));
    expect([gone.droppedCount, gone.senders.has('a')]).toEqual([2, false]);
  });
});

describe('dropped transactions', () => {
  const drop = (pool: Mempool, count: number, from = 0): Mempool =>
    Array.from({ length: count }, (_, at) => transaction('d', from + at)).reduce(
      (dropping, sent) => withDropped(dropping, sent, 'why'),
      pool,
    );

  test('are remembered up to 10,000, with 1,000 letters of the reason', () => {
    const dropped = withDropped(EMPTY_MEMPOOL, transaction('a', 0), 'x'.repeat(1_001));
    expect(dropped.dropped.first()?.reason).toBe('x'.repeat(1_000));
    const full = drop(EMPTY_MEMPOOL, 10_001);
    expect([full.dropped.size, full.droppedCount]).toEqual([10_000, 10_001]);
    expect(full.dropped.first()?.nonce).toBe(1n);
    const none = withoutAll(full);
    expect([none.waiting.size, none.droppedCount, none.next]).toEqual([0, 10_001, full.next]);
  });

  test('of two pools differ by number', () => {
    const two = drop(EMPTY_MEMPOOL, 2);
    const four = drop(two, 2, 2);
    const other = drop(EMPTY_MEMPOOL, 3, 7);
    const changes = (before: Mempool, after: Mempool) =>
      [...droppedBetween(before, after)].map(([number, dropped]) => [number, dropped?.nonce]);
    expect(changes(two, two)).toEqual([]);
    expect(changes(two, four)).toEqual([
      [2, 2n],
      [3, 3n],
    ]);
    expect(changes(four, two)).toEqual([
      [2, undefined],
      [3, undefined],
    ]);
    expect(changes(two, other)).toEqual([
      [0, 7n],
      [1, 8n],
      [2, 9n],
    ]);
    expect(changes(EMPTY_MEMPOOL, two)).toHaveLength(2);
    const full = drop(EMPTY_MEMPOOL, 10_000);
    expect(changes(full, drop(full, 2, 10_000))).toEqual([
      [0, undefined],
      [1, undefined],
      [10_000, 10_000n],
      [10_001, 10_001n],
    ]);
  });
});
