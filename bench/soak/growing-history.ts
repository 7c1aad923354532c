// A chain with old states that only grows: its blocks write the same slots repeatedly.
import { setTimeout as sleep } from 'node:timers/promises';
import { hex, STRK } from '../../packages/engine/test/fixtures/chain.js';
import type { Random } from '../harness/rounds.js';
import { Connection } from './connection.js';

/** Above the slots of the token. */
const FIRST_SLOT = 0x510700000000;
const SLOTS = 600;
const WRITES = 60;
/** Other chains share the processor. */
const PAUSE_MILLISECONDS = 50;

export class GrowingHistory {
  readonly connection: Connection;
  readonly #random: Random;
  #genesis = 0;
  /** Blocks that were closed. */
  blocks = 0;

  constructor(url: string, random: Random) {
    this.#random = random;
    this.connection = new Connection(url, random);
  }

  async setUp(): Promise<void> {
    this.#genesis = Number(await this.connection.call('starknet_blockNumber'));
  }

  /** Closes a block, and reads what an old one wrote. */
  async step(): Promise<void> {
    const block = this.blocks + 1;
    const value = hex(block);
    const storage_entries = Array.from({ length: WRITES }, (_, index) => ({
      key: slotOf(block, index),
      value,
    }));
    const state_diff = { storage_diffs: [{ address: STRK, storage_entries }] };
    await this.connection.call('devnet_applyStateDiff', { state_diff });
    await this.connection.call('devnet_createBlock');
    this.blocks = block;
    await this.#readOld(1 + this.#random.below(block));
    await sleep(PAUSE_MILLISECONDS);
  }

  async #readOld(block: number): Promise<void> {
    const slot = await this.connection.call('starknet_getStorageAt', {
      contract_address: STRK,
      key: slotOf(block, this.#random.below(WRITES)),
      block_id: { block_number: this.#genesis + block },
    });
    if (slot !== hex(block)) {
      throw new Error(`a slot of block ${block} is ${slot} instead of ${hex(block)}`);
    }
  }
}

const slotOf = (block: number, index: number): string =>
  hex(FIRST_SLOT + ((block * WRITES + index) % SLOTS));
