// Prometheus metrics of a node.
import { readdirSync, readFileSync } from 'node:fs';
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import { type Execution, type Probe, type Stage, stopwatch, type Work } from '../probe.js';
import { type Contents, counter, gauge, labelled, labelledCounter } from './scraped.js';

/** A metric of the registry of instances, read at a scrape. */
export type RegistryMetric = { readonly name: string; readonly help: string } & (
  | { readonly kind: 'gauge' | 'counter'; readonly read: () => number }
  | {
      readonly kind: 'labelled counter';
      readonly label: string;
      /** By the values of the label. */
      readonly read: () => Readonly<Record<string, number>>;
    }
);

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
  /** What is queued for WebSocket clients. */
  readonly queuedMessages: number;
  readonly queuedBytes: number;
  readonly connections: number;
  /** What requests and answers hold of the memory budget. */
  readonly clientBytes: number;
  /** Cached answers of the origin. */
  readonly upstreamCacheSize: number;
}

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
  gauge(ofProcess, 'starkbox_engine_threads', 'Threads of the engine, busy or idle', engineThreads);
  return ofProcess;
}

/** The metrics of one node. Counters are not reset when its chain goes back to a snapshot. */
export class Metrics implements Probe {
  readonly #registry = new Registry<Contents>();
  readonly #calls: Counter<'method' | 'status'>;
  readonly #callSeconds: Histogram<'method'>;
  readonly #waits: Histogram<'mode'>;
  readonly #holds: Histogram<'mode'>;
  readonly #blocks: Histogram;
  readonly #executions: Histogram<'kind'>;
  readonly #stalls: Histogram<'method' | 'stage'>;
  readonly #upstream: Counter<'method' | 'status'>;
  readonly #upstreamSeconds: Histogram<'method' | 'status'>;
  readonly #hits: Counter<'method'>;
  readonly #misses: Counter<'method'>;
  readonly #running: Record<Execution, number> = { transaction: 0, call: 0, simulation: 0 };

  constructor() {
    const registers = [this.#registry];
    this.#callSeconds = new Histogram({
      name: 'rpc_call_duration_seconds',
      help: 'Duration of calls',
      labelNames: ['method'],
      buckets: CALL,
      registers,
    });
    this.#calls = new Counter({
      name: 'rpc_call_count',
      help: 'Number of calls, by outcome',
      labelNames: ['method', 'status'],
      registers,
    });
    this.#waits = new Histogram({
      name: 'devnet_lifecycle_lock_wait_seconds',
      help: 'Time that changes waited in the queue',
      labelNames: ['mode'],
      buckets: TURN,
      registers,
    });
    this.#holds = new Histogram({
      name: 'devnet_lifecycle_lock_hold_seconds',
      help: 'Duration of changes, without waiting',
      labelNames: ['mode'],
      buckets: TURN,
      registers,
    });
    this.#blocks = new Histogram({
      name: 'starknet_block_creation_duration_seconds',
      help: 'Duration of closing a block',
      buckets: BLOCK,
      registers,
    });
    this.#executions = new Histogram({
      name: 'starkbox_execution_duration_seconds',
      help: 'Duration of executions',
      labelNames: ['kind'],
      buckets: EXECUTION,
      registers,
    });
    this.#stalls = new Histogram({
      name: 'starkbox_loop_stall_seconds',
      help: 'Steps of a call that blocked the event loop for more than 0.2 s',
      labelNames: ['method', 'stage'],
      buckets: STALL,
      registers,
    });
    this.#upstreamSeconds = new Histogram({
      name: 'starknet_upstream_call_duration_seconds',
      help: 'Duration of requests to the origin',
      labelNames: ['method', 'status'],
      buckets: UPSTREAM,
      registers,
    });
    this.#upstream = new Counter({
      name: 'starknet_upstream_call_count',
      help: 'Number of requests to the origin',
      labelNames: ['method', 'status'],
      registers,
    });
    this.#hits = new Counter({
      name: 'starknet_upstream_cache_hit_count',
      help: 'Reads of the origin that were answered from the cache',
      labelNames: ['method'],
      registers,
    });
    this.#misses = new Counter({
      name: 'starknet_upstream_cache_miss_count',
      help: 'Reads of the origin that were not in the cache',
      labelNames: ['method'],
      registers,
    });
    processRegistry();
  }

  /** Adds figures that are read at each scrape. */
  observe(look: () => Figures, ofInstances: readonly RegistryMetric[]): void {
    const show = (name: string, help: string, pick: (figures: Figures) => number): void =>
      gauge(this.#registry, name, help, () => pick(look()));
    show('starknet_transaction_count', 'Transactions of the chain', (f) => f.transactions);
    show('starknet_block_count', 'Closed blocks of the chain', (f) => f.blocks);
    show(
      'starknet_upstream_cache_size',
      'Cached answers of the origin',
      (f) => f.upstreamCacheSize,
    );
    show(
      'starkbox_pending_transactions',
      'Transactions in the pending block',
      (f) => f.pendingTransactions,
    );
    show(
      'starkbox_mempool_transactions',
      'Transactions that wait in the mempool',
      (f) => f.waitingTransactions,
    );
    show('starkbox_snapshots', 'Snapshots', (f) => f.snapshots);
    show('starkbox_instances', 'Instances', (f) => f.instances);
    show('starkbox_changes_waiting', 'Changes in the queue', (f) => f.waitingChanges);
    show(
      'starkbox_executions_waiting',
      'Calls, estimates and simulations that wait for a slot',
      (f) => f.waitingExecutions,
    );
    show('starkbox_state_slots', 'Storage slots in memory', (f) => f.state.slots);
    show('starkbox_state_contracts', 'Contracts in memory', (f) => f.state.contracts);
    show('starkbox_state_classes', 'Classes in memory', (f) => f.state.classes);
    show('starkbox_state_versions', 'Blocks whose state is in memory', (f) => f.state.versions);
    show(
      'starkbox_state_older_values',
      'Values of older blocks in memory',
      (f) => f.state.olderValues,
    );
    show(
      'starkbox_state_bytes',
      'Approximate size of the state in memory',
      (f) => f.state.approximateBytes,
    );
    show('starkbox_sockets', 'Open WebSockets', (f) => f.sockets);
    show('starkbox_connections', 'Open HTTP connections', (f) => f.connections);
    show('starkbox_client_bytes', 'Bytes of the memory budget in use', (f) => f.clientBytes);
    show(
      'starkbox_socket_queued_messages',
      'Messages queued for WebSocket clients',
      (f) => f.queuedMessages,
    );
    show(
      'starkbox_socket_queued_bytes',
      'Bytes queued for WebSocket clients',
      (f) => f.queuedBytes,
    );
    labelled(
      this.#registry,
      'starkbox_subscriptions',
      'Subscriptions, by topic',
      'topic',
      () => look().subscriptions,
    );
    labelled(
      this.#registry,
      'starkbox_executions_running',
      'Running executions, by kind',
      'kind',
      () => this.#running,
    );
    for (const metric of ofInstances) this.#observeInstances(metric);
  }

  #observeInstances(metric: RegistryMetric): void {
    const { name, help } = metric;
    if (metric.kind === 'labelled counter') {
      labelledCounter(this.#registry, name, help, metric.label, metric.read);
    } else {
      const define = metric.kind === 'gauge' ? gauge : counter;
      define(this.#registry, name, help, metric.read);
    }
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
      this.#done(work, seconds(), status);
    }
  }

  #done(work: Work, seconds: number, status: string): void {
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
