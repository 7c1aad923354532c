// Memory of a block with a transfer, with old states and without.
import { Child, serve } from '../harness/child.js';
import { GrowingChain } from '../harness/growing-chain.js';
import { settledMemory } from '../harness/rounds.js';
import { defineScenario } from '../harness/scenario.js';

type StateArchive = 'full' | 'none';

/** So many blocks are measured even after the time. */
const LEAST_BLOCKS = 700;

const memoryProcess = {
  /** Compares two lengths, which excludes code, caches and write buffers. */
  async weigh(stateArchive: StateArchive, from: number, to: number, seconds: number) {
    const deadline = performance.now() + seconds * 1000;
    const chain = await GrowingChain.signed({ stateArchive });
    await chain.growTo(from);
    const before = await settledMemory();
    await chain.growTo(Math.min(from + LEAST_BLOCKS, to));
    await chain.growTo(to, deadline);
    const after = await settledMemory();
    await chain.node.close();
    const blocks = chain.latest - from;
    const perBlock = (part: keyof NodeJS.MemoryUsage) => (after[part] - before[part]) / blocks;
    return {
      bytes_per_block: perBlock('rss'),
      heap_bytes_per_block: perBlock('heapUsed'),
      buffer_bytes_per_block: perBlock('external'),
      // Memory outside of V8 and its buffers, which is the engine's states.
      engine_bytes_per_block: perBlock('rss') - perBlock('heapTotal') - perBlock('external'),
      weighed_blocks: blocks,
    };
  },
};

/** The process releases memory at once: otherwise V8 and the engine's allocator retain tens of megabytes. */
const startProcess = (): Child<typeof memoryProcess> =>
  new Child(new URL(import.meta.url), {
    execArgv: ['--expose-gc', '--max-semi-space-size=1'],
    env: { MIMALLOC_PURGE_DELAY: '0' },
  });

export const scenario = defineScenario({
  measures: 'memory of a block with a transfer, with old states and without',
  sizes: { from: [2_000, 400], to: [20_000, 4_000], seconds: [Number.POSITIVE_INFINITY, 8] },
  promises: (quick) => {
    // A quick run has few blocks, so that the memory pages of one execution matter.
    const resident = { atMost: (quick ? 16 : 8) * 1024 };
    // The JavaScript heap is measured exactly.
    const heap = { atMost: 3 * 1024 };
    return {
      bytes_per_block_full: resident,
      bytes_per_block_none: resident,
      heap_bytes_per_block_full: heap,
      heap_bytes_per_block_none: heap,
    };
  },
  async measure(run) {
    const { from, to, seconds } = run.sizes;
    const weigh = async (stateArchive: StateArchive): Promise<Record<string, number>> => {
      const child = startProcess();
      run.defer(() => child.end());
      const figures = await child.call('weigh', stateArchive, from, to, seconds);
      return Object.fromEntries(
        Object.entries(figures).map(([name, value]) => [`${name}_${stateArchive}`, value]),
      );
    };
    // They measure memory, not time, and can run concurrently.
    for (const figures of await Promise.all([weigh('full'), weigh('none')])) {
      run.figures.sayAll(figures);
    }
    return undefined;
  },
});

serve(import.meta.url, memoryProcess);
