// Soak: mixed load on nodes for a long time, with a model beside every chain.
//
//   npm run bench -- soak --minutes 60   by hand, with bounds on the growth of memory
//   npm run bench -- soak --quick        75 seconds, as CI runs it: errors, the model, and a wide bound on memory
//   npm run bench -- soak --samples FILE all samples of memory, as JSON
//
// Each node is a process of its own. Two have a chain for each way of closing blocks, and each chain has one client over
// HTTP and WebSocket. One of the two stores its chains in a data directory, without old states: they grow, and its memory
// must not. The other one has them in memory, with old states: they are undone and restarted. Every error must be one
// that the model foresees. The chain of a third node only grows, in memory and with old states, by as much as the engine
// counts for them.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from 'starkbox';
import { Random } from '../harness/rounds.js';
import { defineScenario, type Run } from '../harness/scenario.js';
import { Client } from './commands.js';
import { GrowingHistory } from './growing-history.js';
import { type Mode, SoakedChain } from './soaked-chain.js';
import { SoakedNode } from './soaked-node.js';

const MODES: readonly Mode[] = ['transaction', 'demand', 'mempool', '500ms'];
const BALANCE = 10n ** 27n;

type SoakRun = Run<'minutes' | 'seed' | 'sample-seconds'>;

class Soak {
  readonly nodes: SoakedNode[] = [];
  readonly faults: string[] = [];
  readonly #run: SoakRun;
  readonly #folder: string;
  readonly #start: number = performance.now();

  constructor(run: SoakRun, folder: string) {
    this.#run = run;
    this.#folder = folder;
  }

  get minutes(): number {
    return (performance.now() - this.#start) / 60_000;
  }

  get #isOver(): boolean {
    return this.minutes >= this.#run.sizes.minutes || this.faults.length > 0;
  }

  async open(name: string, options: Partial<Config>): Promise<SoakedNode> {
    // Code is compiled and caches are filled in the first part of the time.
    const node = new SoakedNode(name, Math.min(10, this.#run.sizes.minutes / 3));
    this.#run.defer(() => node.end());
    this.nodes.push(node);
    const config = { accounts: 6, initialBalance: BALANCE, ...options };
    node.url = (await node.call('open', config)).url;
    return node;
  }

  /** Gives a node a chain and a client for each way of closing blocks. */
  async addClients({ name, url, clients }: SoakedNode, keepsHistory: boolean): Promise<void> {
    for (const [index, mode] of MODES.entries()) {
      const random = new Random(this.#run.sizes.seed * 100 + (keepsHistory ? 0 : 50) + index);
      const root = new SoakedChain(url, mode, keepsHistory, random);
      const chain = index === 0 ? root : await instanceOf(root, random);
      await chain.setUp();
      // A chain in memory is restarted when it is long.
      clients.push(new Client(chain, `${name}, ${mode}`, this.#folder, keepsHistory));
    }
  }

  async drive(step: () => Promise<void>, finish: () => Promise<void>): Promise<void> {
    try {
      while (!this.#isOver) await step();
      if (this.faults.length === 0) await finish();
    } catch (error) {
      this.faults.push(error instanceof Error ? error.message : String(error));
    }
  }

  async sampleMemory(): Promise<void> {
    const { sizes } = this.#run;
    while (!this.#isOver) {
      const secondsToEnd = (sizes.minutes - this.minutes) * 60;
      await sleep(Math.min(sizes['sample-seconds'], secondsToEnd) * 1000);
      for (const node of this.nodes) await node.sample(this.minutes);
    }
  }
}

async function instanceOf(root: SoakedChain, random: Random): Promise<SoakedChain> {
  const { mode, keepsHistory, connection } = root;
  const params = { options: { block_generation_on: mode }, ttl: 0 };
  const { instance_id } = Object(await root.ask('devnet_createInstance', params));
  return new SoakedChain(`${connection.url}/instances/${instance_id}`, mode, keepsHistory, random);
}

function countsOf(clients: readonly Client[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const client of clients) {
    for (const [name, count] of client.counts) counts[name] = (counts[name] ?? 0) + count;
  }
  return counts;
}

function loadFigures(stored: SoakedNode, memory: SoakedNode): Record<string, number> {
  const clients = [...stored.clients, ...memory.clients];
  const sum = (part: (client: Client) => number, of: readonly Client[] = clients): number =>
    of.reduce((total, client) => total + part(client), 0);
  return {
    commands: sum(({ counts }) => [...counts.values()].reduce((total, count) => total + count, 0)),
    calls: sum(({ chain }) => chain.connection.calls),
    transactions: sum(({ chain }) => chain.transactions),
    blocks: sum(({ chain }) => chain.blocks),
    blocks_stored: sum(({ chain }) => chain.blocks, stored.clients),
    notifications: sum(({ notifications }) => notifications),
    foreseen_errors: sum(({ chain }) => chain.connection.refusals),
  };
}

export const scenario = defineScenario({
  measures: 'mixed load for a long time: answers against a model, and growth of memory',
  sizes: { minutes: [60, 1.25], 'sample-seconds': [10, 2], seed: [1, 1] },
  options: { samples: 'text' },
  promises: () => ({
    unexpected_errors: { atMost: 0 },
    stored_growth_megabytes: { atMost: 400 },
    memory_growth_megabytes: { atMost: 400 },
    stored_slope_anonymous: { atMost: 1, isNoisy: true },
    stored_slope_heap: { atMost: 1, isNoisy: true },
    stored_later_slope: { atMost: 0.3, isNoisy: true },
    memory_slope_anonymous: { atMost: 1, isNoisy: true },
    memory_slope_heap: { atMost: 1, isNoisy: true },
    full_off_percent: { atMost: 20, isNoisy: true },
  }),
  async measure(run) {
    const folder = run.folder();
    const soak = new Soak(run, folder);
    // So few recent blocks that they are all present before the end of the warm-up.
    const directory = { dataDir: join(folder, 'chain'), recentBlocks: 64 };
    const [stored, memory, full] = await Promise.all([
      soak.open('stored', { ...directory, stateArchive: 'none' }),
      soak.open('memory', { stateArchive: 'full' }),
      soak.open('full', { stateArchive: 'full', metricsHost: '127.0.0.1', metricsPort: 0 }),
    ]);
    await Promise.all([soak.addClients(stored, false), soak.addClients(memory, true)]);
    const history = new GrowingHistory(full.url, new Random(run.sizes.seed));
    await history.setUp();
    const clients = [...stored.clients, ...memory.clients];
    await Promise.all([
      soak.sampleMemory(),
      soak.drive(
        () => history.step(),
        async () => history.connection.close(),
      ),
      ...clients.map((client) =>
        soak.drive(
          () => client.step(),
          () => client.finish(),
        ),
      ),
    ]);
    for (const fault of soak.faults) console.log(fault);
    const samples = run.text('samples');
    if (samples !== undefined) {
      const rows = soak.nodes.map((node) => [node.name, node.samples]);
      writeFileSync(samples, JSON.stringify(Object.fromEntries(rows)));
    }
    const [native, counted] = [full.slope('native'), full.slope('counted')];
    run.figures.sayAll({
      ...loadFigures(stored, memory),
      unexpected_errors: soak.faults.length,
      ...stored.figures(),
      ...memory.figures(),
      full_blocks: history.blocks,
      full_slope_native: native,
      full_slope_counted: counted,
      full_off_percent: Math.abs(native / counted - 1) * 100,
    });
    // A node must also be able to close after the load.
    if (soak.faults.length === 0) await Promise.all(soak.nodes.map((node) => node.call('close')));
    return { ran: countsOf(clients) };
  },
});
