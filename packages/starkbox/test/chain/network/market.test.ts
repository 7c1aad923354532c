// The price of L2 gas follows the protocol's rule: by published figures, and by a second implementation of the rule.
import { describe, expect, test } from 'vitest';
import { createBlocks } from '../../../src/chain/block-controls.js';
import type { Chain } from '../../../src/chain/chain.js';
import { type Congestion, MARKET_ONLY } from '../../../src/chain/network/conditions.js';
import {
  type MarketConstants,
  marketConstants,
  nextL2Price,
} from '../../../src/chain/network/market.js';
import { randomNumbers } from '../../../src/chain/network/random.js';
import { STARKNET_VERSIONS } from '../../../src/starknet-versions.js';
import { bareChain } from '../../support/bare-chain.js';

const GIGAFRI = 10n ** 9n;

/** A fraction with a positive denominator. */
type Fraction = readonly [numerator: bigint, denominator: bigint];

const plus = ([a, b]: Fraction, [c, d]: Fraction): Fraction => [a * d + c * b, b * d];
const times = ([a, b]: Fraction, [c, d]: Fraction): Fraction => [a * c, b * d];
const floorOf = ([a, b]: Fraction): bigint => (a < 0n && a % b !== 0n ? a / b - 1n : a / b);

/**
 * The rule as its description gives it, on exact fractions: the price moves by the relative distance of the used gas
 * from the target, divided by the denominator; the size of a move is rounded down.
 */
function expectedPrice(price: bigint, used: bigint, constants: MarketConstants): bigint {
  const { target, denominator, floor } = constants;
  if (price < floor) {
    const risen = floorOf(times([price, 1n], plus([1n, 1n], [1n, 333n])));
    return risen > floor ? floor : risen;
  }
  const distance = plus([used, target], [-1n, 1n]);
  const [sign, size] = distance[0] < 0n ? [-1n, times([-1n, 1n], distance)] : [1n, distance];
  const move = floorOf(times(times([price, 1n], size), [1n, denominator]));
  const moved = price + sign * move;
  const most = (1n << 128n) - 1n;
  return moved < floor ? floor : moved > most ? most : moved;
}

describe('the rule', () => {
  // Cases of crates/apollo_consensus_orchestrator/src/fee_market/test.rs in github.com/starkware-libs/sequencer at commit
  // 60161ba of 2026-08-20: shares of the largest block, and prices.
  const largest = marketConstants().maximum;
  const at = (target: bigint, floor = 8n * GIGAFRI) => ({ ...marketConstants(), target, floor });
  test.each([
    ['three quarters used of a half', (largest * 3n) / 4n, largest / 2n, 30_312_500_000n],
    ['a quarter used of a half', largest / 4n, largest / 2n, 29_687_500_000n],
    ['a half used of a half', largest / 2n, largest / 2n, 30_000_000_000n],
    ['90 % used of 80 %', (largest * 9n) / 10n, (largest * 4n) / 5n, 30_078_125_000n],
    ['25 % used of 80 %', largest / 4n, (largest * 4n) / 5n, 29_570_312_500n],
    ['80 % used of 80 %', (largest * 4n) / 5n, (largest * 4n) / 5n, 30_000_000_000n],
  ])('gives the published price: %s', (_case, used, target, expected) => {
    expect(nextL2Price(30n * GIGAFRI, used, at(target))).toBe(expected);
  });

  test('raises a price below the floor slowly, and not above it', () => {
    expect(nextL2Price(10n * GIGAFRI, 1000n, at(2000n, 20n * GIGAFRI))).toBe(10_030_030_030n);
    expect(nextL2Price(9_971_000_000n, 1000n, at(2000n, 10n * GIGAFRI))).toBe(10n * GIGAFRI);
  });

  test('stays at the floor under an empty block, and leaves it under a full one', () => {
    const { floor, maximum } = marketConstants();
    expect(nextL2Price(floor, 0n, marketConstants())).toBe(floor);
    expect(nextL2Price(floor, maximum, marketConstants())).toBeGreaterThan(floor);
  });

  test('gives the price after a recorded block of Sepolia', () => {
    // Block 1041730 of 0.14.4 in crates/apollo_starknet_client/resources/reader/block_post_0_14_3.json of the same
    // commit: l2_gas_price, l2_gas_consumed, next_l2_gas_price.
    expect(nextL2Price(0x1dcd65000n, 988_191_555n, marketConstants('0.14.4'))).toBe(0x1dcd65000n);
  });

  test('gives the prices of recorded consecutive blocks', () => {
    // Blocks 1164607 to 1164610 of Sepolia's integration network, version 0.14.0, in clients/feeder/testdata of
    // github.com/NethermindEth/juno at commit ac46ed5 of 2026-08-21. Its floor was 100,000 fri then.
    const constants = { ...marketConstants('0.14.0'), floor: 100_000n };
    const used = [4_493_022n, 0n, 9_856_481n, 18_020_901n];
    expect(used.map((gas) => nextL2Price(100_000n, gas, constants))).toEqual(
      used.map(() => 100_000n),
    );
  });

  test.each(STARKNET_VERSIONS)('equals a second implementation under %s', (version) => {
    const constants = marketConstants(version);
    const random = randomNumbers(1, version, 0);
    let price = GIGAFRI;
    const differing: bigint[] = [];
    for (let block = 0; block < 10_000; block += 1) {
      const share = BigInt(Math.floor(random() * 1_000_001));
      // Mostly full blocks first, then mostly empty ones, so that prices go far up and back.
      const cap = block % 4000 < 2000 ? constants.maximum : constants.target;
      const used = (cap * share) / 1_000_000n;
      const next = nextL2Price(price, used, constants);
      if (next !== expectedPrice(price, used, constants)) differing.push(price);
      price = next;
    }
    expect(differing).toEqual([]);
    expect(price).toBeGreaterThanOrEqual(constants.floor);
  });

  test('ends at the largest price of the protocol', () => {
    const most = (1n << 128n) - 1n;
    expect(nextL2Price(most, marketConstants().maximum, marketConstants())).toBe(most);
    expect(expectedPrice(most, marketConstants().maximum, marketConstants())).toBe(most);
  });
});

/** Prices of the blocks of a chain against the rule, from the header of one block to the next. */
function expectRule(chain: Chain, from: number): void {
  const { history, blocks, network } = chain.world;
  const constants = marketConstants(blocks.starknetVersion);
  const rounds = new Map(network?.recent.map((round) => [round.block, round]));
  for (let number = from; number < history.next; number += 1) {
    const round = rounds.get(number);
    const price = history.header(number)?.prices.l2_gas_price.price_in_fri;
    expect(round?.price).toBe(BigInt(price ?? 0));
    if (!round) continue;
    const next = history.header(number + 1)?.prices.l2_gas_price.price_in_fri;
    const expected = expectedPrice(
      round.price,
      BigInt(round.gasUsed + round.backgroundGas),
      constants,
    );
    if (next !== undefined) expect(BigInt(next)).toBe(expected);
    else expect(chain.world.gas.current.l2_gas_price_fri).toBe(expected);
  }
}

const LOAD: Congestion = {
  demand: 0.6,
  variation: 1,
  elasticity: 0.5,
  median_tip: 10 ** 9,
  tip_spread: 4,
  transactions: 0,
};

test('10,000 blocks of random load have the prices of the rule', { timeout: 120_000 }, async () => {
  const chain = await bareChain('demand', {
    conditions: { ...MARKET_ONLY, seed: 7, congestion: LOAD },
  });
  const seen = new Set<bigint>();
  for (let batch = 0; batch < 100; batch += 1) {
    const first = chain.world.history.next;
    await createBlocks(chain, 100, undefined);
    expectRule(chain, first);
    for (const { price } of chain.world.network?.recent ?? []) seen.add(price);
  }
  expect(chain.world.network?.rounds).toBe(10_000);
  expect(chain.world.history.next).toBe(10_001);
  expect(seen.size).toBeGreaterThan(5000);
});
