// Block context that contracts are executed in.
import { Block } from '@starkbox/engine';
import type { L1Acceptance } from '../../block-settings.js';
import type { Fork } from '../../fork/fork.js';
import { ETH, STRK } from '../../predeployed.js';
import { SEQUENCER } from '../genesis/accounts.js';
import type { Header } from '../history/header.js';
import { arePricesEqual } from '../history/packed-block.js';
import { pendingNumber } from '../world/find-block.js';
import { enginePrices, headerPrices } from '../world/gas-prices.js';
import { nextTime, type World } from '../world/world.js';

/** Settings that all blocks of a chain share. */
export interface BlockRules {
  readonly chainId: string;
  /** Whether blocks have no commitments, which saves time. */
  readonly lite: boolean;
  /** Whether transactions pay; they do by default. */
  readonly chargesFee?: boolean;
  /** The origin, if this chain is a fork. */
  readonly fork?: Fork | undefined;
  /** Off if undefined; a setting of the world precedes it. */
  readonly l1Acceptance?: L1Acceptance | undefined;
}

/** The context of the pending block, or of a closed one. */
export function contextOf(world: World, rules: BlockRules, number: number): Block {
  return makeContext(rules, contextHeader(world, number));
}

export function pendingContext(world: World, rules: BlockRules, time: number): Block {
  return makeContext(rules, pendingHeader(world, time));
}

/** What the context of a block depends on, also of the pending one. */
export function contextHeader(world: World, number: number): ContextHeader {
  return world.history.header(number) ?? pendingHeader(world, nextTime(world));
}

function pendingHeader(world: World, timestamp: number): ContextHeader {
  return {
    number: pendingNumber(world),
    timestamp,
    prices: headerPrices(world.gas.current),
    sequencer: world.blocks.sequencer,
    starknetVersion: world.blocks.starknetVersion,
  };
}

/** What a context depends on, besides the chain. */
export type ContextHeader = Pick<
  Header,
  'number' | 'timestamp' | 'prices' | 'sequencer' | 'starknetVersion'
>;

/** The newest context: calls and estimates on the same block follow each other. */
let recent:
  | { readonly chainId: string; readonly header: ContextHeader; readonly context: Block }
  | undefined;

export function makeContext({ chainId }: BlockRules, header: ContextHeader): Block {
  if (recent?.chainId === chainId && isSameBlock(recent.header, header)) return recent.context;
  const { number, timestamp, prices, sequencer = SEQUENCER, starknetVersion } = header;
  const context = new Block({
    number,
    timestamp,
    sequencer_address: sequencer,
    chain_id: chainId,
    fee_tokens: { strk: STRK, eth: ETH },
    gas_prices: enginePrices(prices),
    ...(starknetVersion === undefined ? {} : { starknet_version: starknetVersion }),
  });
  recent = { chainId, header, context };
  return context;
}

function isSameBlock(first: ContextHeader, second: ContextHeader): boolean {
  return (
    first.number === second.number &&
    first.timestamp === second.timestamp &&
    first.sequencer === second.sequencer &&
    first.starknetVersion === second.starknetVersion &&
    arePricesEqual(first.prices, second.prices)
  );
}
