// Knows where a config file may be, and how its values become the texts that options are made of.

import { closeSync, existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CONFIG_KEYS, type ConfigKey, isConfigKey, OPTIONS } from './config.js';
import { reasonOf } from './errors.js';
import { parse } from './json.js';
import { longName, optionKind, UsageError } from './option.js';
import { openRegular, readRegular } from './regular-file.js';

const NAMES = ['starkbox.config.json', 'starkbox.config.mjs'] as const;

export interface ConfigFile {
  /** As messages should call it. */
  readonly name: string;
  readonly texts: ReadonlyMap<ConfigKey, string>;
}

/** The file that was asked for, or the one in the directory, if there is one. */
export async function readConfigFile(
  directory: string,
  asked: string | undefined,
): Promise<ConfigFile | undefined> {
  const path = asked === undefined ? find(directory) : resolve(directory, asked);
  if (path === undefined) return undefined;
  const name = asked ?? relative(directory, path);
  if (!existsSync(path)) throw new UsageError(`there is no config file '${name}'`);
  return { name, texts: texts(name, await load(name, path)) };
}

function find(directory: string): string | undefined {
  const found = NAMES.filter((name) => existsSync(resolve(directory, name)));
  if (found.length > 1) {
    throw new UsageError(`both ${found.join(' and ')} are here: choose one with --config <FILE>`);
  }
  return found[0] === undefined ? undefined : resolve(directory, found[0]);
}

async function load(name: string, path: string): Promise<object> {
  const value = await (name.endsWith('.json') ? loadJson(path) : loadModule(path)).catch(
    (error: unknown) => {
      const reason = reasonOf(error);
      throw new UsageError(`cannot read the config file '${name}': ${reason}`);
    },
  );
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const wanted = name.endsWith('.json') ? 'hold an object' : 'export an object as its default';
    throw new UsageError(`the config file '${name}' must ${wanted}`);
  }
  return value;
}

/** Not with JSON.parse, which would round balances. */
async function loadJson(path: string): Promise<unknown> {
  return parse(await readRegular(path));
}

async function loadModule(path: string): Promise<unknown> {
  closeSync(openRegular(path));
  const module: { readonly default?: unknown } = await import(pathToFileURL(path).href);
  return module.default;
}

function texts(name: string, values: object): ReadonlyMap<ConfigKey, string> {
  const found = new Map<ConfigKey, string>();
  for (const [key, value] of Object.entries(values)) {
    if (!isConfigKey(key)) throw new UsageError(unknownKey(name, key));
    if (value === null || value === undefined) continue;
    found.set(key, toText(name, key, value));
  }
  return found;
}

function unknownKey(name: string, key: string): string {
  const same = (one: string): string => one.replaceAll(/[^a-z0-9]/gi, '').toLowerCase();
  const near = CONFIG_KEYS.find((one) =>
    [one, longName(OPTIONS[one])].some((known) => same(known) === same(key)),
  );
  return `unknown key '${key}' in ${name}${near ? `: did you mean '${near}'?` : ''}`;
}

/** Options are read from texts, so that one parser serves all their sources. */
function toText(name: string, key: ConfigKey, value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value === 'number') {
    if (!Number.isInteger(value) || Number.isSafeInteger(value)) return String(value);
    throw new UsageError(
      `invalid value '${value}' for '${key}' in ${name}: write so large a number as a string`,
    );
  }
  const isList = OPTIONS[key].flag.includes('...');
  if (isList && Array.isArray(value) && value.every((item) => typeof item === 'string')) {
    return value.join(' ');
  }
  const isOptional = optionKind(OPTIONS[key]) === 'list';
  const wanted = isList
    ? `${isOptional ? 'true' : 'a string'} or a list of strings`
    : 'a string, a number, true or false';
  throw new UsageError(`invalid value for '${key}' in ${name}: must be ${wanted}`);
}
