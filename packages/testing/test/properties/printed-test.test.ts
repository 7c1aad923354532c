// The report of a violation: its table, its last call, and a test that fails until the contract is repaired.
import { execFile } from 'node:child_process';
import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestChain, type LocalTestChain } from '../../src/index.js';
import type { History } from '../../src/properties/model/history.js';
import type { PrintedRunner } from '../../src/properties/printing/printed-test.js';
import { identifiersOf, valueCode } from '../../src/properties/printing/value-text.js';
import { checkInvariants, InvariantViolation, openRun } from '../../src/properties.js';
import { createLinkedProject, ROOT } from '../linked-project.js';

const DELAY = 86_400;
const artifact = (name: string): URL =>
  new URL(`../../../../contracts/cairo/${name}.sierra.json`, import.meta.url);

let chain: LocalTestChain;
let vault: string;
/** A project with vitest. */
let folder: string;
/** A project without another runner than the one of Node. */
let plainFolder: string;

beforeAll(async () => {
  chain = await createTestChain();
  const oracle = await chain.deployContract(artifact('oracle'), [1]);
  vault = (await chain.deployContract(artifact('vault'), [oracle.address, DELAY])).address;
  folder = createLinkedProject('printed', ['starkbox', '@starkbox/testing', 'starknet', 'vitest']);
  plainFolder = createLinkedProject('plain', ['starkbox', '@starkbox/testing', 'starknet']);
  for (const name of ['oracle', 'vault']) {
    for (const project of [folder, plainFolder]) {
      copyFileSync(artifact(name), join(project, `${name}.sierra.json`));
    }
  }
});
afterAll(async () => {
  await chain.close();
  for (const project of [folder, plainFolder]) rmSync(project, { recursive: true });
});

const optionsOf = () => ({
  contracts: [vault],
  invariants: {
    'stays open': ({ call }: { call(contract: string, name: string): Promise<unknown> }) =>
      call(vault, 'is_open'),
  },
  corpus: false as const,
  progress: false,
});

async function violation(): Promise<InvariantViolation> {
  const failure: unknown = await checkInvariants(chain, optionsOf()).catch(
    (error: unknown) => error,
  );
  if (failure instanceof InvariantViolation) return failure;
  throw failure;
}

/** The file of invariants of a project whose vault opens after a delay. */
const invariantsFile = (delay: number): string => `
import { fixture } from '@starkbox/testing';
import { defineInvariants } from '@starkbox/testing/properties';

const vaults = fixture('vaults', async (chain) => {
  const oracle = await chain.deployContract(new URL('./oracle.sierra.json', import.meta.url), [1]);
  const vault = await chain.deployContract(new URL('./vault.sierra.json', import.meta.url), [oracle.address, ${delay}]);
  return { vault: vault.address };
});

export default defineInvariants(vaults, ({ vault }) => ({
  contracts: [vault],
  invariants: { 'stays open': ({ call }) => call(vault, 'is_open') },
}));
`;

/** Runs a file of the project, and returns its exit code and output. */
function runTest(
  runner: PrintedRunner,
  project: string,
  file: string,
): Promise<{ code: number; output: string }> {
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const args =
    runner === 'node'
      ? ['--test', file]
      : [vitest, 'run', '--root', project, '--testTimeout', '120000', file];
  const { PATH = '', HOME = '' } = process.env;
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      args,
      { cwd: project, env: { PATH, HOME, NO_COLOR: '1' } },
      (_error, stdout, stderr) => resolve({ code: child.exitCode ?? 1, output: stdout + stderr }),
    );
  });
}

/** The test in the message of a violation. */
const printedIn = (message: string): string =>
  /^import \{ openRun[\s\S]*?^\}\);$/m.exec(message)?.[0] ?? '';

describe('a violation', () => {
  test('has the steps, the last call with its storage, and a test', async () => {
    const { message } = await violation();
    expect(message).toMatch(/step +caller +call +outcome/);
    expect(message).toMatch(/1 +account0 +vault\.request_exit\(\)/);
    expect(message).toMatch(/2 +86_400 seconds pass/);
    expect(message).toMatch(/✓ vault\.exit\(\)/);
    expect(message).toMatch(/storage:\n +vault slot 0x[0-9a-f]{6}…[0-9a-f]{4}: 0 → 1/);
    expect(printedIn(message)).toContain("await run.attempt(account0, vault, 'exit');");
  });

  test('is repeated by hand on the same chain', async () => {
    const { violation: found } = await violation();
    await using run = await openRun(chain, optionsOf());
    await run.check();
    for (const step of found.history) {
      if (step.kind === 'call') await run.send(step.from, step.to, step.function);
      if (step.kind === 'time') run.increaseTime(step.seconds);
    }
    await expect(run.check('stays open')).rejects.toThrow("Invariant 'stays open' is violated");
    await expect(run.check('is closed')).rejects.toThrow('The options have no invariant is closed');
    expect(await run.attempt(run.actors[0] ?? '', vault, 'exit')).toBe(undefined);
  });

  test('of a call on the same chain that fails is explained', async () => {
    const failure: unknown = await checkInvariants(chain, {
      ...optionsOf(),
      invariants: { holds: () => true },
      failures: 'reject',
    }).catch((error: unknown) => error);
    const text = failure instanceof Error ? failure.message : '';
    expect(text).toMatch(/vault: (?:no exit requested|too early)/);
    expect(printedIn(text)).toContain("await run.send(account0, vault, 'exit');");
  });
});

test.each<PrintedRunner>(['vitest', 'node'])(
  'the printed test fails with %s, if the project has it, until the contract is repaired',
  async (runner) => {
    const project = runner === 'node' ? plainFolder : folder;
    const invariants = join(project, 'vault.invariants.js');
    const file = 'printed.test.mjs';
    writeFileSync(invariants, invariantsFile(DELAY));
    const options = { workers: 0, corpus: false, progress: false } as const;
    const failure: unknown = await checkInvariants(invariants, options).catch(
      (error: unknown) => error,
    );
    if (!(failure instanceof InvariantViolation)) throw failure;
    writeFileSync(join(project, file), printedIn(failure.message));
    const broken = await runTest(runner, project, file);
    expect(broken.output).toContain("Invariant 'stays open' is violated");
    expect(broken.code).toBe(1);
    writeFileSync(invariants, invariantsFile(DELAY * 1000));
    const repaired = await runTest(runner, project, file);
    expect(repaired.output).toMatch(runner === 'node' ? /^# pass 1$|ℹ pass 1/m : /1 passed/);
    expect(repaired.code).toBe(0);
  },
);

test('a violation of an earlier class is tried first with a class that is changed', async () => {
  const file = join(folder, 'changed.invariants.js');
  const corpus = join(folder, 'corpus');
  const check = async (): Promise<InvariantViolation> => {
    const failure: unknown = await checkInvariants(new URL(`${pathToFileURL(file)}?${++checks}`), {
      workers: 0,
      corpus,
      progress: false,
    }).catch((error: unknown) => error);
    if (failure instanceof InvariantViolation) return failure;
    throw failure;
  };
  writeFileSync(file, invariantsFile(DELAY));
  const first = await check();
  // Another argument of the constructor gives the vault another address.
  writeFileSync(file, invariantsFile(DELAY - 1));
  const second = await check();
  expect(firstContract(second.violation.history)).not.toBe(firstContract(first.violation.history));
  expect(second.message).toContain('by a history of the corpus');
  expect(second.violation.history).toContainEqual({ kind: 'time', seconds: DELAY - 1 });
});

let checks = 0;

const firstContract = (history: History): string =>
  history.flatMap((step) => (step.kind === 'call' ? step.to : []))[0] ?? '';

test('values are written as TypeScript', () => {
  const names = identifiersOf([
    { name: 'alice', address: '0xa' },
    { name: 'class', address: '0xb' },
    { name: 'my token', address: '0xc' },
    { name: 'alice', address: '0xd' },
  ]);
  expect([...names.values()]).toEqual(['alice', 'classContract', 'myToken', 'alice2']);
  const value = { to: '0xa', amounts: [1n, -12_345n], 'odd key': "it's", flag: true };
  expect(valueCode(value, names)).toBe(
    "{ to: alice, amounts: [1n, -12_345n], 'odd key': 'it\\'s', flag: true }",
  );
});
