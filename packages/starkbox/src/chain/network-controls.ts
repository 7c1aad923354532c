// Controls of the network that a chain imitates.
import type { BlockSettings } from '../block-settings.js';
import { refuse } from '../errors.js';
import type { Fork } from '../fork/fork.js';
import type { Chain } from './chain.js';
import {
  type Congestion,
  generationOf,
  MARKET_ONLY,
  type NetworkConditions,
  OF_ORIGIN,
} from './network/conditions.js';
import { type Network, withConditions } from './network/network.js';
import { withRules } from './steps/mempool-steps.js';
import type { Cause } from './world/cause.js';
import type { World } from './world/world.js';

/** Sets the conditions of the network, or ends them with `undefined`. */
export async function setNetworkConditions(
  chain: Chain,
  conditions: NetworkConditions | undefined,
  cause?: Cause,
): Promise<void> {
  const { fork } = chain.options;
  const isOfOrigin =
    conditions?.gas_market !== false && conditions?.gas_market.l1_prices === OF_ORIGIN;
  // Read outside of the writer, so that no change waits for the origin. Without it nothing is awaited here: calls enter
  // the writer in order of arrival.
  const resolved = isOfOrigin ? await withOriginPrices(conditions, fork) : conditions;
  return chain.write(cause, async (before) => {
    if (!resolved) return [await withoutNetwork(before, chain), undefined];
    const { withSeries } = await import('./network/blocks/network-block.js');
    return [withSeries(withNetwork(before, resolved, chain)), undefined];
  });
}

async function withOriginPrices(
  conditions: NetworkConditions,
  fork: Fork | undefined,
): Promise<NetworkConditions> {
  const { withPricesOfOrigin } = await import('./network/blocks/network-block.js');
  return withPricesOfOrigin(conditions, fork);
}

/** Changes the load of others; a chain without conditions gets the fee market and the capacity of the network with it. */
export function setCongestion(
  chain: Chain,
  congestion: Congestion | null,
  cause?: Cause,
): Promise<void> {
  return chain.write(cause, async (world) => {
    const { seed = MARKET_ONLY.seed } = chain.options.mempoolOrder ?? {};
    const conditions = world.network?.conditions ?? (congestion && { ...MARKET_ONLY, seed });
    return [
      conditions ? withNetwork(world, { ...conditions, congestion }, chain) : world,
      undefined,
    ];
  });
}

/** Without conditions, all waiting transactions can be executed by the usual rules. */
async function withoutNetwork(world: World, { options }: Chain): Promise<World> {
  if (!world.network) return world;
  const { network: _network, ...rest } = await withRules(world, options);
  return withRules(rest, options);
}

function withNetwork(
  { network, ...world }: World,
  conditions: NetworkConditions,
  { options }: Chain,
): World & { readonly network: Network } {
  const generation = generationOf(conditions);
  if (conditions.reorgs.probability > 0 && !world.keepsHistory) {
    refuse(
      'Reorganisations restore older states: start the node with --state-archive-capacity full, or set reorgs.probability to 0',
    );
  }
  const blocks: BlockSettings =
    generation === undefined
      ? world.blocks
      : {
          ...world.blocks,
          generation: generation === options.blockGeneration ? undefined : generation,
        };
  return { ...world, blocks, network: withConditions(network, conditions, world.gas.next) };
}
