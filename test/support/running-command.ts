// The command as a process that listens, writes a log, and can be killed.
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const COMMAND = fileURLToPath(new URL('../../packages/starkbox/bin/starkbox.js', import.meta.url));

/** What a process runs in. */
export interface Surroundings {
  /** Comes before the command. */
  readonly shell?: readonly string[];
  /** Arguments of Node. */
  readonly nodeArgs?: readonly string[];
  readonly cwd?: string;
  /** Whether it leads a process group, as a command does that a terminal runs. */
  readonly leads?: boolean;
}

export class RunningCommand {
  readonly url: string;
  /** Its exit code, or the name of what ended it. */
  readonly gone: Promise<number | string | null>;
  readonly #child: ChildProcess;
  readonly #said: readonly string[];

  constructor(
    child: ChildProcess,
    said: readonly string[],
    { url, gone }: Pick<RunningCommand, 'url' | 'gone'>,
  ) {
    this.#child = child;
    this.#said = said;
    this.url = url;
    this.gone = gone;
  }

  /** Resolves when it listens; throws what it said if it ends instead. */
  static async start(
    args: readonly string[],
    { shell = [], nodeArgs = [], cwd, leads = false }: Surroundings = {},
  ): Promise<RunningCommand> {
    const fixedArgs = ['--port', '0', '--no-banner'];
    const words = [...shell, process.execPath, ...nodeArgs, COMMAND, ...fixedArgs, ...args];
    const [program = '', ...rest] = words;
    const child = spawn(program, rest, {
      cwd,
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: leads,
    });
    const kill = (): void => void child.kill('SIGKILL');
    process.once('exit', kill);
    const said: string[] = [];
    const gone = new Promise<number | string | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => {
        process.off('exit', kill);
        resolve(code ?? signal);
      });
    });
    const url = await new Promise<string>((resolve, reject) => {
      createInterface({ input: child.stderr }).on('line', (line) => {
        said.push(line);
        const [, listeningUrl] = /listening on (http:\S+)/.exec(line) ?? [];
        if (listeningUrl !== undefined) resolve(listeningUrl);
      });
      gone.then((code) => {
        reject(new Error(`the command ended with ${code}: ${said.join('\n')}`));
      }, reject);
    });
    return new RunningCommand(child, said, { url, gone });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Every line of its log so far. */
  get said(): readonly string[] {
    return this.#said;
  }

  /**
   * The result of a call; throws an `Error` with the code and the message of a refusal.
   *
   * @param path that of an instance
   */
  async call(method: string, params: unknown = {}, path = ''): Promise<unknown> {
    const response = await fetch(this.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result, error }: { result?: unknown; error?: { code: number; message: string } } =
      Object(await response.json());
    if (error) throw Object.assign(new Error(error.message), { code: error.code });
    return result;
  }

  kill(): Promise<number | string | null> {
    return this.stop('SIGKILL');
  }

  /** Sends a signal and waits for the end. */
  stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | string | null> {
    this.#child.kill(signal);
    return this.gone;
  }
}
