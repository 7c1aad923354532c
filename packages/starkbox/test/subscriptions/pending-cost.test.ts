// The work of announcing one transaction does not grow with those that wait already.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Chain } from '../../src/chain/chain.js';
import { createGenesis } from '../../src/chain/genesis/genesis.js';
import { mint } from '../../src/chain/mint.js';
import type { Included } from '../../src/chain/world/world.js';
import { NOTHING_PENDING, type World, withIncluded } from '../../src/chain/world/world.js';
import { defaultConfig } from '../../src/config/options.js';
import type { Listener } from '../../src/rpc/protocol/call-context.js';
import { announce } from '../../src/rpc/subscriptions/chain-news.js';
import { type Key, Subscriptions } from '../../src/rpc/subscriptions/subscriptions.js';

let chain: Chain;
let included: Included;

beforeAll(async () => {
  const config = defaultConfig({ seed: 0, accounts: 1 });
  chain = await Chain.create({
    genesis: await createGenesis(config),
    chainId: config.chainId,
    lite: true,
    blockGeneration: 'demand',
    keepsHistory: true,
    startTime: 1_700_000_000,
    prices: {
      gas_price_wei: config.gasPriceWei,
      data_gas_price_wei: config.dataGasPriceWei,
      gas_price_fri: config.gasPriceFri,
      data_gas_price_fri: config.dataGasPriceFri,
      l2_gas_price_wei: config.l2GasPriceWei,
      l2_gas_price_fri: config.l2GasPriceFri,
    },
    proofMode: config.proofMode,
    classLimits: {},
  });
  await mint(chain, '0x1', 5n, 'FRI');
  const last = chain.world.pending.transactions.last();
  if (!last) throw new Error('the mint does not wait');
  included = last;
});
afterAll(() => chain.close());

/** What is read of the transactions, and what is sent, when one is added to so many. */
function announcing(waiting: number): { readonly read: number; readonly sent: number } {
  const counts = { read: 0, sent: 0 };
  const one = (number: number): Included => ({
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
  for (let number = 1; number <= waiting; number += 1) pending = withIncluded(pending, one(number));
  const before: World = { ...chain.world, pending };
  const after: World = { ...chain.world, pending: withIncluded(pending, one(waiting + 1)) };
  const listener: Listener = {
    isOpen: true,
    send: () => {},
    sendShared: () => {
      counts.sent += 1;
    },
    afterAnswer: () => {},
  };
  const subscriptions = new Subscriptions(10);
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
