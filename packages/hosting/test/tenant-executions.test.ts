// Executions that a call of a tenant causes, and how they count for its quota.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from '@starkbox/test-support/scrape';
import { createChain, type LocalChain } from 'starkbox';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { memberOf } from '../../starkbox/src/json/reader.js';

let folder: string;
let node: LocalChain | undefined;
let base: string;
let metrics: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'starkbox-executions-'));
});
afterEach(async () => {
  await node?.close();
  rmSync(folder, { recursive: true });
});

/** Starts a node with one tenant; the id of an instance of it. */
async function start(quotas: object = {}): Promise<string> {
  const tenants = join(folder, 'tenants.json');
  writeFileSync(
    tenants,
    JSON.stringify({ tenants: [{ name: 'team', token: 'token', ...quotas }] }),
  );
  node = await createChain({
    seed: 0,
    accounts: 1,
    instanceStore: join(folder, 'store'),
    tenants,
    metricsHost: '127.0.0.1',
    metricsPort: 0,
  });
  const { url, metricsUrl = '' } = await node.listen({ port: 0 });
  [base, metrics] = [url, metricsUrl];
  const { result } = await send('', 'devnet_createInstance');
  return `/instances/${memberOf(result, 'instance_id')}/rpc`;
}

interface Answer {
  readonly result: unknown;
  readonly message: unknown;
}

/** @param path of an instance; nothing for the node */
async function send(path: string, method: string, params: object = {}): Promise<Answer> {
  const response = await fetch(`${base}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer token' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const answer: unknown = await response.json();
  const message = memberOf(memberOf(answer, 'error'), 'message');
  return { result: memberOf(answer, 'result'), message };
}

async function mint(path: string): Promise<unknown> {
  const { result, message } = await send(path, 'devnet_mint', { address: '0x77', amount: 1 });
  expect(message).toBeUndefined();
  return memberOf(result, 'tx_hash');
}

/** Executions of the tenant so far. */
async function total(): Promise<number> {
  const { values } = parse(await (await fetch(metrics)).text());
  return values.get('starkbox_hosting_tenant_executions_total{tenant="team"}') ?? 0;
}

/** How many executions a call counts as. */
async function counted(path: string, method: string, params: object = {}): Promise<number> {
  const before = await total();
  expect((await send(path, method, params)).message, method).toBeUndefined();
  return (await total()) - before;
}

test('each execution that a call causes counts', async () => {
  const path = await start();
  await mint(path);
  await send(path, 'devnet_setBlockSettings', { block_generation_on: 'demand' });
  const hashes = [await mint(path), await mint(path), await mint(path)];
  await send(path, 'devnet_createBlock');
  const block_id = { block_number: 2 };
  const trace_flags = ['RETURN_INITIAL_READS'];
  // The last transaction of a block runs after those before it.
  const last = { transaction_hash: hashes[2] };
  for (const [count, method, params] of [
    [0, 'starknet_blockNumber', {}],
    [1, 'devnet_mint', { address: '0x1', amount: 1 }],
    [1, 'devnet_getAccountBalance', { address: '0x1' }],
    [0, 'devnet_getPredeployedAccounts', {}],
    [2, 'devnet_getPredeployedAccounts', { with_balance: true }],
    [0, 'devnet_gasReport', {}],
    [4, 'devnet_gasReport', { to_block: 2, include: ['resources'] }],
    [0, 'devnet_coverage', { to_block: 2 }],
    [4, 'devnet_coverage', { to_block: 2, include: ['statements'] }],
    [0, 'starknet_traceBlockTransactions', { block_id }],
    [3, 'starknet_traceBlockTransactions', { block_id, trace_flags }],
    [3, 'devnet_machineTrace', last],
    [3, 'devnet_executedLines', last],
  ] as const) {
    expect(await counted(path, method, params), JSON.stringify([method, params])).toBe(count);
  }
});

test('executions beyond the first are paid before the next call', async () => {
  const path = await start({ executions_per_minute: 4 });
  for (let count = 0; count < 3; count += 1) await mint(path);
  const resources = { include: ['resources'] };
  expect((await send(path, 'devnet_gasReport', resources)).message).toBeUndefined();
  for (const [method, params] of [
    ['devnet_gasReport', resources],
    ['devnet_getAccountBalance', { address: '0x1' }],
  ] as const) {
    expect((await send(path, method, params)).message, method).toContain('executions_per_minute');
  }
  expect((await send(path, 'starknet_blockNumber')).result).toBe(3);
});
