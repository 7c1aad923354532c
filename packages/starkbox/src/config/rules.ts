// Rules between options: which ones exclude or require each other, and which configs are refused.

import { canonicalName, methodFacts } from '@starkbox/spec';
import { longName, UsageError } from './option.js';
import { type Config, type ConfigKey, OPTIONS } from './options.js';

/** A config whose values can be read, but that a node cannot run with. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /** The option whose value a node cannot run with. */
  readonly option: ConfigKey | undefined;

  constructor(message: string, option?: ConfigKey) {
    super(message);
    this.option = option;
  }
}

/** The error, and where the value of its option comes from unless that is an argument. */
export function withOrigin(error: unknown, origins: ReadonlyMap<ConfigKey, string>): unknown {
  if (!(error instanceof ConfigError) || error.option === undefined) return error;
  const origin = origins.get(error.option);
  if (origin === undefined) return error;
  const sentence = `${longName(OPTIONS[error.option])} is set by ${origin}`;
  return new ConfigError(`${error.message.replace(/\.$/, '')}. ${sentence}`, error.option);
}

const CONFLICTS: readonly (readonly [ConfigKey, ConfigKey])[] = [
  ['accountClass', 'accountClassCustom'],
  ['chainId', 'forkNetwork'],
  ['forkBlock', 'forkTransaction'],
  // A lock file is of one block.
  ['forkLock', 'forkTransaction'],
];

const NEEDS: readonly {
  readonly key: ConfigKey;
  readonly needs: ConfigKey;
  readonly when?: (config: Config) => boolean;
}[] = [
  { key: 'dumpOn', needs: 'dumpPath', when: ({ dumpOn }) => dumpOn !== 'request' },
  { key: 'forkBlock', needs: 'forkNetwork' },
  { key: 'forkUpstreamCaching', needs: 'forkNetwork' },
  { key: 'forkCacheDir', needs: 'forkNetwork' },
  { key: 'forkHeader', needs: 'forkNetwork' },
  { key: 'forkTransaction', needs: 'forkNetwork' },
  { key: 'offline', needs: 'forkLock', when: ({ offline }) => offline },
  {
    key: 'recentBlocks',
    needs: 'dataDir',
    // A file may hold a whole config, with defaults.
    when: ({ recentBlocks }) => recentBlocks !== OPTIONS.recentBlocks.default,
  },
];

/** Beyond it no u256 can hold the supply: the account that mints owns the other half. */
const SUPPLY_BOUND = 2n ** 255n;

/** How errors call an option. */
export interface OptionNames {
  readonly name: (key: ConfigKey) => string;
  /** Where its value comes from, such as ` (from the variable PORT)`; empty for an argument. */
  readonly from: (key: ConfigKey) => string;
}

/**
 * Throws a `UsageError` if options that were given do not go together.
 *
 * @param supplied the given options, and those of the data directory
 */
export function checkGiven(
  keys: ReadonlySet<ConfigKey>,
  config: Config,
  { name, from }: OptionNames,
  supplied: ReadonlySet<ConfigKey> = keys,
): void {
  const argument = (key: ConfigKey): string => `'${name(key)}'${from(key)}`;
  for (const [option, excluded] of CONFLICTS) {
    if (keys.has(option) && keys.has(excluded)) {
      throw new UsageError(
        `the argument ${argument(option)} cannot be used with ${argument(excluded)}`,
      );
    }
  }
  const missing = NEEDS.filter(
    ({ key, needs, when }) => keys.has(key) && !supplied.has(needs) && (when?.(config) ?? true),
  ).map(({ key, needs }) =>
    from(key) === '' ? name(needs) : `${name(needs)}, for ${argument(key)}`,
  );
  if (missing.length > 0) {
    const lines = [...new Set(missing)].map((line) => `\n  ${line}`).join('');
    throw new UsageError(`the following required arguments were not provided:${lines}`);
  }
}

/** Throws a `ConfigError` if a node cannot run with this. */
export function checkConfig(config: Config): void {
  if (config.proofMode === 'full') {
    throw new ConfigError(
      '--proof-mode full is not available yet: this version cannot verify real proofs, so it would reject every invocation. Choose devnet, which makes and verifies mock proofs, or none',
      'proofMode',
    );
  }
  if (config.dumpOn === 'block' && config.dumpFormat === 'image') {
    throw new ConfigError(
      '--dump-on block writes a journal: an image is written as a whole, so choose --dump-on exit or request with --dump-format image',
      'dumpOn',
    );
  }
  if (config.dataDir !== undefined && config.dumpOn && config.dumpFormat === 'journal') {
    throw new ConfigError(
      '--data-dir keeps the chain and not the calls that made it: leave --dump-on out, or dump images with --dump-format image',
      'dumpOn',
    );
  }
  if (BigInt(config.accounts) * config.initialBalance >= SUPPLY_BOUND) {
    throw new ConfigError(
      'Total balance supply in ERC20 contract exceeded. Reduce the number of predeployed accounts (--accounts) or their initial balance (--initial-balance).',
      'initialBalance',
    );
  }
  if (config.stateArchive === 'none' && (config.networkConditions?.reorgs?.probability ?? 0) > 0) {
    throw new ConfigError(
      'The reorganisations of --network-conditions restore older states: start with --state-archive-capacity full, or use a file of conditions with reorgs.probability 0',
      'networkConditions',
    );
  }
  const unknown = (config.restrictedMethods ?? []).filter((name) => !mayBeRestricted(name));
  if (unknown.length > 0) {
    throw new ConfigError(
      `Restricted methods contain unsupported JSON-RPC methods: ${unknown.join(', ')}`,
      'restrictedMethods',
    );
  }
}

/** Sentences about options that were given and have no effect; other tools accept them, so they only warn. */
export function withoutEffect(keys: ReadonlySet<ConfigKey>, config: Config): readonly string[] {
  const sentences: string[] = [];
  if (keys.has('metricsPort') && config.metricsHost === undefined) {
    sentences.push('--metrics-port has no effect without --metrics-host');
  }
  // A stored chain or a dump may include its link to L1.
  const mayHaveL1 = [config.l1, config.dataDir, config.dumpPath].some((path) => path !== undefined);
  if (keys.has('l1AutoRelay') && !mayHaveL1) {
    sentences.push(
      '--l1-auto-relay has no effect until devnet_postmanLoad connects an L1 node: to connect at the start, add --l1 anvil or --l1 URL',
    );
  }
  if (config.wallet && config.restrictedMethods?.includes('devnet_getPredeployedAccounts')) {
    sentences.push(
      '--wallet has no accounts: --restrictive-mode refuses devnet_getPredeployedAccounts',
    );
  }
  return sentences;
}

/** Subscriptions are not among them: what one would see can be asked for anyway. */
function mayBeRestricted(name: string): boolean {
  const facts = methodFacts(canonicalName(name));
  return facts !== undefined && facts.document !== 'ws';
}
