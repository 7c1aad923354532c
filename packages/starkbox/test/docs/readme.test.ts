// The README stays short and true, and the tutorial begins with a short program.
import { Class } from '@starkbox/engine';
import { expect, test } from 'vitest';
import { readPage } from './markdown.js';

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
