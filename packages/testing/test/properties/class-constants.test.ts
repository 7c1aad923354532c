// Constants of classes: limits, fees and prices in their code.
import { readFile } from 'node:fs/promises';
import { Class } from '@starkbox/engine';
import { expect, test } from 'vitest';
import { classConstants } from '../../src/properties/values/class-constants.js';

async function constantsOf(name: string): Promise<readonly bigint[]> {
  const file = new URL(`../../../../contracts/cairo/${name}.sierra.json`, import.meta.url);
  const compiled = await Class.compile(await readFile(file, 'utf8'));
  return classConstants(JSON.parse(await compiled.casm()));
}

test('the limits and fees of a class are among its constants', async () => {
  expect(await constantsOf('pool_strict')).toEqual(expect.arrayContaining([997n, 1000n, 9000n]));
  expect(await constantsOf('pool_limit')).toContain(100_000n);
  expect(await constantsOf('vault')).toContain(100_000_000n);
  expect(await constantsOf('pool')).not.toContain(9000n);
});

test('small numbers and powers of two are left out', async () => {
  const constants = await constantsOf('pool');
  const isPower = (value: bigint): boolean => (value & (value - 1n)) === 0n;
  expect(constants.length).toBeGreaterThan(2);
  expect(constants.filter((value) => value < 4n || isPower(value))).toEqual([]);
});

test('immediates of jumps, calls and stack moves are left out', () => {
  const instruction = (flags: bigint): string =>
    `0x${((flags << 48n) + 0x7fff7fff8000n).toString(16)}`;
  const immediate = 1n << 2n;
  const [relativeJump, conditionalJump, stackMove, call] = [8n, 9n, 10n, 12n].map(
    (bit) => 1n << bit,
  );
  const bytecode = [relativeJump, conditionalJump, stackMove, call].flatMap((flag = 0n, at) => [
    instruction(immediate | flag),
    `0x${(1001 + at).toString(16)}`,
  ]);
  expect(classConstants({ bytecode })).toEqual([]);
  const assertion = instruction(immediate | (1n << 14n));
  expect(classConstants({ bytecode: [...bytecode, assertion, '0x7d5'] })).toEqual([2005n]);
  expect(classConstants(undefined)).toEqual([]);
});
