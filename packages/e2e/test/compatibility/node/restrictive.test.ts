// Methods that a restricted node refuses.
import { once } from 'node:events';
import { ERRORS } from '@starkbox/spec';
import { checkedClient } from '@starkbox/test-support';
import { optionsOf, runCommandLine } from '@starkbox/test-support/command-line';
import { type Fixture, startFixture } from '@starkbox/test-support/fixture';
import { beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';

const FORBIDDEN = [
  'devnet_getPredeployedAccounts',
  'devnet_mint',
  'devnet_deal',
  'devnet_declare',
  'devnet_deploy',
  'devnet_createBlock',
  'devnet_abortBlocks',
  'devnet_reorg',
  'devnet_acceptOnL1',
  'devnet_setGasPrice',
  'devnet_setBlockSettings',
  'devnet_setNetworkConditions',
  'devnet_setCongestion',
  'devnet_setTime',
  'devnet_increaseTime',
  'devnet_mempoolSelect',
  'devnet_mempoolPreConfirm',
  'devnet_mempoolSeal',
  'devnet_mempoolRemove',
  'devnet_mempoolClear',
  'devnet_restart',
  'devnet_dump',
  'devnet_load',
  'devnet_snapshot',
  'devnet_deleteSnapshot',
  'devnet_revert',
  'devnet_applyStateDiff',
  'devnet_replaceClass',
  'devnet_impersonateAccount',
  'devnet_stopImpersonateAccount',
  'devnet_autoImpersonate',
  'devnet_stopAutoImpersonate',
  'devnet_postmanLoad',
  'devnet_postmanFlush',
  'devnet_postmanSendMessageToL2',
  'devnet_postmanConsumeMessageFromL2',
  'devnet_setPaymaster',
  'devnet_addArtifact',
  'devnet_executedLines',
  'devnet_getBundle',
  'devnet_getDebugSource',
  'devnet_setLabel',
  'devnet_recordRequests',
  'devnet_createInstance',
  'devnet_deleteInstance',
];

async function startWith(...words: readonly string[]): Promise<Fixture> {
  return startFixture(await optionsOf('--accounts', '1', ...words));
}

async function ask({ node }: Fixture, method: string, params?: unknown): Promise<unknown> {
  const answer = await node.handle(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  return JSON.parse(answer ?? 'null');
}

async function overSocket(url: string, call: object): Promise<unknown> {
  const socket = new WebSocket(url);
  await once(socket, 'open');
  socket.send(JSON.stringify(call));
  const [data] = await once(socket, 'message');
  socket.close();
  return JSON.parse(String(data));
}

const refusal = {
  jsonrpc: '2.0',
  id: 1,
  error: { code: ERRORS.METHOD_FORBIDDEN.code, message: 'Method forbidden' },
};

describe('without names', () => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await startWith('--restrictive-mode');
  });

  test('restrictive.1a what only reads is allowed', async () => {
    const config = await fixture.client.call('devnet_getConfig');
    expect(config.server_config.restricted_methods).toEqual(FORBIDDEN);
    expect(await fixture.client.call('starknet_blockNumber')).toBe(0);
  });

  test('the seed is hidden with the keys that follow from it, and only then', async () => {
    expect((await fixture.client.call('devnet_getConfig')).seed).toBeNull();
    const { url } = await fixture.node.listen();
    expect(await (await fetch(`${url}/config`)).json()).toMatchObject({ seed: null });
    const other = await startWith('--restrictive-mode', 'devnet_mint');
    expect((await other.client.call('devnet_getConfig')).seed).toBe(42);
  });

  test('restrictive.1a minting is forbidden', async () => {
    expect(await ask(fixture, 'devnet_mint', { address: '0x1', amount: 1 })).toEqual(refusal);
    const balance = { amount: '0', unit: 'FRI' };
    expect(await fixture.client.call('devnet_getAccountBalance', ['0x1'])).toEqual(balance);
  });

  test.each(FORBIDDEN)('restrictive.1a %s is forbidden under both of its names', async (method) => {
    expect(await ask(fixture, method)).toEqual(refusal);
    expect(await ask(fixture, method.replace('devnet_', 'sandbox_'))).toEqual(refusal);
  });

  test('restrictive.1a also in a batch and over HTTP', async () => {
    const { url } = await fixture.node.listen();
    const call = (id: number, method: string) => ({ jsonrpc: '2.0', id, method });
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify([call(1, 'devnet_createBlock'), call(2, 'starknet_blockNumber')]),
    });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual([refusal, { jsonrpc: '2.0', id: 2, result: 0 }]);
  });
});

describe('with names', () => {
  test('restrictive.1b these are forbidden, and no others', async () => {
    const fixture = await startWith('--restrictive-mode', 'devnet_mint', 'starknet_chainId');
    expect(await ask(fixture, 'devnet_mint', { address: '0x1', amount: 1 })).toEqual(refusal);
    expect(await ask(fixture, 'chain_chainId')).toEqual(refusal);
    const client = checkedClient(fixture.node.handle);
    expect(await client.call('devnet_createBlock')).toHaveProperty('block_hash');
    const { server_config } = await client.call('devnet_getConfig');
    expect(server_config.restricted_methods).toEqual(['devnet_mint', 'starknet_chainId']);
  });

  test('devnet_getConfig is forbidden by every door', async () => {
    const { node } = await startWith('--restrictive-mode', 'sandbox_getConfig');
    const { url } = await node.listen();
    const { instance_id } = await node.request('devnet_createInstance', {});
    const path = `/instances/${instance_id}`;
    for (const baseUrl of [url, `${url}${path}`]) {
      for (const method of ['GET', 'HEAD']) {
        const response = await fetch(`${baseUrl}/config`, { method });
        expect(response.status, `${method} ${baseUrl}`).toBe(403);
        const text = await response.text();
        if (method === 'HEAD') continue;
        expect(JSON.parse(text)).toMatchObject({ error: { code: ERRORS.METHOD_FORBIDDEN.code } });
        expect(text).not.toContain('seed');
      }
      for (const [name, door] of [
        ['devnet_getConfig', '/'],
        ['sandbox_getConfig', '/rpc'],
        ['devnet_getConfig', '/rpc/v0_9'],
      ] as const) {
        const call = { jsonrpc: '2.0', id: 1, method: name };
        for (const body of [call, [call]]) {
          const response = await fetch(`${baseUrl}${door}`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify(body),
          });
          const answer: unknown = await response.json();
          expect(Array.isArray(answer) ? answer : [answer], `${baseUrl}${door}`).toEqual([refusal]);
        }
        const socketUrl = `${baseUrl.replace('http', 'ws')}/ws${door.startsWith('/rpc/') ? door : ''}`;
        expect(await overSocket(socketUrl, call), socketUrl).toEqual(refusal);
      }
    }
  });

  test('restrictive.1b names that mean nothing prevent the start', async () => {
    const words = ['--restrictive-mode', 'devnet_nothing', 'devnet_mint', 'another'];
    const { outcome, stdout, stderr } = await runCommandLine(words);
    expect(outcome).toEqual({ exitCode: 1 });
    expect(stdout).toBe('');
    expect(stderr).toContain('devnet_nothing, another');
  });
});
