// Two classes with the same histories: each planted difference is found and shrunk, and equal classes have none.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestChain, type LocalTestChain } from '../../src/index.js';
import { type DifferenceKind, differential } from '../../src/properties.js';

const artifact = (name: string): URL =>
  new URL(`../../../../contracts/cairo/${name}.sierra.json`, import.meta.url);

let chain: LocalTestChain;
let pool: string;
let trader: string;
/** A Scarb package, in which the class of the pool has debug information. */
let folder: string;

beforeAll(async () => {
  chain = await createTestChain();
  const [owner] = chain.accounts;
  trader = owner?.address ?? '';
  const coin = () => chain.deployContract(artifact('coin'), [10n ** 12n, trader]);
  const coins = [await coin(), await coin()] as const;
  const contract = await chain.deployContract(
    artifact('pool'),
    coins.map((of) => of.address),
  );
  pool = contract.address;
  for (const of of coins) await of.invoke('approve', [pool, 10n ** 12n]);
  await contract.invoke('fill', [1_000_000, 2_000_000]);
  folder = mkdtempSync(join(tmpdir(), 'starkbox-differential-'));
  const contracts = fileURLToPath(new URL('../../../../contracts', import.meta.url));
  for (const part of ['src', 'Scarb.toml']) {
    cpSync(join(contracts, part), join(folder, 'contracts', part), {
      recursive: true,
      preserveTimestamps: true,
    });
  }
  const compiled = readFileSync(join(contracts, 'places/pool.sierra.json.gz'));
  // Debug information names sources by the folder of their package.
  writeFileSync(join(folder, 'contracts/pool.sierra.json'), gunzipSync(compiled));
});
afterAll(async () => {
  await chain.close();
  rmSync(folder, { recursive: true });
});

const compare = (name: string, kinds?: readonly DifferenceKind[]) =>
  differential(
    chain,
    { chain, classes: { [pool]: artifact(name) } },
    {
      contracts: [pool],
      actors: [trader],
      runs: 60,
      depth: 20,
      seed: 1,
      ...(kinds ? { compare: kinds } : {}),
    },
  );

describe('equal classes', () => {
  test.each(['pool', 'pool_same', 'pool_gas'])('%s has no difference', async (name) => {
    const { differences, calls, text } = await compare(name);
    expect(differences).toEqual([]);
    expect(calls).toBeGreaterThan(500);
    expect(text).toContain('0 differences in 60 runs');
  });

  test('the same class takes the same gas', async () => {
    const { differences, gas } = await compare('pool', [
      'gas',
      'result',
      'storage',
      'events',
      'failure',
    ]);
    expect(differences).toEqual([]);
    const { a, b, calls } = gas['pool.swap'] ?? { a: 0, b: 1, calls: 0 };
    expect(calls).toBeGreaterThan(10);
    expect(a).toBe(b);
  });
});

describe('two chains', () => {
  test('that begin equally have no difference', async () => {
    await using branch = chain.branch();
    const { differences } = await differential(chain, branch, { contracts: [pool], runs: 20 });
    expect(differences).toEqual([]);
  });

  test('with different states differ', async () => {
    await using branch = chain.branch();
    await (await branch.contractAt(pool)).invoke('fill', [1, 0]);
    await branch.time.increase(1000);
    const { differences } = await differential(chain, branch, {
      contracts: [{ address: pool, functions: ['quote'] }],
      runs: 20,
      time: false,
      blocks: false,
    });
    expect(differences.map(({ kind, function: name }) => `${name} ${kind}`)).toEqual([
      'quote result',
    ]);
    expect(differences[0]?.history).toHaveLength(1);
  });
});

test('a class under a key that is no address is rejected', async () => {
  const side = { chain, classes: { pool: artifact('pool') } };
  await expect(differential(chain, side, { contracts: [pool] })).rejects.toThrow(
    'Expected addresses as the keys of "classes", not pool',
  );
});

test('another fee: the quote and the swap return another value', async () => {
  const { differences, text } = await compare('pool_fee');
  const found = differences.map(({ kind, function: name }) => `${name} ${kind}`).sort();
  expect(found).toEqual(['quote result', 'swap result']);
  const quote = differences.find((difference) => difference.function === 'quote');
  expect(quote?.history).toHaveLength(1);
  expect(quote?.text).toMatch(/pool\.quote: returns another value/);
  expect(quote?.text).toMatch(/outcome +returns [\d_]+n +returns [\d_]+n/);
  expect(text).toContain(quote?.text);
});

test('another event, decoded', async () => {
  const { differences } = await compare('pool_event');
  expect(differences.map(({ kind, function: name }) => `${name} ${kind}`)).toEqual(['swap events']);
  expect(differences[0]?.history).toHaveLength(1);
  expect(differences[0]?.text).toMatch(
    /pool Swapped\(trader: account0, a_to_b: \w+, paid: \d+, received: \d+\)/,
  );
});

test('a rejected call: shrunk to the smallest argument that is rejected', async () => {
  const { differences } = await compare('pool_strict');
  expect(differences.map(({ kind, function: name }) => `${name} ${kind}`)).toEqual([
    'swap failure',
  ]);
  const [step] = differences[0]?.history ?? [];
  expect(step).toMatchObject({ kind: 'call', function: 'swap', arguments: [false, 9001n] });
  expect(differences[0]?.text).toContain('fails: pool: too much at once');
});

test('another write', async () => {
  const { differences } = await compare('pool_limit');
  const found = differences.map(({ kind, function: name }) => `${name} ${kind}`).sort();
  expect(found).toContain('swap storage');
  const swap = differences.find(({ kind }) => kind === 'storage');
  expect(swap?.history).toHaveLength(1);
});

test('other types in the storage, with the names of variables', async () => {
  await chain.addArtifact(join(folder, 'contracts/pool.sierra.json'));
  const { differences } = await compare('pool_layout');
  const fill = differences.find((difference) => difference.function === 'fill');
  expect(fill?.kind).toBe('storage');
  expect(fill?.text).toMatch(/pool\.reserves\.b +200000\d +2000000/);
});

test('gas, if it is compared', async () => {
  const { differences, gas } = await compare('pool_gas', ['gas']);
  expect(differences.map(({ kind, function: name }) => `${name} ${kind}`)).toEqual(['swap gas']);
  const { a, b } = gas['pool.swap'] ?? { a: 0, b: 0 };
  expect(b).toBeGreaterThan(a);
});
