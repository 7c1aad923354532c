// A node under comparison: its process, a client over kept-alive connections, and its memory.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** How a node is reached: a command that starts it, or the URL of one that runs. */
export type Address = { readonly command: string } | { readonly url: string };

export function addressOf(text: string): Address {
  return /^https?:/.test(text) ? { url: text } : { command: text };
}

const CONNECTIONS = 16;
const PATIENCE = 60_000;
/** Polling interval in milliseconds, which is the precision of the time to the first answer. */
const PAUSE = 2;

/** A JSON-RPC error that a node answered. */
export class Refused extends Error {}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address: AddressInfo | string | null = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return address.port;
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
  static async open(address: Address): Promise<Contender> {
    if ('url' in address) return new Contender(address.url);
    const port = await freePort();
    const [program = '', ...given] = address.command.split(/\s+/);
    const args = given.join(' ').replace(/--port[ =]0\b/, `--port ${port}`);
    if (!args.includes(String(port))) throw new Error(`${address.command} does not say --port 0`);
    const begin = performance.now();
    const child = spawn(program, args.split(' '), { stdio: 'ignore', detached: true });
    const failed = once(child, 'error').then(([error]) => Promise.reject(error));
    const contender = new Contender(`http://127.0.0.1:${port}`, child);
    const started = await Promise.race([contender.#firstAnswer(begin), failed]);
    return new Contender(contender.url, child, started);
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

  /** Sends a request that is written already. */
  send(body: string): Promise<unknown> {
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    };
    return new Promise((resolve, reject) => {
      const options = { method: 'POST', path: '/rpc', agent: this.#agent, headers };
      const sent = request(this.url, options, (answer) => {
        const pieces: Buffer[] = [];
        answer.on('data', (piece: Buffer) => pieces.push(piece));
        answer.on('error', reject);
        answer.on('end', () => {
          const { result, error } = Object(JSON.parse(Buffer.concat(pieces).toString()));
          if (error === undefined) resolve(result);
          else reject(new Refused(JSON.stringify(error).slice(0, 500)));
        });
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }

  /** Resident memory of the node and its children in megabytes; undefined for one that ran. */
  memory(): number | undefined {
    const root = this.#child?.pid;
    if (root === undefined) return undefined;
    let kilobytes = 0;
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      const status = statusOf(pid);
      // A started node leads its process group.
      if (status?.group === root) kilobytes += status.kilobytes;
    }
    return kilobytes / 1024;
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    const child = this.#child;
    if (child?.pid === undefined || child.exitCode !== null) return;
    const ended = once(child, 'exit');
    process.kill(-child.pid, 'SIGKILL');
    await ended;
  }
}

/** Process group and resident memory of a process; undefined if it has ended. */
function statusOf(pid: string): { readonly group: number; readonly kilobytes: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in brackets may contain spaces.
    const group = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
    const resident = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return { group, kilobytes: Number(resident ?? 0) };
  } catch {
    return undefined;
  }
}
