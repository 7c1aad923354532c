// Checks of invariants in this process: violations, their shortest histories, failed calls, actions, the corpus.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestChain, type LocalTestChain } from '../../src/index.js';
import {
  checkInvariants,
  type InvariantOptions,
  InvariantViolation,
} from '../../src/properties.js';

const CONTRACTS = new URL('../../../../contracts/cairo/', import.meta.url);
const artifact = (name: string): URL => new URL(`${name}.sierra.json`, CONTRACTS);
const DELAY = 86_400;

let chain: LocalTestChain;
let vault: string;
let token: string;
let corpus: string;

beforeAll(async () => {
  chain = await createTestChain();
  const oracle = await chain.deployContract(artifact('oracle'), [1]);
  vault = (await chain.deployContract(artifact('vault'), [oracle.address, DELAY])).address;
  const [owner] = chain.accounts;
  const supply = { name: 1, symbol: 1, supply: 1000n, owner: owner?.address ?? '' };
  token = (await chain.deployContract(artifact('token'), supply)).address;
});
afterAll(() => chain.close());
beforeEach(() => {
  corpus = mkdtempSync(join(tmpdir(), 'starkbox-corpus-'));
});
afterEach(() => rmSync(corpus, { recursive: true }));

type Options = InvariantOptions<undefined>;

/** The vault closes after an exit was requested, and a day has passed. */
const vaultOptions = (): Options => ({
  contracts: [vault],
  invariants: { 'stays open': ({ call }) => call<boolean>(vault, 'is_open') },
  corpus: false,
});

async function violationOf(options: Options): Promise<InvariantViolation> {
  const failure: unknown = await checkInvariants(chain, options).catch((error: unknown) => error);
  if (failure instanceof InvariantViolation) return failure;
  throw failure instanceof Error ? failure : new Error('no invariant is violated');
}

describe('a violation', () => {
  test('is shrunk to the shortest history', async () => {
    const { violation, message, report } = await violationOf(vaultOptions());
    expect(violation.invariant).toBe('stays open');
    expect(violation.history.map((step) => ('function' in step ? step.function : step))).toEqual([
      'request_exit',
      { kind: 'time', seconds: DELAY },
      'exit',
    ]);
    expect(violation.originalLength).toBeGreaterThanOrEqual(3);
    expect(message).toContain("'stays open'");
    expect(report.runs).toBe((violation.run ?? 0) + 1);
  });

  test('is the same for the same seed', async () => {
    const first = await violationOf({ ...vaultOptions(), seed: 5 });
    const second = await violationOf({ ...vaultOptions(), seed: 5 });
    const other = await violationOf({ ...vaultOptions(), seed: 6 });
    expect(second.violation).toEqual(first.violation);
    expect(second.report.digest).toBe(first.report.digest);
    expect(other.report.digest).not.toBe(first.report.digest);
  });
});

test('an invariant that holds is checked after every step', async () => {
  let checks = 0;
  const report = await checkInvariants(chain, {
    contracts: [token],
    runs: 40,
    depth: 10,
    corpus: false,
    invariants: {
      'supply is held': async ({ call, actors }) => {
        checks += 1;
        const supply = await call(token, 'total_supply');
        let sum = 0n;
        for (const actor of actors) sum += await call(token, 'balance_of', [actor]);
        expect(sum).toBeLessThanOrEqual(supply);
      },
    },
  });
  expect(report.runs).toBe(40);
  expect(report.calls).toBeGreaterThan(100);
  expect(report.views).toBe(checks * (1 + chain.accounts.length) - (1 + chain.accounts.length));
  expect(Object.keys(report.reverts).join()).toContain('token: balance too low');
  expect(report.offsets).toBeGreaterThan(100);
});

test('a failed call is a violation if failures are rejected', async () => {
  const { violation } = await violationOf({
    contracts: [token],
    failures: 'reject',
    corpus: false,
    invariants: { holds: () => true },
  });
  expect(violation.invariant).toBe('token.transfer succeeds');
  expect(violation.message).toContain('token: balance too low');
  expect(violation.history).toHaveLength(1);
});

test('an invariant that does not hold at the start needs no step', async () => {
  const { violation } = await violationOf({
    contracts: [vault],
    corpus: false,
    invariants: { holds: ({ time }) => time < 0 },
  });
  expect(violation.history).toEqual([]);
});

describe('actions', () => {
  test('change nothing if a call of theirs fails', async () => {
    const [owner = ''] = chain.accounts.map(({ address }) => address);
    const report = await checkInvariants(chain, {
      contracts: [],
      actors: [owner],
      runs: 10,
      depth: 5,
      corpus: false,
      actions: {
        'pay twice': {
          arguments: fc.tuple(fc.bigInt({ min: 1n, max: 500n })),
          async run({ send }, amount: bigint) {
            await send(owner, token, 'transfer', ['0x1', amount]);
            await send(owner, token, 'transfer', ['0x1', 1000n]);
          },
        },
      },
      invariants: { unpaid: async ({ call }) => (await call(token, 'balance_of', ['0x1'])) === 0n },
    });
    expect(report.runs).toBe(10);
    expect(Object.keys(report.reverts)).toEqual(['pay twice: token: balance too low']);
  });

  test('are violations if they throw, and are shrunk', async () => {
    const { violation } = await violationOf({
      contracts: [token],
      corpus: false,
      actions: {
        guess: {
          arguments: fc.tuple(fc.bigInt({ min: 0n, max: 1000n })),
          run: (_context, guess: bigint) => expect(guess).toBeLessThan(600n),
        },
      },
      invariants: { holds: () => true },
    });
    expect(violation.invariant).toBe('action guess');
    expect(violation.history).toEqual([{ kind: 'action', name: 'guess', arguments: [600n] }]);
  });

  test('keep numbers as arguments, in the corpus and in the printed test', async () => {
    const options = (invariant: (guess: number) => void): Options => ({
      contracts: [token],
      corpus,
      actions: {
        guess: {
          arguments: fc.tuple(fc.nat(9), fc.record({ low: fc.constant(-3) })),
          run: (_context, guess: number) => invariant(guess),
        },
      },
      invariants: { holds: () => true },
    });
    const first = await violationOf(options((guess) => expect(guess).toBeLessThan(6)));
    expect(first.violation.history).toMatchObject([{ name: 'guess', arguments: [6, { low: -3 }] }]);
    expect(first.message).toContain("await run.act('guess', [6, { low: -3 }]);");
    const drawn: number[] = [];
    const { warnings } = await checkInvariants(
      chain,
      Object.assign(
        options((guess) => drawn.push(guess)),
        { runs: 1 },
      ),
    );
    expect(drawn[0]).toBe(6);
    expect(warnings.join()).toContain("no longer violates 'action guess'");
  });

  test.each<readonly [string, unknown]>([
    ['a fraction', 1.5],
    ['NaN', Number.NaN],
    ['nothing', undefined],
    ['a date in a list', [new Date(0)]],
  ])('reject %s as an argument, because it cannot be recorded', async (_, wrong) => {
    const actions = {
      guess: { arguments: fc.tuple(fc.constant(wrong)), run: () => undefined },
    };
    const failure: unknown = await checkInvariants(
      chain,
      Object.assign(vaultOptions(), { actions }),
    ).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TypeError);
    expect(String(failure)).toMatch(/Action 'guess' got the arguments \[.*\]\. Draw only bigints/);
  });

  test('send real transactions', async () => {
    const [sender, receiver] = chain.accounts;
    if (!sender || !receiver) throw new Error('the chain has no accounts');
    const { violation } = await violationOf({
      contracts: [],
      depth: 4,
      corpus: false,
      actions: {
        pay: {
          run: ({ onChain }) =>
            onChain(async (own) => {
              const contract = await own.contractAt(token);
              await contract.invoke('transfer', [receiver.address, 1]);
            }),
        },
      },
      invariants: {
        'pays less than 3': async ({ call }) =>
          (await call(token, 'balance_of', [receiver.address])) < 3n,
      },
    });
    expect(violation.history).toHaveLength(3);
  });
});

test('a call of a function that a contract lacks is a mistake, and no violation', async () => {
  await violationOf({ ...vaultOptions(), corpus });
  const misspelt = { ...vaultOptions(), corpus };
  for (const options of [
    { ...misspelt, invariants: { total: ({ call }) => call(vault, 'totals') } },
    {
      ...misspelt,
      corpus: false,
      actions: { total: { run: ({ call }) => call(vault, 'totals') } },
      invariants: { holds: () => true },
    },
  ] satisfies Options[]) {
    const failure: unknown = await checkInvariants(chain, options).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TypeError);
    expect(String(failure)).toMatch(
      /(Invariant|Action) 'total': vault has no function 'totals': it has .*is_open/,
    );
  }
  expect(readdirSync(corpus)).toHaveLength(1);
});

describe('the corpus', () => {
  const onlyFile = (): string => join(corpus, readdirSync(corpus)[0] ?? '');

  test('has violations, which are tried first and removed when they are repaired', async () => {
    const first = await violationOf({ ...vaultOptions(), corpus });
    expect(readdirSync(corpus)).toHaveLength(1);
    const second = await violationOf({ ...vaultOptions(), corpus, seed: 9 });
    expect(second.violation).toMatchObject({ history: first.violation.history, run: undefined });
    expect(second.report.runs).toBe(0);
    const repaired = { ...vaultOptions(), corpus, runs: 3, invariants: { holds: () => true } };
    const { warnings } = await checkInvariants(chain, repaired);
    expect(warnings.join()).toContain("no longer violates 'stays open' and was removed");
    expect(readdirSync(corpus)).toEqual([]);
  });

  test('may have damaged files', async () => {
    await violationOf({ ...vaultOptions(), corpus });
    const file = onlyFile();
    const text = readFileSync(file, 'utf8');
    const options = { ...vaultOptions(), corpus, runs: 2, invariants: { holds: () => true } };
    for (const damaged of ['', text.slice(0, 90), text.replace('"call"', '"fall"'), '[]']) {
      writeFileSync(file, damaged);
      const { warnings } = await checkInvariants(chain, options);
      expect(warnings.join()).toContain(`${file} is damaged and is not tried`);
    }
    writeFileSync(file, text.replace('request_exit', 'request_nothing'));
    const { warnings } = await checkInvariants(chain, options);
    expect(warnings.join()).toContain('does not fit the contracts');
  });
});

test('budgets end the search', async () => {
  const options = { ...vaultOptions(), invariants: { holds: () => true } };
  const byCalls = await checkInvariants(chain, { ...options, calls: 200 });
  expect(byCalls.calls).toBeGreaterThanOrEqual(200);
  expect(byCalls.calls).toBeLessThan(200 + 32);
  const byTime = await checkInvariants(chain, { ...options, seconds: 0.001 });
  expect(byTime.runs).toBe(32);
  const signal = AbortSignal.abort();
  const aborted = await checkInvariants(chain, { ...options, signal });
  expect(aborted).toMatchObject({ isAborted: true, runs: 0 });
});

test('options that cannot be meant are rejected', async () => {
  const wrong: readonly (readonly [object, RegExp])[] = [
    [{ contracts: [] }, /contracts is empty/],
    [{ contracts: ['vault'] }, /must list addresses/],
    [{ contracts: ['0x1'] }, /the chain has no contract there/],
    [{ invariants: {} }, /invariants is empty/],
    [{ invariants: { holds: true } }, /invariants.holds must be a function/],
    [{ runs: 0 }, /runs must be a whole number of at least 1, not 0/],
    [{ seconds: -1 }, /seconds must be a number above 0/],
    [{ failures: 'ignore' }, /failures must be 'allow' or 'reject'/],
    [{ depths: 3 }, /'depths' is no option/],
    [{ actors: [] }, /actors must be a list of at least one address/],
  ];
  for (const [changes, message] of wrong) {
    const options = Object.assign(vaultOptions(), changes);
    await expect(checkInvariants(chain, options)).rejects.toThrow(message);
  }
});
