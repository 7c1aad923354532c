// Node under load in a process of its own, which says how much memory it holds after a collection.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import { type AllocatorFigures, allocatorFigures } from '@starkbox/engine';
import { type Config, createNode } from 'starkbox';

const FREEING_MILLISECONDS = 50;

/** In bytes. */
export interface Usage extends AllocatorFigures {
  readonly rss: number;
  /** Resident without pages of files, which the system takes back when it needs room. */
  readonly anonymous: number;
  readonly heap: number;
  /** Of `anonymous`, what is not JavaScript's: the engine and the database. */
  readonly native: number;
  /** Of the state, as the engine counts it; 0 without metrics. */
  readonly counted: number;
}

function anonymous(rss: number): number {
  if (process.platform !== 'linux') return rss;
  const [, kilobytes] =
    /^RssAnon:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

async function countedAt(metricsUrl: string | undefined): Promise<number> {
  if (metricsUrl === undefined) return 0;
  const text = await (await fetch(metricsUrl)).text();
  const [, bytes] = /^starkbox_state_bytes (\S+)$/m.exec(text) ?? [];
  return Number(bytes);
}

async function usage(metricsUrl: string | undefined): Promise<Usage> {
  const counted = await countedAt(metricsUrl);
  globalThis.gc?.();
  // What the collected objects held in the engine is freed on another thread.
  await sleep(FREEING_MILLISECONDS);
  const { rss, heapUsed, external } = process.memoryUsage();
  const all = anonymous(rss);
  const native = all - getHeapStatistics().total_physical_size - external;
  return { rss, anonymous: all, heap: heapUsed, native, counted, ...allocatorFigures() };
}

const options: Partial<Config> = Object(JSON.parse(process.argv[2] ?? '{}'));
const node = await createNode({ port: 0, ...options });
const { url, metricsUrl } = await node.listen();
process.on('message', (message) => {
  if (message === 'end') {
    void node.close().then(() => process.disconnect());
    return;
  }
  void usage(metricsUrl).then((now) => process.send?.(now));
});
process.once('disconnect', () => process.exit());
process.send?.({ url });
