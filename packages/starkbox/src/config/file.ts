// Config file: location and reading.

import { closeSync, existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isObject } from '@starkbox/abi/basics';
import { reasonOf } from '../errors.js';
import { openRegular, readRegular } from '../files/regular-file.js';
import { parse } from '../json/json.js';
import { UsageError } from './option.js';
import { type Source, sourceOf } from './source.js';

const NAMES = ['starkbox.config.json', 'starkbox.config.mjs'] as const;

/** Names that people try, and that are not read. */
const WRONG_NAMES: readonly string[] = [
  ...['js', 'cjs', 'ts', 'mts', 'cts', 'yaml', 'yml', 'toml', 'jsonc', 'json5'].map(
    (ending) => `starkbox.config.${ending}`,
  ),
  'starkbox.json',
  'starkbox.toml',
  'starkbox.yaml',
  'starkbox.yml',
  '.starkboxrc',
  '.starkboxrc.json',
];

/** Sentences about files in the directory that look like config files. */
export function wrongConfigFiles(directory: string): readonly string[] {
  return WRONG_NAMES.filter((name) => existsSync(resolve(directory, name))).map((name) => {
    const isScript = /\.[cm]?[jt]s$/.test(name);
    const rightName = isScript ? 'starkbox.config.mjs' : 'starkbox.config.json';
    const content = isScript ? 'an object as the default export' : 'JSON';
    return `Ignored ${name}: a config file is named ${rightName} and holds ${content}`;
  });
}

export interface ConfigFile {
  /** Its name in messages. */
  readonly name: string;
  readonly source: Source;
}

/** The given file, or the one in the directory, if there is one. */
export async function readConfigFile(
  directory: string,
  chosenPath: string | undefined,
): Promise<ConfigFile | undefined> {
  const path = chosenPath === undefined ? find(directory) : resolve(directory, chosenPath);
  if (path === undefined) return undefined;
  const name = chosenPath ?? relative(directory, path);
  if (!existsSync(path)) throw new UsageError(`the config file '${name}' does not exist`);
  if (!/\.(json|[cm]?js)$/.test(path)) {
    throw new UsageError(
      `the config file '${name}' must be JSON, with a name that ends in .json, or a module in .mjs or .js`,
    );
  }
  return { name, source: sourceOf(await load(name, path), name) };
}

function find(directory: string): string | undefined {
  const files = NAMES.filter((name) => existsSync(resolve(directory, name)));
  if (files.length > 1) {
    throw new UsageError(`both ${files.join(' and ')} are here: choose one with --config <FILE>`);
  }
  return files[0] === undefined ? undefined : resolve(directory, files[0]);
}

async function load(name: string, path: string): Promise<object> {
  const value = await (name.endsWith('.json') ? loadJson(path) : loadModule(path)).catch(
    (error: unknown) => {
      const reason = reasonOf(error);
      throw new UsageError(`cannot read the config file '${name}': ${reason}`);
    },
  );
  if (!isObject(value)) {
    const requirement = name.endsWith('.json')
      ? 'hold an object'
      : 'export an object as its default';
    throw new UsageError(`the config file '${name}' must ${requirement}`);
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
