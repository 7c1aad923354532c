// Failing tests in real runners: the message ends with the command that opens the failure, and passing tests write nothing.
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { Class } from '@starkbox/engine';
import { openBundle } from 'starkbox';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { classTextWithPlaces } from '../../../contracts/classes.js';
import { createLinkedProject, ROOT } from './linked-project.js';

const project = createLinkedProject('bundles', [
  '@starkbox/testing',
  'starkbox',
  'starknet',
  'vitest',
]);
const bundles = join(project, 'node_modules', '.cache', 'starkbox', 'bundles');
afterAll(() => rmSync(project, { recursive: true }));

/** A Scarb package in the project, whose class has debug information. */
const scarb = join(project, 'contracts');
const COUNTER = join(scarb, 'target', 'dev', 'counter.contract_class.json');
mkdirSync(dirname(COUNTER), { recursive: true });
mkdirSync(join(scarb, 'src'));
writeFileSync(join(scarb, 'Scarb.toml'), '[package]\n');
copyFileSync(join(ROOT, 'contracts/src/counter.cairo'), join(scarb, 'src', 'counter.cairo'));
writeFileSync(COUNTER, await classTextWithPlaces('counter'));
const classHash = await Class.hashOf(await classTextWithPlaces('counter'));
/** As the debug information names it. */
const SOURCE = 'contracts/src/counter.cairo';
const FIXTURE = `
import { fixture } from '@starkbox/testing';
export const counters = fixture('counters', async (chain) => {
  const counter = await chain.deployContract(${JSON.stringify(COUNTER)}, [5]);
  return { counter: counter.address };
}, { cacheDir: false });
`;
writeFileSync(join(project, 'counters.js'), FIXTURE);
writeFileSync(
  join(project, 'counter.test.js'),
  `
import { expect } from 'vitest';
import { createTestChain } from '@starkbox/testing';
import { withChain } from '@starkbox/testing/vitest';
import { counters } from './counters.js';
const test = withChain(counters);
test('a matcher passes', async ({ chain, data }) => {
  const counter = await chain.contractAt(data.counter);
  await expect(counter.invoke('increase', [0])).toRevertWith('counter: amount is 0');
  await expect(counter.invoke('increase', [1])).not.toRevertWith();
});
test('a matcher fails', async ({ chain, data }) => {
  const counter = await chain.contractAt(data.counter);
  await expect(counter.invoke('increase', [1])).toRevertWith('no reason');
});
test('a matcher of a refused transaction fails', async ({ chain, data }) => {
  const counter = await chain.contractAt(data.counter);
  await expect(counter.invoke('increase', [0])).toRevertWith('no reason');
});
test('an awaited transaction fails', async ({ chain, data }) => {
  const counter = await chain.contractAt(data.counter);
  await counter.invoke('increase', [0]);
});
test('a view call fails on a chain of the test', async () => {
  const chain = await createTestChain();
  const counter = await chain.deployContract(${JSON.stringify(COUNTER)}, [5]);
  await chain.provider.callContract({ contractAddress: counter.address, entrypoint: 'increase', calldata: [0] });
});
`,
);
writeFileSync(
  join(project, 'counter.node.mjs'),
  `
import test from 'node:test';
import { assertRevertsWith } from '@starkbox/testing/matchers';
import { withChain } from '@starkbox/testing/node';
import { counters } from './counters.js';
test('an assertion passes', withChain(counters, async (chain, { counter }) => {
  const contract = await chain.contractAt(counter);
  await assertRevertsWith(contract.invoke('increase', [0]), 'counter: amount is 0');
}));
test('an assertion fails', withChain(counters, async (chain, { counter }) => {
  const contract = await chain.contractAt(counter);
  await assertRevertsWith(contract.invoke('increase', [1]));
}));
test('an awaited transaction fails', withChain(counters, async (chain, { counter }) => {
  const contract = await chain.contractAt(counter);
  await contract.invoke('increase', [0]);
}));
`,
);

interface Run {
  readonly output: string;
  readonly files: readonly string[];
}

function run(words: readonly string[], env: Readonly<Record<string, string>> = {}): Run {
  const { VITEST: _vitest, NODE_TEST_CONTEXT: _context, ...own } = process.env;
  const { stdout, stderr } = spawnSync(process.execPath, words, {
    cwd: project,
    encoding: 'utf8',
    env: { ...own, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return { output: `${stdout}${stderr}`, files: filesIn(bundles) };
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

const VITEST = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
const vitest = (name: string, env?: Readonly<Record<string, string>>): Run =>
  run([VITEST, 'run', '--root', project, '--testTimeout', '120000', '-t', name], env);
const nodeTest = (name: string): Run =>
  run(['--test', '--test-reporter=spec', `--test-name-pattern=${name}`, 'counter.node.mjs']);

beforeEach(() => rmSync(bundles, { recursive: true, force: true }));

/** An output points at a line of a test, and has nothing of the request that failed. */
function expectLine(output: string, file: string, line: string): void {
  const lines = readFileSync(join(project, file), 'utf8').split('\n');
  const places = output.matchAll(new RegExp(`${file.replaceAll('.', '\\.')}:(\\d+)`, 'g'));
  const shown = [...places].map(([, number]) => lines[Number(number) - 1]?.trim());
  expect(shown, output).toContain(line);
  expect(output).not.toMatch(/sender_address|resource_bounds/);
}

/** The file of the only command in an output. */
function commandIn(output: string): string {
  const files = [...output.matchAll(/Debug it: npx starkbox debug (\S+)/g)].map(([, file]) => file);
  expect(new Set(files).size, output).toBe(1);
  return files[0] ?? '';
}

describe('vitest', () => {
  test('a passing test writes no bundle', () => {
    const { output, files } = vitest('a matcher passes');
    expect(output).toMatch(/1 passed/);
    expect(files).toEqual([]);
  });

  test.each([
    ['a matcher fails', 'counter.increase', 'transactionHash'],
    ['a matcher of a refused transaction fails', 'counter.increase', 'transactions'],
    ['an awaited transaction fails', 'counter.increase', 'transactions'],
    ['a view call fails on a chain of the test', 'counter.increase', 'call'],
  ])('%s: the message names the command', async (name, contract, kind) => {
    const { output, files } = vitest(name);
    const file = commandIn(output);
    expect(output).toMatch(/1 failed/);
    expect(files).toEqual([file.split('/').at(-1)]);
    expect(file).toMatch(new RegExp(`^node_modules/.cache/starkbox/bundles/${contract}-\\w+`));
    const { chain, target } = await openBundle(join(project, file));
    expect(Object.keys(target)).toContain(kind);
    const { source } = await chain.request('devnet_getDebugClass', { class_hash: classHash });
    expect(source).toBeDefined();
    const text = await chain.request('devnet_getDebugSource', {
      class_hash: classHash,
      file: SOURCE,
    });
    expect(text).toMatchObject({ text: readFileSync(join(scarb, 'src', 'counter.cairo'), 'utf8') });
    await chain.close();
  });

  test('a variable switches bundles off', () => {
    const { output, files } = vitest('a matcher fails', { STARKBOX_BUNDLES: 'off' });
    expect(output).toMatch(/Expected the transaction to revert with 'no reason'/);
    expect(output).not.toMatch(/starkbox debug/);
    expect(files).toEqual([]);
  });

  test('a bundle that cannot be written is a sentence, and the failure stays', () => {
    rmSync(bundles, { recursive: true, force: true });
    mkdirSync(dirname(bundles), { recursive: true });
    writeFileSync(bundles, '');
    const { output } = vitest('a matcher fails');
    rmSync(bundles);
    expect(output).toMatch(/Expected the transaction to revert with 'no reason'/);
    expect(output).toMatch(/No bundle for the debugger was written: .*(EEXIST|ENOTDIR).*\./);
  });
});

test('the command of a failing test opens the failing line', () => {
  const failed = vitest('an awaited transaction fails');
  expectLine(failed.output, 'counter.test.js', "await counter.invoke('increase', [0]);");
  const file = commandIn(failed.output);
  // Without the sources: they are in the bundle.
  const moved = `${scarb}-moved`;
  renameSync(scarb, moved);
  const command = join(ROOT, 'packages', 'starkbox', 'bin', 'starkbox.js');
  const { output } = run([command, 'debug', file]);
  renameSync(moved, scarb);
  const lines = readFileSync(join(scarb, 'src', 'counter.cairo'), 'utf8').split('\n');
  const [, line = 0] = /counter\.cairo:(\d+)/.exec(output) ?? [];
  expect(lines[Number(line) - 1], output).toMatch(/panic|assert/);
  expect(output).toMatch(/amount = 0 u128/);
});

describe('node:test', () => {
  test('a passing test writes no bundle', () => {
    const { output, files } = nodeTest('an assertion passes');
    expect(output).toMatch(/pass 1/);
    expect(files).toEqual([]);
  });

  test.each([
    ['an assertion fails', "await assertRevertsWith(contract.invoke('increase', [1]));"],
    ['an awaited transaction fails', "await contract.invoke('increase', [0]);"],
  ])('%s: the message names the command and the line', async (name, line) => {
    const { output, files } = nodeTest(name);
    expectLine(output, 'counter.node.mjs', line);
    const file = commandIn(output);
    expect(output).toMatch(/fail 1/);
    expect(files).toEqual([file.split('/').at(-1)]);
    const { chain } = await openBundle(join(project, file));
    expect(await chain.request('starknet_blockNumber')).toBeGreaterThan(0);
    await chain.close();
  });
});

test('the number and the bytes of bundles are limited, and the oldest go', () => {
  const write = (index: number, bytes: number): void => {
    const path = join(bundles, `old-${index}.starkbox-bundle`);
    writeFileSync(path, Buffer.alloc(bytes));
    utimesSync(path, index, index);
  };
  mkdirSync(bundles, { recursive: true });
  for (let index = 1; index <= 30; index += 1) write(index, 10);
  vitest('a matcher fails');
  expect(filesIn(bundles)).toHaveLength(20);
  expect(filesIn(bundles)).not.toContain('old-11.starkbox-bundle');
  expect(filesIn(bundles)).toContain('old-12.starkbox-bundle');
  for (let index = 31; index <= 33; index += 1) write(index, 30 << 20);
  vitest('a matcher fails');
  const bytes = filesIn(bundles).map((name) => statSync(join(bundles, name)).size);
  expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(64 << 20);
});
