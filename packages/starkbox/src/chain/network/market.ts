// Fee market: the price of L2 gas of the next block by the protocol's rule.
import { NEWEST_VERSION, type StarknetVersion } from '../../starknet-versions.js';

/** Constants of the rule in one version of the protocol. */
export interface MarketConstants {
  /** L2 gas of a block at which the price stays. */
  readonly target: bigint;
  /** Most L2 gas of a block. */
  readonly maximum: bigint;
  /** A block without gas changes the price by one part of this number. */
  readonly denominator: bigint;
  /** Lowest price, in fri. */
  readonly floor: bigint;
}

/**
 * Facts of github.com/starkware-libs/sequencer at commit 60161ba of 2026-08-20,
 * crates/apollo_versioned_constants/resources/orchestrator_versioned_constants_0_14_*.json (2026-05-26, that of 0.14.4
 * 2026-05-28): gas_target, max_block_size, gas_price_max_change_denominator, min_gas_price. Versions before 0.14.0 have
 * no market; here they have that of 0.14.0.
 */
const OF_0_14_0: MarketConstants = {
  target: 3_200_000_000n,
  maximum: 4_000_000_000n,
  denominator: 48n,
  floor: 3_000_000_000n,
};

const OF_0_14_3: MarketConstants = {
  target: 1_040_000_000n,
  maximum: 5_800_000_000n,
  denominator: 48n,
  floor: 8_000_000_000n,
};

const CONSTANTS: Readonly<Record<StarknetVersion, MarketConstants>> = {
  '0.13.4': OF_0_14_0,
  '0.13.5': OF_0_14_0,
  '0.13.6': OF_0_14_0,
  '0.14.0': OF_0_14_0,
  '0.14.1': { ...OF_0_14_3, target: 4_000_000_000n, maximum: 5_000_000_000n },
  '0.14.2': { ...OF_0_14_3, target: 1_500_000_000n },
  '0.14.3': OF_0_14_3,
  '0.14.4': OF_0_14_3,
};

/** In a block, a price below the floor rises by one part of this number. */
const RISE_TO_FLOOR = 333n;
const LARGEST_PRICE = 2n ** 128n - 1n;

/**
 * The price of L2 gas after a block, by the rule of the same repository and commit,
 * crates/apollo_consensus_orchestrator/src/fee_market/mod.rs. The protocol's floors by height and by proposals of
 * validators (SNIP-35) are not imitated.
 */
export function nextL2Price(
  price: bigint,
  gasUsed: bigint,
  { target, denominator, floor }: MarketConstants,
): bigint {
  if (price < floor) return smaller(price + price / RISE_TO_FLOOR, floor);
  const isAbove = gasUsed > target;
  const change = (price * (isAbove ? gasUsed - target : target - gasUsed)) / (target * denominator);
  const changed = smaller(isAbove ? price + change : price - change, LARGEST_PRICE);
  return changed < floor ? floor : changed;
}

function smaller(first: bigint, second: bigint): bigint {
  return first < second ? first : second;
}

export function marketConstants(version: StarknetVersion = NEWEST_VERSION): MarketConstants {
  return CONSTANTS[version];
}
