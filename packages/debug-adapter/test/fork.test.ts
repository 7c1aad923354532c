// Transactions of a fork, debugged with the artifacts of the project: its own, and those of the forked network.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { closeAfterFile } from '@starkbox/test-support/closing';
import { startPair } from '@starkbox/test-support/fork/pair';
import { contract, Sender } from '@starkbox/test-support/signing';
import { expect, test } from 'vitest';
import { AdapterProcess, Editor } from './support/editor.js';
import { createProject, lineWith } from './support/project.js';

let token = '';
let originTransaction = '';
const transfer = (amount: string) => ({
  to: token,
  name: 'transfer',
  calldata: ['0x1234', amount, '0x0'],
});
const pair = await startPair(
  async ({ client, node }) => {
    const sender = new Sender(client, node.accounts[0]);
    const owner = sender.account.address;
    token = await sender.deploy(await contract('token'), ['0x1', '0x2', '0x64', '0x0', owner]);
    await client.call('devnet_createBlock');
    await sender.invoke([transfer('0x5')]);
    originTransaction = await sender.invoke([transfer('0x60')]);
    await client.call('devnet_createBlock');
  },
  { blockGenerationOn: 'demand' },
);
closeAfterFile(() => pair.close());
const fork = await pair.fork();
const project = await createProject(['token']);
const tokenPath = join(project, 'contracts', 'src', 'token.cairo');
const failing = lineWith(await readFile(tokenPath, 'utf8'), "'token: balance too low'");
const adapter = await AdapterProcess.start(['--url', fork.url], project);

test('a reverted transaction of a fork opens at its failing line', async () => {
  const sender = new Sender(fork.client, fork.node.accounts[0]);
  const transaction = await sender.invoke([transfer('0x1')]);
  const editor = await Editor.connect(adapter.port);
  const stop = await editor.launch({ transaction });
  expect(stop).toMatchObject({ reason: 'exception', path: tokenPath, line: failing });
  expect(stop.text).toContain('token: balance too low');
  expect(await editor.evaluate('held')).toBe('0');
  const earlier = await editor.stopAfter(() => editor.client.stepBackRequest({ threadId: 1 }));
  expect(earlier).toMatchObject({ path: tokenPath, line: failing - 1 });
});

test('so does one of the forked network, on the state before it', async () => {
  const editor = await Editor.connect(adapter.port);
  const stop = await editor.launch({ transaction: originTransaction });
  expect(stop).toMatchObject({ reason: 'exception', path: tokenPath, line: failing });
  // The transfer before it in the same block took 5 of 100.
  expect(await editor.evaluate('held')).toBe('95');
  expect(await editor.evaluate('amount')).toBe('96');
});

test('a transaction that neither has is unknown', async () => {
  const editor = await Editor.connect(adapter.port);
  await editor.initialize();
  await expect(editor.client.customRequest('launch', { transaction: '0x999' })).rejects.toThrow(
    'no transaction 0x999',
  );
});
