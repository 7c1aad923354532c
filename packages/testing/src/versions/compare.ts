// One function under several versions of Starknet.
import { type ConfigInput, STARKNET_VERSIONS, type StarknetVersion } from 'starkbox';
import { createUnreportedChain, type LocalTestChain } from '../test-chain.js';
import { watchOutcomes } from './outcomes.js';
import { VersionReport, type VersionRun } from './report.js';

/** Versions to compare: a list with the reference first, or all that the engine has, oldest first. */
export type ComparedVersions = readonly StarknetVersion[] | 'all';

/** Options of `compareVersions`. */
export interface CompareOptions {
  /** Options of the chains. */
  readonly chain?: Omit<ConfigInput, 'starknetVersion'>;
}

/**
 * Runs a function on a new chain of each version, and reports what differs: status, revert reason, gas and fee of each
 * transaction, and failures of calls, estimates and submissions.
 *
 * @param run also an error that it throws under some versions is part of the report
 * @example
 * const report = await compareVersions(['0.14.1', '0.14.4'], async (chain) => {
 *   const counter = await chain.deployContract(path, [5]);
 *   await counter.invoke('increase', [1]);
 * });
 * console.log(report.table());
 * @throws UsageError if the engine does not have a version
 * @throws Error of the function, if it fails under every version
 */
export async function compareVersions(
  versions: ComparedVersions,
  run: (chain: LocalTestChain, version: StarknetVersion) => unknown,
  options: CompareOptions = {},
): Promise<VersionReport> {
  const runs: VersionRun[] = [];
  const errors: unknown[] = [];
  for (const version of listedVersions(versions, 'compareVersions')) {
    const chain = await createUnreportedChain({ ...options.chain, starknetVersion: version });
    try {
      const read = await watchOutcomes(chain);
      const notes: string[] = [];
      try {
        await run(chain, version);
      } catch (error) {
        errors.push(error);
        notes.push(`the function failed: ${firstLine(error)}`);
      }
      const { outcomes, areRequestsCut } = await read();
      if (areRequestsCut) notes.push(REQUESTS_CUT);
      runs.push({ version, outcomes, notes });
    } finally {
      await chain.close();
    }
  }
  if (errors.length === runs.length) throw errors[0];
  return new VersionReport(runs);
}

export const REQUESTS_CUT = 'the node no longer has all requests; the report has transactions only';

/** @throws TypeError if there are not at least two different versions */
export function listedVersions(
  versions: ComparedVersions,
  caller: string,
): readonly StarknetVersion[] {
  const list = versions === 'all' ? STARKNET_VERSIONS : versions;
  if (Array.isArray(list) && list.length > 1 && new Set(list).size === list.length) return list;
  throw new TypeError(
    `${caller} takes 'all' or at least two different versions, such as ['0.14.1', '0.14.4']; got ${JSON.stringify(versions)}`,
  );
}

function firstLine(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  return line;
}
