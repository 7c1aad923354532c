// The engine for Node: the addon that STARKBOX_ENGINE names, the build of a work tree, or the one of the platform's
// package; without one, WebAssembly. In browsers, addon-browser.ts takes the place of this module.
import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type * as binding from '../binding.js';
import { addonFile, compilerFile, PLATFORMS, packageFor, WASM_PACKAGE } from './platforms.js';
import { type HeldLock, takeProcessLock } from './process-lock.js';
import type { WithoutThreads } from './suspension.js';

export interface AddonSearch {
  /** The folder of this package. */
  readonly folder: string;
  readonly os: string;
  readonly cpu: string;
  /** The value of STARKBOX_ENGINE: the file of an addon, or `wasm`. */
  readonly addonPath: string | undefined;
}

export interface Loaded {
  readonly path: string;
  readonly addon: typeof binding;
  /** If it is WebAssembly. */
  readonly withoutThreads?: WithoutThreads;
}

/** The package with the WebAssembly engine. */
interface WasmPackage {
  load(): { readonly addon: typeof binding; readonly withoutThreads: WithoutThreads };
}

/** Loads the addon; the error says what is missing and how to get it. */
export function loadAddon({ folder, os, cpu, addonPath }: AddonSearch): Loaded {
  const require = createRequire(join(folder, 'package.json'));
  const load = (path: string): Loaded => {
    try {
      const addon: typeof binding = require(path);
      return { path, addon };
    } catch (error) {
      throw new Error(whyNotLoaded(path, os, cpu, error), { cause: error });
    }
  };
  if (addonPath === 'wasm') return loadWasm(require) ?? missingWasm(require);
  if (addonPath) {
    const path = resolve(addonPath);
    if (!existsSync(path) || !path.endsWith('.node')) {
      throw new Error(
        `STARKBOX_ENGINE must be "wasm" or name the file of an addon (*.node), not ${path}.`,
      );
    }
    return load(path);
  }
  const suited = Object.keys(PLATFORMS).filter(
    (name) => PLATFORMS[name]?.os === os && PLATFORMS[name]?.cpu === cpu,
  );
  const paths = suited.flatMap((name) => pathOf(name, folder, require) ?? []);
  // Old npm installs the packages of both C libraries.
  const path = paths.length > 1 && isMusl() ? paths.at(-1) : paths[0];
  if (path !== undefined) return load(path);
  const wasm = loadWasm(require);
  if (wasm === undefined) throw new Error(whyMissing(suited, os, cpu, require));
  return wasm;
}

/** The WebAssembly engine, if its package is installed. */
function loadWasm(require: NodeJS.Require): Loaded | undefined {
  const path = resolveModule(`${WASM_PACKAGE}/node`, require);
  if (path === undefined) return undefined;
  const { load }: WasmPackage = require(path);
  process.emitWarning('Starkbox is running on WebAssembly: slower, the same results');
  return { path, ...load() };
}

function missingWasm(require: NodeJS.Require): never {
  const { version }: { version: string } = require('./package.json');
  throw new Error(
    `The WebAssembly engine is not installed. Install it: npm install ${WASM_PACKAGE}@${version}`,
  );
}

/** The addon of a platform: in a work tree in the folder of this package, else in a package. */
function pathOf(platform: string, folder: string, require: NodeJS.Require): string | undefined {
  const file = addonFile(platform);
  if (existsSync(join(folder, file))) return join(folder, file);
  return resolveModule(`${packageFor(platform)}/${file}`, require);
}

function resolveModule(module: string, require: NodeJS.Require): string | undefined {
  try {
    return require.resolve(module);
  } catch {
    // Only `resolve` finds what every package manager installs, and it throws for what is not there.
    return undefined;
  }
}

function whyMissing(
  suited: readonly string[],
  os: string,
  cpu: string,
  require: NodeJS.Require,
): string {
  const names = Object.keys(PLATFORMS).join(', ');
  if (suited.length === 0) {
    return [
      `The engine of Starkbox is not built for ${os} ${cpu}, only for ${names}.`,
      `Install the WebAssembly engine, which is slower: npm install ${WASM_PACKAGE}`,
      'Or build it from the sources, and set STARKBOX_ENGINE to the path of the addon.',
    ].join('\n');
  }
  const missing = (suited.length > 1 && isMusl() ? suited.toReversed() : suited)[0] ?? '';
  const name = packageFor(missing);
  const { version }: { version: string } = require('./package.json');
  return [
    `The engine of Starkbox for ${os} ${cpu} is missing: the package ${name} is not installed.`,
    'npm leaves it out with --omit=optional, or if node_modules or package-lock.json come from another platform.',
    `Remove both and install again, or install it alone: npm install ${name}@${version}`,
    `Or install the WebAssembly engine, which is slower: npm install ${WASM_PACKAGE}@${version}`,
    'In a clone of the repository, build it: npm run build:engine',
    'To use another build, set STARKBOX_ENGINE to the path of its addon.',
  ].join('\n');
}

function isMusl(): boolean {
  const { header }: { header: object } = JSON.parse(JSON.stringify(process.report.getReport()));
  return !('glibcVersionRuntime' in header);
}

function whyNotLoaded(path: string, os: string, cpu: string, error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  const hint = /GLIBC_/.test(reason)
    ? ' The C library of this system is older than the engine requires.'
    : '';
  return `The engine of Starkbox at ${path} cannot be loaded on ${os} ${cpu}: ${reason}${hint}`;
}

const FOLDER = fileURLToPath(new URL('..', import.meta.url));

const loaded = loadAddon({
  folder: FOLDER,
  os: process.platform,
  cpu: process.arch,
  addonPath: process.env['STARKBOX_ENGINE'],
});

/** The functions of the engine. */
export const addon: typeof binding = loaded.addon;

/** What an engine without threads needs beside its functions; undefined for an addon. */
export const withoutThreads: WithoutThreads | undefined = loaded.withoutThreads;

export const ADDON: string = loaded.path;

const beside = join(dirname(loaded.path), compilerFile(process.platform));

/** The compiler of the same build; for an addon without one beside it, the one of this work tree. */
export const COMPILER: string = existsSync(beside)
  ? beside
  : join(FOLDER, compilerFile(process.platform));

/** Locks a file; nothing if another process holds the lock. */
export function takeLock(path: string): HeldLock | null | undefined {
  return withoutThreads === undefined ? addon.FileLock.take(path) : takeProcessLock(path);
}

/** Where compiled classes are kept between runs; `null` if other users can write there: kept code is trusted. */
export function defaultCacheDir(): string | null {
  const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  const folder = join(cache, 'starkbox');
  return isOwn(folder) ? join(folder, 'casm') : null;
}

/** Whether a folder, if it exists, belongs to this user, and others cannot write to it. Windows has no such numbers. */
function isOwn(folder: string): boolean {
  const status = statSync(folder, { throwIfNoEntry: false });
  if (!status || !process.getuid) return true;
  return status.uid === process.getuid() && (status.mode & 0o002) === 0;
}

/** A built-in class as it was packed. */
export function readBuiltinClass(name: string): Promise<Uint8Array> {
  return readFile(new URL(`../classes/${name}.class`, import.meta.url));
}
