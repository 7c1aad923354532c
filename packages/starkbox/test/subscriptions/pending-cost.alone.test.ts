// The cost of announcing a transaction is independent of the size of the pending block.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Chain } from '../../src/chain/chain.js';
import { mint } from '../../src/chain/mint.js';
import {
  type Included,
  NOTHING_PENDING,
  type World,
  withIncluded,
} from '../../src/chain/world/world.js';
import { announce } from '../../src/rpc/subscriptions/chain-notifications.js';
import { type Key, Subscriptions } from '../../src/rpc/subscriptions/subscriptions.js';
import { bareChain } from '../support/bare-chain.js';
import { recordingListener } from '../support/subscriptions/recording-listener.js';

let chain: Chain;
let included: Included;

beforeAll(async () => {
  chain = await bareChain('demand');
  await mint(chain, '0x1', 5n, 'FRI');
  const last = chain.world.pending.transactions.last();
  if (!last) throw new Error('the mint does not wait');
  included = last;
});
afterAll(() => chain.close());

/** Reads and sent texts when one transaction is added to `waiting` others. */
function announcing(waiting: number): { readonly read: number; readonly sent: number } {
  const counts = { read: 0, sent: 0 };
  const countedTransaction = (number: number): Included => ({
    ...included,
    get record() {
      counts.read += 1;
      return { ...included.record, hash: `0x${number.toString(16)}` };
    },
    get receipt() {
      counts.read += 1;
      return included.receipt;
    },
  });
  let pending = NOTHING_PENDING;
  for (let number = 1; number <= waiting; number += 1)
    pending = withIncluded(pending, countedTransaction(number));
  const before: World = { ...chain.world, pending };
  const after: World = {
    ...chain.world,
    pending: withIncluded(pending, countedTransaction(waiting + 1)),
  };
  const listener = recordingListener(() => {
    counts.sent += 1;
  });
  const subscriptions = new Subscriptions();
  const keys: readonly Key[] = ['heads', 'transactions', 'receipts', 'events'];
  for (const [index, key] of keys.entries()) {
    const pick = (): string => '{}';
    subscriptions.add({ id: String(index), listener, prefix: 'starknet', key, pick });
  }
  counts.read = 0;
  announce(subscriptions, { kind: 'step', before, after });
  return counts;
}

test('one more transaction is announced with the same work after 50 as after 2,000', () => {
  const [few, many] = [announcing(50), announcing(2_000)];
  expect(few.sent).toBeGreaterThan(3);
  expect(many.sent).toBe(few.sent);
  expect(few.read).toBeLessThan(20);
  expect(many.read).toBe(few.read);
});
