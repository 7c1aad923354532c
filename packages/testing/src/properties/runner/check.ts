// Checks of invariants: in this process with closures, or of a file on all cores.
import type { Fixture } from '../../fixtures/fixture.js';
import type { LocalTestChain } from '../../test-chain.js';
import type {
  CheckReport,
  DefinedInvariants,
  InvariantOptions,
  SearchOptions,
  Violation,
} from '../options.js';

/** A violated invariant: the message has the shortest history and a test that repeats it. */
export class InvariantViolation extends Error {
  override readonly name = 'InvariantViolation';
  /** The invariant and the history. */
  readonly violation: Violation;
  /** Figures of the search. */
  readonly report: CheckReport;

  constructor(message: string, violation: Violation, report: CheckReport) {
    super(message);
    this.violation = violation;
    this.report = report;
  }
}

/**
 * Invariants of a prepared chain, for the default export of a file that `checkInvariants` and `starkbox fuzz` run on all
 * cores.
 *
 * @example
 * export default defineInvariants(vaults, ({ vault }) => ({
 *   contracts: [vault],
 *   invariants: { solvent: async ({ call }) => (await call(vault, 'assets')) >= (await call(vault, 'shares')) },
 * }));
 */
export function defineInvariants<T>(
  fixture: Fixture<T>,
  options: DefinedInvariants<T>['options'],
): DefinedInvariants<T> {
  return { fixture, options };
}

/**
 * Runs random histories on branches of a chain, and checks the invariants after each step.
 *
 * @param source a chain with `options`, or the URL of a file whose default export is `defineInvariants(…)`
 * @throws InvariantViolation with the shortest history that violates an invariant
 */
export function checkInvariants<T>(
  chain: LocalTestChain,
  options: InvariantOptions<T>,
): Promise<CheckReport>;
export function checkInvariants(
  file: URL | string,
  overrides?: SearchOptions,
): Promise<CheckReport>;
export async function checkInvariants(
  source: LocalTestChain | URL | string,
  options: SearchOptions = {},
): Promise<CheckReport> {
  throw new Error(`not written yet: ${String(source)} ${Object.keys(options).join(' ')}`);
}
