// The smallest world, and forged images with valid checksums.
import { State } from '@starkbox/engine';
import { closeBlock } from '../../../src/chain/steps/close-block.js';
import { setTo } from '../../../src/chain/world/clock.js';
import { firstWorld, type World } from '../../../src/chain/world/world.js';
import { ImageWriter, type Packing, type Sink } from '../../../src/dump/image/format.js';
import { type ImageHeader, imageHeader } from '../../../src/dump/image/header.js';
import { type WriteOptions, writeImage } from '../../../src/dump/image/write.js';
import { List } from '../../../src/immutable.js';

export const CHAIN_ID = 'SN_SEPOLIA';
export const WRITING: WriteOptions = { chainId: CHAIN_ID, writtenBy: 'a test', keepsJournal: true };

const PRICES = {
  gas_price_wei: 1n,
  data_gas_price_wei: 2n,
  gas_price_fri: 3n,
  data_gas_price_fri: 4n,
  l2_gas_price_wei: 5n,
  l2_gas_price_fri: 2n ** 100n,
};

/** Two blocks without transactions, a slot that changed between them, and a half-written third block. */
export async function smallWorld(): Promise<World> {
  const rules = { chainId: CHAIN_ID, lite: false };
  const slot = (value: string) => ({
    storage_diffs: [{ address: '0xa', storage_entries: [{ key: '0x1', value }] }],
  });
  const state = await State.create().apply(slot('0x7'));
  const options = { startTime: 1_700_000_000, prices: PRICES, keepsHistory: true };
  let world = await closeBlock(firstWorld(state, options), rules, 1_700_000_000);
  world = { ...world, pendingState: await world.pendingState.apply(slot('0x8')) };
  world = await closeBlock(world, rules, 1_700_000_001);
  const journal = List(['{"jsonrpc":"2.0","method":"devnet_createBlock","params":null,"id":0}']);
  const half = await world.pendingState.apply(slot('0x9'));
  return { ...world, pendingState: half, journal, clock: setTo(1_800_000_000) };
}

/** A sink that keeps everything. */
export class Bytes implements Sink {
  readonly #pieces: Uint8Array[] = [];

  async write(bytes: Uint8Array): Promise<void> {
    this.#pieces.push(Uint8Array.from(bytes));
  }

  all(): Buffer {
    return Buffer.concat(this.#pieces);
  }
}

export async function imageOf(world: World, writing: WriteOptions = WRITING): Promise<Buffer> {
  const sink = new Bytes();
  await writeImage(world, writing, sink);
  return sink.all();
}

export type Section = readonly [name: string, content: Uint8Array, packing?: Packing];

/** An image with any header and any sections under right checksums. */
export async function forged(header: object, sections: readonly Section[]): Promise<Buffer> {
  const sink = new Bytes();
  const writer = new ImageWriter(sink);
  await writer.begin(JSON.stringify(header));
  for (const [name, content, packing = 'none'] of sections) {
    await writer.section(name, [content], packing);
  }
  await writer.end();
  return sink.all();
}

export const headerOf = (world: World): ImageHeader => imageHeader(world, WRITING);
