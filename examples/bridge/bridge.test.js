// The script runs to its end on a node with Anvil, both on free ports.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createChain } from 'starkbox';

const SCRIPT = fileURLToPath(new URL('./bridge.mjs', import.meta.url));

test('the bridge', async (t) => {
  const chain = await createChain({ seed: 0, port: 0, l1: 'anvil:0' });
  t.after(() => chain.close());
  const { url } = await chain.listen();
  const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT, url, chain.l1.url]);
  assert.equal(stdout.trim().split('\n').at(-1), 'cancelled a deposit before it arrived');
});
