// Replay of recorded requests, and the report of answers that differ.
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectSocket, startNode } from '@starkbox/test-support';
import { commandOutput, runCommandLine } from '@starkbox/test-support/command-line';
import { deployed } from '@starkbox/test-support/contracts';
import { temporaryFolderOfFile } from '@starkbox/test-support/temporary-folder';
import { createChain } from 'starkbox';
import { cairo } from 'starknet';
import { beforeAll, expect, test } from 'vitest';

const folder = temporaryFolderOfFile();
const file = join(folder, 'trace.jsonl');
const TOKEN = 'never-to-be-seen';

const lines = (): string[] => readFileSync(file, 'utf8').trimEnd().split('\n');
const replay = (path: string, ...more: string[]) => commandOutput('replay', path, ...more);
/** The recording with something changed in it. */
function altered(name: string, change: (text: string) => string): string {
  const path = join(folder, name);
  writeFileSync(path, change(readFileSync(file, 'utf8')));
  return path;
}

/** A dapp's day: every kind of request, over both doors. */
beforeAll(async () => {
  const { node, url, client, account, provider, close } = await startNode({
    listen: true,
    seed: 42,
    accounts: 4,
    initialBalance: 10n ** 22n,
    blockGenerationOn: 'transaction',
    recordRequests: file,
  });
  const contract = await deployed(account(0), 'counter', [5]);
  const context = await deployed(account(1), 'context');
  await context.call('current');
  await context.invoke('store');
  await context.call('stored');
  await contract.invoke('increase', [3]);
  const transfer = {
    contractAddress: node.tokens.strk.address,
    entrypoint: 'transfer',
    calldata: ['0x123', cairo.uint256(1)],
  };
  await account(2).estimateInvokeFee(transfer);
  const { transaction_hash } = await account(2).execute(transfer);
  await provider.waitForTransaction(transaction_hash);
  const { block_hash } = await client.call('devnet_createBlock', {});
  await client.call('starknet_getBlockWithReceipts', { block_id: { block_hash } });
  await client.call('starknet_getBlockWithTxs', { block_id: 'latest' });
  await client.call('starknet_getStateUpdate', { block_id: 'latest' });
  await client.call('starknet_traceTransaction', { transaction_hash });
  await client.call('starknet_getEvents', { filter: { chunk_size: 100 } });
  await client.call('devnet_increaseTime', { time: 1000 });
  await client.call('devnet_getPredeployedAccounts', { with_balance: true });
  await client.call('devnet_getConfig', {});
  const id = await client.call('devnet_snapshot', {});
  await client.call('devnet_mint', { address: '0x1', amount: 1000 });
  await client.call('devnet_revert', { snapshot_id: id });
  await client.call('devnet_abortBlocks', { starting_block_id: 'latest' });
  await client.failure('starknet_getNonce', { block_id: 'latest', contract_address: '0x2' });
  await client.failure('starknet_getBlockWithTxs', { block_id: { block_number: 99 } });
  const socket = await connectSocket(url);
  const heads = await socket.subscribe('starknet_subscribeNewHeads');
  await socket.call('devnet_setTime', { time: 3_000_000_000 });
  await socket.call('starknet_getBlockWithTxHashes', { block_id: 'latest' });
  await socket.heard();
  await socket.unsubscribe(heads);
  await socket.close();
  const headers = { 'content-type': 'application/json' };
  const request = '{"jsonrpc":"2.0","id":"a","method":"chain_blockNumber"}';
  for (const body of [
    `[${request},\n${request}]`,
    '{ no JSON',
    '{"jsonrpc":"2.0","method":"nothing"}',
  ]) {
    await fetch(url, { method: 'POST', headers, body });
  }
  await close();
}, 180_000);

test('a recording has every request and no secret', async () => {
  expect(lines().length).toBeGreaterThan(40);
  for (const line of lines()) JSON.parse(line);
  const text = readFileSync(file, 'utf8');
  expect(text).toContain('"private_key":"•••"');
  expect(text).not.toMatch(/"private_key":"0x/);
  expect(statSync(file).mode & 0o077).toBe(0);
  const other = join(folder, 'token.jsonl');
  const node = await createChain({ port: 0, seed: 0, authToken: TOKEN, recordRequests: other });
  const { url } = await node.listen();
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` };
  const body = '{"jsonrpc":"2.0","id":1,"method":"starknet_chainId"}';
  await fetch(url, { method: 'POST', headers, body });
  await node.close();
  const recorded = readFileSync(other, 'utf8');
  expect(recorded.trimEnd().split('\n')).toHaveLength(2);
  expect(recorded).not.toContain(TOKEN);
});

test('a fresh node gives the same answers', async () => {
  expect(await replay(file)).toBe(`${lines().length - 1} requests, all responses equal\n`);
  expect(JSON.parse(await replay(file, '--json'))).toEqual({
    requests: lines().length - 1,
    differences: [],
  });
}, 180_000);

test('a running node gives the same answers, if it started with the same options', async () => {
  const node = await createChain({ port: 0, seed: 42, accounts: 4, initialBalance: 10n ** 22n });
  const { url } = await node.listen();
  expect(await replay(file, '--url', url)).toMatch(/all responses equal/);
  await node.close();
}, 180_000);

test('differences are shown', async () => {
  const wrong = altered('wrong.jsonl', (text) =>
    text.replace(/"result":"0x534e[^"]*"/, '"result":"0x1"'),
  );
  const { outcome, stdout, stderr } = await runCommandLine(['replay', wrong]);
  expect([outcome, stderr]).toEqual([{ exitCode: 1 }, '']);
  expect(stdout).toMatch(/^1 of \d+ responses differs\n.*starknet_chainId at \/result/);
  const seed = altered('seed.jsonl', (text) => text.replace('"seed":42', '"seed":43'));
  const other = await runCommandLine(['replay', seed]);
  expect(other.outcome).toEqual({ exitCode: 1 });
  expect(other.stdout).toMatch(/^\d+ of \d+ responses differ\n/);
}, 180_000);

test('other files are refused', async () => {
  const { outcome, stderr } = await runCommandLine(['replay', join(folder, 'missing')]);
  expect(outcome).toEqual({ exitCode: 2 });
  expect(stderr).toContain('does not exist');
  const other = altered('other.json', () => '{"a":1}\n');
  await expect(replay(other)).rejects.toThrow('is not a recording');
});
