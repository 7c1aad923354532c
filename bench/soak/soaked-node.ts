// Node under load in a process of its own, which says how much memory it holds after a collection.
import { readFileSync } from 'node:fs';
import { type Config, createNode } from 'starkbox';

/** In bytes. */
export interface Usage {
  readonly rss: number;
  /** Resident without pages of files, which the system takes back when it needs room. */
  readonly anonymous: number;
  readonly heap: number;
}

function anonymous(rss: number): number {
  if (process.platform !== 'linux') return rss;
  const [, kilobytes] =
    /^RssAnon:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

const options: Partial<Config> = Object(JSON.parse(process.argv[2] ?? '{}'));
const node = await createNode({ port: 0, ...options });
const { url } = await node.listen();
process.on('message', (message) => {
  if (message === 'end') {
    void node.close().then(() => process.disconnect());
    return;
  }
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  const usage: Usage = { rss, anonymous: anonymous(rss), heap: heapUsed };
  process.send?.(usage);
});
process.once('disconnect', () => process.exit());
process.send?.({ url });
