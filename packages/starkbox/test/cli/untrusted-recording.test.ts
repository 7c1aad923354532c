// Recordings from other people: they set only portable options, and reach no file and no other host.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { temporaryFolderOfFile } from '@starkbox/test-support/temporary-folder';
import { expect, test } from 'vitest';
import { runCommand } from '../../src/cli/commands/command.js';
import { CONFIG_KEYS, OPTIONS } from '../../src/config/options.js';
import { createChain } from '../../src/index.js';
import { memberOf, membersOf, string } from '../../src/json/reader.js';

const folder = temporaryFolderOfFile();

const call = (method: string, params: unknown = {}) => ({ jsonrpc: '2.0', id: 1, method, params });
let written = 0;
function recording(options: object, ...requests: readonly object[]): string {
  written += 1;
  const path = join(folder, `recording-${written}.jsonl`);
  const about = { starkbox: '0', options: { seed: 0, accounts: 1, ...options }, genesis: {} };
  writeFileSync(path, [about, ...requests].map((line) => `${JSON.stringify(line)}\n`).join(''));
  return path;
}
const replay = (path: string, ...more: string[]) => runCommand(['replay', path, ...more]);

/** The result of a call. */
async function post(url: string, body: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  return memberOf(await response.json(), 'result');
}

/** A file with something in it. */
function victim(): string {
  const path = join(folder, 'victim');
  writeFileSync(path, 'keep');
  return path;
}

test('a recording empties no file by an option', async () => {
  const path = victim();
  await expect(replay(recording({ recordRequests: path }))).rejects.toThrow(
    /sets the option 'recordRequests' \(--record-requests\)/,
  );
  expect(readFileSync(path, 'utf8')).toBe('keep');
});

test('every option of files, hosts, ports and secrets is rejected by its name', async () => {
  const values: Readonly<Record<string, unknown>> = {
    configOut: join(folder, 'config-out'),
    dataDir: join(folder, 'data'),
    host: '0.0.0.0',
    l1: 'anvil',
    forkNetwork: 'http://127.0.0.1:1',
    ui: true,
    metricsHost: '0.0.0.0',
    accountClassCustom: join(folder, 'class.json'),
    artifacts: folder,
    dumpPath: join(folder, 'dump'),
    init: join(folder, 'init'),
  };
  for (const [key, value] of Object.entries(values)) {
    await expect(replay(recording({ [key]: value })), key).rejects.toThrow(
      `sets the option '${key}'`,
    );
  }
  for (const name of ['config-out', 'data', 'dump']) {
    expect(existsSync(join(folder, name)), name).toBe(false);
  }
});

test('no portable option takes a path, a URL, a header or a token', () => {
  const portable = CONFIG_KEYS.filter((key) => OPTIONS[key].isPortable);
  expect(portable).toContain('seed');
  for (const key of portable) {
    const { flag, parse, isSecret = false, group } = OPTIONS[key];
    expect(parse.suggests, flag).not.toBe('paths');
    expect(flag).not.toMatch(/PATH|FILE|DIR|URL|HOST|PORT|HEADER|TOKEN/);
    expect(['Forking', 'L1', 'Metrics'], flag).not.toContain(group);
    expect(isSecret, flag).toBe(false);
  }
});

test('calls that reach a file are rejected before any request is made', async () => {
  const path = victim();
  const block = { request: call('devnet_createBlock') };
  const node = await createChain({ port: 0, seed: 0, accounts: 1, dumpOn: 'request' });
  const { url } = await node.listen();
  const dump = call('devnet_dump', { path });
  const forms = [
    { request: dump },
    { request: call('sandbox_dump', { path }) },
    { request: call('devnet_dump', [path]) },
    { request: [call('starknet_chainId'), dump] },
    { request_text: JSON.stringify(dump) },
    { socket: 1, request: dump },
    { version: 'v0_9', request: dump },
    { request: call('devnet_load', { path }) },
  ];
  for (const form of forms) {
    for (const target of [[], ['--url', url]]) {
      await expect(replay(recording({}, block, form), ...target)).rejects.toThrow(
        /line 3 of .* calls \w+_(dump|load)/,
      );
    }
  }
  expect(readFileSync(path, 'utf8')).toBe('keep');
  expect(await post(url, call('starknet_blockNumber'))).toBe(0);
  await node.close();
});

test('calls that reach another host are rejected', async () => {
  let requests = 0;
  const server = createServer((_request, response) => {
    requests += 1;
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const network_url = `http://127.0.0.1:${address.port}`;
  const calls = [
    call('devnet_postmanLoad', { network_url }),
    call('devnet_postmanFlush'),
    call('devnet_restart', { fork: { url: network_url } }),
    call('devnet_restart', [false, { url: network_url }]),
  ];
  for (const request of calls) {
    await expect(replay(recording({}, { request }))).rejects.toThrow(
      `calls ${request.method}, which reaches a file or another host`,
    );
  }
  expect(requests).toBe(0);
  server.close();
  const restart = {
    request: call('devnet_restart'),
    answer: { jsonrpc: '2.0', id: 1, result: {} },
  };
  expect(await replay(recording({}, restart))).toMatch(/^1 request, all responses equal/);
});

test('a word of an answer does not become a method', async () => {
  const path = victim();
  const swap = {
    request: call('devnet_createBlock'),
    answer: { jsonrpc: '2.0', id: 1, result: { block_hash: 'a_method' } },
  };
  const report = replay(recording({}, swap, { request: call('a_method', { path }) }));
  await expect(report).rejects.toThrow();
  expect(readFileSync(path, 'utf8')).toBe('keep');
});

test('a recording of this node leaves out the calls that its replay rejects', async () => {
  const path = join(folder, 'own.jsonl');
  const image = join(folder, 'own.image');
  const node = await createChain({ port: 0, seed: 0, accounts: 1, recordRequests: path });
  const { url } = await node.listen();
  await post(url, call('devnet_dump', { path: image, format: 'image' }));
  await post(url, call('starknet_blockNumber'));
  await node.close();
  expect(existsSync(image)).toBe(true);
  rmSync(image);
  expect(readFileSync(path, 'utf8')).toContain('"missing":1,"method":"devnet_dump"');
  expect(await replay(path)).toMatch(/^1 request, all responses equal; 1 incomplete request/);
  expect(existsSync(image)).toBe(false);
});

test('what devnet_getRecording returns leaves them out too', async () => {
  const image = join(folder, 'other.image');
  const node = await createChain({ port: 0, seed: 0, accounts: 1 });
  const { url } = await node.listen();
  await post(url, call('devnet_recordRequests', { enabled: true }));
  await post(url, call('devnet_dump', { path: image, format: 'image' }));
  await post(url, call('starknet_blockNumber'));
  const result = membersOf(await post(url, call('devnet_getRecording')));
  await node.close();
  expect(result).toMatchObject({ requests: 1, left_out: 1 });
  const path = join(folder, 'kept.jsonl');
  writeFileSync(path, string(result['recording'], 'recording'));
  expect(await replay(path)).toBe('1 request, all responses equal\n');
});
