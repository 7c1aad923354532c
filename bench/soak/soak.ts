// Soak: mixed load on nodes for a long time, with a model beside every chain.
//
//   npm run soak -- --minutes 60   by hand, with bounds on the growth of memory
//   npm run soak -- --quick        75 seconds, as CI runs it: errors, the model, and a wide bound on memory
//   npm run soak -- --samples FILE all samples of memory, as JSON
//
// Each node is a process of its own. Two have a chain for each way of closing blocks, and each chain has one client over
// HTTP and WebSocket. One of the two keeps its chains in a data directory, without old states: they grow, and its memory
// must not. The other one has them in memory, with old states: they are undone and restarted. Every error must be one
// that the model foresees. The chain of a third node only grows, in memory and with old states, by as much as the engine
// counts for them. Prints each figure with its bound, then one line of JSON. Exits 1 if a bound is broken.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Figures } from '../figures.js';
import { Random } from '../random.js';
import { Client } from './commands.js';
import { GrowingHistory } from './growing-history.js';
import { MEGABYTE, NodeProcess } from './node-process.js';
import { type Mode, SoakedChain } from './soaked-chain.js';

const { values: given } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    minutes: { type: 'string' },
    seed: { type: 'string', default: '1' },
    samples: { type: 'string' },
  },
});
const MINUTES = Number(given.minutes ?? (given.quick ? 1.25 : 60));
const MODES: readonly Mode[] = ['transaction', 'demand', 'mempool', '500ms'];
/** Code is compiled and caches are filled in this part of the time. */
const WARM_UP = Math.min(10, MINUTES / 3);
const SAMPLE_SECONDS = given.quick ? 2 : 10;

const begin = performance.now();
const minutes = (): number => (performance.now() - begin) / 60_000;

const folder = mkdtempSync(join(tmpdir(), 'starkbox-soak-'));
const nodes: NodeProcess[] = [];

async function started(name: string, options: object): Promise<NodeProcess> {
  const node = await NodeProcess.start(name, options, WARM_UP);
  nodes.push(node);
  return node;
}

/** Gives a node a chain and a client for each way of closing blocks. */
async function soak({ name, url, clients }: NodeProcess, keepsHistory: boolean): Promise<void> {
  for (const [index, mode] of MODES.entries()) {
    const random = new Random(Number(given.seed) * 100 + (keepsHistory ? 0 : 50) + index);
    const root = new SoakedChain(url, mode, keepsHistory, random);
    const chain = index === 0 ? root : await instance(root, mode, keepsHistory, random);
    await chain.begin();
    // A chain in memory is restarted when it is long.
    clients.push(new Client(chain, `${name}, ${mode}`, folder, keepsHistory));
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

async function drive(step: () => Promise<void>, finish: () => Promise<void>): Promise<void> {
  try {
    while (minutes() < MINUTES && faults.length === 0) await step();
    if (faults.length === 0) await finish();
  } catch (error) {
    faults.push(error instanceof Error ? error.message : String(error));
  }
}

async function watch(nodes: readonly NodeProcess[]): Promise<void> {
  while (minutes() < MINUTES && faults.length === 0) {
    await sleep(Math.min(SAMPLE_SECONDS, (MINUTES - minutes()) * 60) * 1000);
    for (const node of nodes) await node.sample(minutes());
  }
}

try {
  // So few recent blocks that they are all there before the end of the warm-up.
  const options = { dataDir: join(folder, 'chain'), stateArchive: 'none', recentBlocks: 64 };
  const metrics = { metricsHost: '127.0.0.1', metricsPort: 0 };
  const [kept, memory, full] = await Promise.all([
    started('kept', options),
    started('memory', { stateArchive: 'full' }),
    started('full', { stateArchive: 'full', ...metrics }),
  ]);
  await Promise.all([soak(kept, false), soak(memory, true)]);
  const history = new GrowingHistory(full.url, new Random(Number(given.seed)));
  await history.begin();
  await Promise.all([
    watch(nodes),
    drive(
      () => history.step(),
      async () => history.connection.close(),
    ),
    ...nodes.flatMap(({ clients }) =>
      clients.map((client) =>
        drive(
          () => client.step(),
          () => client.finish(),
        ),
      ),
    ),
  ]);
  for (const fault of faults) console.log(fault);
  if (given.samples !== undefined) {
    const samples = nodes.map((node) => [node.name, node.samples]);
    writeFileSync(given.samples, JSON.stringify(Object.fromEntries(samples)));
  }
  report({ kept, memory, full, history });
  if (faults.length === 0) await Promise.all(nodes.map((node) => node.stop()));
} finally {
  for (const node of nodes) node.kill();
  rmSync(folder, { recursive: true });
}

interface Soaked {
  readonly kept: NodeProcess;
  readonly memory: NodeProcess;
  readonly full: NodeProcess;
  readonly history: GrowingHistory;
}

function report({ kept, memory, full, history }: Soaked): void {
  const figures = new Figures(
    {
      unexpected_errors: { atMost: 0 },
      kept_growth_megabytes: { atMost: 400 },
      memory_growth_megabytes: { atMost: 400 },
      kept_slope_anonymous: { atMost: 1, isNoisy: true },
      kept_slope_heap: { atMost: 1, isNoisy: true },
      kept_later_slope: { atMost: 0.3, isNoisy: true },
      memory_slope_anonymous: { atMost: 1, isNoisy: true },
      memory_slope_heap: { atMost: 1, isNoisy: true },
      full_off_percent: { atMost: 20, isNoisy: true },
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
      [`${node.name}_slope_native`]: node.slope('native'),
      [`${node.name}_slope_system_used`]: node.slope('systemUsed'),
      [`${node.name}_slope_system_free`]: node.slope('systemFree'),
      [`${node.name}_slope_engine`]: node.slope('engineCommitted'),
      [`${node.name}_later_slope`]: node.laterSlope('anonymous'),
      [`${node.name}_later_slope_heap`]: node.laterSlope('heap'),
    });
  }
  const [native, counted] = [full.slope('native'), full.slope('counted')];
  figures.sayAll({
    full_blocks: history.blocks,
    full_slope_native: native,
    full_slope_counted: counted,
    full_off_percent: Math.abs(native / counted - 1) * 100,
  });
  figures.finish({ seed: Number(given.seed), ran });
}
