// Blocks of a chain that imitates a network: load of others before they are closed, prices after it.
import { membersOf } from '@starkbox/abi/basics';
import { BlockWeights } from '@starkbox/engine';
import { refuse } from '../../../errors.js';
import type { Fork } from '../../../fork/fork.js';
import { stringify } from '../../../json/json.js';
import { latestHeader } from '../../world/find-block.js';
import { type GasPrices, PRICE_NAMES } from '../../world/gas-prices.js';
import type { Included, World } from '../../world/world.js';
import { type BackgroundTransaction, backgroundLoad, fitting, gasOf } from '../background-load.js';
import { capacityOf, fullnessOf, remainingGas } from '../capacity.js';
import { type L1Prices, l1PricesAt, type NetworkConditions, OF_ORIGIN } from '../conditions.js';
import { marketConstants, nextL2Price } from '../market.js';
import { type ClosedRound, type L2Prices, MAX_RECENT, type Network } from '../network.js';

/** A world that imitates a network. */
export type NetworkWorld = World & { readonly network: Network };

/** The load of the pending block, whether it has room for it or not. */
export function backgroundLoadOf({
  network,
  gas,
  blocks,
}: NetworkWorld): readonly BackgroundTransaction[] {
  const { floor } = marketConstants(blocks.starknetVersion);
  return backgroundLoad(network.conditions, {
    round: network.rounds,
    price: gas.current.l2_gas_price_fri,
    floor,
    capacity: gasLimitOf({ network, blocks }),
  });
}

/** Most L2 gas of a block. */
function gasLimitOf({ network, blocks }: Pick<NetworkWorld, 'network' | 'blocks'>): number {
  const { capacity } = network.conditions;
  return capacityOf(capacity, blocks.starknetVersion).receipt_l2_gas;
}

/** The load that the pending block has room for, besides its transactions. */
export function fittingLoad(world: NetworkWorld): readonly BackgroundTransaction[] {
  const { network, blocks } = world;
  const { capacity } = network.conditions;
  const room = network.weights
    ? remainingGas(capacityOf(capacity, blocks.starknetVersion), network.weights.figures)
    : Math.max(0, gasLimitOf(world) - gasUsedIn(world));
  return fitting(backgroundLoadOf(world), room);
}

/** L2 gas of the transactions of the pending block. */
export function gasUsedIn({ pending }: World): number {
  return pending.transactions.toArray().reduce((sum, included) => sum + l2GasOf(included), 0);
}

export function l2GasOf(included: Included | undefined): number {
  return Number(included?.receipt.execution_resources.l2_gas ?? 0);
}

/**
 * The world with the prices by which its pending block is closed: an empty block has prices that were set since the last
 * one, and such prices give the ratio of wei to fri.
 */
export function withSetPrices(world: NetworkWorld): NetworkWorld {
  const { network, gas, pending } = world;
  const { l2_gas_price_wei, l2_gas_price_fri } = gas.next;
  const rate = isSet(world) ? { l2_gas_price_wei, l2_gas_price_fri } : network.rate;
  const current = pending.transactions.size === 0 ? gas.next : gas.current;
  const isSame = rate === network.rate && current === gas.current;
  return isSame ? world : { ...world, gas: { ...gas, current }, network: { ...network, rate } };
}

/** Whether a price of L2 gas was set since the pending block began. */
function isSet({ gas: { current, next } }: World): boolean {
  return (
    next.l2_gas_price_fri !== current.l2_gas_price_fri ||
    next.l2_gas_price_wei !== current.l2_gas_price_wei
  );
}

/**
 * The world after a block: prices of the next one, a further round, and no weights.
 *
 * @param before with the block pending
 * @param after with the block closed
 * @param backgroundGas L2 gas of others in the block, apart from their transactions
 */
export function withRound(before: NetworkWorld, after: World, backgroundGas: number): World {
  const { network, blocks } = before;
  const { capacity, gas_market: gasMarket } = network.conditions;
  const gasUsed = gasUsedIn(before);
  const { number, prices, transactionCount } = latestHeader(after);
  const price = BigInt(prices.l2_gas_price.price_in_fri);
  const round: ClosedRound = {
    block: number,
    price,
    gasUsed,
    backgroundGas,
    fullness: network.weights
      ? fullnessOf(
          capacityOf(capacity, blocks.starknetVersion),
          network.weights.figures,
          backgroundGas,
        )
      : undefined,
    transactions: transactionCount,
  };
  const rounds = network.rounds + 1;
  const recent = network.recent.push(round);
  const next: NetworkWorld = {
    ...after,
    network: {
      ...network,
      rounds,
      weights: network.weights && BlockWeights.empty(),
      recent: recent.size > MAX_RECENT ? recent.shift() : recent,
    },
  };
  if (!gasMarket) return Object.freeze(next);
  const constants = marketConstants(blocks.starknetVersion);
  const l2Price = isSet(before)
    ? undefined
    : nextL2Price(price, BigInt(gasUsed + backgroundGas), constants);
  return Object.freeze({ ...next, gas: gasAt(next, l2Price) });
}

/** The price of L2 gas after the pending block if it were closed now. */
export function forecast(world: NetworkWorld): bigint {
  const { network, gas, blocks } = world;
  if (!network.conditions.gas_market || isSet(world)) return gas.next.l2_gas_price_fri;
  const gasUsed = gasUsedIn(world) + gasOf(fittingLoad(world));
  return nextL2Price(
    gas.current.l2_gas_price_fri,
    BigInt(gasUsed),
    marketConstants(blocks.starknetVersion),
  );
}

/** Prices of a block that begins: of the series on L1, and with a price of L2 gas unless it stays. */
function gasAt(world: NetworkWorld, l2Price: bigint | undefined): World['gas'] {
  const { network, gas } = world;
  const prices = pricesAt(network, gas.next, l2Price);
  return prices === gas.next && prices === gas.current ? gas : { current: prices, next: prices };
}

function pricesAt(network: Network, prices: GasPrices, l2Price: bigint | undefined): GasPrices {
  const { gas_market: gasMarket } = network.conditions;
  const changes: Partial<GasPrices> = {
    ...(gasMarket ? l1PricesAt(gasMarket, network.rounds) : {}),
    ...(l2Price === undefined ? {} : l2Prices(l2Price, network.rate)),
  };
  const changed = { ...prices, ...changes };
  // Blocks with equal prices share one object.
  return PRICE_NAMES.every((name) => changed[name] === prices[name]) ? prices : changed;
}

/** Both prices of L2 gas, at the ratio of others. */
function l2Prices(fri: bigint, { l2_gas_price_wei, l2_gas_price_fri }: L2Prices): L2Prices {
  const wei = (fri * l2_gas_price_wei) / l2_gas_price_fri;
  const [least, most] = [1n, 2n ** 128n - 1n];
  return {
    l2_gas_price_fri: fri,
    l2_gas_price_wei: wei < least ? least : wei > most ? most : wei,
  };
}

/** The world of a chain that starts under conditions. */
export async function withStartedNetwork(
  world: NetworkWorld,
  fork: Fork | undefined,
): Promise<World> {
  const { network } = world;
  const conditions = await withPricesOfOrigin(network.conditions, fork);
  return Object.freeze(withSeries({ ...world, network: { ...network, conditions } }));
}

/** Blocks of the origin whose prices are read. */
const BLOCKS_OF_ORIGIN = 100;

/** Conditions whose prices of L1 gas are a list. */
export async function withPricesOfOrigin(
  conditions: NetworkConditions,
  fork: Fork | undefined,
): Promise<NetworkConditions> {
  const { gas_market: gasMarket } = conditions;
  if (!gasMarket || gasMarket.l1_prices !== OF_ORIGIN) return conditions;
  if (!fork) {
    refuse(
      "gas_market.l1_prices: expected a list of prices, because this chain is no fork; got 'origin'",
    );
  }
  const headers = await fork.headers(Math.max(0, fork.block.number - BLOCKS_OF_ORIGIN + 1));
  const prices = headers.map(l1PricesIn);
  return { ...conditions, gas_market: { ...gasMarket, l1_prices: prices } };
}

/** Prices of L1 gas in a header; old blocks lack some. */
function l1PricesIn(header: Readonly<Record<string, unknown>>): L1Prices {
  const price = (name: string, unit: string): bigint | undefined => {
    const value = membersOf(header[name])[unit] ?? '0x0';
    if (value === '0x0') return undefined;
    if (typeof value === 'string' && /^0x[0-9a-f]{1,32}$/i.test(value)) return BigInt(value);
    return refuse(
      `gas_market.l1_prices: block ${stringify(header['block_number'])} of the origin has the price ${stringify(value)}, and prices are below 2^128. Give a list of prices instead`,
    );
  };
  const prices = {
    gas_price_wei: price('l1_gas_price', 'price_in_wei'),
    gas_price_fri: price('l1_gas_price', 'price_in_fri'),
    data_gas_price_wei: price('l1_data_gas_price', 'price_in_wei'),
    data_gas_price_fri: price('l1_data_gas_price', 'price_in_fri'),
  };
  return Object.fromEntries(Object.entries(prices).filter(([, value]) => value !== undefined));
}

/** The world with the prices of L1 gas of its round: after conditions were set. */
export function withSeries(world: NetworkWorld): NetworkWorld {
  const { network, gas, pending } = world;
  const next = pricesAt(network, gas.next, undefined);
  if (next === gas.next) return world;
  return { ...world, gas: { current: pending.transactions.size === 0 ? next : gas.current, next } };
}

/**
 * The world after its newest blocks were removed.
 *
 * @param l2Price of the oldest one of them, which follows from the blocks before it
 */
export function withoutRounds(world: NetworkWorld, l2Price: bigint): World {
  const { network, history } = world;
  const { conditions, recent, weights } = network;
  const shortened: NetworkWorld = {
    ...world,
    network: {
      ...network,
      recent: recent.filter(({ block }) => block < history.next),
      weights: weights && BlockWeights.empty(),
    },
  };
  return conditions.gas_market ? { ...shortened, gas: gasAt(shortened, l2Price) } : shortened;
}
