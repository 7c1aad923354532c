// Failing output streams of the command: the output is lost, the chain is not.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '@starkbox/test-support/temporary-folder';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const COMMAND = fileURLToPath(new URL('../../../starkbox/bin/starkbox.js', import.meta.url));

let directory: string;
const children: ChildProcess[] = [];
const files: number[] = [];
beforeEach(() => {
  directory = temporaryFolder();
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const file of files.splice(0)) closeSync(file);
});

function opened(path: string, flags: string): number {
  const file = openSync(path, flags);
  files.push(file);
  return file;
}

/** The port comes over a socket, since the streams may hold nothing. */
async function start(
  streams: { readonly stdout?: number; readonly stderr?: number; readonly shell?: string },
  ...args: readonly string[]
) {
  const path = join(directory, 'port.sock');
  const server = createServer().listen(path);
  await once(server, 'listening');
  const connection = once(server, 'connection');
  const { shell = 'exec "$@"' } = streams;
  const words = [process.execPath, COMMAND, '--port', '0', '--accounts', '1', ...args];
  const child = spawn('/bin/sh', ['-c', shell, 'sh', ...words], {
    cwd: directory,
    env: { PATH: '', UNIX_SOCKET: path },
    stdio: ['ignore', streams.stdout ?? 'ignore', streams.stderr ?? 'ignore'],
  });
  children.push(child);
  const gone = once(child, 'exit').then(([code, signal]) => code ?? signal);
  const first = await Promise.race([connection, gone]);
  if (!Array.isArray(first)) throw new Error(`the node ended with ${first}`);
  const [bytes]: Buffer[] = await once(first[0], 'data');
  server.close();
  const url = `http://127.0.0.1:${bytes?.readUInt16BE(0)}`;
  return { child, gone, url };
}

async function height(url: string, method: string): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method }),
  });
  const { result }: { result?: unknown } = Object(await response.json());
  return result;
}

/** Every block is a line of the log. */
async function expectToLive({ child, gone, url }: Awaited<ReturnType<typeof start>>) {
  for (let block = 0; block < 3; block += 1) await height(url, 'devnet_createBlock');
  expect(await height(url, 'starknet_blockNumber')).toBe(3);
  child.kill('SIGTERM');
  expect(await gone).toBe(0);
}

describe('stderr', () => {
  test.each(['pretty', 'json'])('a reader of the %s log stops reading', async (format) => {
    const fifo = join(directory, 'log');
    execFileSync('mkfifo', [fifo]);
    const reader = spawn('/bin/sh', ['-c', `grep -m1 listening <${fifo}`], { stdio: 'ignore' });
    children.push(reader);
    const ended = once(reader, 'exit');
    const running = await start({ shell: `exec "$@" 2>${fifo}` }, '--log-format', format);
    await ended;
    await expectToLive(running);
  });

  test.each(['pretty', 'json'])('there is no space for the %s log', async (format) => {
    await expectToLive(
      await start(
        { stderr: opened('/dev/full', 'w') },
        '--log-format',
        format,
        '--log-level',
        'debug',
      ),
    );
  });
});

describe('stdout', () => {
  test('there is no space for the banner', async () => {
    await expectToLive(await start({ stdout: opened('/dev/full', 'w') }));
  });

  test('nor for anything', async () => {
    const full = opened('/dev/full', 'w');
    await expectToLive(await start({ stdout: full, stderr: full }));
  });

  test('a command whose result cannot be written has failed', async () => {
    const full = opened('/dev/full', 'w');
    const child = spawn(process.execPath, [COMMAND, '--help'], { stdio: ['ignore', full, 'pipe'] });
    children.push(child);
    let said = '';
    child.stderr?.on('data', (part) => {
      said += part;
    });
    const [code] = await once(child, 'close');
    expect(code).toBe(1);
    expect(said).toMatch(/^error: cannot write to stdout: ENOSPC.*\n$/);
  });

  test('a reader of help may stop reading', () => {
    const line = `"${process.execPath}" "${COMMAND}" --help | head -n 1; echo "\${PIPESTATUS[0]}"`;
    expect(execFileSync('bash', ['-c', line], { encoding: 'utf8' })).toMatch(/\n0\n$/);
  });
});
