// Data directories: the cost of durability, and opening and reading a long chain.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Child, serve } from '../harness/child.js';
import { median, percentile } from '../harness/figures.js';
import {
  GrowingChain,
  mustBeAccepted,
  type Read,
  readBlock,
  readEventsByAddress,
  readReceipt,
  readSlot,
  readTrace,
} from '../harness/growing-chain.js';
import { interleave, milliseconds, Random, sampled, settledMemory } from '../harness/rounds.js';
import { defineScenario, type Run } from '../harness/scenario.js';

/** One of this many blocks has a transfer. */
const TRANSFER_EVERY = 20;
const CLIENTS = 16;
/** Transfers of one sample. */
const STRETCH = 96;
/** Concurrent calls while a chain is built. */
const AT_ONCE = 256;
const PROGRESS_MILLISECONDS = 10_000;
const READS = 400;
const MEGABYTE = 2 ** 20;

const KINDS: Readonly<Record<string, Read>> = {
  block: readBlock,
  receipt: readReceipt,
  trace: readTrace,
  storage: readSlot,
  events: readEventsByAddress,
};

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

/** Creates each block by its own call, with many concurrent calls. */
async function build(dataDir: string, blocks: number): Promise<void> {
  const chain = await GrowingChain.impersonated({ dataDir });
  await chain.resume(TRANSFER_EVERY);
  const answers: Promise<void>[] = [];
  let nextProgress = performance.now() + PROGRESS_MILLISECONDS;
  while (chain.latest < blocks) {
    answers.push(chain.node.handle(chain.nextBlock(TRANSFER_EVERY)).then(mustBeAccepted));
    if (answers.length < AT_ONCE) continue;
    await Promise.all(answers.splice(0));
    if (performance.now() < nextProgress) continue;
    nextProgress += PROGRESS_MILLISECONDS;
    process.stderr.write(`\rblock ${chain.latest} of ${blocks}`);
  }
  await Promise.all(answers);
  await chain.node.close();
}

/** A process of its own, because it measures memory. */
const reader = {
  /** Opens a directory and reads; without one, opens a new chain. */
  async open(dataDir?: string) {
    const start = performance.now();
    const chain = await GrowingChain.signed(dataDir === undefined ? {} : { dataDir });
    await chain.node.request('starknet_blockNumber');
    const open_ms = performance.now() - start;
    const rss = (await settledMemory()).rss / MEGABYTE;
    const times = dataDir === undefined ? {} : await readOld(chain);
    const rssAfter = (await settledMemory()).rss / MEGABYTE;
    await chain.node.close();
    return { open_ms, rss, rssAfter, times };
  },
};

async function readOld(chain: GrowingChain): Promise<Record<string, number>> {
  await chain.resume(TRANSFER_EVERY);
  const random = new Random(1);
  const figures: Record<string, number> = {};
  for (const [kind, read] of Object.entries(KINDS)) {
    const times: number[] = [];
    for (let count = 0; count < READS + 20; count += 1) {
      const body = await read(chain, 1 + random.below(chain.transfers));
      times.push(...(await sampled(1, async () => mustBeAccepted(await chain.node.handle(body)))));
    }
    // The first requests load code and schemas.
    const warm = times.slice(20);
    figures[`${kind}_p50_ms`] = median(warm);
    figures[`${kind}_p99_ms`] = percentile(warm, 0.99);
  }
  return figures;
}

async function openElsewhere(dataDir?: string) {
  const child = new Child<typeof reader>(new URL(import.meta.url), { execArgv: ['--expose-gc'] });
  try {
    return await child.call('open', dataDir);
  } finally {
    await child.end();
  }
}

const bytesIn = (directory: string): number =>
  readdirSync(directory).reduce(
    (sum, name) => sum + statSync(join(directory, name)).blocks * 512,
    0,
  );

export const scenario = defineScenario({
  measures:
    'the cost of durability, and a long chain on disk; --dir stores it there, and resumes it',
  sizes: { blocks: [1_000_000, 4_000], rounds: [30, 2] },
  options: { dir: 'text' },
  promises: () => ({
    throughput_ratio: { atLeast: 0.85, isNoisy: true },
    open_ms: { atMost: 2000, isNoisy: true },
    rss_above_fresh_mb: { atMost: 300 },
    ...Object.fromEntries(
      Object.keys(KINDS).map((kind) => [`${kind}_p99_ms`, { atMost: 5, isNoisy: true }]),
    ),
  }),
  async measure(run) {
    const { sizes, figures } = run;
    await measureDurability(run);
    const directory = run.text('dir') ?? join(run.folder(), 'long');
    const building = await milliseconds(() => build(directory, sizes.blocks));
    const fresh = await openElsewhere();
    const stored = await openElsewhere(directory);
    figures.sayAll({
      build_seconds: building / 1000,
      bytes_on_disk_per_block: bytesIn(directory) / sizes.blocks,
      fresh_open_ms: fresh.open_ms,
      open_ms: stored.open_ms,
      rss_above_fresh_mb: stored.rss - fresh.rss,
      rss_above_fresh_after_reads_mb: stored.rssAfter - fresh.rssAfter,
      ...stored.times,
    });
    return undefined;
  },
});

serve(import.meta.url, reader);
