// A fleet on this machine: MinIO, nodes that reach it by proxies of their own, and HAProxy in front of them.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../../bench/harness/spawned-node.js';
import { COMMAND, ROOT } from '../../../bench/repository.js';
import { MinioServer } from '../test/support/minio-server.js';
import { StoreProxy } from '../test/support/store-proxy.js';
import { STORE_ENVIRONMENT } from './minio.js';

const HOST = '127.0.0.1';
const CONFIGURATION = fileURLToPath(new URL('packages/hosting/deploy/haproxy.cfg', ROOT));

/** Seconds that a lease of these nodes holds without a renewal. */
export const LEASE_SECONDS = 3;
/** The wall clock of the last node is ahead by so much; stores accept requests that differ by up to 15 minutes. */
const CLOCK_AHEAD_MILLISECONDS = 600_000;
const CLOCK_AHEAD = `data:text/javascript,const { now } = Date; Date.now = () => now() + ${CLOCK_AHEAD_MILLISECONDS};`;
export const START_MILLISECONDS = 120_000;

export interface FleetOptions {
  readonly nodes: number;
  /** The program that nodes run. */
  readonly command?: string;
  /** Seconds. */
  readonly hibernateAfter: number;
  readonly hasRouter: boolean;
}

/** A process that is started again and again. */
class Restarted {
  readonly #start: () => ChildProcess;
  #child: ChildProcess | undefined;

  constructor(start: () => ChildProcess) {
    this.#start = start;
  }

  begin(): void {
    this.#child = this.#start();
  }

  get isRunning(): boolean {
    return this.#child?.exitCode === null && this.#child.signalCode === null;
  }

  signal(signal: NodeJS.Signals): void {
    if (this.isRunning) this.#child?.kill(signal);
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (!child || !this.isRunning) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }
}

/** Whether a node or HAProxy in front of nodes answers. */
export async function isAlive(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/is_alive`, { signal: AbortSignal.timeout(1_000) })
    // It does not listen yet.
    .catch(() => undefined);
  return answer?.ok === true;
}

interface NodeProgram {
  readonly command?: string;
  /** Options of Node.js. */
  readonly execArgv?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Its standard output and error. */
  readonly output: readonly [StdioPipe, StdioPipe];
}

type StdioPipe = number | 'ignore' | 'inherit';

/** A node with `--durable` on a store, and its options. */
export class StoredNode {
  readonly name: string;
  readonly url: string;
  readonly process: Restarted;

  constructor(
    name: string,
    port: number,
    options: Readonly<Record<string, string | number>>,
    { command = COMMAND, execArgv = [], env = {}, output }: NodeProgram,
  ) {
    this.name = name;
    this.url = `http://${HOST}:${port}`;
    const all = { port, seed: 0, accounts: 2, ...options };
    const flags = Object.entries(all).flatMap(([key, value]) => [`--${key}`, String(value)]);
    this.process = new Restarted(() =>
      spawn(process.execPath, [...execArgv, command, ...flags, '--durable'], {
        stdio: ['ignore', ...output],
        env: { ...process.env, ...STORE_ENVIRONMENT, ...env },
      }),
    );
  }

  /** Starts the process, and again if it ends at once, until it answers. */
  async start(milliseconds: number = Number.POSITIVE_INFINITY): Promise<void> {
    const until = performance.now() + milliseconds;
    while (true) {
      if (performance.now() > until) throw new Error(`${this.name} does not start`);
      if (!this.process.isRunning) this.process.begin();
      if (await isAlive(this.url)) return;
      await sleep(100);
    }
  }
}

interface FleetNodeOptions extends Pick<FleetOptions, 'command' | 'hibernateAfter'> {
  readonly store: string;
  readonly log: number;
  /** Whether its wall clock is ahead. */
  readonly isAhead: boolean;
}

export class FleetNode extends StoredNode {
  /** Between this node and the store. */
  readonly proxy: StoreProxy;
  /** Whether a fault is under way. */
  isFaulty = false;

  constructor(name: string, port: number, proxy: StoreProxy, options: FleetNodeOptions) {
    const { command = COMMAND, hibernateAfter, store, log, isAhead } = options;
    super(
      name,
      port,
      {
        'instance-store': store,
        'lease-seconds': LEASE_SECONDS,
        'hibernate-after': hibernateAfter,
        'node-url': `http://${HOST}:${port}`,
      },
      { command, execArgv: isAhead ? ['--import', CLOCK_AHEAD] : [], output: [log, log] },
    );
    this.proxy = proxy;
  }
}

/** Starts HAProxy in front of nodes, by the variables of its configuration. */
export function spawnRouter(
  bind: string,
  nodes: Readonly<Record<string, string>>,
  output: readonly ['pipe' | StdioPipe, StdioPipe],
  args: readonly string[] = [],
): ChildProcess {
  // Fewer connections than configured, for machines with a low limit of open files.
  return spawn('haproxy', ['-db', '-n', '2000', '-f', CONFIGURATION, ...args], {
    stdio: ['ignore', ...output],
    env: { ...process.env, STARKBOX_BIND: bind, ...nodes },
  });
}

/** Fleets that run: their processes end with this one. */
const RUNNING = new Set<Fleet>();

process.once('exit', () => {
  for (const fleet of RUNNING) fleet.kill();
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

export class Fleet {
  readonly folder: string;
  readonly nodes: readonly FleetNode[];
  readonly url: string;
  readonly #minio: MinioServer;
  readonly #router: Restarted;
  readonly #inRing: Set<FleetNode>;

  constructor(minio: MinioServer, nodes: readonly FleetNode[], port: number, folder: string) {
    this.folder = folder;
    this.nodes = nodes;
    this.url = `http://${HOST}:${port}`;
    this.#minio = minio;
    this.#inRing = new Set(nodes);
    RUNNING.add(this);
    const log = openSync(join(folder, 'haproxy.log'), 'a');
    this.#router = new Restarted(() => spawnRouter(`${HOST}:${port}`, this.#ring(), [log, log]));
  }

  static async start(
    binary: string,
    { nodes: count, hasRouter, ...program }: FleetOptions,
  ): Promise<Fleet> {
    const folder = mkdtempSync(join(tmpdir(), 'starkbox-fleet-'));
    const minio = await MinioServer.start(binary);
    const nodes: FleetNode[] = [];
    for (let index = 1; index <= count; index += 1) {
      const proxy = await StoreProxy.start(minio.url);
      const log = openSync(join(folder, `node${index}.log`), 'a');
      const store = minio.place('fleet', proxy.url);
      const options = { ...program, store, log, isAhead: index === count };
      nodes.push(new FleetNode(`node${index}`, await freePort(), proxy, options));
    }
    const fleet = new Fleet(minio, nodes, await freePort(), folder);
    await Promise.all(nodes.map((node) => node.start(START_MILLISECONDS)));
    if (hasRouter) await fleet.#startRouter();
    return fleet;
  }

  async #startRouter(): Promise<void> {
    this.#router.begin();
    await sleep(500);
    if (this.#router.isRunning) return;
    await this.close(true);
    throw new Error(`HAProxy did not start: see ${this.folder}/haproxy.log`);
  }

  /** Addresses of the nodes that HAProxy sends requests to; each keeps its place. */
  #ring(): Readonly<Record<string, string>> {
    const places = this.nodes.map((node, index) => [`STARKBOX_NODE_${index + 1}`, node] as const);
    const inRing = places.filter(([, node]) => this.#inRing.has(node));
    return Object.fromEntries(inRing.map(([name, { url }]) => [name, new URL(url).host]));
  }

  /** Ends HAProxy with all its connections, and starts it after a while. */
  async restartRouter(milliseconds: number): Promise<void> {
    await this.#router.end('SIGKILL');
    await sleep(milliseconds);
    if (!this.#router.isRunning) this.#router.begin();
  }

  /** Takes a node out of the ring of HAProxy, or puts it back. */
  async setInRing(node: FleetNode, isIn: boolean): Promise<void> {
    if (isIn) this.#inRing.add(node);
    else this.#inRing.delete(node);
    await this.restartRouter(0);
  }

  /** Ends all processes without waiting for that. */
  kill(): void {
    this.#router.signal('SIGKILL');
    for (const node of this.nodes) node.process.signal('SIGKILL');
    this.#minio.kill();
  }

  /** @param keepsLogs whether the logs stay on disk */
  async close(keepsLogs: boolean): Promise<void> {
    RUNNING.delete(this);
    await this.#router.end('SIGKILL');
    await Promise.all(this.nodes.map((node) => node.process.end('SIGKILL')));
    await Promise.all(this.nodes.map(({ proxy }) => proxy.close()));
    await this.#minio.close();
    if (!keepsLogs) rmSync(this.folder, { recursive: true });
  }
}
