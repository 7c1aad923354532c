// The rehearse command: runs transactions of a network with another class of a contract, and reports differences.
import { toFelt } from '@starkbox/abi/basics';
import type { Environment } from '../../config/environment.js';
import { environmentName, InvalidValue, type Option, UsageError } from '../../config/option.js';
import { type Config, OPTIONS } from '../../config/options.js';
import { createLog } from '../../log.js';
import type { BlockSelection } from '../../rehearsal/find.js';
import { openRehearsal } from '../../rehearsal/open.js';
import { rehearsalPage } from '../../rehearsal/page.js';
import { hasDifference } from '../../rehearsal/report.js';
import { rehearsalText } from '../../rehearsal/text.js';
import { DifferenceFound, type Style, writeNamedFile } from './format.js';
import type { REHEARSE } from './options.js';
import type { Words } from './row.js';
import { numberOf } from './wire.js';

const DEFAULT_LAST = 100;

/** @throws DifferenceFound with the report if the classes differ */
export async function rehearseUpgrade(
  { json, paint, width, progress }: Style,
  words: Words<typeof REHEARSE>,
  env: Environment,
): Promise<string> {
  const { contract, class: newClass, page, carry = false } = words;
  if (contract === undefined) throw new UsageError('--contract ADDRESS is missing');
  if (newClass === undefined) throw new UsageError('--class FILE is missing');
  const options = {
    contract: addressOf(contract),
    newClass,
    oldClass: words['old-class'],
    wanted: wantedOf(words),
    carry,
    tolerance: numberOf('tolerance', words.tolerance) ?? 0,
    config: configOf(words, env),
  };
  const end = progress?.begin('rehearsing');
  const log = createLog({ level: 'warn', format: 'pretty' });
  const report = await openRehearsal(options, log, (text) => progress?.detail(text)).finally(() =>
    end?.(),
  );
  if (page !== undefined) writeNamedFile(page, rehearsalPage(report));
  const text = json
    ? `${JSON.stringify(report, null, 2)}\n`
    : rehearsalText(report, { paint, width });
  if (hasDifference(report)) throw new DifferenceFound(text);
  return text;
}

function addressOf(word: string): string {
  if (/^0x[0-9a-f]{1,64}$/i.test(word)) return toFelt(BigInt(word));
  throw new UsageError(
    `invalid address '${word}' for '--contract': must be 0x and hexadecimal digits`,
  );
}

function wantedOf(words: Words<typeof REHEARSE>): BlockSelection {
  const [last, from, to] = (['last', 'from', 'to'] as const).map((name) =>
    wholeOf(name, words[name]),
  );
  if (from === undefined && to === undefined) return { last: last ?? DEFAULT_LAST };
  if (last !== undefined) throw new UsageError('--last cannot be combined with --from and --to');
  if (from === undefined) throw new UsageError('--to needs --from');
  if (to !== undefined && to < from) throw new UsageError('--to is before --from');
  return { from, to };
}

function wholeOf(name: string, text: string | undefined): number | undefined {
  const value = numberOf(name, text);
  const least = name === 'last' ? 1 : 0;
  if (value === undefined || (Number.isInteger(value) && value >= least)) return value;
  throw new UsageError(
    `invalid value '${text}' for '--${name}': must be a whole number from ${least}`,
  );
}

/** Options of the fork, of the command line or of the environment. */
function configOf(words: Words<typeof REHEARSE>, env: Environment): Partial<Config> {
  const lock = words['fork-lock'] ?? env[environmentName(OPTIONS.forkLock)];
  const network = words['fork-network'] ?? env[environmentName(OPTIONS.forkNetwork)];
  if (network === undefined && lock === undefined)
    throw new UsageError('--fork-network URL is missing');
  const header = env[environmentName(OPTIONS.forkHeader)];
  const cache = env[environmentName(OPTIONS.forkCacheDir)];
  const timeout = env[environmentName(OPTIONS.forkTimeout)];
  return {
    ...(network
      ? { forkNetwork: parseOption('fork-network', OPTIONS.forkNetwork, network) }
      : { offline: true }),
    ...(lock ? { forkLock: lock } : {}),
    ...(header ? { forkHeader: parseOption('fork-header', OPTIONS.forkHeader, header) } : {}),
    ...(cache ? { forkCacheDir: cache } : {}),
    ...(timeout ? { forkTimeout: parseOption('fork-timeout', OPTIONS.forkTimeout, timeout) } : {}),
  };
}

function parseOption<T>(name: string, { parse }: Pick<Option<T>, 'parse'>, text: string): T {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof InvalidValue)) throw error;
    throw new UsageError(`invalid value '${text}' for '--${name}': ${error.message}`);
  }
}
