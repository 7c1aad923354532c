// Axes along which a chain grows: blocks in memory or in a data directory, slots, and instances beside it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config, LocalChain } from 'starkbox';
import { GrowingChain, writeSlots } from '../harness/growing-chain.js';

/** One of this many blocks has a transfer, the others are empty. */
const TRANSFER_EVERY = 100;
/** Blocks of a chain before it is grown, a transfer each; a control has no more. */
const FIRST_BLOCKS = 60;
/** Of a chain in a data directory, so that all older blocks are read from there, also those of the control. */
const RECENT_BLOCKS = 8;

/** A chain that grows along an axis. */
export class MeasuredChain {
  readonly chain: GrowingChain;
  readonly #instances: LocalChain[] = [];
  readonly #temporary: string | undefined;
  #slots = 0;

  /** @internal Use `open`. */
  constructor(chain: GrowingChain, temporary: string | undefined) {
    this.chain = chain;
    this.#temporary = temporary;
  }

  /** @param dir a data directory that stays; a temporary one is removed with the chain */
  static async open(isStored: boolean, dir?: string): Promise<MeasuredChain> {
    const temporary =
      isStored && dir === undefined ? mkdtempSync(join(tmpdir(), 'starkbox-growth-')) : undefined;
    const dataDir = dir ?? temporary;
    const config: Partial<Config> =
      dataDir === undefined ? {} : { dataDir, recentBlocks: RECENT_BLOCKS };
    const chain = await GrowingChain.impersonated(config);
    const latest = await chain.node.request('starknet_blockNumber');
    if (latest > 0) throw new Error(`${dataDir} holds a chain already`);
    await chain.growTo(FIRST_BLOCKS);
    return new MeasuredChain(chain, temporary);
  }

  /** Slots of a contract that no transaction made. */
  async growSlots(count: number): Promise<void> {
    await writeSlots(this.chain.node, count - this.#slots, { first: this.#slots });
    this.#slots = count;
    await this.chain.growTo(this.chain.latest + 1);
  }

  /** Instances beside the chain, each with a transaction of its own. */
  async growInstances(count: number): Promise<void> {
    while (this.#instances.length < count) {
      const instance = this.chain.node.branch();
      await instance.mint(0x5000 + this.#instances.length, 1n);
      this.#instances.push(instance);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#instances.map((instance) => instance.close()));
    await this.chain.node.close();
    if (this.#temporary !== undefined) rmSync(this.#temporary, { recursive: true });
  }
}

export interface Axis {
  readonly name: string;
  readonly title: string;
  readonly unit: string;
  readonly isStored: boolean;
  /** In a full run and in a quick one. */
  readonly largest: readonly [full: number, quick: number];
  /** How many factors of ten the sizes of a full run span. */
  readonly decades: number;
  readonly grow: (chain: MeasuredChain, size: number) => Promise<void>;
}

export const AXES: readonly Axis[] = [
  {
    name: 'blocks',
    title: 'Blocks in memory',
    unit: 'blocks',
    isStored: false,
    largest: [100_000, 4_000],
    decades: 1.5,
    grow: ({ chain }, size) => chain.growSparsely(size, TRANSFER_EVERY),
  },
  {
    name: 'transfers',
    title: 'Blocks in memory with a transfer each',
    unit: 'blocks',
    isStored: false,
    largest: [100_000, 2_000],
    decades: 1.5,
    grow: ({ chain }, size) => chain.growTo(size),
  },
  {
    name: 'stored-blocks',
    title: 'Blocks in a data directory',
    unit: 'blocks',
    isStored: true,
    largest: [1_000_000, 3_000],
    decades: 2.5,
    grow: ({ chain }, size) => chain.growSparsely(size, TRANSFER_EVERY),
  },
  {
    name: 'slots',
    title: 'Slots in memory',
    unit: 'slots',
    isStored: false,
    largest: [10_000_000, 100_000],
    decades: 3,
    grow: (chain, size) => chain.growSlots(size),
  },
  {
    name: 'instances',
    title: 'Instances of a node',
    unit: 'instances',
    isStored: false,
    largest: [10_000, 100],
    decades: 3,
    grow: (chain, size) => chain.growInstances(size),
  },
];

/** Sizes in steps of about the square root of ten, up to the largest. */
export function sizesOf({ decades }: Axis, largest: number, quick: boolean): readonly number[] {
  const steps = quick ? 2 : Math.round(2 * decades);
  return Array.from({ length: steps + 1 }, (_, step) =>
    Math.max(1, Math.round(largest / 10 ** ((steps - step) / (quick ? 4 : 2)))),
  );
}
