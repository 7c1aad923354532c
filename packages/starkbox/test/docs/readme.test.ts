// The README stays short and true, and the tutorial begins with a short program.
import { Class } from '@starkbox/engine';
import { expect, test } from 'vitest';
import { readPage } from './markdown.js';

test('the README has at most 120 lines', () => {
  expect(readPage('README.md').split('\n').length - 1).toBeLessThanOrEqual(120);
});

test('the first transaction of the tutorial takes less than twenty lines', () => {
  const [, code = ''] =
    /## Send a transaction[\s\S]*?```js .*\n([\s\S]*?)```/.exec(
      readPage('docs/start/getting-started.md'),
    ) ?? [];
  expect(code).toContain('alice.execute');
  expect(code.split('\n').length - 1).toBeLessThan(20);
});

test('the CASM beside the contract of the tutorial is what its Sierra class compiles to', async () => {
  const stored = (kind: string): string => readPage(`contracts/cairo/counter.${kind}.json`);
  const casm = await (await Class.compile(stored('sierra'))).casm();
  expect(JSON.parse(stored('casm'))).toEqual(JSON.parse(casm));
});

test.each(['README.md', 'CONTRIBUTING.md', 'docs/start/getting-started.md'])(
  '%s names the starknet.js that our tests use',
  (page) => {
    const { devDependencies } = JSON.parse(readPage('package.json'));
    const versions = [...readPage(page).matchAll(/starknet@([\d.]+)/g)].map(
      ([, version]) => version,
    );
    expect(new Set(versions)).toEqual(new Set([devDependencies.starknet]));
  },
);
