// The README and the guide of tests do what they say: their code is run as it stands there.
import { execFile } from 'node:child_process';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLinkedProject, ROOT } from './linked-project.js';

let folder: string;

beforeAll(() => {
  folder = createLinkedProject('guides', ['starkbox', '@starkbox/testing', 'starknet', 'vitest']);
  copyFileSync(
    join(ROOT, 'contracts/cairo/counter.sierra.json'),
    join(folder, 'counter.sierra.json'),
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The first code of a language under a heading, or of the page. */
function code(page: string, language: string, heading?: string): string {
  const text = readFileSync(join(ROOT, 'docs', page), 'utf8');
  const section = text
    .split(/^## /m)
    .find((section) => heading === undefined || section.startsWith(heading));
  return (
    new RegExp(`^\`\`\`${language}\\b[^\n]*\n(.*?)^\`\`\``, 'ms').exec(section ?? '')?.[1] ?? ''
  );
}

/** Runs a file of the folder; what it printed. */
async function run(file: string, text: string, ...args: readonly string[]): Promise<string> {
  writeFileSync(join(folder, file), text);
  // A test inside of a test would take the surroundings of the outer one.
  const { PATH = '', HOME = '' } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: folder,
    env: { PATH, HOME, NO_COLOR: '1' },
  });
  return stdout;
}

test('the guide of tests, with node:test', async () => {
  const text = code('guides/test-a-contract.md', 'js', 'With node:test');
  expect(await run('counter.mjs', text, '--test', 'counter.mjs')).toMatch(/^# pass 1$/m);
});

test('the guide of tests, with vitest', async () => {
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const text = code('guides/test-a-contract.md', 'js', 'With vitest');
  // A busy machine takes longer than the five seconds of vitest.
  const args = ['run', '--root', folder, '--testTimeout', '120000'];
  expect(await run('counter.test.js', text, vitest, ...args)).toMatch(/3 passed/);
  const gas = readFileSync(join(folder, '__snapshots__/counter.test.js.gas.json'), 'utf8');
  expect(Object.keys(JSON.parse(gas))).toEqual(['the counter > counts']);
});
