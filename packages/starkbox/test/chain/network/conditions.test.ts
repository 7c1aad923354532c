import { expect, test } from 'vitest';
import { readConditions } from '../../../src/chain/network/conditions.js';
import { PRESET_NAMES, presetOf } from '../../../src/chain/network/presets.js';
import { parse, stringify } from '../../../src/json/json.js';

test.each(PRESET_NAMES)('the JSON of %s is read as the same conditions', (name) => {
  const preset = presetOf(name);
  expect(preset).toBeDefined();
  if (preset) expect(readConditions(parse(stringify(preset)))).toEqual(preset);
});

test('absent members are off', () => {
  expect(readConditions({})).toEqual({
    seed: 0,
    block_generation_on: null,
    gas_market: false,
    capacity: 'unlimited',
    congestion: null,
    order: null,
    lifetime_blocks: null,
    submissions: { lost: 0, delayed: 0, delay_blocks: [1, 1] },
    reorgs: { probability: 0, depth: 1 },
  });
});

test('prices above 2^53 stay exact', () => {
  const text =
    '{"gas_market":{"l1_prices":[{"gas_price_wei":340282366920938463463374607431768211455}]}}';
  expect(readConditions(parse(text)).gas_market).toEqual({
    l1_prices: [{ gas_price_wei: 2n ** 128n - 1n }],
    l1_blocks: 1,
  });
});

test.each([
  [{ gas_markt: true }, "conditions: unknown member 'gas_markt'; expected seed"],
  [{ seed: -1 }, 'conditions.seed: expected an integer from 0'],
  [{ block_generation_on: 'mempool:5ms' }, 'conditions.block_generation_on: must be transaction'],
  [{ capacity: 'small' }, "conditions.capacity: expected 'unlimited', 'network' or an object"],
  [{ capacity: { n_txs: 0 } }, 'conditions.capacity.n_txs: expected a whole number from 1'],
  [{ congestion: {} }, 'conditions.congestion.demand: expected a number from 0 to 100'],
  [
    { congestion: { demand: 1, transactions: 1.5 } },
    'conditions.congestion.transactions: expected',
  ],
  [{ order: 'lifo' }, 'conditions.order: expected fifo, tip, random or a list of hashes'],
  [{ order: ['0x01'] }, 'conditions.order[0]: expected a felt in canonical form'],
  [{ lifetime_blocks: 0 }, 'conditions.lifetime_blocks: expected a whole number from 1'],
  [{ submissions: { lost: 2 } }, 'conditions.submissions.lost: expected a number from 0 to 1'],
  [
    { submissions: { delay_blocks: [3, 1] } },
    'conditions.submissions.delay_blocks: expected the smaller number first',
  ],
  [
    { reorgs: { probability: 1 } },
    'conditions.reorgs.probability: expected a number from 0 to 0.9',
  ],
  [
    { gas_market: { l1_prices: [{ gas_price_wei: 0 }] } },
    'conditions.gas_market.l1_prices[0].gas_price_wei: expected a price from 1',
  ],
])('%j is rejected with its path', (value, message) => {
  expect(() => readConditions(value)).toThrow(message);
});

test('a series of prices and a list of transactions have at most 10,000 entries', () => {
  const l1_prices = Array(10_001).fill({});
  expect(() => readConditions({ gas_market: { l1_prices } })).toThrow(
    'conditions.gas_market.l1_prices: expected at most 10000 entries; got 10001',
  );
  const order = Array(10_001).fill('0x1');
  expect(() => readConditions({ order })).toThrow('conditions.order: expected at most 10000');
  expect(readConditions({ order: order.slice(1) }).order).toHaveLength(10_000);
});
