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
