// A node that a command starts, or one that runs already: its client, its memory and its CPU time.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { COMMAND } from '../repository.js';
import { RpcClient, RpcError } from './rpc-client.js';

/** How a node is reached: a command that starts it, or the URL of one that runs. */
export type Address = { readonly command: string } | { readonly url: string };

export const OUR_COMMAND = `${process.execPath} ${COMMAND} --seed 0 --port 0`;

/** Milliseconds in which a node must have started. */
const START_TIMEOUT = 60_000;
/** Polling interval in milliseconds, which is the precision of the time to the first answer. */
const POLL_INTERVAL = 2;
/** Milliseconds of the unit in which Linux counts CPU time. */
const TICK = 10;

export class SpawnedNode extends RpcClient {
  /** Milliseconds from the start of the process to its first answer; undefined for one that ran. */
  readonly startTime: number | undefined;
  readonly #child: ChildProcess | undefined;

  constructor(url: string, child?: ChildProcess, startTime?: number) {
    super(url);
    this.#child = child;
    this.startTime = startTime;
  }

  /**
   * Starts a node and waits for its first answer; `--port 0` in a command becomes a free port.
   *
   * @param cache a folder for what nodes cache between their processes
   */
  static async open(address: Address, cache?: string): Promise<SpawnedNode> {
    if ('url' in address) return new SpawnedNode(address.url);
    const port = await freePort();
    const command = address.command.replace(/--port[ =]0\b/, `--port ${port}`);
    if (command === address.command) throw new Error(`add --port 0 to the command: ${command}`);
    const [program = '', ...args] = command.split(/\s+/);
    const env = { ...process.env, ...(cache === undefined ? {} : { XDG_CACHE_HOME: cache }) };
    const start = performance.now();
    // A process group of its own, so that its children are counted and ended with it.
    const child = spawn(program, args, { stdio: 'ignore', detached: true, env });
    const url = `http://127.0.0.1:${port}`;
    const failure = new Promise<never>((_, reject) => {
      child.once('error', reject);
      child.once('exit', (code) => reject(new Error(`${program} exited with ${code}`)));
    });
    const starting = new SpawnedNode(url, child);
    try {
      await Promise.race([starting.#firstAnswer(start), failure]);
      return new SpawnedNode(url, child, performance.now() - start);
    } catch (error) {
      await starting.end();
      throw error;
    }
  }

  async #firstAnswer(start: number): Promise<void> {
    for (;;) {
      try {
        await this.call('starknet_blockNumber');
        return;
      } catch (error) {
        if (error instanceof RpcError || performance.now() - start > START_TIMEOUT) throw error;
        await sleep(POLL_INTERVAL);
      }
    }
  }

  get #hasExited(): boolean {
    return this.#child !== undefined && (this.#child.exitCode ?? this.#child.signalCode) !== null;
  }

  override async answer(body: string): ReturnType<RpcClient['answer']> {
    try {
      return await super.answer(body);
    } catch (error) {
      throw this.#hasExited ? new Error('its process has exited') : error;
    }
  }

  /** Resident memory of the node and its children in megabytes; undefined for one that ran. */
  memory(): number | undefined {
    return this.#sum(({ kilobytes }) => kilobytes / 1024);
  }

  /** The part of `memory` that is not the content of files, in megabytes. */
  anonymous(): number | undefined {
    return this.#sum(({ anonymous }) => anonymous / 1024);
  }

  /** CPU milliseconds of the node and its children so far; undefined for one that ran. */
  cpu(): number | undefined {
    return this.#sum(({ ticks }) => ticks * TICK);
  }

  #sum(part: (status: ProcessStatus) => number): number | undefined {
    const leader = this.#child?.pid;
    if (leader === undefined) return undefined;
    let sum = 0;
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      const status = statusOf(pid);
      // A started node leads its process group.
      if (status?.group === leader) sum += part(status);
    }
    return sum;
  }

  async end(): Promise<void> {
    this.close();
    const child = this.#child;
    if (child?.pid === undefined || this.#hasExited) return;
    const exit = once(child, 'exit');
    process.kill(-child.pid, 'SIGKILL');
    await exit;
  }
}

interface ProcessStatus {
  readonly group: number;
  readonly kilobytes: number;
  readonly anonymous: number;
  readonly ticks: number;
}

/** Process group, resident memory and CPU time of a process; undefined if it has exited. */
export function statusOf(pid: string | number): ProcessStatus | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in brackets may contain spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const resident = /VmRSS:\s+(\d+)/.exec(status)?.[1];
    const anonymous = Number(/RssAnon:\s+(\d+)/.exec(status)?.[1] ?? 0);
    const ticks = Number(fields[11]) + Number(fields[12]);
    return { group: Number(fields[2]), kilobytes: Number(resident ?? 0), anonymous, ticks };
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
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}
