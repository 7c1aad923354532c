// Rehearsals of upgrades on the history of a second node, which has older constants.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startNode } from '@starkbox/test-support';
import { runCommandLine } from '@starkbox/test-support/command-line';
import { FaultyProxy } from '@starkbox/test-support/fork/proxy';
import { createMarket } from '@starkbox/test-support/rehearsal/market';
import type { Change, Rehearsal } from '@starkbox/test-support/rehearsal/report';
import { contract } from '@starkbox/test-support/signing';
import { temporaryFolderOfFile } from '@starkbox/test-support/temporary-folder';
import { afterAll, describe, expect, test } from 'vitest';
import { classFile, classTextWithPlaces } from '../../../../contracts/classes.js';

const COUNT = 66;
const VERSION = '0.13.6';
const options = { accounts: 6, blockGenerationOn: 'demand', starknetVersion: VERSION } as const;
const origin = await startNode({ listen: true, ...options });
const market = await createMarket(origin, COUNT);
const proxy = await FaultyProxy.before(origin.url);
const folder = temporaryFolderOfFile();
const cache = join(folder, 'cache');
afterAll(async () => {
  await proxy.close();
  await origin.close();
});

/** The transactions that swap, without the filling of the pool. */
const swaps = market.touching.slice(1);
const succeeded = swaps.filter((hash) => !market.reverted.includes(hash));

async function runCommand(...argv: readonly string[]) {
  const env = { STARKBOX_FORK_CACHE_DIR: cache };
  const { outcome, stdout, stderr } = await runCommandLine(['rehearse', ...argv], { env });
  return { exitCode: 'exitCode' in outcome ? outcome.exitCode : undefined, stdout, stderr };
}

const POOL = ['--contract', market.pool];
const NETWORK = ['--fork-network', proxy.url];
const fileOf = (name: string): string => fileURLToPath(classFile(name));

/** All swaps with another class. */
async function rehearse(
  name: string,
  ...more: readonly string[]
): Promise<{ readonly exitCode: number | undefined; readonly report: Rehearsal }> {
  const last = ['--last', String(COUNT)];
  const { exitCode, stdout, stderr } = await runCommand(
    ...[...POOL, ...NETWORK, ...last, '--json', '--class', fileOf(name), ...more],
  );
  expect(stderr).toBe('');
  const report: Rehearsal = JSON.parse(stdout);
  expect(report).toMatchObject({ not_reproduced: [], skipped: [] });
  // Carried writes affect transfers of coins too.
  if (report.mode === 'independent') expect(report.transactions).toBe(COUNT);
  return { exitCode, report };
}

const hashesIn = ({ different }: Rehearsal): readonly string[] =>
  different.map(({ transaction_hash: hash }) => hash);
const kindsIn = ({ different }: Rehearsal): readonly string[] => [
  ...new Set(different.flatMap(({ changes }) => changes.map(({ kind }) => kind))),
];
const changesOf = (report: Rehearsal, kind: Change['kind']): readonly Change[] =>
  report.different.flatMap(({ changes }) => changes.filter((change) => change.kind === kind));

describe('each transaction on the state of the network', () => {
  test('a class with the same code shows no difference', async () => {
    const { exitCode, report } = await rehearse('pool_same');
    expect(exitCode).toBe(0);
    expect(report).toMatchObject({ different: [], layout: { changes: [] } });
    expect(report.new_class).not.toBe(report.old_classes[0]);
  });

  test('another fee shows in return values, events and storage of each swap', async () => {
    const { exitCode, report } = await rehearse('pool_fee');
    expect(exitCode).toBe(1);
    expect(hashesIn(report)).toEqual(succeeded);
    expect(kindsIn(report).toSorted()).toEqual(['event', 'result', 'storage']);
    expect(report.counts).toMatchObject({ result: succeeded.length, event: succeeded.length });
    const [first] = report.different;
    expect(first?.changes).toContainEqual({
      kind: 'result',
      subject: 'swap',
      old: '2990',
      new: '2993',
    });
    expect(first?.changes).toContainEqual({
      kind: 'event',
      subject: 'Swapped',
      old: expect.stringContaining('paid: 3000, received: 2990 }'),
      new: expect.stringContaining('paid: 3000, received: 2993 }'),
    });
  });

  test('another field shows in the event alone', async () => {
    const { report } = await rehearse('pool_event');
    expect(hashesIn(report)).toEqual(succeeded);
    const [change] = changesOf(report, 'event');
    expect(change?.old).toContain('received: 2990');
    expect(change?.new).toContain('price: 1000');
    expect(kindsIn(report)).not.toContain('storage');
  });

  test('another check shows in the status of the transactions that it rejects', async () => {
    const { report } = await rehearse('pool_strict');
    const changes = changesOf(report, 'status');
    expect(market.large.length).toBeGreaterThan(0);
    expect(
      report.different
        .filter(({ changes: all }) => all.some(({ kind }) => kind === 'status'))
        .map(({ transaction_hash: hash }) => hash),
    ).toEqual(market.large);
    expect(new Set(changes.map(({ new: now }) => now))).toEqual(
      new Set(['REVERTED: pool: too much at once']),
    );
  });

  test('more work shows in gas alone', async () => {
    const { exitCode, report } = await rehearse('pool_gas');
    expect(exitCode).toBe(1);
    expect(kindsIn(report)).toEqual(['gas']);
    expect(hashesIn(report)).toEqual(expect.arrayContaining(succeeded));
    const tolerant = await rehearse('pool_gas', '--tolerance', '15');
    expect(tolerant).toMatchObject({ exitCode: 0, report: { different: [] } });
  });

  test('another layout shows by variable, before any transaction', async () => {
    const package_ = await artifacts();
    const layout = ['--class', package_('pool_layout'), '--old-class', package_('pool')];
    const { exitCode, stdout } = await runCommand(
      ...[...POOL, ...NETWORK, ...layout, '--last', '3', '--json'],
    );
    expect(exitCode).toBe(1);
    const report: Rehearsal = JSON.parse(stdout);
    expect(report.layout).toEqual({
      unknown: [],
      changes: [
        {
          kind: 'changed',
          variable: 'reserves',
          old: '{ a: u128, b: u128 }',
          new: '{ a: u128, earned: u128, b: u128 }',
          effects: [
            'reserves.earned reads reserves.b',
            'reserves.b is read from a slot that reserves does not use',
          ],
        },
        { kind: 'compatible', variable: 'swaps', old: 'u64', new: 'u256', effects: [] },
        {
          kind: 'changed',
          variable: 'volumes',
          old: 'Map<ContractAddress, u128>',
          new: 'Map<(ContractAddress, bool), u128>',
          effects: ['entries of volumes are at other slots: stored entries are not read'],
        },
      ],
    });
    expect(changesOf(report, 'storage').map(({ subject }) => subject)).toContain('reserves.b');
  });
});

/** A package with sources, and classes with debug information. */
async function artifacts(): Promise<(name: string) => string> {
  const root = join(folder, 'contracts');
  mkdirSync(join(root, 'src/rehearsal'), { recursive: true });
  mkdirSync(join(root, 'target'), { recursive: true });
  writeFileSync(join(root, 'Scarb.toml'), '[package]\nname = "contracts"\n');
  const pathOf = (name: string): string => join(root, 'target', `${name}.contract_class.json`);
  for (const name of ['pool', 'pool_layout']) {
    const source = new URL(`../../../../contracts/src/rehearsal/${name}.cairo`, import.meta.url);
    writeFileSync(join(root, `src/rehearsal/${name}.cairo`), readFileSync(source));
    writeFileSync(pathOf(name), await classTextWithPlaces(name));
  }
  return pathOf;
}

describe('with the writes of the new class carried', () => {
  test('a class with the same code shows no difference', async () => {
    const { exitCode, report } = await rehearse('pool_same', '--carry');
    expect(exitCode).toBe(0);
    expect(report).toMatchObject({ different: [], mode: 'carried' });
  });

  test('a limit shows that only own writes reach', async () => {
    const single = await rehearse('pool_limit');
    expect(kindsIn(single.report)).not.toContain('status');
    const { report } = await rehearse('pool_limit', '--carry');
    const statuses = changesOf(report, 'status');
    expect(statuses.length).toBeGreaterThan(0);
    expect(statuses.at(-1)).toMatchObject({ new: 'REVERTED: pool: limit reached' });
  });

  test('every outcome is that of a chain on which the same transactions are sent again', async () => {
    const { report } = await rehearse('pool_fee', '--carry');
    const received = report.different.map(({ transaction_hash: hash, changes }) => [
      hash,
      changes.find(({ kind, subject }) => kind === 'result' && subject === 'swap')?.new,
    ]);
    expect(received.length).toBe(succeeded.length);
    const first = await origin.client.call('starknet_getTransactionReceipt', {
      transaction_hash: swaps[0] ?? '',
    });
    expect(received).toEqual(await sentAgain(first.block_number ?? 0));
  });
});

/** Amounts that the swaps received on a fork with the new class, by transaction. */
async function sentAgain(firstBlock: number): Promise<readonly unknown[]> {
  const fork = await startNode({
    listen: true,
    forkNetwork: origin.url,
    forkBlock: firstBlock - 1,
    forkUpstreamCaching: false,
    seed: 1,
  });
  try {
    const { hash: class_hash, class: compiled } = await contract('pool_fee');
    const contract_class = JSON.parse(await compiled.json());
    await fork.client.call('devnet_applyStateDiff', {
      state_diff: { replaced_classes: [{ contract_address: market.pool, class_hash }] },
      classes: [{ contract_class }],
    });
    const amounts: unknown[] = [];
    const latest = await origin.client.call('starknet_blockNumber', []);
    for (let block_number = firstBlock; block_number <= latest; block_number += 1) {
      const { transactions } = await origin.client.call('starknet_getBlockWithTxs', {
        block_id: { block_number },
      });
      for (const { transaction_hash, ...values } of transactions) {
        await fork.client.call('starknet_addInvokeTransaction', [values]);
        if (!succeeded.includes(transaction_hash)) continue;
        const { events } = await fork.client.call('starknet_getTransactionReceipt', {
          transaction_hash,
        });
        const event = events.find(({ from_address }) => from_address === market.pool);
        amounts.push([transaction_hash, String(BigInt(event?.data[2] ?? '0x0'))]);
      }
    }
    return amounts;
  } finally {
    await fork.close();
  }
}

describe('reads of the network', () => {
  test('a second run with a lock file asks nothing', async () => {
    const lock = ['--fork-lock', join(folder, 'fork.lock.json'), '--last', '20'];
    const argv = [...POOL, ...lock, '--class', fileOf('pool_fee'), '--json'];
    const first = await runCommand(...argv, ...NETWORK);
    expect(first.exitCode).toBe(1);
    proxy.forget();
    const second = await runCommand(...argv, ...NETWORK);
    expect(second).toEqual(first);
    expect(proxy.requests).toBe(0);
    const offline = await runCommand(...argv);
    expect(offline).toEqual(first);
    const more = await runCommand(...argv.map((word) => (word === '20' ? '22' : word)), ...NETWORK);
    expect(more.exitCode).toBe(1);
    expect(proxy.requests).toBeGreaterThan(0);
  });

  test('a second run with the cache asks for the newest block alone', async () => {
    await rehearse('pool_same');
    proxy.forget();
    await rehearse('pool_same');
    expect(proxy.reads).toBe(0);
    expect(proxy.count('starknet_traceBlockTransactions')).toBe(0);
    expect(proxy.count('starknet_getTransactionByHash')).toBe(0);
  });

  test.each([
    ['starknet_traceBlockTransactions', /^error: cannot read the (traces|events) of blocks? \d+/],
    ['starknet_getEvents', /^error: cannot read the events of blocks \d+ to \d+: /],
    ['starknet_getTransactionByHash', /^error: cannot read transaction 0x/],
  ])('a failure of %s ends the command with the place', async (method, message) => {
    proxy.mishap = ({ methods }) =>
      methods.includes(method)
        ? { kind: 'error', code: -32603, message: 'out of order' }
        : undefined;
    const env = { STARKBOX_FORK_CACHE_DIR: join(folder, method) };
    const argv = ['rehearse', ...POOL, ...NETWORK, '--class', fileOf('pool_same'), '--last', '5'];
    try {
      const { outcome, stderr } = await runCommandLine(argv, { env });
      expect(outcome).toEqual({ exitCode: 2 });
      expect(stderr).toMatch(message);
      expect(stderr).toContain('out of order');
    } finally {
      proxy.mishap = () => undefined;
    }
  });

  test('traces that lack a transaction with events are an error', async () => {
    proxy.mishap = ({ methods }) =>
      methods.includes('starknet_traceBlockTransactions')
        ? { kind: 'result', of: 'starknet_traceBlockTransactions', result: [] }
        : undefined;
    const env = { STARKBOX_FORK_CACHE_DIR: join(folder, 'lacking') };
    const argv = ['rehearse', ...POOL, ...NETWORK, '--class', fileOf('pool_same'), '--last', '5'];
    try {
      const { outcome, stderr } = await runCommandLine(argv, { env });
      expect(outcome).toEqual({ exitCode: 2 });
      expect(stderr).toContain('but no call of it in the traces of that block');
    } finally {
      proxy.mishap = () => undefined;
    }
  });
});

test('a range of blocks has the deployment, which cannot run with another class', async () => {
  const range = ['--from', '0', '--json', '--class', fileOf('pool_same')];
  const { exitCode, stdout } = await runCommand(...POOL, ...NETWORK, ...range);
  const report: Rehearsal = JSON.parse(stdout);
  expect(exitCode).toBe(0);
  expect(report.transactions).toBe(market.touching.length);
  expect(report.skipped).toEqual([expect.objectContaining({ reason: 'it deploys the contract' })]);
});

test('the report is text and a page', async () => {
  const page = join(folder, 'report.html');
  const argv = [...POOL, ...NETWORK, '--class', fileOf('pool_fee'), '--last', '5', '--page', page];
  const { stdout, exitCode } = await runCommand(...argv);
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/^ {2}result swap: \d+ → \d+$/m);
  expect(stdout.trimEnd()).toMatch(/The classes differ\.$/);
  const html = readFileSync(page, 'utf8');
  expect(html).toContain('<td class="value">swap</td>');
  expect(html).not.toMatch(/<script|https?:/);
});

test.each([
  [['--class', 'x.json', ...NETWORK], '--contract ADDRESS is missing'],
  [['--contract', '0x1', ...NETWORK], '--class FILE is missing'],
  [['--contract', '0x1', '--class', 'x.json'], '--fork-network URL is missing'],
  [['--contract', 'x', '--class', 'x.json', ...NETWORK], "invalid address 'x'"],
  [[...POOL, '--class', 'x', ...NETWORK, '--last', '0'], "invalid value '0' for '--last'"],
  [[...POOL, '--class', 'x', ...NETWORK, '--to', '5'], '--to needs --from'],
  [[...POOL, '--class', 'x', ...NETWORK, '--from', '5', '--to', '4'], '--to is before --from'],
  [[...POOL, '--class', 'x', ...NETWORK, '--from', '5', '--last', '4'], '--last cannot be'],
  [[...POOL, '--class', '/nothing', ...NETWORK], '/nothing'],
  [['--contract', '0x1', '--class', fileOf('pool'), ...NETWORK], 'no contract at 0x1 in block'],
  [[...POOL, '--class', fileURLToPath(import.meta.url), ...NETWORK], 'is not a Sierra class'],
])('%j is rejected', async (argv, message) => {
  const { exitCode, stderr } = await runCommand(...argv);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(message);
});
