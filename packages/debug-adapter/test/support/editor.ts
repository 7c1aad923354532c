// An editor that drives `starkbox debug` over the Debug Adapter Protocol, by Microsoft's client.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { closeAfterFile, closeAfterTest } from '@starkbox/test-support/closing';
import { DebugClient } from '@vscode/debugadapter-testsupport';
import type { DebugProtocol } from '@vscode/debugprotocol';

export const COMMAND: string = fileURLToPath(
  new URL('../../../starkbox/bin/starkbox.js', import.meta.url),
);

/** The adapter of these tests; it listens until the file ends. */
export class AdapterProcess {
  readonly port: number;
  readonly #child: ChildProcess;

  constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
  }

  static async start(args: readonly string[] = [], cwd?: string): Promise<AdapterProcess> {
    const child = spawn(process.execPath, [COMMAND, 'debug', '--port', '0', ...args], {
      cwd,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const port = await new Promise<number>((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`the adapter ended with ${code}`)));
      createInterface({ input: child.stdout }).once('line', (line) => {
        resolve(Number(/listening on 127\.0\.0\.1:(\d+)$/.exec(line)?.[1]));
      });
    });
    const adapter = new AdapterProcess(child, port);
    closeAfterFile(() => adapter.close());
    return adapter;
  }

  async close(): Promise<number | null> {
    if (this.#child.exitCode !== null) return this.#child.exitCode;
    const exit = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await exit;
    return this.#child.exitCode;
  }
}

/** A client on the streams of a process that a test started. */
export class StreamClient extends DebugClient {
  constructor(readable: Readable, writable: Writable) {
    super('', '', 'starkbox');
    this.connect(readable, writable);
  }
}

/** A place where the editor shows the program. */
export interface Shown {
  readonly reason: string;
  readonly description: string | undefined;
  readonly text: string | undefined;
  readonly position: number;
  readonly name: string;
  readonly path: string | undefined;
  readonly line: number;
  readonly hitBreakpointIds: readonly number[] | undefined;
}

type StoppedBody = DebugProtocol.StoppedEvent['body'];

/** One debug session. */
export class Editor {
  readonly client: DebugClient;
  readonly output: DebugProtocol.OutputEvent['body'][] = [];
  readonly progress: string[] = [];
  #position = -1;
  #isDisconnected = false;

  constructor(client: DebugClient) {
    this.client = client;
    client.on('output', (event: DebugProtocol.OutputEvent) => this.output.push(event.body));
    client.on('starkbox/position', ({ body }: DebugProtocol.Event) => {
      this.#position = body.position;
    });
    for (const name of ['progressStart', 'progressUpdate', 'progressEnd']) {
      client.on(name, () => this.progress.push(name));
    }
  }

  static async connect(port: number): Promise<Editor> {
    const client = new DebugClient('node', '', 'starkbox');
    await client.start(port);
    const editor = new Editor(client);
    closeAfterTest(() => editor.disconnect());
    return editor;
  }

  async disconnect(): Promise<void> {
    if (this.#isDisconnected) return;
    this.#isDisconnected = true;
    await this.client.stop();
  }

  async initialize(): Promise<DebugProtocol.Capabilities> {
    const { body } = await this.client.initializeRequest({
      adapterID: 'starkbox',
      linesStartAt1: true,
      columnsStartAt1: true,
      pathFormat: 'path',
      supportsProgressReporting: true,
    });
    return body ?? {};
  }

  /** Launches, and ends the configuration. */
  async launch(args: object, configure: () => Promise<unknown> = async () => {}): Promise<Shown> {
    await this.initialize();
    const initialized = this.client.waitForEvent('initialized');
    const launched = this.client.customRequest('launch', args);
    await Promise.race([initialized, launched.then(() => initialized)]);
    await configure();
    const stop = await this.stopAfter(() => this.client.configurationDoneRequest());
    await launched;
    return stop;
  }

  /** Sends a request that moves, and returns where the program stops. */
  async stopAfter(request: () => Promise<unknown>): Promise<Shown> {
    const stopped = this.client.waitForEvent('stopped');
    await request();
    const { reason, description, text, hitBreakpointIds }: StoppedBody = (await stopped).body;
    const frame = (await this.frames(1))[0];
    return {
      reason,
      description,
      text,
      hitBreakpointIds,
      position: this.#position,
      name: frame?.name ?? '',
      path: frame?.source?.path,
      line: frame?.line ?? 0,
    };
  }

  goTo(position: number): Promise<Shown> {
    return this.stopAfter(() => this.client.customRequest('starkbox/goTo', { position }));
  }

  async frames(levels: number = 0): Promise<readonly DebugProtocol.StackFrame[]> {
    const { body } = await this.client.stackTraceRequest({ threadId: 1, levels });
    return body.stackFrames;
  }

  /** Rows of a scope of a frame, by their names. */
  async scope(
    name: string,
    frameId?: number,
  ): Promise<ReadonlyMap<string, DebugProtocol.Variable>> {
    const chosen = frameId ?? (await this.frames(1))[0]?.id ?? 0;
    const { body } = await this.client.scopesRequest({ frameId: chosen });
    const scope = body.scopes.find((candidate) => candidate.name === name);
    if (!scope) throw new Error(`no scope ${name}`);
    return this.children(scope.variablesReference);
  }

  async children(
    variablesReference: number,
    range: Partial<DebugProtocol.VariablesArguments> = {},
  ): Promise<ReadonlyMap<string, DebugProtocol.Variable>> {
    const { body } = await this.client.variablesRequest({ variablesReference, ...range });
    return new Map(body.variables.map((variable) => [variable.name, variable]));
  }

  async evaluate(expression: string): Promise<string> {
    const { body } = await this.client.evaluateRequest({ expression, context: 'watch' });
    return body.result;
  }
}
