// The contracts and actors of a check, as its options list them.
import { expect, test } from 'vitest';
import { createTestChain } from '../../src/index.js';
import { actorsOf, targetsOf } from '../../src/properties/runner/targets.js';

const COUNTER = new URL('../../../../contracts/cairo/counter.sierra.json', import.meta.url);

test('contracts have names, constants, and the functions that are chosen or left out', async () => {
  await using chain = await createTestChain();
  const addresses: string[] = [];
  for (const start of [1, 2, 3]) {
    addresses.push((await chain.deployContract(COUNTER, [start])).address);
  }
  const [first = '', second = '', third = ''] = addresses;
  const targets = await targetsOf(chain, [
    first,
    { address: second, exclude: ['get'] },
    { address: third, functions: ['increase'] },
  ]);
  expect(targets).toMatchObject([
    { name: 'counter', address: first },
    { name: 'counter2', address: second, exclude: ['get'] },
    { name: 'counter3', address: third, functions: ['increase'] },
  ]);
  expect(
    targets.map((target) => [Object.hasOwn(target, 'exclude'), 'functions' in target]),
  ).toEqual([
    [false, false],
    [true, false],
    [false, true],
  ]);
  for (const { abi, constants } of targets) {
    expect([...abi.functions.values()].map(({ name }) => name)).toContain('increase');
    expect(constants).not.toEqual([]);
  }
  for (const listed of ['0x7777', 'counter']) {
    await expect(targetsOf(chain, [listed])).rejects.toThrow(TypeError);
  }
});

test('actors are the accounts, or the addresses that are chosen', async () => {
  await using chain = await createTestChain();
  const [first, second] = chain.accounts;
  expect(actorsOf(chain, undefined)).toHaveLength(chain.accounts.length);
  expect(actorsOf(chain, undefined)[1]).toMatchObject({ name: 'account1' });
  const chosen = [second?.address ?? '', '0x99', first?.address ?? ''];
  expect(actorsOf(chain, chosen).map(({ name }) => name)).toEqual([
    'account1',
    'actor1',
    'account0',
  ]);
});
