// Size of the script that a node serves.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const BUILT = fileURLToPath(new URL('../../starkbox/dist/wallet/wallet.js', import.meta.url));

const isBuilt = existsSync(BUILT);
if (!isBuilt) console.warn('The wallet is not built, and was not weighed: npm run build:wallet');

test.runIf(isBuilt)('the script is at most 30 kB, and imports nothing', () => {
  expect(readFileSync(`${BUILT}.br`).length).toBeLessThanOrEqual(30_000);
  expect(readFileSync(BUILT, 'utf8')).not.toMatch(/\bimport\s*[({'"]/);
});
