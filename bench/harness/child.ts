// Child processes of a scenario, which run commands that a module exports.
import { type ChildProcess, fork } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { fileURLToPath } from 'node:url';

type Commands = Readonly<Record<string, (...args: never[]) => unknown>>;

interface Call {
  readonly id: number;
  readonly name: string;
  readonly args: readonly unknown[];
}

interface Reply {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: string;
}

/** Runs commands that the parent sends, if this process was started with the module. */
export function serve(module: string, commands: Commands): void {
  if (!process.send || process.argv[1] !== fileURLToPath(module)) return;
  const reply = async ({ id, name, args }: Call): Promise<Reply> => {
    try {
      const command = commands[name];
      if (!command) throw new Error(`no command ${name}`);
      return { id, result: await Reflect.apply(command, undefined, args) };
    } catch (error) {
      return { id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    }
  };
  process.on('message', (call: Call) => {
    reply(call).then(
      (message) => process.send?.(message),
      () => process.exit(1),
    );
  });
  process.once('disconnect', () => process.exit());
}

export interface ChildOptions {
  readonly execArgv?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A process that runs the commands `C` of a module. */
export class Child<C extends Commands> {
  readonly #process: ChildProcess;
  /** An event for each call, with its reply. */
  readonly #replies = new EventEmitter();
  #id = 0;

  constructor(module: URL, { execArgv = [], env = {} }: ChildOptions = {}) {
    this.#process = fork(fileURLToPath(module), {
      execArgv: [...execArgv],
      env: { ...process.env, ...env },
      // JSON has no infinity.
      serialization: 'advanced',
    });
    this.#process.on('message', (reply: Reply) => this.#replies.emit(String(reply.id), reply));
    this.#process.on('exit', (code, signal) => {
      this.#failCalls(new Error(`the process of ${module} exited with ${code ?? signal}`));
    });
  }

  /** Rejects the calls that have no reply yet. */
  #failCalls(error: Error): void {
    if (this.#replies.listenerCount('error') > 0) this.#replies.emit('error', error);
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  async call<N extends keyof C & string>(
    name: N,
    ...args: Parameters<C[N]>
  ): Promise<Awaited<ReturnType<C[N]>>> {
    this.#id += 1;
    const id = this.#id;
    const reply = once(this.#replies, String(id));
    this.#process.send({ id, name, args }, (error) => {
      if (error) this.#failCalls(error);
    });
    const [{ result, error }] = await reply;
    if (error !== undefined) throw new Error(error);
    return result;
  }

  async end(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const exit = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await exit;
  }
}
