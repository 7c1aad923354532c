// Table of all options, and configs made from it.
import { showBlockGeneration } from '../block-settings.js';
import { readConditions } from '../chain/network/conditions.js';
import { presetNameOf } from '../chain/network/presets.js';
import { ACCOUNT_OPTIONS } from './account-options.js';
import { CHAIN_OPTIONS } from './chain-options.js';
import { FORK_OPTIONS } from './fork-options.js';
import { L1_OPTIONS } from './l1-options.js';
import { LIMIT_OPTIONS } from './limit-options.js';
import { defaultsOf, type OptionTable } from './option.js';
import { OUTPUT_OPTIONS } from './output-options.js';
import { SERVER_OPTIONS } from './server-options.js';
import { STORAGE_OPTIONS } from './storage-options.js';

/** In the order in which help and docs show them. */
const TABLE = {
  ...ACCOUNT_OPTIONS,
  ...CHAIN_OPTIONS,
  ...STORAGE_OPTIONS,
  ...FORK_OPTIONS,
  ...L1_OPTIONS,
  ...SERVER_OPTIONS,
  ...LIMIT_OPTIONS,
  ...OUTPUT_OPTIONS,
};

const defaults = () => defaultsOf(TABLE);

/** Settings of a node. A config file has the same keys. */
export interface Config extends Readonly<ReturnType<typeof defaults>> {}

export const OPTIONS: OptionTable<Config> = TABLE;

export type ConfigKey = keyof Config;

/**
 * Settings as a program gives them: large numbers may also be strings, or numbers while they are exact. Network
 * conditions may also be the name of a preset, or the path of a file.
 */
export type ConfigInput = {
  readonly [K in ConfigKey]?:
    | Config[K]
    | (bigint extends Config[K] ? number | string : never)
    | (K extends 'networkConditions' ? string : never)
    | undefined;
};

/** Options of the command line alone, which a config file cannot set. */
export const LINE_OPTIONS = {
  config: {
    flag: '--config <FILE>',
    short: undefined,
    aliases: [],
    help: 'Read options from this file: JSON, or a module that exports an object as its default.',
    brief: 'Read options from this file',
    defaultText: 'starkbox.config.json or starkbox.config.mjs, if it exists',
    variable: 'STARKBOX_CONFIG',
  },
  help: {
    flag: '--help',
    short: '-h',
    aliases: [],
    help: 'Print help. Add a topic, a command or the word all for more.',
    brief: 'Print this help',
    defaultText: undefined,
    variable: undefined,
  },
  version: {
    flag: '--version',
    short: '-v',
    aliases: ['-V'],
    help: 'Print the version.',
    brief: 'Print the version',
    defaultText: undefined,
    variable: undefined,
  },
} as const;

export function isConfigKey(name: string): name is ConfigKey {
  return Object.hasOwn(OPTIONS, name);
}

export const CONFIG_KEYS: readonly ConfigKey[] = Object.keys(OPTIONS).filter(isConfigKey);

/**
 * A complete config: omitted and `undefined` keys have their defaults.
 *
 * @example
 * defaultConfig({ port: 0, seed: 0 })
 */
export function defaultConfig(overrides: Partial<Config> = {}): Config {
  const config: Draft = defaults();
  for (const key of CONFIG_KEYS) settle(config, key, overrides);
  givenTo.set(config, keysIn(overrides));
  return Object.freeze(config);
}

/** Keys that were given, of each complete config. */
const givenTo = new WeakMap<object, ReadonlySet<ConfigKey>>();

/** The keys that were given a value: in a config of `defaultConfig`, those of its overrides. */
export function givenIn(values: object): ReadonlySet<ConfigKey> {
  return givenTo.get(values) ?? keysIn(values);
}

function keysIn(values: object): ReadonlySet<ConfigKey> {
  const keys = Object.entries(values).flatMap(([key, value]) => (value === undefined ? [] : [key]));
  return new Set(keys.filter(isConfigKey));
}

type Draft = { -readonly [K in ConfigKey]: Config[K] };

/** Generic in the key, so that the checker sees one option's value go to that option. */
function settle<K extends ConfigKey>(draft: Draft, key: K, overrides: Partial<Config>): void {
  draft[key] = overrides[key] ?? draft[key];
}

/** Keys of the options that a chain in a data directory cannot change. */
export const FIXED_KEYS: readonly ConfigKey[] = CONFIG_KEYS.filter((key) => OPTIONS[key].isFixed);

/**
 * Seconds after which work is refused that has not begun, or that still waits for the origin of a fork: half
 * of the timeout, so that time is left for the work.
 */
export function queueTimeoutOf({ timeout }: Config): number {
  return Math.max(1, timeout / 2);
}

/** The network that a chain imitates, in words. */
export function networkText(config: Config): string | undefined {
  const { networkConditions, gasMarket, blockGenerationOn } = config;
  const blocks = `blocks: ${showBlockGeneration(blockGenerationOn)}`;
  if (!networkConditions) return gasMarket ? `gas market, ${blocks}` : undefined;
  const conditions = readConditions(networkConditions);
  const name = presetNameOf(conditions) ?? 'your conditions';
  return `${name}, seed ${conditions.seed}, ${blocks}`;
}
