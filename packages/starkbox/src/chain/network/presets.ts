// Named conditions of a network: calm, busy, congested.
import { stringify } from '../../json/json.js';
import { MARKET_ONLY, type NetworkConditions } from './conditions.js';

export const PRESET_NAMES = ['calm', 'busy', 'congested'] as const;

export type PresetName = (typeof PRESET_NAMES)[number];

const GIGAFRI = 1_000_000_000;

/** Demand at the floor of the price is about the target in `calm`, three times it in `busy`, ten times in `congested`. */
const PRESETS: Readonly<Record<PresetName, NetworkConditions>> = {
  calm: {
    ...MARKET_ONLY,
    block_generation_on: 'mempool:2',
    congestion: {
      demand: 0.15,
      variation: 0.3,
      elasticity: 1,
      median_tip: GIGAFRI / 100,
      tip_spread: 4,
      transactions: 12,
    },
    order: 'tip',
  },
  busy: {
    ...MARKET_ONLY,
    block_generation_on: 'mempool:2',
    congestion: {
      demand: 0.55,
      variation: 0.5,
      elasticity: 1,
      median_tip: GIGAFRI,
      tip_spread: 8,
      transactions: 24,
    },
    order: 'tip',
    lifetime_blocks: 100,
    submissions: { lost: 0, delayed: 0.1, delay_blocks: [1, 3] },
  },
  congested: {
    ...MARKET_ONLY,
    block_generation_on: 'mempool:2',
    congestion: {
      demand: 1.8,
      variation: 0.4,
      elasticity: 1,
      median_tip: 5 * GIGAFRI,
      tip_spread: 16,
      transactions: 24,
    },
    order: 'tip',
    lifetime_blocks: 30,
    submissions: { lost: 0.02, delayed: 0.3, delay_blocks: [1, 5] },
    reorgs: { probability: 0.01, depth: 2 },
  },
};

/** The conditions of a name; undefined for any other text. */
export function presetOf(text: string): NetworkConditions | undefined {
  const name = PRESET_NAMES.find((preset) => preset === text);
  return name && PRESETS[name];
}

/** The name of the preset that conditions equal, whatever their seed. */
export function presetNameOf(conditions: NetworkConditions): PresetName | undefined {
  const textOf = (of: NetworkConditions): string => stringify({ ...of, seed: 0 });
  return PRESET_NAMES.find((name) => textOf(PRESETS[name]) === textOf(conditions));
}
