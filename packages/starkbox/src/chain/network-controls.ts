// Controls of the network that a chain imitates.
import type { BlockSettings } from '../block-settings.js';
import type { Chain } from './chain.js';
import { type Congestion, MARKET_ONLY, type NetworkConditions } from './network/conditions.js';
import { withConditions } from './network/network.js';
import type { Cause } from './world/cause.js';
import type { World } from './world/world.js';

/** Sets the conditions of the network, or ends them with `undefined`. */
export async function setNetworkConditions(
  chain: Chain,
  conditions: NetworkConditions | undefined,
  cause?: Cause,
): Promise<void> {
  const { withPricesOfOrigin, withSeries } = await import('./steps/network-block.js');
  const { fork } = chain.options;
  // Read outside of the writer, so that no change waits for the origin.
  const resolved = conditions && (await withPricesOfOrigin(conditions, fork));
  return chain.write(cause, async (before) => {
    const { network, ...world } = withNetwork(before, resolved, chain);
    return [network ? withSeries({ ...world, network }) : world, undefined];
  });
}

/** Changes the load of others; a chain without conditions gets the fee market and the capacity of the network with it. */
export function setCongestion(
  chain: Chain,
  congestion: Congestion | undefined,
  cause?: Cause,
): Promise<void> {
  return chain.write(cause, async (world) => {
    const { seed = MARKET_ONLY.seed } = chain.options.mempoolOrder ?? {};
    const conditions = world.network?.conditions ?? (congestion && { ...MARKET_ONLY, seed });
    return [conditions ? withNetwork(world, { ...conditions, congestion }, chain) : world, undefined];
  });
}

function withNetwork(
  { network, ...world }: World,
  conditions: NetworkConditions | undefined,
  { options }: Chain,
): World {
  if (conditions === undefined) return world;
  const { blockGeneration: generation } = conditions;
  const blocks: BlockSettings =
    generation === undefined
      ? world.blocks
      : {
          ...world.blocks,
          generation: generation === options.blockGeneration ? undefined : generation,
        };
  return { ...world, blocks, network: withConditions(network, conditions, world.gas.next) };
}
