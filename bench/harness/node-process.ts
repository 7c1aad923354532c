// A node in a process of its own, which reports its memory and CPU time.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import { type AllocatorFigures, allocatorFigures } from '@starkbox/engine';
import { type Config, createChain, type LocalChain } from 'starkbox';
import type { Account } from '../../packages/engine/test/fixtures/chain.js';
import { Child, type ChildOptions, serve } from './child.js';

const FREEING_MILLISECONDS = 50;

export interface OpenNode {
  readonly url: string;
  readonly accounts: readonly Account[];
  /** Time of its start. */
  readonly milliseconds: number;
}

/** In bytes, after a garbage collection. */
export interface MemoryUse extends AllocatorFigures {
  readonly rss: number;
  /** Resident without pages of files, which the system takes back when it needs room. */
  readonly anonymous: number;
  readonly heap: number;
  /** Part of `anonymous` outside of JavaScript: the engine and the database. */
  readonly native: number;
  /** Of the state, as the engine counts it; 0 without metrics. */
  readonly counted: number;
}

let node: LocalChain | undefined;
let metricsUrl: string | undefined;

function anonymousOf(rss: number): number {
  if (process.platform !== 'linux') return rss;
  const status = readFileSync('/proc/self/status', 'utf8');
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
}

async function countedBytes(): Promise<number> {
  if (metricsUrl === undefined) return 0;
  const metrics = await (await fetch(metricsUrl)).text();
  return Number(/^starkbox_state_bytes (\S+)$/m.exec(metrics)?.[1]);
}

const commands = {
  async open(config: Partial<Config>): Promise<OpenNode> {
    const start = performance.now();
    node = await createChain({ seed: 0, port: 0, ...config });
    const listening = await node.listen();
    metricsUrl = listening.metricsUrl;
    const { accounts } = node;
    return { url: listening.url, accounts, milliseconds: performance.now() - start };
  },

  async memory(): Promise<MemoryUse> {
    const counted = await countedBytes();
    globalThis.gc?.();
    // At once, because requests that come while it waits make garbage.
    const { heapUsed } = process.memoryUsage();
    // Memory of collected objects in the engine is freed on another thread.
    await sleep(FREEING_MILLISECONDS);
    const { rss, external } = process.memoryUsage();
    const anonymous = anonymousOf(rss);
    const native = anonymous - getHeapStatistics().total_physical_size - external;
    return { rss, anonymous, heap: heapUsed, native, counted, ...allocatorFigures() };
  },

  async close(): Promise<void> {
    await node?.close();
  },
};

export class NodeProcess extends Child<typeof commands> {
  constructor(options?: ChildOptions) {
    super(new URL(import.meta.url), options);
  }
}

serve(import.meta.url, commands);
