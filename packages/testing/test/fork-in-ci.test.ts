// The guide "Fork mainnet in CI" with each runner: a run records the lock file, and later runs need no network.
import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createChain } from 'starkbox';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLinkedProject } from './linked-project.js';

const VITEST = join(
  dirname(createRequire(import.meta.url).resolve('vitest/package.json')),
  'vitest.mjs',
);

/** As in the guide, with a network that the test chooses. */
const FIXTURE = `
  import { fixture } from '@starkbox/testing';
  export const mainnet = fixture('mainnet', async (chain) => {
    const { balance } = await chain.mint('0x77', 1n);
    return { balance: String(balance) };
  }, {
    chain: {
      forkLock: process.env['LOCK'] ?? 'fork.lock.json',
      ...(process.env['CI']
        ? { offline: true }
        : { forkNetwork: process.env['NETWORK'], forkBlock: 1 }),
    },
  });
`;
const VITEST_TEST = `
  import { expect } from 'vitest';
  import { withChain } from '@starkbox/testing/vitest';
  import { mainnet } from './mainnet.mjs';
  withChain(mainnet)('reads balances of the network', async ({ chain, data }) => {
    expect(data.balance).toBe('6');
    const { amount } = await chain.request('devnet_getAccountBalance', { address: '0x88' });
    expect(amount).toBe('0');
  });
`;
const NODE_TEST = `
  import assert from 'node:assert/strict';
  import { test } from 'node:test';
  import { withChain } from '@starkbox/testing/node';
  import { mainnet } from './mainnet.mjs';
  test('reads balances of the network', withChain(mainnet, async (chain, data) => {
    assert.equal(data.balance, '6');
    const { amount } = await chain.request('devnet_getAccountBalance', { address: '0x88' });
    assert.equal(amount, '0');
  }));
`;

/** On a busy machine, the first branch can take longer than the default of vitest. */
const UNHURRIED: readonly string[] = ['--testTimeout', '120000'];

const RUNNERS: readonly (readonly [string, string, readonly string[]])[] = [
  ['vitest', VITEST_TEST, [VITEST, 'run', '--pool', 'forks', ...UNHURRIED]],
  ['vitest with threads', VITEST_TEST, [VITEST, 'run', '--pool', 'threads', ...UNHURRIED]],
  ['node:test', NODE_TEST, ['--test']],
];

let folder: string;

beforeEach(() => {
  folder = createLinkedProject('fork-in-ci', ['@starkbox/testing', 'starkbox', 'vitest']);
  writeFileSync(join(folder, 'mainnet.mjs'), FIXTURE);
});
afterEach(() => rmSync(folder, { recursive: true }));

interface Ended {
  readonly code: number | null;
  readonly printed: string;
}

type Settings = Readonly<Record<string, string>>;

/** Runs the tests of the project as another machine would: without what earlier runs have cached. */
function run(command: readonly string[], settings: Settings): Promise<Ended> {
  rmSync(join(folder, 'node_modules', '.cache'), { recursive: true, force: true });
  return runAgain(command, settings);
}

/** As `run`, with the images that earlier runs have kept. */
async function runAgain(command: readonly string[], settings: Settings): Promise<Ended> {
  const cache = mkdtempSync(join(folder, 'cache-'));
  const { CI: _ci, NODE_TEST_CONTEXT: _context, ...inherited } = process.env;
  const child = spawn(process.execPath, command, {
    cwd: folder,
    env: { ...inherited, XDG_CACHE_HOME: cache, NO_COLOR: '1', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const code = new Promise<number | null>((resolve, reject) => {
    child.on('close', resolve).on('error', reject);
  });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, printed: out + err };
}

test.each(RUNNERS)('%s', async (_name, source, command) => {
  writeFileSync(join(folder, 'fork.test.mjs'), source);
  const origin = await createChain({ seed: 0, port: 0 });
  await origin.mint('0x77', 5n);
  const { url } = await origin.listen();

  const recorded = await run(command, { NETWORK: url });
  await origin.close();
  expect(recorded).toMatchObject({ code: 0 });
  const lock: unknown = JSON.parse(readFileSync(join(folder, 'fork.lock.json'), 'utf8'));
  expect(lock).toMatchObject({ version: 1, block: { block_number: 1 } });

  expect(await run(command, { CI: 'true' })).toMatchObject({ code: 0 });
});

test('a new lock file records what the function of a fixture reads, though its image is kept', async () => {
  writeFileSync(join(folder, 'fork.test.mjs'), NODE_TEST);
  const origin = await createChain({ seed: 0, port: 0 });
  await origin.mint('0x77', 5n);
  const { url } = await origin.listen();
  const settings = { NETWORK: url };
  expect(await run(['--test'], settings)).toMatchObject({ code: 0 });
  rmSync(join(folder, 'fork.lock.json'));
  expect(await runAgain(['--test'], settings)).toMatchObject({ code: 0 });
  await origin.close();
  expect(await run(['--test'], { CI: 'true' })).toMatchObject({ code: 0 });
});

test('runs with several lock files leave one file in the folder of temporary files', async () => {
  writeFileSync(join(folder, 'fork.test.mjs'), NODE_TEST);
  const temporary = join(folder, 'temporary');
  mkdirSync(temporary);
  const origin = await createChain({ seed: 0, port: 0 });
  await origin.mint('0x77', 5n);
  const { url } = await origin.listen();
  for (const lock of ['first.lock.json', 'second.lock.json']) {
    const ended = await run(['--test'], { NETWORK: url, LOCK: lock, TMPDIR: temporary });
    expect(ended).toMatchObject({ code: 0 });
    expect(existsSync(join(folder, lock))).toBe(true);
  }
  await origin.close();
  expect(readdirSync(temporary)).toHaveLength(1);
});
