// Soak: mixed load on two nodes for a long time, with a model beside every chain.
//
//   npm run soak -- --minutes 60   by hand, with bounds on the growth of memory
//   npm run soak -- --quick        75 seconds, as CI runs it: errors, the model, and a wide bound on memory
//
// Each node is a process of its own and has a chain for each way of closing blocks; each chain has one client over HTTP
// and WebSocket. One node keeps its chains in a data directory, without old states: they grow, and its memory must
// not. The other one has them in memory, with old states: they are undone and restarted. Every error must be one that
// the model foresees. Prints each figure with its bound, then one line of JSON. Exits 1 if a bound is broken.
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Figures } from '../figures.js';
import { Random } from '../hosting/random.js';
import { Client } from './commands.js';
import { type Mode, SoakedChain } from './soaked-chain.js';
import type { Usage } from './soaked-node.js';

const { values: given } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    minutes: { type: 'string' },
    seed: { type: 'string', default: '1' },
  },
});
const MINUTES = Number(given.minutes ?? (given.quick ? 1.25 : 60));
const MODES: readonly Mode[] = ['transaction', 'demand', 'mempool', '500ms'];
const MEGABYTE = 2 ** 20;
/** Code is compiled and caches are filled in this part of the time. */
const WARM_UP = Math.min(10, MINUTES / 3);
const SAMPLE_SECONDS = given.quick ? 2 : 10;

interface Sample extends Usage {
  readonly minutes: number;
}

const begin = performance.now();
const minutes = (): number => (performance.now() - begin) / 60_000;

class SoakedNode {
  readonly name: string;
  readonly clients: Client[] = [];
  readonly samples: Sample[] = [];
  readonly #child: ChildProcess;

  constructor(name: string, child: ChildProcess) {
    this.name = name;
    this.#child = child;
  }

  static async start(name: string, options: object, folder: string): Promise<SoakedNode> {
    const file = fileURLToPath(new URL('./soaked-node.js', import.meta.url));
    const common = { seed: 0, accounts: 6, initialBalance: '1000000000000000000000000000' };
    const child = fork(file, [JSON.stringify({ ...common, ...options })], {
      execArgv: ['--expose-gc'],
    });
    const node = new SoakedNode(name, child);
    const { url } = Object(await node.#message());
    const isKept = 'dataDir' in options;
    for (const [index, mode] of MODES.entries()) {
      const random = new Random(Number(given.seed) * 100 + (isKept ? 50 : 0) + index);
      const root = new SoakedChain(url.replace(/\/(rpc\/?)?$/, ''), mode, !isKept, random);
      const chain = index === 0 ? root : await instance(root, mode, !isKept, random);
      await chain.begin();
      node.clients.push(new Client(chain, `${name}, ${mode}`, folder, !isKept));
    }
    return node;
  }

  #message(): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const gone = (code: unknown): void => reject(new Error(`${this.name} ended with ${code}`));
      this.#child.once('exit', gone);
      this.#child.once('message', (message) => {
        this.#child.off('exit', gone);
        resolve(message);
      });
    });
  }

  async sample(): Promise<void> {
    const answer = this.#message();
    this.#child.send('usage');
    const { rss, anonymous, heap }: Usage = Object(await answer);
    this.samples.push({ minutes: minutes(), rss, anonymous, heap });
  }

  async stop(): Promise<void> {
    const gone = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.send('end');
    await gone;
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  get warm(): readonly Sample[] {
    return this.samples.filter((sample) => sample.minutes >= WARM_UP);
  }

  /** Megabytes a minute after the warm-up, by least squares. */
  slope(of: keyof Usage): number {
    const points = this.warm.map((sample) => ({ x: sample.minutes, y: sample[of] / MEGABYTE }));
    const mean = (values: readonly number[]): number =>
      values.reduce((sum, value) => sum + value, 0) / values.length;
    const [x, y] = [mean(points.map((point) => point.x)), mean(points.map((point) => point.y))];
    const spread = points.reduce((sum, point) => sum + (point.x - x) ** 2, 0);
    return points.reduce((sum, point) => sum + (point.x - x) * (point.y - y), 0) / spread;
  }
}

async function instance(
  root: SoakedChain,
  mode: Mode,
  keepsHistory: boolean,
  random: Random,
): Promise<SoakedChain> {
  const options = { block_generation_on: mode };
  const made = Object(await root.ask('devnet_createInstance', { options, ttl: 0 }));
  const url = `${root.connection.url}/instances/${made.instance_id}`;
  return new SoakedChain(url, mode, keepsHistory, random);
}

const faults: string[] = [];

async function drive(client: Client): Promise<void> {
  try {
    while (minutes() < MINUTES && faults.length === 0) await client.step();
    if (faults.length === 0) await client.finish();
  } catch (error) {
    faults.push(error instanceof Error ? error.message : String(error));
  }
}

async function watch(nodes: readonly SoakedNode[]): Promise<void> {
  while (minutes() < MINUTES && faults.length === 0) {
    await sleep(SAMPLE_SECONDS * 1000);
    for (const node of nodes) await node.sample();
  }
}

const folder = mkdtempSync(join(tmpdir(), 'starkbox-soak-'));
const nodes: SoakedNode[] = [];
try {
  const kept = { dataDir: join(folder, 'chain'), stateArchive: 'none', recentBlocks: 256 };
  nodes.push(await SoakedNode.start('kept', kept, folder));
  nodes.push(await SoakedNode.start('memory', { stateArchive: 'full' }, folder));
  await Promise.all([
    watch(nodes),
    ...nodes.flatMap(({ clients }) => clients.map((client) => drive(client))),
  ]);
  for (const fault of faults) console.log(fault);
  report(nodes);
  if (faults.length === 0) for (const node of nodes) await node.stop();
} finally {
  for (const node of nodes) node.kill();
  rmSync(folder, { recursive: true });
}

function report([kept, memory]: readonly SoakedNode[]): void {
  if (!kept || !memory) throw new Error('there are two nodes');
  const figures = new Figures(
    {
      unexpected_errors: { atMost: 0 },
      kept_growth_megabytes: { atMost: 400 },
      memory_growth_megabytes: { atMost: 400 },
      kept_slope_anonymous: { atMost: 1, isNoisy: true },
      kept_slope_heap: { atMost: 1, isNoisy: true },
      memory_slope_anonymous: { atMost: 1, isNoisy: true },
      memory_slope_heap: { atMost: 1, isNoisy: true },
    },
    { quick: given.quick },
  );
  const clients = [...kept.clients, ...memory.clients];
  const sum = (of: (client: Client) => number): number =>
    clients.reduce((total, client) => total + of(client), 0);
  const ran: Record<string, number> = {};
  for (const client of clients) {
    for (const [name, count] of client.ran) ran[name] = (ran[name] ?? 0) + count;
  }
  console.log(
    Object.entries(ran)
      .map(([name, count]) => `${name} ${count}`)
      .join(', '),
  );
  figures.sayAll({
    minutes: minutes(),
    commands: Object.values(ran).reduce((total, count) => total + count, 0),
    calls: sum(({ chain }) => chain.connection.calls),
    transactions: sum(({ chain }) => chain.transactions),
    blocks: sum(({ chain }) => chain.blocks),
    blocks_kept: kept.clients.reduce((total, { chain }) => total + chain.blocks, 0),
    notifications: sum(({ notifications }) => notifications),
    foreseen_errors: sum(({ chain }) => chain.connection.refusals),
    unexpected_errors: faults.length,
  });
  for (const node of [kept, memory]) {
    const [first, last] = [node.warm[0], node.warm.at(-1)];
    const growth = ((last?.anonymous ?? 0) - (first?.anonymous ?? 0)) / MEGABYTE;
    figures.sayAll({
      [`${node.name}_megabytes`]: (last?.anonymous ?? 0) / MEGABYTE,
      [`${node.name}_resident_megabytes`]: (last?.rss ?? 0) / MEGABYTE,
      [`${node.name}_heap_megabytes`]: (last?.heap ?? 0) / MEGABYTE,
      [`${node.name}_growth_megabytes`]: growth,
      [`${node.name}_slope_anonymous`]: node.slope('anonymous'),
      [`${node.name}_slope_heap`]: node.slope('heap'),
    });
  }
  figures.finish({ seed: Number(given.seed), ran });
}
