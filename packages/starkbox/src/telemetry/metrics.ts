// Prometheus metrics of a node.
import { readdirSync, readFileSync } from 'node:fs';
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import { type Execution, type Probe, type Stage, stopwatch, type Work } from '../probe.js';
import { type Contents, readAtScrape } from './scraped.js';

/** Figures that are read at a scrape. */
export interface Figures {
  readonly blocks: number;
  /** Including those of the pending block. */
  readonly transactions: number;
  readonly pendingTransactions: number;
  /** In the mempool. */
  readonly waitingTransactions: number;
  readonly snapshots: number;
  /** Further chains of the node. */
  readonly instances: number;
  /** Those of the data directory that are in memory. */
  readonly openInstances: number;
  /** Changes in the writer's queue. */
  readonly waitingChanges: number;
  /** Calls, estimates and simulations that wait for a slot. */
  readonly waitingExecutions: number;
  readonly state: {
    readonly slots: number;
    readonly contracts: number;
    readonly classes: number;
    readonly versions: number;
    readonly olderValues: number;
    readonly approximateBytes: number;
  };
  /** By topic. */
  readonly subscriptions: Readonly<Record<string, number>>;
  readonly sockets: number;
  /** Bytes that WebSocket clients have not read. */
  readonly unreadBytes: number;
  readonly connections: number;
  /** Cached responses of the origin. */
  readonly upstreamCacheSize: number;
}

/** Gauges of the figures by name, with their help. */
const GAUGES: Readonly<
  Record<string, readonly [help: string, pick: (figures: Figures) => number]>
> = {
  starknet_transaction_count: ['Transactions of the chain', (f) => f.transactions],
  starknet_block_count: ['Closed blocks of the chain', (f) => f.blocks],
  starknet_upstream_cache_size: ['Cached responses of the origin', (f) => f.upstreamCacheSize],
  starkbox_pending_transactions: [
    'Transactions in the pending block',
    (f) => f.pendingTransactions,
  ],
  starkbox_mempool_transactions: [
    'Transactions that wait in the mempool',
    (f) => f.waitingTransactions,
  ],
  starkbox_snapshots: ['Snapshots', (f) => f.snapshots],
  starkbox_instances: ['Instances', (f) => f.instances],
  starkbox_open_instances: ['Instances of the data directory in memory', (f) => f.openInstances],
  starkbox_changes_waiting: ['Changes in the queue', (f) => f.waitingChanges],
  starkbox_executions_waiting: [
    'Calls, estimates and simulations that wait for a slot',
    (f) => f.waitingExecutions,
  ],
  starkbox_state_slots: ['Storage slots in memory', (f) => f.state.slots],
  starkbox_state_contracts: ['Contracts in memory', (f) => f.state.contracts],
  starkbox_state_classes: ['Classes in memory', (f) => f.state.classes],
  starkbox_state_versions: ['Blocks whose state is in memory', (f) => f.state.versions],
  starkbox_state_older_values: ['Values of older blocks in memory', (f) => f.state.olderValues],
  starkbox_state_bytes: [
    'Approximate size of the state in memory',
    (f) => f.state.approximateBytes,
  ],
  starkbox_sockets: ['Open WebSockets', (f) => f.sockets],
  starkbox_connections: ['Open HTTP connections', (f) => f.connections],
  starkbox_socket_unread_bytes: [
    'Bytes that WebSocket clients have not read',
    (f) => f.unreadBytes,
  ],
};

const CALL = [
  0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.015, 0.025, 0.05, 0.1, 0.25, 0.5,
  1,
];
const TURN = [0.00001, 0.0001, 0.001, 0.01, 0.1, 1, 10, 60];
const BLOCK = [0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01];
const UPSTREAM = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const STALL = [0.25, 0.5, 1, 2.5, 5, 10, 30];
const EXECUTION = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Metrics of the process, shared by all nodes in it, because their observers cannot be stopped. */
let ofProcess: Registry<Contents> | undefined;

function processRegistry(): Registry<Contents> {
  if (ofProcess) return ofProcess;
  ofProcess = new Registry();
  collectDefaultMetrics({ register: ofProcess });
  readAtScrape(ofProcess, {
    name: 'starkbox_engine_threads',
    help: 'Threads of the engine, busy or idle',
    read: engineThreads,
  });
  return ofProcess;
}

/** The metrics of one node. Counters are not reset when its chain goes back to a snapshot. */
export class Metrics implements Probe {
  readonly #registry = new Registry<Contents>();
  readonly #callSeconds = this.#histogram(
    'rpc_call_duration_seconds',
    'Duration of calls',
    CALL,
    'method',
  );
  readonly #calls = this.#counter(
    'rpc_call_count',
    'Number of calls, by outcome',
    'method',
    'status',
  );
  readonly #waits = this.#histogram(
    'devnet_lifecycle_lock_wait_seconds',
    'Time that changes waited in the queue',
    TURN,
    'mode',
  );
  readonly #holds = this.#histogram(
    'devnet_lifecycle_lock_hold_seconds',
    'Duration of changes, without waiting',
    TURN,
    'mode',
  );
  readonly #blocks = this.#histogram(
    'starknet_block_creation_duration_seconds',
    'Duration of closing a block',
    BLOCK,
  );
  readonly #executions = this.#histogram(
    'starkbox_execution_duration_seconds',
    'Duration of executions',
    EXECUTION,
    'kind',
  );
  readonly #stalls = this.#histogram(
    'starkbox_loop_stall_seconds',
    'Steps of a call that blocked the event loop for more than 0.2 s',
    STALL,
    'method',
    'stage',
  );
  readonly #upstreamSeconds = this.#histogram(
    'starknet_upstream_call_duration_seconds',
    'Duration of requests to the origin',
    UPSTREAM,
    'method',
    'status',
  );
  readonly #upstream = this.#counter(
    'starknet_upstream_call_count',
    'Number of requests to the origin',
    'method',
    'status',
  );
  readonly #hits = this.#counter(
    'starknet_upstream_cache_hit_count',
    'Reads of the origin that the cache served',
    'method',
  );
  readonly #misses = this.#counter(
    'starknet_upstream_cache_miss_count',
    'Reads of the origin that were not in the cache',
    'method',
  );
  readonly #running: Record<Execution, number> = { transaction: 0, call: 0, simulation: 0 };

  constructor() {
    processRegistry();
  }

  #histogram<Label extends string = never>(
    name: string,
    help: string,
    buckets: number[],
    ...labelNames: Label[]
  ): Histogram<Label> {
    return new Histogram({ name, help, buckets, labelNames, registers: [this.#registry] });
  }

  #counter<Label extends string>(
    name: string,
    help: string,
    ...labelNames: Label[]
  ): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.#registry] });
  }

  /** Adds figures that are read at each scrape. */
  observe(look: () => Figures): void {
    for (const [name, [help, pick]] of Object.entries(GAUGES)) {
      readAtScrape(this.#registry, { name, help, read: () => pick(look()) });
    }
    readAtScrape(this.#registry, {
      name: 'starkbox_subscriptions',
      help: 'Subscriptions, by topic',
      label: 'topic',
      read: () => look().subscriptions,
    });
    readAtScrape(this.#registry, {
      name: 'starkbox_executions_running',
      help: 'Running executions, by kind',
      label: 'kind',
      read: () => this.#running,
    });
  }

  /** @param method by its canonical name, or `unknown` */
  called(method: string, seconds: number, isError: boolean): void {
    this.#callSeconds.observe({ method }, seconds);
    this.#calls.inc({ method, status: isError ? 'error' : 'success' });
  }

  async around<T>(work: Work, run: () => Promise<T>): Promise<T> {
    if (work.kind === 'request') return run();
    const seconds = stopwatch();
    if (work.kind === 'execution') this.#running[work.of] += 1;
    let status = 'error';
    try {
      const result = await run();
      status = 'success';
      return result;
    } finally {
      this.#recordWork(work, seconds(), status);
    }
  }

  #recordWork(work: Work, seconds: number, status: string): void {
    switch (work.kind) {
      case 'change':
        this.#holds.observe({ mode: 'write' }, seconds);
        break;
      case 'block':
        this.#blocks.observe(seconds);
        break;
      case 'execution':
        this.#running[work.of] -= 1;
        this.#executions.observe({ kind: work.of }, seconds);
        break;
      case 'upstream': {
        const labels = { method: work.method, status };
        this.#upstream.inc(labels);
        this.#upstreamSeconds.observe(labels, seconds);
      }
    }
  }

  stalled(stage: Stage, method: string, seconds: number): void {
    this.#stalls.observe({ method, stage }, seconds);
  }

  waited(seconds: number): void {
    this.#waits.observe({ mode: 'write' }, seconds);
  }

  looked(method: string, isKept: boolean): void {
    (isKept ? this.#hits : this.#misses).inc({ method });
  }

  /** Everything, as Prometheus reads it. */
  async text(): Promise<string> {
    return `${await this.#registry.metrics()}\n${await processRegistry().metrics()}`;
  }
}

/** The names of threads can be read on Linux only. */
function engineThreads(): number {
  if (process.platform !== 'linux') return 0;
  const tasks = '/proc/self/task';
  const isEngine = (task: string): boolean => {
    try {
      return readFileSync(`${tasks}/${task}/comm`, 'utf8').startsWith('starkbox-engine');
    } catch {
      return false; // it has ended meanwhile
    }
  };
  return readdirSync(tasks).filter(isEngine).length;
}
