// Capacity of blocks, and room in it.
import type { CapacityFigures, WeightName } from '@starkbox/engine';
import type { BLOCK_CAPACITY } from '@starkbox/spec';
import type { StarknetVersion } from '../../starknet-versions.js';
import { marketConstants } from './market.js';

/** Not taken from the engine, because reading options must not load it. */
export const WEIGHT_NAMES: readonly WeightName[] = [
  'l1_gas',
  'message_segment_length',
  'n_events',
  'n_txs',
  'state_diff_size',
  'sierra_gas',
  'proving_gas',
  'receipt_l2_gas',
];

/**
 * Limits of blocks of Starknet, apart from their L2 gas. Facts of github.com/starkware-libs/sequencer at commit 60161ba
 * of 2026-08-20, crates/apollo_deployments/resources/app_configs/batcher_config.json, bouncer_config.block_max_capacity.
 */
const NETWORK_LIMITS: Omit<CapacityFigures, 'receipt_l2_gas'> = {
  l1_gas: 4_400_000,
  message_segment_length: 3_700,
  n_events: 5_000,
  n_txs: 500,
  state_diff_size: 4_000,
  sierra_gas: 5_000_000_000,
  proving_gas: 5_000_000_000,
};

/** The capacity of blocks: the network's with some changes. */
export function capacityOf(
  changes: BLOCK_CAPACITY | 'unlimited' = 'unlimited',
  version?: StarknetVersion,
): CapacityFigures {
  const { maximum } = marketConstants(version);
  return {
    ...NETWORK_LIMITS,
    receipt_l2_gas: Number(maximum),
    ...(changes === 'unlimited' ? {} : changes),
  };
}

/** For transactions that a full block has too. */
export const NO_LIMIT: CapacityFigures = capacityOf(
  Object.fromEntries(WEIGHT_NAMES.map((name) => [name, Number.MAX_SAFE_INTEGER])),
);

/** Weights that gas of others has, all by the same share of the capacity. */
const WEIGHTS_OF_GAS = ['receipt_l2_gas', 'sierra_gas', 'proving_gas', 'n_txs'] as const;

/** The capacity that others leave. */
export function remainingCapacity(
  capacity: CapacityFigures,
  backgroundGas: number,
): CapacityFigures {
  if (backgroundGas === 0) return capacity;
  const whole = BigInt(capacity.receipt_l2_gas);
  const rest = BigInt(Math.max(0, capacity.receipt_l2_gas - backgroundGas));
  const limit = (name: WeightName): number => Number((BigInt(capacity[name]) * rest) / whole);
  return {
    ...capacity,
    receipt_l2_gas: Number(rest),
    sierra_gas: limit('sierra_gas'),
    proving_gas: limit('proving_gas'),
    n_txs: limit('n_txs'),
  };
}

/** L2 gas of others that fits a block with these weights. */
export function remainingGas(capacity: CapacityFigures, weights: CapacityFigures): number {
  const whole = BigInt(capacity.receipt_l2_gas);
  const rooms = WEIGHTS_OF_GAS.map((name) => {
    const rest = BigInt(Math.max(0, capacity[name] - weights[name]));
    return Number((rest * whole) / BigInt(capacity[name]));
  });
  return Math.min(...rooms);
}

/** The largest share of a limit that is taken, at most 1, in millionths. */
export function fullnessOf(
  capacity: CapacityFigures,
  weights: CapacityFigures,
  backgroundGas: number,
): number {
  const ofOthers = backgroundGas / capacity.receipt_l2_gas;
  const isGas = (name: string): boolean => WEIGHTS_OF_GAS.some((weight) => weight === name);
  const share = (name: WeightName): number =>
    weights[name] / capacity[name] + (isGas(name) ? ofOthers : 0);
  return Math.round(Math.min(1, Math.max(...WEIGHT_NAMES.map(share))) * 1e6) / 1e6;
}
