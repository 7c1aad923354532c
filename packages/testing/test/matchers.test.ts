// Matchers of transactions: events, reverts, balances, gas, and what their failures say.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect } from 'vitest';
import { fixture, type TestChain } from '../src/index.js';
import { checkMatchesGas } from '../src/matchers/gas.js';
import { assertChangesBalances, assertEmits, assertRevertsWith } from '../src/matchers/matchers.js';
import { withChain } from '../src/runners/vitest.js';

const COUNTER = new URL('../../../contracts/cairo/counter.sierra.json', import.meta.url);

const test = withChain(
  fixture(
    'counter of matchers',
    async (chain) => ({ counter: (await chain.deployContract(COUNTER, [5])).address }),
    { artifacts: [COUNTER] },
  ),
);

const ENOUGH = { max_amount: 10n ** 7n, max_price_per_unit: 10n ** 12n };
/** With bounds of its own a transaction is sent without an estimate, so that it may be reverted in a block. */
const UNESTIMATED = {
  resourceBounds: {
    l1_gas: ENOUGH,
    l1_data_gas: ENOUGH,
    l2_gas: { ...ENOUGH, max_amount: 10n ** 8n },
  },
};

const first = (chain: TestChain) => {
  const [alice] = chain.accounts;
  if (!alice) throw new Error('there are accounts');
  return alice;
};

const failureOf = (check: Promise<unknown>): Promise<string> =>
  check.then(
    () => 'no failure',
    (error: unknown) => String(Object(error).message),
  );

const transfer = (chain: TestChain, amount: number) =>
  first(chain).execute({
    contractAddress: chain.tokens.strk.address,
    entrypoint: 'transfer',
    calldata: ['0xabc', amount, 0],
  });

describe('assertions', () => {
  test('of what only a block has name the command that opens a refused transaction', async ({
    chain,
    data,
  }) => {
    const counter = await chain.contractAt(data.counter);
    const failure = await failureOf(
      assertEmits(counter.invoke('increase', [0]), counter, 'Raised'),
    );
    expect(failure).toMatch(/Debug it: npx starkbox debug \S+/);
  });

  test('throw an error that consists of its message', async ({ chain, data }) => {
    const counter = await chain.contractAt(data.counter);
    const failures = await Promise.allSettled([
      assertRevertsWith(counter.invoke('increase', [1]), 'paused'),
      assertEmits(counter.invoke('increase', [1]), counter, 'Lowered'),
      assertChangesBalances(transfer(chain, 1), chain.tokens.strk, [['0xabc', 2n]]),
    ]);
    for (const failure of failures) {
      if (failure.status === 'fulfilled') throw new Error('the assertion did not fail');
      const error: unknown = failure.reason;
      expect(error).toBeInstanceOf(Error);
      // Runners print `actual` and `expected` of errors with this name or code.
      expect(Object(error).name).not.toBe('AssertionError');
      expect(Object(error).code).toBeUndefined();
      expect(inspect(error)).not.toMatch(/undefined/);
    }
  });
});

describe('toEmit', () => {
  test('compares the values that are named', async ({ chain, data }) => {
    const counter = await chain.contractAt(data.counter);
    const transaction = await counter.invoke('increase', [2]);
    await expect(transaction).toEmit(counter, 'CountRaised');
    await expect(transaction).toEmit(counter, 'CountRaised', { before: 5, after: '0x7' });
    await expect(transaction).toEmit(counter, 'CountRaised', { caller: first(chain).address });
    await expect(transaction).not.toEmit(counter, 'CountRaised', { after: 8 });
    await expect(transaction).not.toEmit(counter, 'Lowered');
    await assertEmits(counter.invoke('increase', [1]), counter, 'CountRaised', { after: 8n });
  });

  test('says what was emitted, and by which calls', async ({ chain, data }) => {
    const counter = await chain.contractAt(data.counter);
    const sending = counter.invoke('increase', [2]);
    const failure = await failureOf(expect(sending).toEmit(counter, 'CountRaised', { after: 9 }));
    expect(failure).toContain('CountRaised(after: 9)');
    expect(failure).toMatch(
      /It emitted:\n {2}\S*CountRaised\(caller: 0x\w+…\w+, before: 5, after: 7\)/,
    );
    expect(failure).toMatch(
      /✓ account 0\.__execute__\(…\).*\n└─ ✓ counter@0x\w+…\w+\.increase\(amount: 2\) → 7/,
    );
  });
});

describe('toRevertWith', () => {
  test('takes refused and reverted transactions', async ({ chain, data }) => {
    const counter = await chain.contractAt(data.counter);
    const reason = 'counter: amount is 0';
    await expect(counter.invoke('increase', [0])).toRevertWith(reason);
    const transaction = await counter.invoke('increase', [0], UNESTIMATED);
    await expect(transaction).toRevertWith(reason);
    await expect(transaction).toRevertWith(/amount is \d/);
    await expect(transaction).toRevertWith();
    await expect(transaction).not.toRevertWith('amount');
    await expect(counter.invoke('increase', [1])).not.toRevertWith();
    await assertRevertsWith(() => counter.invoke('increase', [0]), reason);
  });

  test('shows the call that failed', async ({ chain, data }) => {
    const counter = await chain.contractAt(data.counter);
    const message =
      /✗ account 0\.__execute__\(…\)\n└─ ✗ counter@0x\w+…\w+\.increase\(amount: 0\)\n +panicked with 'counter: amount is 0'/;
    const refused = counter.invoke('increase', [0]);
    expect(await failureOf(expect(refused).toRevertWith('other'))).toMatch(message);
    const sending = counter.invoke('increase', [0], UNESTIMATED);
    expect(await failureOf(expect(sending).toRevertWith('other'))).toMatch(message);
    const fine = counter.invoke('increase', [3]);
    expect(await failureOf(expect(fine).toRevertWith('other'))).toMatch(/succeeded.*increase/s);
  });

  test('lets other errors through', async ({ chain, data }) => {
    const counter = await chain.contractAt(data.counter);
    const late = counter.invoke('increase', [1], { ...UNESTIMATED, nonce: 99 });
    await expect(failureOf(expect(late).toRevertWith())).resolves.toMatch(/nonce/i);
    await expect(failureOf(expect(5).toRevertWith())).resolves.toMatch(/Expected a transaction/);
    const unknown = expect({ transaction_hash: '0x1' }).toRevertWith();
    await expect(failureOf(unknown)).resolves.toMatch(/chain\.accounts/);
  });
});

describe('toChangeBalances', () => {
  test('does not count the fee', async ({ chain }) => {
    const { strk } = chain.tokens;
    const transaction = await transfer(chain, 7);
    await expect(transaction).toChangeBalances(strk, [
      [first(chain), -7],
      ['0xabc', 7n],
      ['0xdef', 0],
      [Object(await chain.provider.getBlock('latest')).sequencer_address, 0],
    ]);
    await expect(transaction).not.toChangeBalances(strk, [['0xabc', 8]]);
    const failure = await failureOf(assertChangesBalances(transaction, strk, [['0xabc', 8]]));
    expect(failure).toMatch(
      /0xabc by 8; it changed by 7[\s\S]*transfer\(recipient: 0xabc, amount: 7\)/,
    );
    const sender = assertChangesBalances(transaction, strk, [[first(chain), 0]]);
    expect(await failureOf(sender)).toContain('\n  account 0 by 0; it changed by -7\n');
    const mixed = assertChangesBalances(transaction, strk, [
      ['0xdef', 0],
      ['0xabc', 8],
    ]);
    expect(await failureOf(mixed)).toContain(
      '  0xabc by 8; it changed by 7\n  0xdef by 0; it changed by 0, as expected',
    );
  });
});

describe('toMatchGasSnapshot', () => {
  test('compares with the committed file', async ({ chain }) => {
    await expect(transfer(chain, 7)).toMatchGasSnapshot();
    await expect(transfer(chain, 8)).toMatchGasSnapshot('to a holder');
  });

  test('writes new values only when it may', async ({ chain }) => {
    const folder = mkdtempSync(join(tmpdir(), 'starkbox-gas-'));
    const file = join(folder, 'some.gas.json');
    const check = (name: string, amount: number, update: 'all' | 'new' | 'none') =>
      checkMatchesGas(transfer(chain, amount), { file, name, update });
    // The first transfer writes a new slot, the next ones change it.
    expect((await check('b', 1, 'new')).pass).toBe(true);
    const missing = await check('c', 1, 'none');
    expect([missing.pass, missing.message()]).toEqual([
      false,
      expect.stringContaining('no gas of'),
    ]);
    expect((await check('a', 1, 'new')).pass).toBe(true);
    const changed = await check('b', 1, 'new');
    expect(changed.pass).toBe(false);
    expect(changed.message()).toMatch(/l2_gas: \d+ → \d+ \(-\d+\)[\s\S]*STARKBOX_UPDATE_GAS/);
    expect((await check('b', 1, 'all')).pass).toBe(true);
    expect((await check('b', 1, 'none')).pass).toBe(true);
    expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')))).toEqual(['a', 'b']);
    rmSync(folder, { recursive: true });
  });
});
