// The matrix of versions is what the packages and the engine say.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const GENERATOR = fileURLToPath(new URL('../scripts/generate/versions-page.mjs', import.meta.url));
const PAGE = readFileSync(new URL('../docs/reference/versions.md', import.meta.url), 'utf8');

test('the generated part of the page is up to date: npm run gen:docs writes it', () => {
  expect(PAGE).toContain('| starknet.js | ');
  expect(execFileSync(process.execPath, [GENERATOR], { encoding: 'utf8' })).toBe(PAGE);
});
