// Sources of options: command line, environment, config file and library, all read the same way.

import { isObject } from '@starkbox/abi/basics';
import { stringify } from '../json/json.js';
import { nearest } from '../nearest-word.js';
import { shortenText } from '../terminal.js';
import { InvalidValue, longName, optionKind, UsageError } from './option.js';
import {
  CONFIG_KEYS,
  type Config,
  type ConfigInput,
  type ConfigKey,
  givenIn,
  isConfigKey,
  OPTIONS,
} from './options.js';

/** Characters of a value or a key in a message. */
const MAX_SHOWN_LENGTH = 200;

/** A source of values: the first source that has one for a key decides. */
export interface Source {
  readonly texts: ReadonlyMap<ConfigKey, string>;
  /** The name of an option in this source, for "invalid value … for …". */
  readonly name: (key: ConfigKey) => string;
  /** For "(from …)" behind an error that comes later; nothing where the option alone says it. */
  readonly origin?: (key: ConfigKey) => string;
}

/** Where the value of an option comes from, to follow its name; empty for an argument. */
export function fromWhere(key: ConfigKey, { origins }: Pick<OptionValues, 'origins'>): string {
  const origin = origins.get(key);
  return origin === undefined ? '' : ` (from ${origin})`;
}

type Values = { -readonly [K in ConfigKey]?: Config[K] };

export interface OptionValues {
  readonly values: Partial<Config>;
  /** The keys that were given. */
  readonly keys: ReadonlySet<ConfigKey>;
  /** Names of sources, for values whose option does not imply it. */
  readonly origins: ReadonlyMap<ConfigKey, string>;
}

/** Throws a `UsageError` for an invalid value. */
export function readSources(sources: readonly Source[]): OptionValues {
  const values: Values = {};
  const keys = new Set<ConfigKey>();
  const origins = new Map<ConfigKey, string>();
  for (const key of CONFIG_KEYS) {
    const source = sources.find(({ texts }) => texts.has(key));
    if (!source) continue;
    take(values, key, source);
    keys.add(key);
    const origin = source.origin?.(key);
    if (origin !== undefined) origins.set(key, origin);
  }
  if (values.quiet) {
    values.banner ??= false;
    values.logLevel ??= 'warn';
  }
  return { values, keys, origins };
}

/**
 * The options of `createChain`.
 *
 * @throws UsageError if they are no object, or hold what the command would refuse
 */
export function readInput(input: ConfigInput): OptionValues {
  assertOptions(input, 'createChain', '{ seed: 0 }');
  const chosen = givenIn(input);
  const entries = Object.entries(input).filter(([key]) => !isConfigKey(key) || chosen.has(key));
  return readSources([sourceOf(Object.fromEntries(entries), 'the options of createChain')]);
}

function take<K extends ConfigKey>(values: Values, key: K, { texts, name }: Source): void {
  const text = texts.get(key) ?? '';
  try {
    values[key] = OPTIONS[key].parse(text);
  } catch (error) {
    if (!(error instanceof InvalidValue)) throw error;
    const quoted = OPTIONS[key].isSecret ? '…' : shortenText(text, MAX_SHOWN_LENGTH);
    throw new UsageError(`invalid value '${quoted}' for ${name(key)}: ${error.message}`);
  }
}

/**
 * Throws a `UsageError` for an argument that holds no options; types do not protect callers in JavaScript.
 *
 * @param example of such an argument
 * @param keys those that it may have; all if they are not given
 */
export function assertOptions(
  options: unknown,
  caller: string,
  example: string,
  keys?: readonly string[],
): asserts options is object {
  if (!isObject(options)) {
    const actual = Array.isArray(options) ? 'a list' : String(options);
    throw new UsageError(
      `${caller} takes an object with options, such as ${example}; got ${actual}`,
    );
  }
  const unknown = Object.keys(options).find((key) => keys && !keys.includes(key));
  if (unknown === undefined || !keys) return;
  const near = nearest(unknown, keys);
  const hint = near === undefined ? `it takes ${keys.join(', ')}` : `did you mean '${near}'?`;
  throw new UsageError(`unknown key '${unknown}' in the options of ${caller}: ${hint}`);
}

/**
 * Keys and values as texts, because options are read from texts.
 *
 * @param where finishes "unknown key … in"
 */
export function sourceOf(values: object, where: string): Source {
  const texts = new Map<ConfigKey, string>();
  for (const [key, value] of Object.entries(values)) {
    if (!isConfigKey(key)) throw new UsageError(unknownKey(key, where));
    if (value !== null && value !== undefined) texts.set(key, textOf(value, key, where));
  }
  return { texts, name: (key) => `'${key}' in ${where}`, origin: () => where };
}

function unknownKey(key: string, where: string): string {
  const flags = new Map(CONFIG_KEYS.map((key) => [longName(OPTIONS[key]).slice(2), key]));
  const near = nearest(key, [...CONFIG_KEYS, ...flags.keys()]);
  const meant = near === undefined ? undefined : (flags.get(near) ?? near);
  return `unknown key '${shortenText(key, MAX_SHOWN_LENGTH)}' in ${where}${meant === undefined ? '' : `: did you mean '${meant}'?`}`;
}

function textOf(value: unknown, key: ConfigKey, where: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value === 'number') {
    if (!Number.isInteger(value)) return OPTIONS[key].fraction?.(value) ?? String(value);
    if (Number.isSafeInteger(value)) return String(value);
    throw new UsageError(
      `invalid value '${value}' for '${key}' in ${where}: write a number of this size as a string or a BigInt`,
    );
  }
  if (key === 'networkConditions' && isObject(value)) return stringify(value);
  const isList = OPTIONS[key].flag.includes('...');
  const isOptional = optionKind(OPTIONS[key]) === 'list';
  if (isList && Array.isArray(value) && value.every((item) => typeof item === 'string')) {
    // Without names, the text would ask for the default list.
    return value.length === 0 && isOptional ? 'false' : value.join(OPTIONS[key].separator ?? ' ');
  }
  const requirement = isList
    ? `${isOptional ? 'true' : 'a string'} or a list of strings`
    : 'a string, a number, true or false';
  throw new UsageError(`invalid value for '${key}' in ${where}: must be ${requirement}`);
}
