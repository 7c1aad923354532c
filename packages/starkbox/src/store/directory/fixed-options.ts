// Options of a chain that cannot change after its first start.

import { longName } from '../../config/option.js';
import { type Config, type ConfigKey, FIXED_KEYS, OPTIONS } from '../../config/options.js';

/** By key, as texts in the syntax of the command line. */
export type FixedOptions = Readonly<Record<string, string | null>>;

/** @param forkHash hash of the fork point */
export function fixedOptionsOf(config: Config, forkHash: string | undefined): FixedOptions {
  const texts = FIXED_KEYS.map((key) => [
    key,
    config[key] === undefined ? null : String(config[key]),
  ]);
  const { forkNetwork = null, forkTransaction = null } = config;
  return {
    ...Object.fromEntries(texts),
    forkNetwork,
    forkBlock: forkHash ?? null,
    forkTransaction,
  };
}

/** The given options, completed with the fixed ones; throws where they contradict. */
export function withFixedOptions(
  fixed: FixedOptions,
  overrides: Partial<Config>,
  path: string,
): Partial<Config> {
  const config: Changeable = { ...overrides };
  for (const key of FIXED_KEYS) {
    // A fork inherits the chain id of its origin.
    if (key !== 'chainId' || isNothing(fixed['forkBlock']))
      restore(config, key, fixed[key] ?? null, path);
  }
  restoreForkTransaction(config, fixed['forkTransaction'] ?? null, path);
  // Not compared as text: another server, or a number for a hash, can mean the same fork point.
  config.forkNetwork ??= fixed['forkNetwork'] ?? undefined;
  config.forkBlock ??= fixed['forkBlock'] ?? undefined;
  return config;
}

type Changeable = { -readonly [K in keyof Config]?: Config[K] };

const isNothing = (text: string | null | undefined): boolean => text === null || text === undefined;

/** Throws unless the fork point is that of the chain in the directory. */
export function checkSameFork(
  fixed: FixedOptions,
  forkHash: string | undefined,
  path: string,
): void {
  const was = fixed['forkBlock'] ?? undefined;
  if (was === forkHash) return;
  throw new Error(
    was === undefined
      ? `the chain in ${path} is not a fork: omit --fork-network, or choose another directory with --data-dir`
      : `the chain in ${path} is a fork of block ${was}, not of ${forkHash}: omit --fork-block, or choose another directory with --data-dir`,
  );
}

function restoreForkTransaction(config: Changeable, text: string | null, path: string): void {
  restore(config, 'forkTransaction', text, path);
  if (text === null) return;
  // They would be ignored: the block is that before the transaction's.
  for (const key of ['forkBlock', 'forkLock'] as const) {
    const requested = config[key];
    if (requested !== undefined)
      refuseChange(path, 'forkTransaction', text, key, String(requested));
  }
}

function restore<K extends ConfigKey>(
  config: Changeable,
  key: K,
  text: string | null,
  path: string,
): void {
  const requested = config[key];
  if (requested === undefined) {
    if (text !== null) config[key] = OPTIONS[key].parse(text);
    return;
  }
  if (String(requested) !== text) refuseChange(path, key, text, key, String(requested));
}

function refuseChange(
  path: string,
  key: ConfigKey,
  text: string | null,
  other: ConfigKey,
  requested: string,
): never {
  const name = longName(OPTIONS[key]);
  const was = text === null ? `without ${name}` : `with ${name} ${text}`;
  throw new Error(
    `the chain in ${path} was started ${was} and cannot continue with ${longName(OPTIONS[other])} ${requested}: omit the option, or choose another directory with --data-dir`,
  );
}
