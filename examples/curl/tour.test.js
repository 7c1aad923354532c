// The tour prints the expected lines, with jq and without.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createChain } from 'starkbox';

const SCRIPT = fileURLToPath(new URL('./tour.sh', import.meta.url));

test('the tour', async (t) => {
  const chain = await createChain({ seed: 0, port: 0 });
  t.after(() => chain.close());
  const { url } = await chain.listen();
  const { stdout } = await promisify(execFile)('bash', [SCRIPT, url]);
  const lines = stdout.split('\n');
  assert.equal(lines[0], 'alive: Alive!!!');
  assert.equal(lines[1], 'chain: 0x534e5f5345504f4c4941');
  assert.equal(BigInt(lines[2].split(' ').at(-1)), BigInt(chain.accounts[0].address));
  assert.deepEqual(lines.slice(3, 8), [
    'minted: 0x3e8',
    'sent: SUCCEEDED',
    'received: 0x400',
    'after going back: 0x3e8',
    'why it failed:',
  ]);
  assert.match(stdout, /transfer to 0/i);
  assert.equal(lines.at(-2), 'an hour later: 1');
});
