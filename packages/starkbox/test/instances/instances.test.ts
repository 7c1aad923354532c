// Instances over the wire: creation, paths, limits, expiry and deletion.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERRORS } from '@starkbox/spec';
import { startNode } from '@starkbox/test-support';
import { callUrl as ask } from '@starkbox/test-support/call-url';
import { closeAfterTest } from '@starkbox/test-support/closing';
import { temporaryFolder } from '@starkbox/test-support/temporary-folder';
import type { Config } from 'starkbox';
import { RpcProvider } from 'starknet';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import WebSocket from 'ws';
import { ACCOUNT_OPTIONS } from '../../src/config/account-options.js';
import { CHAIN_OPTIONS } from '../../src/config/chain-options.js';
import { longName } from '../../src/config/option.js';
import { isConfigKey, OPTIONS } from '../../src/config/options.js';

async function opened(options: Partial<Config> = {}) {
  const node = await startNode({ listen: true, ...options });
  closeAfterTest(node.close);
  const { client } = node;
  const create = async (params: object = {}) => {
    const instance = await client.call('devnet_createInstance', params);
    return { id: instance.instance_id, http: instance.http_url ?? '', ws: instance.ws_url ?? '' };
  };
  return { node, client, create };
}

describe('an instance', () => {
  test('is served at all paths of a chain, and changes independently', async () => {
    const { node, client, create } = await opened({ ui: true });
    await client.call('devnet_mint', { address: '0x1', amount: 10 });
    const instance = await create({ name: 'first' });
    const base = `${node.url}/instances/${instance.id}`;
    expect(instance.http).toBe(`${base}/rpc`);
    expect(instance.ws).toBe(`${base.replace('http', 'ws')}/ws`);
    await ask(instance.http, 'devnet_mint', { address: '0x1', amount: 5 });
    expect(await ask(instance.http, 'starknet_blockNumber')).toBe(2);
    expect(await ask(base, 'starknet_blockNumber')).toBe(2);
    expect(await ask(`${base}/`, 'starknet_blockNumber')).toBe(2);
    expect(await client.call('starknet_blockNumber', {})).toBe(1);
    expect(await ask(`${base}/rpc/v0_8`, 'starknet_specVersion')).toBe('0.8.1');
    expect(await (await fetch(`${base}/is_alive`)).text()).toBe('Alive!!!');
    expect((await fetch(`${base}/config`)).status).toBe(200);
    expect((await fetch(`${base}/ui/`)).headers.has('content-security-policy')).toBe(true);
    expect((await fetch(`${base}/nothing`)).status).toBe(404);
    const provider = new RpcProvider({ nodeUrl: instance.http });
    expect(await provider.getBlockNumber()).toBe(2);
    // An instance of the instance, and one of the node from inside of the instance.
    const inner = Object(await ask(instance.http, 'devnet_createInstance'));
    expect(await ask(inner.http_url, 'starknet_blockNumber')).toBe(2);
    const outer = Object(await ask(instance.http, 'devnet_createInstance', { from: 'root' }));
    expect(await ask(outer.http_url, 'starknet_blockNumber')).toBe(1);
  });

  test('has subscriptions of its own, which end when it is deleted', async () => {
    const { client, create } = await opened();
    const { id, http, ws } = await create();
    const socket = new WebSocket(ws);
    const messages: unknown[] = [];
    socket.on('message', (data) => messages.push(JSON.parse(String(data))));
    const closed = new Promise((resolve) => socket.on('close', resolve));
    await new Promise((resolve) => socket.on('open', resolve));
    socket.send(
      JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'starknet_subscribeNewHeads', params: {} }),
    );
    await expect.poll(() => messages.length).toBe(1);
    await client.call('devnet_createBlock', {});
    await ask(http, 'devnet_mint', { address: '0x1', amount: 5 });
    await expect.poll(() => messages.length).toBe(2);
    expect(messages[1]).toMatchObject({ params: { result: { block_number: 1 } } });
    await client.call('devnet_deleteInstance', { instance_id: id });
    expect(await closed).toBe(1001);
    expect((await fetch(http, { method: 'POST' })).status).toBe(404);
    expect(await client.failure('devnet_deleteInstance', { instance_id: id })).toMatchObject({
      code: -1,
      message: `There is no instance ${id}`,
    });
  });

  test('long options are rejected by a short message, before they are read as numbers', async () => {
    const { client } = await opened();
    for (const options of [
      { seed: '9'.repeat(1_000_000) },
      // A number that would be right, if its digits were read.
      { initial_balance: '1'.padStart(1_000_000, '0') },
      { gas_price_fri: '1'.padStart(1_000_000, '0') },
      { block_generation_on: '1'.padStart(1_000_000, '0') },
      { chain_id: 'x'.repeat(1_000_000) },
      { ['a'.repeat(1_000_000)]: 1 },
    ]) {
      const { code, message } = await client.failure('devnet_createInstance', { options });
      expect(code).toBe(-1);
      expect(message).toMatch(/invalid value|unknown key/);
      expect(message.length).toBeLessThan(1000);
    }
    const snapshot_id = `0x${'1'.padStart(1_000_000, '0')}`;
    expect(await client.call('devnet_revert', { snapshot_id })).toBe(false);
    const long = await client.failure('devnet_revert', { snapshot_id: `0x1${'0'.repeat(16)}` });
    expect(long.code).toBe(ERRORS.INVALID_PARAMS.code);
  });

  test('with options begins at a genesis of its own', async () => {
    const { node, client, create } = await opened({ accounts: 3 });
    await client.call('devnet_createBlock', {});
    const { http } = await create({ options: { accounts: 5, block_generation_on: 'demand' } });
    expect(await ask(http, 'devnet_getPredeployedAccounts')).toHaveLength(5);
    await ask(http, 'devnet_mint', { address: '0x1', amount: 1 });
    expect(await ask(http, 'starknet_blockNumber')).toBe(0);
    expect(await ask(`${node.url}/rpc`, 'devnet_getPredeployedAccounts')).toHaveLength(3);
    for (const [params, message] of [
      [{ options: { accounts: 300 } }, /invalid value '300' for 'accounts'/],
      [{ options: { acounts: 3 } }, /unknown key 'acounts'.*did you mean 'accounts'/],
      // Its time grows with the length of a key, not with the square.
      [{ options: { ['_'.repeat(2 ** 20)]: 3 } }, /unknown key/],
      [{ options: { port: 3 } }, /'port' is an option of the node/],
      [{ options: {}, from: 'root' }, /genesis/],
    ] as const) {
      const error = await client.failure('devnet_createInstance', params);
      expect(error.code).toBe(-1);
      expect(error.message).toMatch(message);
    }
    expect(await client.failure('devnet_createInstance', { from: 'abc' })).toMatchObject({
      message: 'There is no instance abc',
    });
  });
});

test.each(['networkConditions', 'network_conditions'])(
  'an instance reads no file of the node for %s',
  async (name) => {
    const { client } = await opened();
    const file = join(temporaryFolder(), 'conditions.json');
    writeFileSync(file, '{ "seed": 3 }');
    // The same text is taken.
    await client.call('devnet_createInstance', { options: { [name]: { seed: 3 } } });
    const error = await client.failure('devnet_createInstance', { options: { [name]: file } });
    expect(error.code).toBe(-1);
    expect((await client.call('devnet_listInstances', {})).total).toBe(1);
  },
);

test('an instance takes options by the names of the command line', async () => {
  const { create } = await opened();
  const keys = [...Object.keys(ACCOUNT_OPTIONS), ...Object.keys(CHAIN_OPTIONS), 'stateArchive'];
  const ofFiles = ['artifacts', 'accountClassCustom'];
  for (const key of keys.filter(isConfigKey).filter((name) => !ofFiles.includes(name))) {
    const option = OPTIONS[key];
    const name = longName(option).slice(2).replaceAll('-', '_');
    const { suggests } = option.parse;
    const suggested = Array.isArray(suggests) ? suggests[0] : undefined;
    const preset = option.default ?? suggested ?? 7;
    const value = name.startsWith('no_') ? true : typeof preset === 'bigint' ? '7' : preset;
    const { http } = await create({ options: { [name]: value } });
    expect(http).toMatch(/^http/);
  }
  const { http } = await create({
    options: {
      gas_price: 11,
      data_gas_price: 12,
      l2_gas_price: 13,
      state_archive_capacity: 'none',
      no_fee: true,
    },
  });
  expect(await ask(http, 'devnet_getConfig')).toMatchObject({
    gas_price_wei: 11,
    data_gas_price_wei: 12,
    l2_gas_price_wei: 13,
    state_archive: 'none',
  });
});

describe('instances', () => {
  test('are listed in pages', async () => {
    const { client, create } = await opened();
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) ids.push((await create({ name: `n${index}` })).id);
    const first = await client.call('devnet_listInstances', { limit: 3 });
    expect(first.total).toBe(5);
    const { instances, next } = await client.call('devnet_listInstances', {
      limit: 3,
      cursor: first.next ?? '',
    });
    expect(next).toBeUndefined();
    const rows = [...first.instances, ...instances];
    expect(rows.map((row) => row.instance_id)).toEqual(ids);
    expect(rows.map((row) => row.name)).toEqual(['n0', 'n1', 'n2', 'n3', 'n4']);
    expect(rows[0]).toMatchObject({ block_number: 0, transaction_count: 0, ttl: 3600 });
  });

  test('are limited in number', async () => {
    const { client, create } = await opened({ maximumInstances: 2 });
    const { id } = await create();
    await create();
    const error = await client.failure('devnet_createInstance', {});
    expect(error.message).toMatch(/--maximum-instances/);
    await client.call('devnet_deleteInstance', { instance_id: id });
    // Those that fail take no place, and those that are made at once count.
    for (const params of [
      { from: 'nowhere' },
      { from: 'root', options: { seed: 1 } },
      { options: { sed: 1 } },
    ]) {
      expect((await client.failure('devnet_createInstance', params)).code).toBe(-1);
    }
    const creations = await Promise.allSettled(Array.from({ length: 3 }, () => create()));
    expect(creations.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await client.call('devnet_listInstances', {})).total).toBe(2);
  });

  test('name what they were made from', async () => {
    const { client, create } = await opened();
    const parent = await create();
    const child = await create({ from: parent.id });
    const sibling = Object(await ask(parent.http, 'devnet_createInstance')).instance_id;
    await create({ options: { seed: 1 } });
    const rows = (await client.call('devnet_listInstances', {})).instances;
    expect(rows.map(({ from }) => from)).toEqual(['root', parent.id, parent.id, undefined]);
    await client.call('devnet_deleteInstance', { instance_id: child.id });
    const rest = (await client.call('devnet_listInstances', {})).instances;
    expect(rest.map(({ instance_id }) => instance_id)).toContain(sibling);
    expect(rest).toHaveLength(3);
  });

  test('expire without requests, and not while they are used', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'hrtime'] });
    onTestFinished(() => void vi.useRealTimers());
    const { client, create } = await opened();
    const [short, permanent] = [await create({ ttl: 60 }), await create({ ttl: 0 })];
    const total = async () => (await client.call('devnet_listInstances', {})).total;
    for (let minutes = 0; minutes < 5; minutes += 0.9) {
      await vi.advanceTimersByTimeAsync(0.9 * 60_000);
      expect(await ask(short.http, 'starknet_blockNumber')).toBe(0);
    }
    await vi.advanceTimersByTimeAsync(59_000);
    expect(await total()).toBe(2);
    await vi.advanceTimersByTimeAsync(2_000);
    // A poll would make more time pass.
    while ((await total()) > 1) await new Promise(setImmediate);
    expect(await ask(permanent.http, 'starknet_blockNumber')).toBe(0);
  });

  test('are restricted with the other controls, also inside of one', async () => {
    const { create, client } = await opened({ restrictedMethods: ['devnet_mint'] });
    const { http } = await create();
    await expect(ask(http, 'devnet_mint', { address: '0x1', amount: 1 })).rejects.toThrow(/-32604/);
    expect((await client.failure('devnet_mint', { address: '0x1', amount: 1 })).code).toBe(
      ERRORS.METHOD_FORBIDDEN.code,
    );
  });
});
