// Journals: writing, following the chain, and replaying the whole of it or nothing.
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERRORS } from '@starkbox/spec';
import { openNode } from '@starkbox/test-support/fixture';
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

async function start(changes: Partial<Config>): Promise<LocalChain> {
  return openNode({ seed: 0, startTime: 1_700_000_000, ...changes });
}

const mint = (node: LocalChain, amount: number): Promise<unknown> =>
  node.request('devnet_mint', { address: '0x1', amount });
const balance = async (node: LocalChain): Promise<unknown> =>
  node.request('devnet_getAccountBalance', { address: '0x1', block_id: 'pre_confirmed' });
/** The calls in the file, without the record of its accounts. */
const written = (): readonly { method: string }[] =>
  JSON.parse(readFileSync(path, 'utf8')).slice(1);
const methods = (): readonly string[] => written().map(({ method }) => method);
const friBalance = (amount: string) => ({ amount, unit: 'FRI' });

test('with block, the file is whole after every call', async () => {
  const node = await start({ dumpOn: 'block', dumpPath: path });
  await mint(node, 1);
  expect(methods()).toEqual(['devnet_mint']);
  await node.request('sandbox_createBlock');
  await mint(node, 2);
  expect(methods()).toEqual(['devnet_mint', 'devnet_createBlock', 'devnet_mint']);
});

test('with block, calls are added to the file, which is replaced where that is not enough', async () => {
  const node = await start({ dumpOn: 'block', dumpPath: path });
  const isAdded = async (call: () => Promise<unknown>): Promise<boolean> => {
    const { ino } = statSync(path);
    await call();
    return statSync(path).ino === ino;
  };
  await mint(node, 1);
  const snapshot_id = await node.request('devnet_snapshot');
  expect(await isAdded(() => mint(node, 2))).toBe(true);
  expect(await isAdded(() => node.request('devnet_createBlock'))).toBe(true);
  const { mtimeNs } = statSync(path, { bigint: true });
  await node.request('devnet_snapshot');
  expect(statSync(path, { bigint: true }).mtimeNs).toBe(mtimeNs);
  expect(await isAdded(() => node.request('devnet_revert', { snapshot_id }))).toBe(false);
  expect(methods()).toEqual(['devnet_mint']);
  // Another program has changed it.
  writeFileSync(path, `${readFileSync(path, 'utf8')} `);
  expect(await isAdded(() => mint(node, 3))).toBe(false);
  expect(methods()).toEqual(['devnet_mint', 'devnet_mint']);
});

test('with block, the file follows reverts, restarts and loads', async () => {
  const node = await start({ dumpOn: 'block', dumpPath: path });
  await mint(node, 1);
  const snapshot_id = await node.request('devnet_snapshot');
  await mint(node, 2);
  await node.request('devnet_createBlock');
  await node.request('devnet_revert', { snapshot_id });
  expect(methods()).toEqual(['devnet_mint']);
  await node.request('devnet_restart');
  expect(existsSync(path)).toBe(false);
  const call = { jsonrpc: '2.0', id: 7, method: 'devnet_createBlock', params: null };
  await node.requestRaw('devnet_load', { events: [call, call] });
  expect(written()).toEqual([call, call]);
});

test('a load that fails changes nothing', async () => {
  const node = await start({ dumpOn: 'request' });
  await mint(node, 3);
  const snapshot_id = await node.request('devnet_snapshot');
  const good = { jsonrpc: '2.0', id: 0, method: 'devnet_createBlock' };
  const events = [good, { ...good, method: 'devnet_mint', params: {} }];
  await expect(node.requestRaw('devnet_load', { events })).rejects.toMatchObject({
    code: ERRORS.INVALID_PARAMS.code,
  });
  expect(await balance(node)).toEqual(friBalance('3'));
  expect(await node.request('devnet_dump', { inline: true })).toHaveLength(1);
  expect(await node.request('devnet_revert', { snapshot_id })).toBe(true);
});

test('reads go on while a journal is repeated, and see the old chain', async () => {
  const node = await start({ dumpOn: 'request' });
  await mint(node, 4);
  const call = {
    jsonrpc: '2.0',
    id: 0,
    method: 'devnet_mint',
    params: { address: '0x1', amount: 9 },
  };
  const loading = node.requestRaw('devnet_load', { events: [call, call, call] });
  expect(await balance(node)).toEqual(friBalance('4'));
  await loading;
  expect(await balance(node)).toEqual(friBalance('27'));
});

test('a mint that reverted is repeated as one that reverts', async () => {
  const node = await start({ dumpOn: 'request' });
  const amount = 2n ** 255n + 2n ** 254n;
  await expect(node.request('devnet_mint', { address: '0x1', amount })).rejects.toMatchObject({
    code: -1,
  });
  await mint(node, 6);
  const events = await node.request('devnet_dump', { inline: true });
  const other = await start({});
  await other.requestRaw('devnet_load', { events });
  expect(await other.request('devnet_getStatus')).toMatchObject({ transaction_count: 2 });
  expect(await balance(other)).toEqual(friBalance('6'));
});

test('a file that is no journal keeps a node from starting, with the reason', async () => {
  writeFileSync(path, '[{');
  await expect(start({ dumpOn: 'exit', dumpPath: path })).rejects.toThrow(/Deserialization error/);
  writeFileSync(path, '{}');
  await expect(start({ dumpOn: 'exit', dumpPath: path })).rejects.toThrow(/list of JSON-RPC calls/);
});
