// Controls of the following blocks: their number, time, prices, sequencer, and when they are closed.

import {
  type BlockGeneration,
  type BlockSettings,
  effectiveBlockGeneration,
  effectiveL1Acceptance,
  type L1Acceptance,
  showBlockGeneration,
} from '../block-settings.js';
import { refuse } from '../errors.js';
import { NEWEST_VERSION } from '../starknet-versions.js';
import type { Chain } from './chain.js';
import { SEQUENCER } from './genesis/accounts.js';
import { closeNow } from './steps/close-block.js';
import { acceptedAt } from './steps/l1-acceptance.js';
import type { Cause } from './world/cause.js';
import { afterBlock, type Clock, clockFrom, increasedBy, setTo, withStep } from './world/clock.js';
import { latestHeader } from './world/find-block.js';
import type { GasPrices } from './world/gas-prices.js';
import { nextTime } from './world/world.js';

/**
 * Closes the pending block and empty ones after it, in one change; their hashes, oldest first.
 *
 * @param interval seconds from each of these blocks to the next; undefined where the clock decides
 */
export function createBlocks(
  chain: Chain,
  count: number,
  interval: number | undefined,
  cause?: Cause,
): Promise<readonly string[]> {
  return chain.write(cause, async (before) => {
    const last = nextTime(before) + (interval ?? 0) * (count - 1);
    if (last > Number.MAX_SAFE_INTEGER) {
      refuse(
        `The interval is too long: the last block would have the time ${last}; the time of a block is at most ${Number.MAX_SAFE_INTEGER}`,
      );
    }
    const hashes: string[] = [];
    let world = before;
    for (let index = 0; index < count; index += 1) {
      const { clock } = world;
      const time = latestHeader(world).timestamp + (interval ?? 0);
      const isTimed = interval !== undefined && index > 0;
      const [next, hash] = await closeNow(
        isTimed ? { ...world, clock: setTo(time, clock.step) } : world,
        chain.options,
      );
      hashes.push(hash);
      world = next;
    }
    return [world, hashes];
  });
}

/** Sets the time of the next block; the hash of that block if it is closed at once. */
export function setTime(
  chain: Chain,
  time: number,
  generateBlock: boolean,
  cause?: Cause,
): Promise<string | undefined> {
  return chain.write(cause, async (world) => {
    const next = { ...world, clock: setTo(time, world.clock.step) };
    return generateBlock ? closeNow(next, chain.options) : [next, undefined];
  });
}

/** Lets the time that a chain was started with begin now, if it has its first block and clock still. */
export function beginTimeNow(chain: Chain, first: Clock): Promise<void> {
  return chain.write(undefined, async (world) => {
    const { startTime } = chain.options;
    const isFirst = world.clock === first && world.history.next === world.history.first + 1;
    if (startTime === undefined || !isFirst) return [world, undefined];
    return [{ ...world, clock: afterBlock(clockFrom(startTime)) }, undefined];
  });
}

/** Moves time forward and closes a block; its hash. */
export function increaseTime(chain: Chain, seconds: number, cause?: Cause): Promise<string> {
  return chain.write(cause, async (world) => {
    const clock = increasedBy(world.clock, seconds, latestHeader(world).timestamp);
    return closeNow({ ...world, clock }, chain.options);
  });
}

/** Sets prices for the blocks after the pending one; all prices that then apply. */
export function setGasPrice(
  chain: Chain,
  changes: Partial<GasPrices>,
  generateBlock: boolean,
  cause?: Cause,
): Promise<GasPrices> {
  return chain.write(cause, async (world) => {
    const prices = { ...world.gas.next, ...changes };
    const next = { ...world, gas: { ...world.gas, next: prices } };
    const [written] = generateBlock ? await closeNow(next, chain.options) : [next];
    return [written, prices];
  });
}

/** Changes of block settings: what is undefined stays. */
export interface BlockSettingChanges {
  readonly generation: BlockGeneration | undefined;
  readonly timeStep: number | 'none' | undefined;
  readonly sequencer: string | undefined;
  readonly l1Acceptance?: L1Acceptance | undefined;
}

export function setBlockSettings(
  chain: Chain,
  { generation, timeStep, sequencer, l1Acceptance }: BlockSettingChanges,
  cause?: Cause,
): Promise<void> {
  return chain.write(cause, async (world) => {
    const usual: Required<Omit<BlockSettings, 'starknetVersion'>> = {
      generation: chain.options.blockGeneration,
      sequencer: SEQUENCER,
      l1Acceptance: chain.options.l1Acceptance ?? 'off',
    };
    const settingIn = <K extends keyof typeof usual>(key: K, setting: BlockSettings[K]) =>
      setting === usual[key] ? undefined : (setting ?? world.blocks[key]);
    const blocks = {
      ...world.blocks,
      generation: settingIn('generation', generation),
      sequencer: settingIn('sequencer', sequencer),
      l1Acceptance: settingIn('l1Acceptance', l1Acceptance),
    };
    const step = timeStep === undefined ? world.clock.step : timeStep;
    const clock = withStep(
      world.clock,
      step === 'none' ? undefined : step,
      latestHeader(world).timestamp,
    );
    const isSame =
      blocks.generation === world.blocks.generation &&
      blocks.sequencer === world.blocks.sequencer &&
      blocks.l1Acceptance === world.blocks.l1Acceptance;
    if (isSame && clock === world.clock) return [world, undefined];
    const next = { ...world, blocks: isSame ? world.blocks : blocks, clock };
    const acceptedOnL1 = acceptedAt(next, chain.options, nextTime(next));
    return [{ ...next, acceptedOnL1 }, undefined];
  });
}

/** The settings as they are now. */
export function blockSettings({ world, options }: Chain): {
  readonly block_generation_on: string;
  readonly time_step: number | null;
  readonly sequencer_address: string;
  readonly starknet_version: string;
  readonly l1_acceptance: string;
  readonly next_block_timestamp: number;
} {
  return {
    block_generation_on: showBlockGeneration(effectiveBlockGeneration(world, options)),
    time_step: world.clock.step ?? null,
    sequencer_address: world.blocks.sequencer ?? SEQUENCER,
    starknet_version: world.blocks.starknetVersion ?? NEWEST_VERSION,
    l1_acceptance: String(effectiveL1Acceptance(world, options)),
    next_block_timestamp: nextTime(world),
  };
}
