// Data directories: the cost of durability, and opening a long chain.
import { join } from 'node:path';
import { Child, serve } from '../harness/child.js';
import { GrowingChain, mustBeAccepted } from '../harness/growing-chain.js';
import { bytesIn, interleave, milliseconds, settledMemory } from '../harness/rounds.js';
import { defineScenario, type Run } from '../harness/scenario.js';

/** One of this many blocks has a transfer. */
const TRANSFER_EVERY = 20;
const CLIENTS = 16;
/** Transfers of one sample. */
const STRETCH = 96;
const MEGABYTE = 2 ** 20;

type DataDirRun = Run<'blocks' | 'rounds'>;

// Cost of durability.

/** Microseconds of a transfer. */
async function transfer(chain: GrowingChain, clients: number): Promise<number> {
  const requests = chain.nextTransfers(STRETCH).values();
  const client = async (): Promise<void> => {
    for (const body of requests) mustBeAccepted(await chain.node.handle(body));
  };
  const elapsed = await milliseconds(() => Promise.all(Array.from({ length: clients }, client)));
  return (elapsed * 1000) / STRETCH;
}

async function measureDurability(run: DataDirRun): Promise<void> {
  const inMemory = await GrowingChain.signed();
  const onDisk = await GrowingChain.signed({ dataDir: join(run.folder(), 'short') });
  const times = await interleave(run.sizes.rounds, {
    memory: () => transfer(inMemory, CLIENTS),
    disk: () => transfer(onDisk, CLIENTS),
    aloneMemory: () => transfer(inMemory, 1),
    aloneDisk: () => transfer(onDisk, 1),
  });
  await inMemory.node.close();
  await onDisk.node.close();
  run.figures.sayAll({
    transfer_in_memory_us: times.median('memory'),
    transfer_on_disk_us: times.median('disk'),
    throughput_ratio: times.ratio('memory', 'disk'),
    one_client_ratio: times.ratio('aloneMemory', 'aloneDisk'),
  });
}

// A long chain.

async function build(dataDir: string, blocks: number): Promise<void> {
  const chain = await GrowingChain.impersonated({ dataDir });
  await chain.growSparsely(blocks, TRANSFER_EVERY);
  await chain.node.close();
}

/** A process of its own, because it measures memory. */
const reader = {
  /** Opens a directory; without one, a new chain. */
  async open(dataDir?: string) {
    const start = performance.now();
    const chain = await GrowingChain.signed(dataDir === undefined ? {} : { dataDir });
    await chain.node.request('starknet_blockNumber');
    const open_ms = performance.now() - start;
    const rss = (await settledMemory()).rss / MEGABYTE;
    await chain.node.close();
    return { open_ms, rss };
  },
};

async function openElsewhere(dataDir?: string) {
  const child = new Child<typeof reader>(new URL(import.meta.url), { execArgv: ['--expose-gc'] });
  try {
    return await child.call('open', dataDir);
  } finally {
    await child.end();
  }
}

export const scenario = defineScenario({
  measures: 'the cost of durability, and opening a long chain on disk',
  sizes: { blocks: [1_000_000, 4_000], rounds: [30, 2] },
  promises: () => ({
    throughput_ratio: { atLeast: 0.85, isNoisy: true },
    open_ms: { atMost: 2000, isNoisy: true },
    rss_above_fresh_mb: { atMost: 300 },
  }),
  async measure(run) {
    const { sizes, figures } = run;
    await measureDurability(run);
    const directory = join(run.folder(), 'long');
    await build(directory, sizes.blocks);
    const fresh = await openElsewhere();
    const stored = await openElsewhere(directory);
    figures.sayAll({
      bytes_on_disk_per_block: bytesIn(directory) / sizes.blocks,
      fresh_open_ms: fresh.open_ms,
      open_ms: stored.open_ms,
      rss_above_fresh_mb: stored.rss - fresh.rss,
    });
    return undefined;
  },
});

serve(import.meta.url, reader);
