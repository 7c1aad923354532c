// Executions beside the writer's: how many run at once, and which of them wait.
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { overHttp, startNode } from '@starkbox/test-support';
import { startPair } from '@starkbox/test-support/fork/pair';
import { parse } from '@starkbox/test-support/scrape';
import { contract, invokeRequest, Sender, STRK, selector } from '@starkbox/test-support/signing';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { defaultExecutions } from '../../src/chain/execution/executions.js';
import { createChain } from '../../src/index.js';
import { type EngineWatch, watchEngine } from './engine-watch.js';

const GIB = 2 ** 30;

const CALL = {
  request: { contract_address: STRK, entry_point_selector: selector('decimals'), calldata: [] },
  block_id: 'latest',
};

function watch(): EngineWatch {
  const watched = watchEngine();
  onTestFinished(() => watched.restore());
  return watched;
}

/** A node with one slot, taken until `release`, and how many calls wait for it. */
async function busyNode() {
  const metrics = { metricsHost: '127.0.0.1', metricsPort: 0 };
  const node = await createChain({ seed: 0, port: 0, maximumExecutions: 1, ...metrics });
  onTestFinished(() => node.close());
  const { url, metricsUrl = '' } = await node.listen();
  const { begun, hold, release } = watch();
  hold();
  const first = node.requestRaw('starknet_call', CALL);
  await expect.poll(() => begun.beside).toBe(1);
  const waiting = async (): Promise<number | undefined> =>
    parse(await (await fetch(metricsUrl)).text()).values.get('starkbox_executions_waiting');
  return { node, url, first, begun, release, waiting };
}

test('by default there is a slot for each core but the writer’s, fewer where memory is short', () => {
  expect(defaultExecutions(false, 32 * GIB, 1)).toBe(1);
  expect(defaultExecutions(false, 32 * GIB, 2)).toBe(1);
  expect(defaultExecutions(false, 32 * GIB, 8)).toBe(7);
  expect(defaultExecutions(false, 32 * GIB, 64)).toBe(32);
  expect(defaultExecutions(false, 3.5 * GIB, 8)).toBe(3);
  expect(defaultExecutions(false, GIB / 4, 8)).toBe(1);
});

test('on a fork, where executions wait for the origin, memory alone sets the number', () => {
  expect(defaultExecutions(true, 16 * GIB, 2)).toBe(8);
  expect(defaultExecutions(true, 256 * GIB, 2)).toBe(64);
  expect(defaultExecutions(true, GIB / 4, 2)).toBe(4);
});

test('every way to execute without a trace in the chain goes through the same slots', async () => {
  const { node, client, close } = await startNode({ maximumExecutions: 2, proofMode: 'devnet' });
  onTestFinished(close);
  const [account, other] = node.accounts;
  if (!account || !other) throw new Error('no accounts');
  const sender = new Sender(client, account);
  const messenger = await sender.deploy(await contract('messenger'));
  const { most, begun } = watch();
  const transfer = { to: STRK, name: 'transfer', calldata: [other.address, '0x1', '0x0'] };
  const nonce = await sender.nonce();
  const invoke = invokeRequest(account, [transfer], nonce);
  const block_id = 'latest';
  const message = {
    from_address: '0x000000000000000000000000000000000000abcd',
    to_address: messenger,
    entry_point_selector: selector('deposit'),
    payload: ['0x1', '0x2'],
  };
  const calls: readonly (readonly [string, object])[] = [
    ['starknet_call', CALL],
    ['starknet_estimateFee', { request: [invoke], simulation_flags: [], block_id }],
    ['starknet_simulateTransactions', { transactions: [invoke], simulation_flags: [], block_id }],
    ['starknet_estimateMessageFee', { message, block_id }],
    ['starknet_proveTransaction', { transaction: invoke, block_id }],
    ['starknet_traceBlockTransactions', { block_id, trace_flags: ['RETURN_INITIAL_READS'] }],
    ['devnet_getAccountBalance', { address: account.address }],
    ['devnet_getPredeployedAccounts', { with_balance: true }],
  ];
  const ask = (method: string, params: object) =>
    node.requestRaw(method, params).then(
      () => 'answered',
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
  for (const [method, params] of calls) {
    const before = begun.beside;
    await ask(method, params);
    expect.soft(begun.beside, method).toBeGreaterThan(before);
  }
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => calls.map(([method, params]) => ask(method, params))).flat(),
  );
  expect(answers).toHaveLength(32);
  expect(most.beside).toBe(2);
  // The balance of a mint needs none.
  const { all } = begun;
  await node.request('devnet_mint', { address: '0x1', amount: 1 });
  expect(begun.all).toBe(all + 1);
});

test('the same on a fork, where transactions read ahead in slots of their own', async () => {
  let hash = '';
  await using pair = await startPair(async ({ client }) => {
    hash = (await client.call('devnet_mint', { address: '0x5', amount: 1 })).tx_hash;
  });
  const { node } = await pair.fork({ maximumExecutions: 2 });
  const { most, begun } = watch();
  const [first] = node.accounts;
  if (!first) throw new Error('no account');
  const transfer = (at: number) => ({
    to: STRK,
    name: 'transfer',
    calldata: [`0x${(0x100 + at).toString(16)}`, '0x1', '0x0'],
  });
  await Promise.all([
    ...Array.from({ length: 8 }, () => node.requestRaw('starknet_call', CALL)),
    ...Array.from({ length: 4 }, () =>
      node.request('devnet_replayTransaction', { transaction_hash: hash }),
    ),
    ...node.accounts.map((account, at) =>
      node.requestRaw('starknet_addInvokeTransaction', {
        invoke_transaction: invokeRequest(account, [transfer(at)], 0),
      }),
    ),
  ]);
  expect(begun.beside).toBe(8 + 4 + node.accounts.length);
  expect(most.beside).toBeGreaterThan(1);
  expect(most.beside).toBeLessThanOrEqual(4);
  expect(most.all).toBeLessThanOrEqual(5);
});

test('the engine executes for one file alone', async () => {
  const source = new URL('../../src/', import.meta.url);
  const files = await readdir(source, { recursive: true });
  const executing: string[] = [];
  for (const file of files.filter((name) => name.endsWith('.ts'))) {
    const text = await readFile(new URL(file, source), 'utf8');
    if (/\.executeMany\(|[sS]tate(\(\))?\.(execute|call)\(/.test(text)) executing.push(file);
  }
  expect(executing).toEqual(['chain/execution/executions.ts']);
});

test('a mint is answered though every slot is taken', async () => {
  const node = await createChain({ seed: 0, maximumExecutions: 1 });
  onTestFinished(() => node.close());
  const { begun, hold, release } = watch();
  hold();
  const call = node.requestRaw('starknet_call', CALL);
  await expect.poll(() => begun.beside).toBe(1);
  const minted = await node.request('devnet_mint', { address: '0x1', amount: 7 });
  expect(minted).toMatchObject({ new_balance: '7' });
  release();
  expect(await call).toEqual(['0x12']);
});

const BODY = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'starknet_call', params: CALL });

test('a call that had to wait for half of the timeout does not begin', async () => {
  const { node, url, close } = await startNode({ maximumExecutions: 1, listen: true, timeout: 3 });
  onTestFinished(close);
  const { begun, hold, release } = watch();
  hold();
  const first = node.requestRaw('starknet_call', CALL);
  await expect.poll(() => begun.beside).toBe(1);
  expect(await overHttp(url)(BODY)).toContain('timed out after 1.5 s in the queue');
  release();
  await first;
  expect(await node.requestRaw('starknet_call', CALL)).toEqual(['0x12']);
  expect(begun.beside).toBe(2);
});

test('a call whose client is gone does not begin', async () => {
  const { node, url, first, begun, release, waiting } = await busyNode();
  const { port, host } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  await once(socket, 'connect');
  const head = `POST / HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n`;
  socket.write(head + BODY);
  await expect.poll(waiting).toBe(1);
  socket.destroy();
  await expect.poll(waiting).toBe(0);
  release();
  await first;
  expect(await node.requestRaw('starknet_call', CALL)).toEqual(['0x12']);
  expect(begun.beside).toBe(2);
});

test('a call of a closed socket does not begin', async () => {
  const { node, url, first, begun, release, waiting } = await busyNode();
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`);
  await once(socket, 'open');
  socket.send(BODY);
  await expect.poll(waiting).toBe(1);
  socket.terminate();
  await expect.poll(waiting).toBe(0);
  release();
  await first;
  await node.requestRaw('starknet_call', CALL);
  expect(begun.beside).toBe(2);
});
