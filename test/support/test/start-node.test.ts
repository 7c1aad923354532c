// A test gets a node of its own, with or without a port.
import { expect, test } from 'vitest';
import { startNode } from '../conformance/start-node.js';

test('a node in this process answers without a port, and is always the same', async () => {
  const { node, client, close } = await startNode({ accounts: 1 });
  expect(await client.call('starknet_blockNumber')).toBe(0);
  const [account] = await client.call('devnet_getPredeployedAccounts');
  expect(account?.address).toBe(node.accounts[0]?.address);
  expect(node.config).toMatchObject({ seed: 0, accounts: 1 });
  await close();
});

test('a node that listens has a free port, and starknet.js connected', async () => {
  const node = await startNode({ listen: true, accounts: 2 });
  const other = await startNode({ listen: true });
  expect(node.url).not.toBe(other.url);
  expect(await node.provider.getBlockNumber()).toBe(0);
  expect(await node.account(1).getNonce()).toBe('0x0');
  expect(() => node.account(2)).toThrow(RangeError);
  await Promise.all([node[Symbol.asyncDispose](), other.close()]);
  await expect(fetch(node.url)).rejects.toThrow();
});
