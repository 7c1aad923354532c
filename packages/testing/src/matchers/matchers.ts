// Matchers for `expect.extend` of vitest and Jest, and the same as assertions for other runners.
import { propertyOf } from '@starkbox/abi/basics';
import {
  type Addressed,
  type BalanceChange,
  type Checked,
  checkChangesBalances,
  checkEmits,
  checkRevertsWith,
  type EmittingContract,
  type Verdict,
} from './checks.js';
import type { AbiOf, EventName, EventValues } from './event-types.js';
import { checkMatchesGas, gasFileOf } from './gas.js';
import type { Transaction } from './transaction.js';
import type { ExpectedMembers } from './values.js';

/** The matchers of transactions. Each is awaited. */
export interface ChainMatchers<R = Promise<void>> {
  /**
   * The contract has emitted the event; members that are not named may have any value.
   *
   * @throws Error that says what was expected and what happened
   */
  toEmit<C extends EmittingContract, N extends EventName<AbiOf<C>>>(
    contract: C,
    name: N,
    values?: EventValues<AbiOf<C>, N>,
  ): R;
  /**
   * The transaction was reverted, or rejected because it would revert; a string is the whole panic message.
   *
   * @throws Error that says what was expected and what happened
   */
  toRevertWith(reason?: string | RegExp): R;
  /**
   * Balances have changed by these amounts; fees do not count.
   *
   * @throws Error that says what was expected and what happened
   */
  toChangeBalances(token: Addressed, changes: readonly BalanceChange[]): R;
  /**
   * The gas matches the committed file; a test with several such lines names each.
   *
   * @throws Error that says what was expected and what happened
   */
  toMatchGasSnapshot(name?: string): R;
}

/** The state that vitest and Jest pass to a matcher. */
interface MatcherContext {
  /** Whether the test expects the opposite. */
  readonly isNot?: boolean | undefined;
  readonly testPath?: string | undefined;
  readonly currentTestName?: string | undefined;
  readonly snapshotState?: unknown;
}

/** A verdict whose message, if it fails the test, ends with the command that opens the transaction in the debugger. */
async function withBundle(check: Promise<Checked>, isNot = false): Promise<Verdict> {
  const { pass, message, bundle } = await check;
  if (pass !== isNot) return { pass, message };
  const line = await bundle();
  return { pass, message: line === undefined ? message : () => `${message()}\n\n${line}` };
}

function gasUpdate(context: MatcherContext): 'all' | 'new' | 'none' {
  if (process.env['STARKBOX_UPDATE_GAS']) return 'all';
  const mode = propertyOf(context.snapshotState, '_updateSnapshot');
  if (mode === 'all') return 'all';
  return mode === 'none' || process.env['CI'] ? 'none' : 'new';
}

/**
 * Matchers of transactions. Each is awaited.
 *
 * @example
 * expect.extend(matchers);
 * await expect(counter.invoke('increase', [5])).toEmit(counter, 'CountRaised', { after: 10 });
 * await expect(counter.invoke('increase', [0])).toRevertWith('counter: amount is 0');
 */
export const matchers = {
  toEmit(
    this: MatcherContext,
    transaction: Transaction,
    contract: EmittingContract,
    name: string,
    values?: ExpectedMembers,
  ): Promise<Verdict> {
    return withBundle(checkEmits(transaction, contract, name, values), this.isNot);
  },
  toRevertWith(
    this: MatcherContext,
    transaction: Transaction,
    reason?: string | RegExp,
  ): Promise<Verdict> {
    return withBundle(checkRevertsWith(transaction, reason), this.isNot);
  },
  toChangeBalances(
    this: MatcherContext,
    transaction: Transaction,
    token: Addressed,
    changes: readonly BalanceChange[],
  ): Promise<Verdict> {
    return withBundle(checkChangesBalances(transaction, token, changes), this.isNot);
  },
  toMatchGasSnapshot(
    this: MatcherContext,
    transaction: Transaction,
    name?: string,
  ): Promise<Verdict> {
    const { testPath, currentTestName = '' } = this;
    if (testPath === undefined)
      throw new Error('The test runner does not report the file of the test');
    const check = checkMatchesGas(transaction, {
      file: gasFileOf(testPath),
      name: name === undefined ? currentTestName : `${currentTestName} > ${name}`,
      update: gasUpdate(this),
    });
    return withBundle(check, this.isNot);
  },
};

/**
 * The error of an assertion that does not hold. It is no `AssertionError` of Node: runners print `actual` and
 * `expected` beside the message of these, even if both are undefined.
 */
export class ChainAssertionError extends Error {
  static {
    // On the prototype, because own members of an error are printed.
    ChainAssertionError.prototype.name = 'ChainAssertionError';
  }
}

async function assert(check: Promise<Checked>): Promise<void> {
  const { pass, message } = await withBundle(check);
  if (!pass) throw new ChainAssertionError(message());
}

/**
 * As `toEmit`, for runners without matchers.
 *
 * @throws ChainAssertionError that says what was expected and what happened
 */
export function assertEmits<C extends EmittingContract, N extends EventName<AbiOf<C>>>(
  transaction: Transaction,
  contract: C,
  name: N,
  values?: EventValues<AbiOf<C>, N>,
): Promise<void> {
  return assert(checkEmits(transaction, contract, name, values));
}

/**
 * As `toRevertWith`, for runners without matchers.
 *
 * @throws ChainAssertionError that says what was expected and what happened
 */
export function assertRevertsWith(
  transaction: Transaction,
  reason?: string | RegExp,
): Promise<void> {
  return assert(checkRevertsWith(transaction, reason));
}

/**
 * As `toChangeBalances`, for runners without matchers.
 *
 * @throws ChainAssertionError that says what was expected and what happened
 */
export function assertChangesBalances(
  transaction: Transaction,
  token: Addressed,
  changes: readonly BalanceChange[],
): Promise<void> {
  return assert(checkChangesBalances(transaction, token, changes));
}

/**
 * As `toMatchGasSnapshot`, for runners without matchers: the caller says which file and name.
 *
 * @throws ChainAssertionError that says what was expected and what happened
 */
export function assertMatchesGasSnapshot(
  transaction: Transaction,
  testFile: string,
  name: string,
): Promise<void> {
  return assert(
    checkMatchesGas(transaction, { file: gasFileOf(testFile), name, update: gasUpdate({}) }),
  );
}
