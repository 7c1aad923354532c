// One function and one suite under several versions of Starknet, with contracts that they treat differently.
import { execFile } from 'node:child_process';
import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { STARKNET_VERSIONS } from 'starkbox';
import { afterAll, expect, test as plain } from 'vitest';
import { classFile } from '../../../contracts/classes.js';
import {
  compareVersions,
  fixture,
  type LocalTestChain,
  type TransactionOutcome,
  type VersionReport,
  type VersionRow,
} from '../src/index.js';
import { describeVersions } from '../src/runners/vitest.js';
import { createLinkedProject } from './linked-project.js';

const SLOTS = classFile('slots', '2.19');
const OLD = '0.13.6';
const NEWEST = '0.14.4';

const bound = (max_amount: bigint) => ({ max_amount, max_price_per_unit: 10n ** 12n });

function row({ rows }: VersionReport, label: string): VersionRow {
  const present = rows.find((candidate) => candidate.label === label);
  if (!present) throw new Error(`no ${label} in: ${rows.map((other) => other.label).join(', ')}`);
  return present;
}

function transaction(
  report: VersionReport,
  label: string,
  version: (typeof STARKNET_VERSIONS)[number],
): TransactionOutcome {
  const outcome = row(report, label).outcomes[version];
  if (outcome?.kind !== 'transaction') throw new Error(`${label} is no transaction`);
  return outcome;
}

/** Fills 100 slots with all the gas that is needed, and with a limit between the two costs. */
async function fillTwice(chain: LocalTestChain): Promise<void> {
  const slots = await chain.deployContract(SLOTS);
  await slots.invoke('fill', [1, 100]);
  const [alice] = chain.accounts;
  await alice?.execute(slots.populate('fill', [1000, 100]), {
    resourceBounds: {
      l1_gas: bound(0n),
      l1_data_gas: bound(20_000n),
      l2_gas: bound(20_000_000n),
    },
  });
}

plain('gas, fees and reverts of a transaction differ', async () => {
  const report = await compareVersions([OLD, NEWEST], fillTwice);
  expect(report.versions).toEqual([OLD, NEWEST]);
  expect(report.notes).toEqual([]);
  const [cheap, dear] = [transaction(report, 'fill', OLD), transaction(report, 'fill', NEWEST)];
  // From 0.14.2 on, a slot that was zero costs 402,000 L2 gas more, by allocation_cost of the versioned constants.
  expect(dear.l2_gas - cheap.l2_gas).toBeGreaterThan(100n * 402_000n);
  expect(dear.fee).toBeGreaterThan(cheap.fee);
  expect(dear.l1_data_gas).toBe(cheap.l1_data_gas);
  expect(row(report, 'fill').differs).toEqual(['l2_gas', 'fee']);

  expect(transaction(report, 'fill (2)', OLD)).toMatchObject({ status: 'SUCCEEDED' });
  expect(transaction(report, 'fill (2)', NEWEST)).toMatchObject({
    status: 'REVERTED',
    reason: expect.stringContaining('Insufficient max L2Gas'),
  });
  expect(report.differences).toContain(row(report, 'fill (2)'));
  const table = report.table();
  expect(table).toMatch(/^\d+ of \d+ outcomes differ under Starknet 0\.13\.6 and 0\.14\.4\.$/m);
  expect(table).toMatch(/^\| fill \(2\) +\| status +\| SUCCEEDED +\| REVERTED +\|$/m);
  const [, ...lines] = table.split('\n').filter((line) => line.startsWith('|'));
  expect(new Set(lines.map((line) => line.length)).size).toBe(1);
});

plain('a call that only some versions can execute differs', async () => {
  const report = await compareVersions([OLD, NEWEST], async (chain) => {
    const { address } = await chain.deployContract(SLOTS);
    const call = { contractAddress: address, entrypoint: 'clear', calldata: [0, 17_000] };
    await chain.provider.callContract(call).catch(() => undefined);
  });
  expect(row(report, 'call of clear')).toMatchObject({
    outcomes: { [OLD]: { status: 'ok' }, [NEWEST]: { status: 'failed' } },
    differs: ['status', 'reason'],
  });
});

plain('versions without a difference between them have none', async () => {
  const report = await compareVersions(['0.13.4', '0.13.5'], fillTwice);
  expect(report.differences).toEqual([]);
  expect(report.table()).toBe(
    `0 of ${report.rows.length} outcomes differ under Starknet 0.13.4 and 0.13.5.`,
  );
});

plain('all versions of the engine are compared, each on its own chain', async () => {
  const versions: string[] = [];
  const report = await compareVersions('all', async (chain, version) => {
    const block = await chain.request('starknet_getBlockWithTxHashes', { block_id: 'latest' });
    versions.push(`${version} ${block.starknet_version} ${await chain.provider.getBlockNumber()}`);
    await chain.mint('0x1', 1n);
  });
  expect(report.versions).toEqual(STARKNET_VERSIONS);
  expect(versions).toEqual(STARKNET_VERSIONS.map((version) => `${version} ${version} 0`));
  expect(report.differences.map(({ label }) => label)).toEqual(['permissioned_mint']);
});

plain('options of the chains apply, and transactions without a block count', async () => {
  const report = await compareVersions(
    [OLD, NEWEST],
    async (chain) => {
      expect(chain.accounts).toHaveLength(1);
      await chain.mint('0x1', 1n);
    },
    { chain: { accounts: 1, blockGenerationOn: 'demand' } },
  );
  expect(row(report, 'permissioned_mint').differs).toContain('l2_gas');
});

plain('an error of the function under one version is part of the report', async () => {
  const report = await compareVersions([OLD, NEWEST], async (chain, version) => {
    if (version === OLD) throw new Error('not here\nsecond line');
    await chain.mint('0x1', 1n);
  });
  expect(report.notes).toEqual(['0.13.6: the function failed: not here']);
  expect(row(report, 'permissioned_mint').differs).toEqual(['sent']);
  expect(report.table()).toMatch(/permissioned_mint +\| status +\| not sent +\| SUCCEEDED/);
});

plain('after too many requests, only transactions are compared', async () => {
  const report = await compareVersions([OLD, NEWEST], async (chain) => {
    await chain.mint('0x1', 1n);
    for (let count = 0; count < 2000; count += 1) await chain.request('starknet_blockNumber');
  });
  expect(report.rows.map(({ label }) => label)).toEqual(['permissioned_mint']);
  expect(report.notes).toHaveLength(2);
});

plain('an error under every version is thrown', async () => {
  const failing = compareVersions([OLD, NEWEST], async () => {
    throw new Error('always');
  });
  await expect(failing).rejects.toThrow('always');
});

plain.each([[[]], [[NEWEST]], [[NEWEST, NEWEST]]] as const)(
  '%o is no comparison',
  async (versions) => {
    await expect(compareVersions(versions, async () => undefined)).rejects.toThrow(
      /at least two different versions/,
    );
  },
);

const filled = (starknetVersion: (typeof STARKNET_VERSIONS)[number]) =>
  fixture('slots', async (chain) => ({ slots: (await chain.deployContract(SLOTS)).address }), {
    artifacts: [SLOTS],
    chain: { starknetVersion },
    cacheDir: false,
  });

const reports: VersionReport[] = [];
const seen: string[] = [];

describeVersions(
  [OLD, NEWEST],
  ({ test, version }) => {
    test('fills', async ({ chain, data }) => {
      const { starknet_version } = await chain.request('starknet_getBlockWithTxHashes', {
        block_id: 'latest',
      });
      seen.push(starknet_version);
      expect(starknet_version).toBe(version);
      const slots = await chain.contractAt(data.slots);
      await slots.invoke('fill', [1, 10]);
      expect(await slots.call('read', [1])).toBe(2n);
    });
    test('clears', async ({ chain, data }) => {
      await (await chain.contractAt(data.slots)).invoke('clear', [1, 10]);
      expect(await chain.request('starknet_blockNumber')).toBe(3);
    });
  },
  { fixture: filled, onReport: (report) => reports.push(report) },
);

afterAll(() => {
  const [report] = reports;
  expect(seen).toEqual([OLD, NEWEST]);
  if (!report) throw new Error('there is no report');
  // The fixture's transactions are not part of it.
  expect(
    report.rows.map(({ label }) => label).filter((label) => /declare|deploy/.test(label)),
  ).toEqual([]);
  expect(row(report, 'fills: fill').differs).toEqual(['l2_gas', 'fee']);
  expect(row(report, 'clears: clear').differs).toContain('l2_gas');
});

plain('a suite of node:test prints the table', async () => {
  const folder = createLinkedProject('versions', ['starkbox', '@starkbox/testing', 'starknet']);
  try {
    copyFileSync(SLOTS, join(folder, 'slots.sierra.json'));
    writeFileSync(
      join(folder, 'slots.test.mjs'),
      `import { after, afterEach, beforeEach, describe, test } from 'node:test';
import { describeVersions } from '@starkbox/testing/node';
describeVersions({ describe, beforeEach, afterEach, after }, ['${OLD}', '${NEWEST}'], (current) => {
  test('fills', async () => {
    const slots = await current.chain.deployContract('slots.sierra.json');
    await slots.invoke('fill', [1, 10]);
  });
});
`,
    );
    const { PATH = '', HOME = '' } = process.env;
    const { stdout } = await promisify(execFile)(process.execPath, ['--test', 'slots.test.mjs'], {
      cwd: folder,
      env: { PATH, HOME, NO_COLOR: '1' },
    });
    expect(stdout).toMatch(/^# pass 2$/m);
    expect(stdout).toMatch(/outcomes differ under Starknet 0\.13\.6 and 0\.14\.4/);
    expect(stdout).toMatch(/fills: fill +\| l2 gas/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
