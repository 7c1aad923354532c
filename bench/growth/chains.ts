// Chains that grow: by blocks in memory or in a data directory, by slots, and by instances beside them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config, Starkbox } from 'starkbox';
import { hex, STRK } from '../../packages/engine/test/fixtures/chain.js';
import { accepted, GrowingChain } from '../growing-chain.js';

/** One of this many blocks has a transfer, the others are empty. */
const RARE = 100;
/** Blocks of a chain before it is grown, a transfer each; a control has no more. */
const FIRST = 60;
/** Of a chain in a data directory, so that all older blocks are read from there, the control's too. */
const RECENT_BLOCKS = 8;
/** Slots in one difference. */
const PIECE = 50_000;

/** A chain with the transfers that were sent to it. */
export class MeasuredChain {
  readonly #chain: GrowingChain;
  readonly #instances: Starkbox[] = [];
  /** The block of each transfer. */
  readonly #blocks: number[] = [];
  readonly #directory: string | undefined;
  #latest = 0;
  #slots = 0;

  /** @internal Use `open`. */
  constructor(chain: GrowingChain, directory: string | undefined) {
    this.#chain = chain;
    this.#directory = directory;
  }

  /** @param kept a data directory that stays; a temporary one goes with the chain */
  static async open(isStored: boolean, kept?: string): Promise<MeasuredChain> {
    const temporary =
      isStored && kept === undefined ? mkdtempSync(join(tmpdir(), 'starkbox-growth-')) : undefined;
    const dataDir = kept ?? temporary;
    const config: Partial<Config> =
      dataDir === undefined ? {} : { dataDir, recentBlocks: RECENT_BLOCKS };
    const made = new MeasuredChain(await GrowingChain.impersonated(config), temporary);
    made.#latest = Number(await made.node.request('starknet_blockNumber'));
    if (made.#latest > 0) throw new Error(`${dataDir} holds a chain already`);
    for (let block = 1; block <= FIRST; block += 1) await made.#mineTo(block);
    return made;
  }

  get node(): Starkbox {
    return this.#chain.node;
  }

  get latest(): number {
    return this.#latest;
  }

  /** How many transfers it has; the first is 1. */
  get transfers(): number {
    return this.#blocks.length;
  }

  blockOf(transfer: number): number {
    return this.#blocks[transfer - 1] ?? Number.NaN;
  }

  /** Requests of further transfers, each of which closes a block; all must be sent. */
  nextTransfers(count: number): readonly string[] {
    return Array.from({ length: count }, () => {
      this.#latest += 1;
      this.#blocks.push(this.#latest);
      return this.#chain.transfer(this.#blocks.length);
    });
  }

  async growBlocks(length: number): Promise<void> {
    while (this.#latest < length) await this.#mineTo(Math.min(length, this.#latest + RARE));
  }

  async #mineTo(length: number): Promise<void> {
    const empty = length - this.#latest - 1;
    if (empty > 0) await this.node.mine(empty);
    this.#latest += empty;
    for (const text of this.nextTransfers(1)) accepted(await this.node.handle(text));
  }

  /** Slots of a contract that no transaction made. */
  async growSlots(count: number): Promise<void> {
    while (this.#slots < count) {
      const first = this.#slots;
      this.#slots = Math.min(count, first + PIECE);
      const storage_entries = Array.from({ length: this.#slots - first }, (_, at) => ({
        key: hex(0x1000_0000 + first + at),
        value: '0x1',
      }));
      await this.node.request('devnet_applyStateDiff', {
        state_diff: { storage_diffs: [{ address: STRK, storage_entries }] },
      });
    }
    await this.growBlocks(this.#latest + 1);
  }

  /** Instances beside the chain, each with a transaction of its own. */
  async growInstances(count: number): Promise<void> {
    while (this.#instances.length < count) {
      const one = this.node.branch();
      await one.mint(0x5000 + this.#instances.length, 1n);
      this.#instances.push(one);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#instances.map((one) => one.close()));
    await this.node.close();
    if (this.#directory !== undefined) rmSync(this.#directory, { recursive: true });
  }
}

/** A size that a chain is grown along. */
export interface Axis {
  readonly name: string;
  readonly title: string;
  readonly unit: string;
  readonly isStored: boolean;
  readonly largest: number;
  readonly largestQuick: number;
  /** How many sizes there are to a factor of ten below the largest. */
  readonly decades: number;
  readonly grow: (chain: MeasuredChain, size: number) => Promise<void>;
}

export const AXES: readonly Axis[] = [
  {
    name: 'blocks',
    title: 'Blocks in memory',
    unit: 'blocks',
    isStored: false,
    largest: 100_000,
    largestQuick: 4_000,
    decades: 1.5,
    grow: (chain, size) => chain.growBlocks(size),
  },
  {
    name: 'stored-blocks',
    title: 'Blocks in a data directory',
    unit: 'blocks',
    isStored: true,
    largest: 1_000_000,
    largestQuick: 3_000,
    decades: 2.5,
    grow: (chain, size) => chain.growBlocks(size),
  },
  {
    name: 'slots',
    title: 'Slots in memory',
    unit: 'slots',
    isStored: false,
    largest: 10_000_000,
    largestQuick: 100_000,
    decades: 3,
    grow: (chain, size) => chain.growSlots(size),
  },
  {
    name: 'instances',
    title: 'Instances of a node',
    unit: 'instances',
    isStored: false,
    largest: 10_000,
    largestQuick: 100,
    decades: 3,
    grow: (chain, size) => chain.growInstances(size),
  },
];
