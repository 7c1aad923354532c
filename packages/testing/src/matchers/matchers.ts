// Matchers for `expect.extend` of vitest and Jest, and the same as assertions for other runners.
import { AssertionError } from 'node:assert';
import type { Contract, TypedContractV2 } from 'starknet';
import {
  type Addressed,
  type BalanceChange,
  checkChangesBalances,
  checkEmits,
  checkRevertsWith,
  type EmittingContract,
  type Verdict,
} from './checks.js';
import { checkMatchesGas, gasFileOf } from './gas.js';
import type { Transaction } from './transaction.js';
import type { Expected } from './values.js';

type AbiConst = Parameters<Contract['typedv2']>[0];

type LastName<S> = S extends `${string}::${infer Rest}` ? LastName<Rest> : S;

type EventOf<A extends AbiConst> = Extract<
  A[number],
  { readonly type: 'event'; readonly kind: 'struct' }
>;

/** Names of the events of an ABI that TypeScript sees as a constant, without their paths. */
export type EventName<A extends AbiConst> = LastName<EventOf<A>['name']>;

/** Members of an event, each of which may be left out. */
export type EventValues<A extends AbiConst, N> =
  EventOf<A> extends infer E
    ? E extends { readonly name: infer F; readonly members: readonly { readonly name: string }[] }
      ? LastName<F> extends N
        ? { readonly [M in E['members'][number]['name']]?: Expected }
        : never
      : never
    : never;

export interface ChainMatchers<R = Promise<void>> {
  /** The contract has emitted the event; members that are not named may have any value. */
  toEmit<A extends AbiConst, N extends EventName<A>>(
    contract: TypedContractV2<A>,
    name: N,
    values?: EventValues<A, N>,
  ): R;
  toEmit(contract: EmittingContract, name: string, values?: Readonly<Record<string, Expected>>): R;
  /** The transaction was reverted, or refused since it would be; a text is the whole panic message. */
  toRevertWith(reason?: string | RegExp): R;
  /** Balances have changed by these amounts; fees do not count. */
  toChangeBalances(token: Addressed, changes: readonly BalanceChange[]): R;
  /** The gas is that of the committed file; a test with several such lines names each. */
  toMatchGas(name?: string): R;
}

/** What vitest and Jest tell a matcher. */
interface MatcherContext {
  readonly testPath?: string | undefined;
  readonly currentTestName?: string | undefined;
  readonly snapshotState?: unknown;
}

function gasUpdate(context: MatcherContext): 'all' | 'new' | 'none' {
  if (process.env['STARKBOX_UPDATE_GAS']) return 'all';
  const { _updateSnapshot: mode } = Object(context.snapshotState);
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
    transaction: Transaction,
    contract: EmittingContract,
    name: string,
    values?: Readonly<Record<string, Expected>>,
  ): Promise<Verdict> {
    return checkEmits(transaction, contract, name, values);
  },
  toRevertWith(transaction: Transaction, reason?: string | RegExp): Promise<Verdict> {
    return checkRevertsWith(transaction, reason);
  },
  toChangeBalances(
    transaction: Transaction,
    token: Addressed,
    changes: readonly BalanceChange[],
  ): Promise<Verdict> {
    return checkChangesBalances(transaction, token, changes);
  },
  toMatchGas(this: MatcherContext, transaction: Transaction, name?: string): Promise<Verdict> {
    const { testPath, currentTestName = '' } = this;
    if (testPath === undefined)
      throw new Error('The runner does not say which file the test is in');
    return checkMatchesGas(transaction, {
      file: gasFileOf(testPath),
      name: name === undefined ? currentTestName : `${currentTestName} > ${name}`,
      update: gasUpdate(this),
    });
  },
};

async function assert(check: Promise<Verdict>): Promise<void> {
  const { pass, message } = await check;
  if (!pass) throw new AssertionError({ message: message() });
}

/** As `toEmit`, for runners without matchers. */
export function assertEmits(
  transaction: Transaction,
  contract: EmittingContract,
  name: string,
  values?: Readonly<Record<string, Expected>>,
): Promise<void> {
  return assert(checkEmits(transaction, contract, name, values));
}

/** As `toRevertWith`, for runners without matchers. */
export function assertRevertsWith(
  transaction: Transaction,
  reason?: string | RegExp,
): Promise<void> {
  return assert(checkRevertsWith(transaction, reason));
}

/** As `toChangeBalances`, for runners without matchers. */
export function assertChangesBalances(
  transaction: Transaction,
  token: Addressed,
  changes: readonly BalanceChange[],
): Promise<void> {
  return assert(checkChangesBalances(transaction, token, changes));
}

/** As `toMatchGas`, for runners without matchers: the caller says which file and name. */
export function assertMatchesGas(
  transaction: Transaction,
  testFile: string,
  name: string,
): Promise<void> {
  return assert(
    checkMatchesGas(transaction, { file: gasFileOf(testFile), name, update: gasUpdate({}) }),
  );
}
