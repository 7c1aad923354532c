// Setup of test files: notes which functions of ours each executes.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';

const folder = process.env['FUNCTIONS_EXECUTED'];

if (folder) {
  /** @type {Set<string>} */
  const executed = new Set();
  Reflect.set(globalThis, '__executed', executed);
  /** @type {string[]} */
  let atImport = [];
  // What a module does when it is imported is seen in the first file of a process alone.
  beforeAll(() => {
    atImport = [...executed];
    executed.clear();
  });
  afterAll(() => {
    const { testPath = '' } = expect.getState();
    mkdirSync(folder, { recursive: true });
    const file = join(folder, `${encodeURIComponent(testPath)}.json`);
    writeFileSync(file, JSON.stringify({ testPath, executed: [...executed], atImport }));
  });
}
