// Process of the managed Anvil: finding its executable, starting it, and ending it with the node.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { childEnvironment } from '../../config/environment.js';
import { L1Error } from '../ethereum/l1-error.js';
import type { AnvilState } from './state-files.js';

export interface Anvil {
  readonly url: string;
  /** From now on its exit is not an error. */
  expectEnd(): void;
  /** Ends it; resolves when its exit state is written. */
  close(): Promise<void>;
}

const PACKAGE = '@foundry-rs/anvil';
const NOT_FOUND = `Anvil is not installed. Either install Foundry (https://getfoundry.sh), and put anvil on the PATH, or run: npm install --save-dev ${PACKAGE}`;

const START_MILLISECONDS = 15_000;
const LAST_OUTPUT_MILLISECONDS = 50;

/**
 * Shell wrapper that stops the program when standard input closes, which happens however the
 * node ends. Windows has no such wrapper: there only an orderly shutdown stops Anvil. Both run
 * in their own session, so that terminal signals reach the node alone and Anvil ends after its
 * state is saved.
 */
const UNTIL_INPUT_ENDS =
  'exec 3<&0; "$@" </dev/null & p=$!; (cat <&3 >/dev/null; kill $p 2>/dev/null) & wait $p';

export interface AnvilOptions {
  /** 0 selects a free one. */
  readonly port: number;
  /** The files of its state, if it has a data directory. */
  readonly state?: AnvilState | undefined;
  readonly onExit: (reason: string) => void;
}

/** Disables Anvil's own periodic dump, which would write to the exit file. */
const NEVER_SECONDS = 10 * 365 * 86_400;

/** Time until an Anvil that does not end is killed. */
const ENDING_MILLISECONDS = 30_000;

/** The Anvil of a node that was just killed still holds its port for a short time. */
const PORT_ATTEMPTS = 10;
const PORT_PAUSE_MILLISECONDS = 200;

export async function startAnvil(options: AnvilOptions): Promise<Anvil> {
  const program = await findAnvil();
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run(program, options);
    } catch (error) {
      const isTaken = error instanceof L1Error && /address already in use/i.test(error.message);
      if (!isTaken || attempt === PORT_ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, PORT_PAUSE_MILLISECONDS));
    }
  }
}

async function run(program: string, { port, state, onExit }: AnvilOptions): Promise<Anvil> {
  const child = launch(program, argumentsFor(port, state), state?.mark ?? 'anvil');
  let isExpected = false;
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  const close = async (): Promise<void> => {
    isExpected = true;
    const late = setTimeout(() => kill(child), ENDING_MILLISECONDS);
    child.stdin?.end();
    if (process.platform === 'win32') child.kill();
    await ended;
    clearTimeout(late);
  };
  try {
    if (child.pid !== undefined) await state?.noteRun(child.pid);
    const url = await listening(child, port);
    if (child.pid !== undefined) await state?.noteRun(child.pid, url);
    child.once('exit', (code, signal) => {
      if (isExpected) return;
      const how = signal ?? `exit code ${code}`;
      onExit(`Anvil exited unexpectedly (${how}): restart the node to get an L1`);
    });
    return {
      url,
      expectEnd: () => {
        isExpected = true;
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function argumentsFor(port: number, state: AnvilState | undefined): readonly string[] {
  const args = ['--host', '127.0.0.1', '--port', String(port)];
  if (!state) return args;
  if (state.file !== undefined) args.push('--load-state', state.file);
  return [...args, '--dump-state', state.exitFile, '--state-interval', String(NEVER_SECONDS)];
}

function launch(program: string, args: readonly string[], mark: string): ChildProcess {
  const stdio: ['pipe', 'pipe', 'pipe'] = ['pipe', 'pipe', 'pipe'];
  const child =
    process.platform === 'win32'
      ? spawn(program, args, { stdio, env: childEnvironment() })
      : spawn('/bin/sh', ['-c', UNTIL_INPUT_ENDS, mark, program, ...args], {
          stdio,
          detached: true,
          env: childEnvironment(),
        });
  // Writing fails if the process has already ended.
  child.stdin.on('error', () => {});
  return child;
}

/** Kills the process group. */
function kill({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // Already ended.
  }
}

/** Waits for the line with the listening address. */
async function listening(child: ChildProcess, port: number): Promise<string> {
  const { stdout, stderr } = child;
  if (!stdout || !stderr) throw new Error('a process was started without pipes');
  let said = '';
  stderr.on('data', (chunk: Buffer) => {
    said = `${said}${chunk}`.slice(-1000);
  });
  return new Promise((resolve, reject) => {
    const fail = (why: string): void =>
      reject(new L1Error(`Anvil on port ${port} ${why} ${said.trim()}`));
    const late = setTimeout(() => fail('does not start.'), START_MILLISECONDS);
    createInterface({ input: stdout }).on('line', (line) => {
      const address = /^Listening on (\S+)$/.exec(line.trim())?.[1];
      if (address === undefined) return;
      clearTimeout(late);
      resolve(`http://${address}/`);
    });
    child.once('error', (error) => fail(error.message));
    child.once('exit', () => {
      clearTimeout(late);
      // Its output may not have arrived yet.
      setTimeout(() => fail('has ended.'), LAST_OUTPUT_MILLISECONDS);
    });
  });
}

/**
 * Finds the executable on the PATH, or in the npm package beside this one or in the project. The
 * package has one optional dependency per platform, which holds the executable.
 */
export async function findAnvil(): Promise<string> {
  try {
    await promisify(execFile)('anvil', ['--version'], { env: childEnvironment() });
    return 'anvil';
  } catch {
    // Not there.
  }
  for (const base of [import.meta.url, join(process.cwd(), 'package.json')]) {
    try {
      const system = process.platform;
      const machine = process.arch === 'x64' ? 'amd64' : process.arch;
      const packed = createRequire(base).resolve(`${PACKAGE}-${system}-${machine}/package.json`);
      return join(dirname(packed), 'bin', system === 'win32' ? 'anvil.exe' : 'anvil');
    } catch {
      // Not there either.
    }
  }
  throw new L1Error(NOT_FOUND);
}
