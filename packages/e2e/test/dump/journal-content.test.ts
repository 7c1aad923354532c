// Journals with calls that no journal may hold: refused as a whole.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { ERRORS, METHODS } from '@starkbox/spec';
import { openNode } from '@starkbox/test-support/fixture';
import { listen } from '@starkbox/test-support/listen';
import { temporaryFolderOfFile } from '@starkbox/test-support/temporary-folder';
import type { Config, LocalChain } from 'starkbox';
import { beforeEach, expect, test } from 'vitest';

const folder = temporaryFolderOfFile();
let path: string;
let count = 0;
beforeEach(() => {
  count += 1;
  path = join(folder, `${count}.json`);
});

async function start(changes: Partial<Config> = {}): Promise<LocalChain> {
  return openNode({ seed: 0, startTime: 1_700_000_000, ...changes });
}

const DUMP_ERROR = -5;
const call = (method: string, params: unknown = null) => ({
  jsonrpc: '2.0',
  id: 0,
  method,
  params,
});
const mint = call('devnet_mint', { address: '0x1', amount: 1 });
const failure = async (
  node: LocalChain,
  params: object,
): Promise<{ code: number; message: string }> => {
  try {
    await node.request('devnet_load', params);
  } catch (error) {
    return Object(error);
  }
  throw new Error('it was loaded');
};
const transactions = async (node: LocalChain): Promise<unknown> =>
  Object(await node.request('devnet_getStatus')).transaction_count;

/** What `devnet_load` may be given: the calls themselves, or a file. */
function* waysOf(calls: readonly unknown[]): Iterable<object> {
  yield { events: calls };
  writeFileSync(path, JSON.stringify(calls));
  yield { path };
}

const KEPT =
  /^starknet_add|^devnet_(applyStateDiff|(stop)?(auto)?impersonate\w*|postman(Load|SendMessageToL2|ConsumeMessageFromL2)|createBlock|abortBlocks|replaceClass|reorg|deal|declare|deploy|setBlockSettings|acceptOnL1|setGasPrice|setTime|increaseTime|mint|setLabel|setNetworkConditions|setCongestion|mempool(Select|PreConfirm|Remove|Clear))$/i;

test('every method that no journal holds is refused, by its index and name, before anything runs', async () => {
  const node = await start();
  const others = Object.keys(METHODS).filter((name) => !KEPT.test(name) && name !== 'devnet_load');
  expect(others.length).toBeGreaterThan(40);
  for (const method of others) {
    const { code, message } = await failure(node, { events: [mint, call(method)] });
    expect([method, code]).toEqual([method, DUMP_ERROR]);
    expect(message).toContain(`call 1 of the journal (${method}): `);
  }
  expect(await transactions(node)).toBe(0);
});

test('a journal cannot write files', async () => {
  const node = await start({ dumpOn: 'request' });
  const victim = join(folder, 'victim');
  writeFileSync(victim, 'precious');
  for (const method of ['devnet_dump', 'sandbox_dump']) {
    for (const format of ['image', 'journal']) {
      for (const way of waysOf([mint, call(method, { path: victim, format })])) {
        expect(await failure(node, way)).toMatchObject({
          code: DUMP_ERROR,
          message: expect.stringContaining(`call 1 of the journal (${method})`),
        });
      }
    }
  }
  expect(readFileSync(victim, 'utf8')).toBe('precious');
  await expect(start({ dumpPath: path })).rejects.toThrow(
    /Failed to load .*json: .*call 1 of the journal \(sandbox_dump\)/,
  );
  expect(readFileSync(victim, 'utf8')).toBe('precious');
});

test('a journal cannot make requests by restarting on a fork', async () => {
  let requests = 0;
  const server = createServer((_, response) => {
    requests += 1;
    response.end('{}');
  });
  const fork = { url: `http://127.0.0.1:${await listen(server)}` };
  const node = await start();
  expect(await failure(node, { events: [call('devnet_restart', { fork })] })).toMatchObject({
    code: DUMP_ERROR,
  });
  expect(requests).toBe(0);
  server.close();
});

test('a journal that loads itself, or another, is refused with and without a dump directory', async () => {
  for (const dumpDir of [undefined, folder]) {
    const node = await start({ dumpDir });
    const name = dumpDir === undefined ? path : `${count}.json`;
    writeFileSync(path, JSON.stringify([call('devnet_load', { path: name })]));
    expect(await failure(node, { path: name })).toMatchObject({
      code: DUMP_ERROR,
      message: expect.stringMatching(/call 0 of the journal \(devnet_load\): .*is no image/),
    });
    for (const params of [
      { events: [mint] },
      { path: name, format: 'journal' },
      { path: name, image: '' },
      {},
      null,
    ]) {
      expect(await failure(node, { events: [call('devnet_load', params)] })).toMatchObject({
        code: DUMP_ERROR,
        message: expect.stringContaining('a journal may load an image and nothing else'),
      });
    }
    expect(await transactions(node)).toBe(0);
  }
});

test('an image is loaded by the first call of a journal only', async () => {
  const node = await start();
  await node.request('devnet_mint', { address: '0x1', amount: 1 });
  const image = join(folder, 'chain.image');
  await node.request('devnet_dump', { path: image, format: 'image' });
  const load = call('devnet_load', { path: image });
  const other = await start();
  expect(await failure(other, { events: [mint, load] })).toMatchObject({
    code: DUMP_ERROR,
    message: expect.stringContaining('call 1 of the journal (devnet_load): '),
  });
  expect(await transactions(other)).toBe(0);
  await other.requestRaw('devnet_load', { events: [load, mint] });
  expect(await transactions(other)).toBe(2);
});

test('an image that a journal loads stays in the dump directory', async () => {
  const node = await start({ dumpDir: folder });
  const events = [call('devnet_load', { path: '/etc/passwd' })];
  expect(await failure(node, { events })).toMatchObject({
    code: DUMP_ERROR,
    message: expect.stringContaining('in the dump directory'),
  });
});

test('wrong parameters, unknown methods and wrong envelopes are refused before anything runs', async () => {
  const node = await start();
  const wrong = call('devnet_mint', { address: '0x1' });
  for (const way of waysOf([mint, mint, wrong])) {
    expect(await failure(node, way)).toMatchObject({
      code: ERRORS.INVALID_PARAMS.code,
      message: expect.stringMatching(/call 2 of the journal \(devnet_mint\): params.amount/),
    });
  }
  for (const way of waysOf([mint, call('devnet_nothing')])) {
    expect(await failure(node, way)).toMatchObject({
      code: ERRORS.METHOD_NOT_FOUND.code,
      message: expect.stringContaining('call 1 of the journal (devnet_nothing): '),
    });
  }
  for (const entry of [5, null, [], {}, { ...mint, method: 7 }, { ...mint, more: 1 }]) {
    writeFileSync(path, JSON.stringify([mint, entry]));
    expect(await failure(node, { path })).toMatchObject({
      code: DUMP_ERROR,
      message: expect.stringMatching(
        /^Deserialization error: .*json: call 1 of the journal is not/,
      ),
    });
  }
  expect(await transactions(node)).toBe(0);
});

test('the aliases of journalled methods are accepted', async () => {
  const node = await start();
  await node.requestRaw('devnet_load', { events: [{ ...mint, method: 'sandbox_mint' }] });
  expect(await transactions(node)).toBe(1);
});

test('a journal that does not load at the start is named with the reason, and stays as it is', async () => {
  const options = { dumpOn: 'exit', dumpPath: path } as const;
  for (const [text, reason] of [
    ['[{', /Failed to load .*json: Deserialization error: (?!.*json)/],
    [
      JSON.stringify([mint, call('devnet_getStatus')]),
      /call 1 of the journal \(devnet_getStatus\)/,
    ],
    [JSON.stringify([{ ...mint, params: {} }]), /call 0 of the journal \(devnet_mint\)/],
  ] as const) {
    writeFileSync(path, text);
    await expect(start(options)).rejects.toThrow(reason);
    expect(readFileSync(path, 'utf8')).toBe(text);
  }
  expect(existsSync(path)).toBe(true);
});
