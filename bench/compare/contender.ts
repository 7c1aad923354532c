// A node under comparison: its process, a client over kept-alive connections, and its memory.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** How a node is reached: a command that starts it, or the URL of one that runs. */
export type Address = { readonly command: string } | { readonly url: string };

export function addressOf(text: string): Address {
  return /^https?:/.test(text) ? { url: text.replace(/\/(rpc)?\/?$/, '') } : { command: text };
}

export function withOptions(address: Address, options: string | undefined): Address {
  if ('url' in address || options === undefined) return address;
  return { command: `${address.command} ${options}` };
}

const CONNECTIONS = 16;
/** Milliseconds in which a node must have started. */
const PATIENCE = 60_000;
/** Milliseconds in which a request must be answered. */
const ANSWER_WITHIN = 180_000;
/** Polling interval in milliseconds, which is the precision of the time to the first answer. */
const PAUSE = 2;

/** A JSON-RPC error that a node answered. */
export class Refused extends Error {
  readonly code: unknown;

  constructor(error: unknown) {
    const { code, message, data } = Object(error);
    const more = data === undefined ? '' : `: ${JSON.stringify(data)}`;
    super(`${code} ${message}${more}`.slice(0, 160));
    this.code = code;
  }
}

/** A folder for what a node caches between its processes. A new one is empty. */
export class CacheFolder {
  readonly path: string = mkdtempSync(join(tmpdir(), 'starkbox-bench-'));

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** A running node. */
export class Contender {
  readonly url: string;
  /** Milliseconds from the start of the process to its first answer; undefined for one that ran. */
  readonly started: number | undefined;
  readonly #child: ChildProcess | undefined;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });

  constructor(url: string, child?: ChildProcess, started?: number) {
    this.url = url;
    this.#child = child;
    this.started = started;
  }

  /** Starts a node and waits for its first answer; `--port 0` in a command becomes a free port. */
  static async open(address: Address, cache: CacheFolder): Promise<Contender> {
    if ('url' in address) return new Contender(address.url);
    const port = await freePort();
    const command = address.command.replace(/--port[ =]0\b/, `--port ${port}`);
    if (command === address.command) throw new Error(`add --port 0 to the command: ${command}`);
    const [program = '', ...args] = command.split(/\s+/);
    const begin = performance.now();
    const env = { ...process.env, XDG_CACHE_HOME: cache.path };
    // A process group of its own, so that what it starts is counted and ended with it.
    const child = spawn(program, args, { stdio: 'ignore', detached: true, env });
    const url = `http://127.0.0.1:${port}`;
    const failed = new Promise<never>((_, reject) => {
      child.once('error', reject);
      child.once('exit', (code) => reject(new Error(`${program} ended with ${code}`)));
    });
    const first = new Contender(url, child);
    try {
      return new Contender(url, child, await Promise.race([first.#firstAnswer(begin), failed]));
    } catch (error) {
      await first.close();
      throw error;
    }
  }

  async #firstAnswer(begin: number): Promise<number> {
    for (;;) {
      try {
        await this.call('starknet_blockNumber');
        return performance.now() - begin;
      } catch (error) {
        if (error instanceof Refused || performance.now() - begin > PATIENCE) throw error;
        await sleep(PAUSE);
      }
    }
  }

  /** @throws Refused if the node answers with an error */
  call(method: string, params: unknown = {}): Promise<unknown> {
    return this.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  }

  /** Whether a method that needs no parameters is answered without an error. */
  async answers(method: string): Promise<boolean> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: {} });
    return (await this.#ask(body)).error === undefined;
  }

  /**
   * Sends a request that is written already.
   * @throws Refused if the node answers with an error
   */
  async send(body: string): Promise<unknown> {
    const { result, error } = await this.#ask(body);
    if (error !== undefined) throw new Refused(error);
    return result;
  }

  #ask(body: string): Promise<{ readonly result?: unknown; readonly error?: unknown }> {
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    };
    return new Promise((resolve, reject) => {
      const options = { method: 'POST', path: '/rpc', agent: this.#agent, headers };
      const sent = request(this.url, { ...options, timeout: ANSWER_WITHIN }, (answer) => {
        const pieces: Buffer[] = [];
        answer.on('data', (piece: Buffer) => pieces.push(piece));
        answer.on('error', reject);
        answer.on('end', () => {
          if (answer.statusCode !== 200) reject(new Error(`HTTP ${answer.statusCode}`));
          else resolve(Object(JSON.parse(Buffer.concat(pieces).toString())));
        });
      });
      sent.on('timeout', () => sent.destroy(new Error(`no answer in ${ANSWER_WITHIN / 1000} s`)));
      sent.on('error', (error) =>
        reject(this.#hasEnded ? new Error('its process has ended') : error),
      );
      sent.end(body);
    });
  }

  get #hasEnded(): boolean {
    return this.#child !== undefined && (this.#child.exitCode ?? this.#child.signalCode) !== null;
  }

  /** Resident memory of the node and its children in megabytes; undefined for one that ran. */
  memory(): number | undefined {
    return this.#sum(({ kilobytes }) => kilobytes / 1024);
  }

  /** CPU milliseconds of the node and its children so far; undefined for one that ran. */
  cpu(): number | undefined {
    return this.#sum(({ ticks }) => ticks * TICK);
  }

  #sum(part: (status: Status) => number): number | undefined {
    const root = this.#child?.pid;
    if (root === undefined) return undefined;
    let sum = 0;
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      const status = statusOf(pid);
      // A started node leads its process group.
      if (status?.group === root) sum += part(status);
    }
    return sum;
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    const child = this.#child;
    if (child?.pid === undefined || this.#hasEnded) return;
    const ended = once(child, 'exit');
    process.kill(-child.pid, 'SIGKILL');
    await ended;
  }
}

/** Milliseconds of the unit in which Linux counts CPU time. */
const TICK = 10;

interface Status {
  readonly group: number;
  readonly kilobytes: number;
  readonly ticks: number;
}

/** Process group, resident memory and CPU time of a process; undefined if it has ended. */
function statusOf(pid: string): Status | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in brackets may contain spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const resident = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    const ticks = Number(fields[11]) + Number(fields[12]);
    return { group: Number(fields[2]), kilobytes: Number(resident ?? 0), ticks };
  } catch {
    return undefined;
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address: AddressInfo | string | null = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return address.port;
}
