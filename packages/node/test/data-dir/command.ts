// Knows the command as users run it: a process of its own that listens, and that can be killed.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { SmallDisk } from './small-disk.js';

const COMMAND = fileURLToPath(new URL('../../bin/starkbox.js', import.meta.url));

export class RunningCommand {
  readonly url: string;
  readonly #child: ChildProcess;

  constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
  }

  /**
   * Resolves when it listens; throws what it said if it ends instead.
   *
   * @param surroundings what comes before the command, and what Node is told
   */
  static async start(
    args: readonly string[],
    { shell = [], nodeArgs = [] }: Partial<Pick<SmallDisk, 'shell' | 'nodeArgs'>> = {},
  ): Promise<RunningCommand> {
    const words = [...shell, process.execPath, ...nodeArgs, COMMAND, '--port', '0', ...args];
    const [program = '', ...rest] = words;
    const child = spawn(program, rest, { stdio: ['ignore', 'ignore', 'pipe'] });
    const said: string[] = [];
    for await (const line of createInterface({ input: child.stderr })) {
      said.push(line);
      const [, url] = /listening on (http:\S+)/.exec(line) ?? [];
      if (url === undefined) continue;
      child.stderr.resume();
      return new RunningCommand(child, url);
    }
    throw new Error(said.join('\n'));
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** The result of a call; throws an `Error` with the code and the message of a refusal. */
  async call(method: string, params: unknown = {}): Promise<unknown> {
    const response = await fetch(this.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result, error }: { result?: unknown; error?: { code: number; message: string } } =
      Object(await response.json());
    if (error) throw Object.assign(new Error(error.message), { code: error.code });
    return result;
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  async stop(): Promise<void> {
    await this.#end('SIGTERM');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill(signal);
    await ended;
  }
}
