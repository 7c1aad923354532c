// Knows how to run an Anvil of our own: where its program is found, how it starts, and that it ends with us.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { L1Error } from './ethereum.js';

export interface Anvil {
  readonly url: string;
  close(): Promise<void>;
}

const PACKAGE = '@foundry-rs/anvil';
const NOT_FOUND = `Anvil is not installed. Either install Foundry (https://getfoundry.sh), so that anvil is on the PATH, or run: npm install --save-dev ${PACKAGE}`;

const START_MILLISECONDS = 15_000;

/**
 * Runs a program that is stopped when standard input ends, which it does however we end. A shell does
 * that for every system but Windows, where only an orderly end stops it.
 */
const UNTIL_INPUT_ENDS =
  'exec 3<&0; "$@" </dev/null & p=$!; (cat <&3 >/dev/null; kill $p 2>/dev/null) & wait $p';

export interface AnvilOptions {
  /** 0 takes a free one. */
  readonly port: number;
  /** A file that its chain is kept in. */
  readonly state?: string | undefined;
  readonly onExit: (reason: string) => void;
}

/** The Anvil of a node that was just killed needs a moment to leave its port. */
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
  const args = ['--host', '127.0.0.1', '--port', String(port)];
  if (state !== undefined) args.push('--state', state, '--state-interval', '1');
  const [command, ...words] =
    process.platform === 'win32'
      ? [program, ...args]
      : ['/bin/sh', '-c', UNTIL_INPUT_ENDS, 'anvil', program, ...args];
  const child = spawn(command ?? program, words, { stdio: ['pipe', 'pipe', 'pipe'] });
  let isClosing = false;
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const close = async (): Promise<void> => {
    isClosing = true;
    child.stdin.end();
    if (process.platform === 'win32') child.kill();
    await ended;
  };
  try {
    const url = await listening(child, port);
    child.once('close', () => {
      if (!isClosing) onExit('Anvil has ended by itself');
    });
    return { url, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Waits for the line that says where it listens. */
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
      const place = /^Listening on (\S+)$/.exec(line.trim())?.[1];
      if (place === undefined) return;
      clearTimeout(late);
      resolve(`http://${place}/`);
    });
    child.once('error', (error) => fail(error.message));
    child.once('close', () => {
      clearTimeout(late);
      fail('has ended.');
    });
  });
}

/**
 * On the PATH, or from the npm package, wherever that is installed: beside us or in the project. The
 * program itself comes in a package for each kind of machine.
 */
export async function findAnvil(): Promise<string> {
  try {
    await promisify(execFile)('anvil', ['--version']);
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
