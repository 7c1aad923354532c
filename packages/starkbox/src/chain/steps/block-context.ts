// Block context that contracts are executed in.
import { Block } from '@starkbox/engine';
import type { Fork } from '../../fork/fork.js';
import { SEQUENCER } from '../genesis/accounts.js';
import { ETH, STRK } from '../genesis/genesis.js';
import type { HeaderPrices } from '../history/header.js';
import { pendingNumber } from '../world/find-block.js';
import { enginePrices, headerPrices } from '../world/gas-prices.js';
import { nextTime, type World } from '../world/world.js';

/** What the blocks of a chain have in common. */
export interface BlockRules {
  readonly chainId: string;
  /** Leave out what costs time and nobody may need: the commitments. */
  readonly lite: boolean;
  /** The chain below this one, if it is a fork. */
  readonly fork?: Fork | undefined;
}

/** What contracts see when they run in a block: in the one under construction, or as if in an old one. */
export function contextOf(world: World, rules: BlockRules, number: number): Block {
  const header = world.history.header(number);
  return header
    ? makeContext(rules, number, header.timestamp, header.prices)
    : pendingContext(world, rules, nextTime(world));
}

export function pendingContext(world: World, rules: BlockRules, time: number): Block {
  return makeContext(rules, pendingNumber(world), time, headerPrices(world.gas.current));
}

export function makeContext(
  { chainId }: BlockRules,
  number: number,
  timestamp: number,
  prices: HeaderPrices,
): Block {
  return new Block({
    number,
    timestamp,
    sequencer_address: SEQUENCER,
    chain_id: chainId,
    fee_tokens: { strk: STRK, eth: ETH },
    gas_prices: enginePrices(prices),
  });
}
