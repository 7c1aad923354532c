// Reports of a run: what every chain of it did, summed at the end.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { createTestChain, fixture, type TestChain } from '../src/index.js';
import { collectorOf } from '../src/reports/collecting.js';
import setup from '../src/reports/reports.js';

const COUNTER = new URL('../../../contracts/cairo/counter.sierra.json', import.meta.url);
const out = mkdtempSync(join(tmpdir(), 'starkbox-reports-'));

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(out, { recursive: true, force: true });
});

/** What a run prints at its end. */
async function run(reports: string, tests: () => Promise<void>): Promise<string> {
  vi.stubEnv('STARKBOX_REPORT', reports);
  vi.stubEnv('STARKBOX_REPORT_OUT', out);
  const tearDown = setup();
  await tests();
  let printed = '';
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += text;
    return true;
  });
  try {
    tearDown();
  } finally {
    write.mockRestore();
  }
  return printed;
}

async function increase(chain: TestChain, address: string, times: number): Promise<void> {
  const counter = await chain.contractAt(address);
  for (let index = 0; index < times; index += 1) await counter.invoke('increase', [5]);
}

test('sum all chains, without what a fixture has prepared', async () => {
  const counters = fixture(
    'counters of reports',
    async (chain) => ({ counter: (await chain.deployContract(COUNTER, [5])).address }),
    { cacheDir: false },
  );
  const printed = await run('gas,coverage', async () => {
    for (const times of [1, 2]) {
      const { chain, data } = await counters.branch();
      await increase(chain, data.counter, times);
      await (await chain.contractAt(data.counter)).call('get');
      await chain.close();
    }
  });
  await counters.close();
  expect(printed).toMatch(/\nGas by function\n\n3 transactions\n\nl2 gas +calls/);
  expect(printed).toMatch(/\ncounter\.increase +3( +[\d,]+){5}\n/);
  expect(printed).not.toContain('counter.constructor');
  expect(printed).toMatch(
    /\ncounter {2}2 of 3 \(66\.7 %\)\n +2 {2}get\n +3 {2}increase\n {2}never +\S.*\n3 transactions and 2 calls/,
  );
  const { receipts, rows } = JSON.parse(readFileSync(join(out, 'gas.json'), 'utf8'));
  const charged = rows.filter(({ kind }: { kind: string }) => kind !== 'fee_transfer');
  const sum = charged.reduce(
    (all: number, { costs }: { costs: { l2_gas: { self: number } } }) => all + costs.l2_gas.self,
    0,
  );
  expect(sum).toBe(receipts.l2_gas);
});

test('have all pages of a long chain', async () => {
  const printed = await run('gas,coverage', async () => {
    await using chain = await createTestChain();
    const { address } = await chain.deployContract(COUNTER, [5]);
    const paged = Object.create(chain, {
      request: {
        value: (method: string, params: object) =>
          method === 'starknet_blockNumber'
            ? chain.request(method)
            : Reflect.apply(chain.request, chain, [method, { ...params, limit: 1 }]),
      },
    });
    const collector = collectorOf(paged);
    await increase(chain, address, 3);
    await collector?.finish();
  });
  // Of the chain itself, which also has the deployment, and of its pages.
  expect(printed).toMatch(/\ncounter\.increase +6( +[\d,]+){5}\n/);
  expect(printed).toMatch(/\n +6 {2}increase\n/);
});

test('are off by default, and refuse a kind that does not exist', async () => {
  const printed = await run('', async () => {
    await using chain = await createTestChain();
    await chain.mine();
  });
  expect(printed).toBe('');
  await expect(run('gass', async () => {})).rejects.toThrow(/'gass'/);
});
