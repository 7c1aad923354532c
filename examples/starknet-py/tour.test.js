// The tour prints the expected lines. STARKBOX_PYTHON names a Python that has starknet.py.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createChain } from 'starkbox';

const SCRIPT = fileURLToPath(new URL('./tour.py', import.meta.url));
const python = process.env.STARKBOX_PYTHON ?? 'python3';

test('the tour', async (t) => {
  const chain = await createChain({ seed: 0, port: 0 });
  t.after(() => chain.close());
  const { url } = await chain.listen();
  const { stdout } = await promisify(execFile)(python, [SCRIPT, url]).catch((error) => {
    if (!/No module named|ENOENT/.test(error.message)) throw error;
    throw new Error(`${python} has no starknet.py: pip install -r requirements.txt`);
  });
  const lines = stdout.split('\n');
  assert.deepEqual(lines.slice(0, 3), ['deployed: 5', 'increased: 7', 'events: 1']);
  assert.match(lines[3], /^rejected: .*counter: amount is 0/);
  assert.equal(lines[4], 'after going back: 5');
});
