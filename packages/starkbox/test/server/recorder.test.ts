// Records of --record-requests, and a file that cannot be written.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RunningCommand } from '@starkbox/test-support/running-command';
import { temporaryFolder } from '@starkbox/test-support/temporary-folder';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { runCommand } from '../../src/cli/commands/command.js';
import { createChain } from '../../src/index.js';
import { createLog } from '../../src/log.js';
import { openRecorder } from '../../src/server/recorder.js';

let directory: string;
const children: ChildProcess[] = [];
beforeEach(() => {
  directory = temporaryFolder();
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

test('no key is written, by whatever name or value it comes', async () => {
  const path = join(directory, 'trace.jsonl');
  const node = await createChain({ port: 0, seed: 0, accounts: 2, recordRequests: path });
  const { url } = await node.listen();
  const post = (body: unknown) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const call = (method: string, params?: unknown) => ({ jsonrpc: '2.0', id: 1, method, params });
  const [firstKey, secondKey] = node.accounts.map(({ privateKey }) => privateKey);
  const key = `0x${'ab'.repeat(32)}`;
  await post(call('devnet_getPredeployedAccounts'));
  await post([call('sandbox_getPredeployedAccounts'), call('devnet_getConfig')]);
  // An L1 that does not answer; its key must not be written all the same.
  const l1 = { network_url: 'http://127.0.0.1:1/a-path-of-secrets', private_key: key };
  await post(call('devnet_postmanLoad', l1));
  await post(call('devnet_postmanLoad', ['http://127.0.0.1:1', '0x1', key]));
  await post(call('starknet_getNonce', { block_id: 'latest', contract_address: firstKey }));
  await post(call('nothing', { privateKey: 'in-camel-case', mnemonic: 'twelve words' }));
  await post(`{ no JSON "private_key": "${secondKey}"`);
  await post(call('starknet_blockNumber'));
  await node.close();

  const text = readFileSync(path, 'utf8');
  for (const secret of [firstKey, secondKey, key])
    expect(text).not.toContain(String(secret).slice(4));
  for (const word of ['a-path-of-secrets', 'in-camel-case', 'twelve words']) {
    expect(text).not.toContain(word);
  }
  const lines = text.trimEnd().split('\n');
  expect(lines).toHaveLength(9);
  for (const line of lines) expect(JSON.parse(line)).toBeTypeOf('object');
  expect(lines.at(-1)).toContain('"result":0');
  // A call with something hidden in it cannot be made again, and one that reaches another host is left out.
  expect(await runCommand(['replay', path])).toMatch(
    /^6 requests, all responses equal; 5 incomplete requests/,
  );
});

test('a full disk stops the recording and not the node', async () => {
  const node = await RunningCommand.start(['--record-requests', '/dev/full', '--accounts', '1']);
  for (let block = 1; block <= 3; block += 1) {
    await node.call('devnet_createBlock');
    expect(await node.call('starknet_blockNumber')).toBe(block);
  }
  const errors = node.said.filter((line) => line.includes('ERROR'));
  expect(errors).toEqual([
    expect.stringContaining('recording requests in /dev/full has stopped: ENOSPC'),
  ]);
  expect(await node.stop()).toBe(0);
});

test('a FIFO that no process reads fails the start', async () => {
  const path = join(directory, 'fifo');
  execFileSync('mkfifo', [path]);
  await expect(createChain({ accounts: 1, recordRequests: path })).rejects.toThrow(
    /fifo is a FIFO that no process reads/,
  );
});

test('a file that takes no more bytes does not keep the node from ending', async () => {
  const path = join(directory, 'fifo');
  execFileSync('mkfifo', [path]);
  // Opened for reading too, and never read.
  const reader = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  const node = await RunningCommand.start(['--record-requests', path, '--accounts', '1']);
  const contract_address = '0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d';
  for (let call = 0; call < 8; call += 1) {
    await node.call('starknet_getClassAt', { block_id: 'latest', contract_address });
  }
  const again = setInterval(() => void node.stop(), 50);
  expect(await node.stop()).toBe('SIGTERM');
  clearInterval(again);
  closeSync(reader);
});

test('the queue of a slow file is bounded, and dropped entries are counted', async () => {
  const path = join(directory, 'fifo');
  execFileSync('mkfifo', [path]);
  // Reads nothing until a line comes on its stdin.
  const reader = spawn('/bin/sh', ['-c', `exec 3<${path}; read line; exec cat <&3`]);
  children.push(reader);
  let read = '';
  reader.stdout.on('data', (part) => {
    read += part;
  });
  const said: string[] = [];
  const log = createLog({ level: 'warn', format: 'json' }, { write: (text) => said.push(text) });
  const secrets = () => ({ keys: [], words: [] });
  const mostWaiting = 500_000;
  // Rejected until the reader has opened it.
  const recorder = await vi.waitFor(() =>
    openRecorder({ path, about: {}, secrets, log, mostWaiting }),
  );
  const answer = JSON.stringify({ jsonrpc: '2.0', id: 1, result: 'x'.repeat(100_000) });
  const { handle } = recorder.recording({ handle: async () => answer });
  for (let count = 0; count < 100; count += 1) await handle('{}', { transport: 'http' });
  expect(said).toHaveLength(1);
  reader.stdin.end('go\n');
  await recorder.close();
  await vi.waitFor(() => expect(read).toMatch(/\{"missing":\d+\}\n$/));
  const lines = read.trimEnd().split('\n');
  const missing: { missing?: number } = JSON.parse(lines.at(-1) ?? '{}');
  expect(lines.length - 2 + (missing.missing ?? 0)).toBe(100);
  expect(read.length).toBeLessThan(3 * mostWaiting);
});
