// The lock-file flow of docs/features/forking.md: recorded with a network, repeated without one.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mint, type Pair, startPair } from '@starkbox/test-support/fork/pair';
import { RunningCommand } from '@starkbox/test-support/running-command';
import { STRK } from '@starkbox/test-support/signing';
import { temporaryFolderOfFile } from '@starkbox/test-support/temporary-folder';
import { createChain } from 'starkbox';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';

const HOLDER = '0x1234';
let folder: string;
let pair: Pair;
/** The commands of the page, each without the name of the program and without its comment. */
let recording: readonly string[];
let repeating: readonly string[];

beforeAll(async () => {
  folder = temporaryFolderOfFile();
  vi.stubEnv('XDG_CACHE_HOME', join(folder, 'cache'));
  pair = await startPair((origin) => mint(origin, HOLDER, 1000));
  const page = await readFile(
    new URL('../../../../docs/features/forking.md', import.meta.url),
    'utf8',
  );
  const [, section = ''] = page.split('## Tests without a network');
  const [, commands = ''] = /```sh.*\n([\s\S]*?)```/.exec(section) ?? [];
  const words = commands
    .trim()
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim().split(/\s+/).slice(1));
  [recording = [], repeating = []] = words.map((line) =>
    line.map((word) => (word.startsWith('https://') ? pair.proxy.url : word)),
  );
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await pair.close();
});

async function start(args: readonly string[]): Promise<RunningCommand> {
  const command = await RunningCommand.start(args, { cwd: folder });
  onTestFinished(async () => {
    await command.kill();
  });
  return command;
}

/** Why a command ends instead of listening. */
const refusal = (args: readonly string[]): Promise<string> =>
  start(args).then(
    () => 'it listens',
    ({ message }: Error) => message,
  );

/** What a suite may ask: of its accounts, and of the network. */
async function suite(node: RunningCommand): Promise<readonly unknown[]> {
  const accounts = Object(await node.call('devnet_getPredeployedAccounts'));
  const nonces = [];
  for (const { address: contract_address } of accounts) {
    nonces.push(await node.call('starknet_getNonce', { block_id: 'latest', contract_address }));
  }
  const balance = { address: HOLDER, unit: 'FRI' };
  const slot = { contract_address: STRK, key: '0x4711', block_id: 'latest' };
  return [
    accounts,
    nonces,
    await node.call('devnet_getAccountBalance', balance),
    await node.call('starknet_getStorageAt', slot),
    await node.call('starknet_getBlockWithTxs', { block_id: { block_number: 1 } }),
  ];
}

test('the commands of the page work as they are written', async () => {
  expect(recording).toContain('--fork-lock');
  expect(repeating).toContain('--offline');
  const online = await start(recording);
  const expected = await suite(online);
  expect(await online.stop()).toBe(0);
  pair.proxy.forget();
  const offline = await start(repeating);
  expect(await suite(offline)).toEqual(expected);
  expect(await offline.stop()).toBe(0);
  // The same accounts again when it goes on recording.
  const again = await start(recording);
  expect(await suite(again)).toEqual(expected);
  expect(await again.stop()).toBe(0);
  expect(pair.proxy.count('starknet_getNonce')).toBe(0);
});

test('another seed is said to be the reason', async () => {
  const { options } = JSON.parse(await readFile(join(folder, 'fork.lock.json'), 'utf8'));
  expect(options).toEqual({ seed: expect.any(Number), accounts: 10, account_class: 'cairo1' });
  expect(await refusal([...repeating, '--seed', '7'])).toContain(
    `it was recorded with --seed ${options.seed} but this run has --seed 7: use the same value, or record again`,
  );
  expect(await refusal([...repeating, '--accounts', '11'])).toContain(
    'it was recorded with --accounts 10 but this run has --accounts 11',
  );
  // Fewer accounts read less.
  const fewer = await start([...repeating, '--accounts', '3']);
  expect(await fewer.call('devnet_getPredeployedAccounts')).toHaveLength(3);
});

test('a recording of another block is refused, and stays', async () => {
  const forkLock = join(folder, 'fork.lock.json');
  const recorded = await readFile(forkLock, 'utf8');
  const { block_number: number, block_hash: hash } = JSON.parse(recorded).block;
  const forkNetwork = pair.proxy.url;
  for (const forkBlock of [number - 1, '0x1']) {
    await expect(createChain({ forkNetwork, forkLock, forkBlock })).rejects.toThrow(
      `${forkLock} is a recording of block ${number}: delete it to record block ${forkBlock}, or leave out --fork-block`,
    );
  }
  for (const forkBlock of [number, hash]) {
    await using chain = await createChain({ forkNetwork, forkLock, forkBlock });
    expect(await chain.request('starknet_blockNumber')).toBe(number + 1);
  }
  expect(JSON.parse(await readFile(forkLock, 'utf8')).block.block_hash).toBe(hash);
});

test('a lock file without a network and without --offline is refused', async () => {
  const args = repeating.filter((word) => word !== '--offline');
  expect(await refusal(args)).toMatch(/needs a network to read from: add --fork-network <URL>/);
  const forkLock = join(folder, 'fork.lock.json');
  await expect(createChain({ forkLock })).rejects.toThrow(/or add --offline to read only/);
});

test('a restart on another network keeps the accounts of the lock file', async () => {
  const forkLock = join(folder, 'fork.lock.json');
  const node = await createChain({ forkLock, offline: true });
  onTestFinished(() => node.close());
  const before = node.accounts.map(({ address }) => address);
  await node.request('devnet_restart', { fork: { url: pair.proxy.url } });
  const after = Object(await node.request('devnet_getPredeployedAccounts'));
  expect(Array.from(after, ({ address }) => address)).toEqual(before);
  expect(await node.request('devnet_getConfig')).toMatchObject({
    fork_config: { url: `${pair.proxy.url}/`, block_number: 1 },
  });
});

test('a chain that is kept on disk begins with the accounts of the lock file', async () => {
  const forkLock = join(folder, 'fork.lock.json');
  const { options } = JSON.parse(await readFile(forkLock, 'utf8'));
  const dataDir = join(folder, 'data');
  const node = await createChain({ forkLock, offline: true, dataDir });
  expect(node.config.seed).toBe(options.seed);
  await node.close();
});

test('options that cannot be read are said to be', async () => {
  const forkLock = join(folder, 'odd.lock.json');
  const text = await readFile(join(folder, 'fork.lock.json'), 'utf8');
  await writeFile(forkLock, text.replace(/"seed":\d+/, '"seed":"x"'));
  await expect(createChain({ forkLock, offline: true })).rejects.toThrow(
    /is not the lock file of a fork: its options cannot be read/,
  );
});
