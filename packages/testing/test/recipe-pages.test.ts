// The recipes of the documentation pass: each block of TypeScript is a test file of its own.
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLinkedProject, ROOT } from './linked-project.js';

const RECIPES = join(ROOT, 'docs/recipes');
const CONTRACTS = join(ROOT, 'contracts/cairo');
let folder: string;

interface Recipe {
  /** Page and heading. */
  readonly name: string;
  readonly code: string;
}

/** The code of each section of each page. */
function recipes(): readonly Recipe[] {
  return readdirSync(RECIPES).flatMap((page) => {
    const sections = readFileSync(join(RECIPES, page), 'utf8').split(/^## /m).slice(1);
    return sections.map((section) => {
      const heading = section.slice(0, section.indexOf('\n'));
      const code = /^```ts\n(.*?)^```/ms.exec(section)?.[1] ?? '';
      return { name: `${page}: ${heading}`, code };
    });
  });
}

beforeAll(() => {
  folder = createLinkedProject('recipes', [
    'starkbox',
    '@starkbox/testing',
    '@starkbox/argent-classes',
    'starknet',
    'vitest',
  ]);
  for (const name of readdirSync(CONTRACTS)) {
    symlinkSync(join(CONTRACTS, name), join(folder, name));
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

test('every section of the recipes is a test with assertions, in at most 25 lines', () => {
  const all = recipes();
  expect(all.length).toBeGreaterThan(10);
  for (const { name, code } of all) {
    expect(code.match(/^test\(/gm), name).toHaveLength(1);
    expect(code, name).toContain('expect(');
    const body = code
      .split('\n')
      .slice(code.split('\n').findIndex((line) => line.startsWith('test(')));
    expect(body.length, name).toBeLessThanOrEqual(26);
  }
});

test('all recipes pass', async () => {
  const all = recipes();
  for (const [at, { code }] of all.entries()) {
    writeFileSync(join(folder, `recipe-${at}.test.ts`), code);
  }
  // A test inside a test would inherit the environment of the outer one.
  const { PATH = '', HOME = '' } = process.env;
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const args = [
    'run',
    '--root',
    folder,
    '--testTimeout',
    '120000',
    '--reporter',
    'json',
    '--no-isolate',
  ];
  const { stdout } = await promisify(execFile)(process.execPath, [vitest, ...args], {
    cwd: folder,
    env: { PATH, HOME, NO_COLOR: '1' },
    maxBuffer: 1 << 24,
  }).catch((error: { stdout: string }) => error);
  const report: {
    testResults: {
      name: string;
      message: string;
      assertionResults: { failureMessages: string[] }[];
    }[];
  } = JSON.parse(stdout);
  const failed = report.testResults.flatMap(({ name, message, assertionResults }) => {
    const recipe = all[Number(/recipe-(\d+)\./.exec(name)?.[1])]?.name;
    const messages = assertionResults.flatMap(({ failureMessages }) => failureMessages);
    return [...(message === '' ? [] : [message]), ...messages].map((text) => `${recipe}: ${text}`);
  });
  expect(failed).toEqual([]);
  const passed = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  expect(passed).toHaveLength(all.length);
});
