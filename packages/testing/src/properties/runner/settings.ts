// Options of a check: read, with defaults, and rejected if they cannot be meant.

import { availableParallelism } from 'node:os';
import { memberOf, membersOf, propertyOf } from '@starkbox/abi/basics';
import type { InvariantOptions, SearchOptions } from '../model/options.js';
import type { SearchPlan } from './search.js';

export const DEFAULT_RUNS = 256;

/** Names of all options, for mistakes in programs without types. */
const SEARCH_OPTIONS: readonly (keyof SearchOptions)[] = [
  'runs',
  'depth',
  'calls',
  'seconds',
  'seed',
  'workers',
  'strategy',
  'coverage',
  'corpus',
  'progress',
  'signal',
];
const OPTIONS: readonly (keyof InvariantOptions)[] = [
  ...SEARCH_OPTIONS,
  'contracts',
  'actors',
  'actions',
  'invariants',
  'failures',
  'time',
  'blocks',
];

/** @throws TypeError if an option is unknown, missing or of another kind */
export function checkOptions<T>(options: InvariantOptions<T>): void {
  checkNames(options, OPTIONS);
  const { contracts, actors, actions = {}, invariants, failures = 'allow' } = options;
  if (!Array.isArray(contracts)) {
    throw new TypeError('contracts must be a list of addresses or contracts: contracts: [vault]');
  }
  if (contracts.length === 0 && Object.keys(actions).length === 0) {
    throw new TypeError('contracts is empty: list the contracts whose functions are called');
  }
  if (actors !== undefined && !(Array.isArray(actors) && actors.length > 0)) {
    throw new TypeError('actors must be a list of at least one address, or left out');
  }
  assertFunctions('invariants', Object.entries(membersOf(invariants)));
  if (Object.keys(membersOf(invariants)).length === 0) {
    throw new TypeError(
      'invariants is empty: add a function, such as invariants: { solvent: async ({ call }) => … }',
    );
  }
  const runs = Object.entries(actions).map(
    ([name, action]) => [name, propertyOf(action, 'run')] as const,
  );
  assertFunctions('actions', runs);
  if (failures !== 'allow' && failures !== 'reject') {
    throw new TypeError(`failures must be 'allow' or 'reject', not ${String(failures)}`);
  }
  checkSearchOptions(options);
}

function assertFunctions(
  option: string,
  entries: readonly (readonly [name: string, value: unknown])[],
): void {
  for (const [name, value] of entries) {
    if (typeof value === 'function') continue;
    throw new TypeError(`${option}.${name} must be a function, not ${typeof value}`);
  }
}

function checkNames(options: object, names: readonly string[]): void {
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new TypeError(`'${unknown}' is no option of checkInvariants: it takes ${names.join(', ')}`);
}

/** Least values of numeric options. */
const LEAST = { runs: 1, depth: 1, calls: 1, workers: 0, seed: Number.MIN_SAFE_INTEGER } as const;

/** @throws TypeError if an option is of another kind */
export function checkSearchOptions(options: SearchOptions): void {
  for (const [name, least] of Object.entries(LEAST)) {
    const value = memberOf(options, name);
    if (value === undefined || (Number.isSafeInteger(value) && Number(value) >= least)) continue;
    const bound = least > 0 || name === 'workers' ? ` of at least ${least}` : '';
    throw new TypeError(`${name} must be a whole number${bound}, not ${String(value)}`);
  }
  const { seconds, strategy = 'guided' } = options;
  if (strategy !== 'guided' && strategy !== 'random') {
    throw new TypeError(`strategy must be 'guided' or 'random', not ${String(strategy)}`);
  }
  if (seconds !== undefined && !(seconds > 0)) {
    throw new TypeError(`seconds must be a number above 0, not ${String(seconds)}`);
  }
}

/** @throws TypeError if an override is unknown or of another kind */
export function checkOverrides(overrides: SearchOptions): void {
  checkNames(overrides, SEARCH_OPTIONS);
  checkSearchOptions(overrides);
}

export function planOf(options: SearchOptions): SearchPlan {
  const { calls, seconds, seed = 0, signal } = options;
  const { strategy, coverage = strategy !== 'random' } = options;
  const isBounded = calls !== undefined || seconds !== undefined;
  return {
    seed,
    runs: options.runs ?? (isBounded ? Number.POSITIVE_INFINITY : DEFAULT_RUNS),
    calls: calls ?? Number.POSITIVE_INFINITY,
    seconds: seconds ?? Number.POSITIVE_INFINITY,
    coverage,
    signal,
  };
}

export function workersOf({ workers = availableParallelism() }: SearchOptions): number {
  return workers;
}
