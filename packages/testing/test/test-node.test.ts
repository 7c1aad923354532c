import { expect, test } from 'vitest';
import { startTestNode } from '../src/index.js';

test('a test node answers in this process, and two of them have the same accounts', async () => {
  await using one = await startTestNode({ accounts: 1 });
  await using other = await startTestNode({ accounts: 1 });
  expect(one.url).toBeUndefined();
  const text = await one.node.handle(
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'starknet_blockNumber' }),
  );
  expect(JSON.parse(text ?? '')).toEqual({ jsonrpc: '2.0', id: 1, result: 0 });
  expect(one.node.accounts).toEqual(other.node.accounts);
});

test('a test node that listens has a free port and closes it', async () => {
  const one = await startTestNode({ listen: true });
  const alive = await fetch(`${one.url}/is_alive`);
  expect(await alive.text()).toBe('Alive!!!');
  await one.close();
  await expect(fetch(`${one.url}/is_alive`)).rejects.toThrow();
});
