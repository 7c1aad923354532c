// Watched folders of compiled contracts: when a file changes, its contracts get the new class.
import { type FSWatcher, watch } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { isObject, withNoun } from '@starkbox/abi/basics';
import { Class } from '@starkbox/engine';
import type { Chain } from '../chain/chain.js';
import { listContracts } from '../chain/queries/list-contracts.js';
import { replaceClass } from '../chain/replace-class.js';
import { callCause } from '../chain/world/cause.js';
import type { World } from '../chain/world/world.js';
import { ARTIFACT } from '../debug-info/artifact.js';
import type { DebugInfos } from '../debug-info/debug-infos.js';
import { PackageTexts } from '../debug-info/source-texts.js';
import { codeOf, reasonOf } from '../errors.js';
import { readRegular } from '../files/regular-file.js';
import type { Log } from '../log.js';

/** Milliseconds after the last change of a folder: a build writes several files. */
const SETTLED = 150;
const PAGE = 100;
/** Folders that hold no artifacts of one's own, and may hold very many files. */
const SKIPPED = /^(\..*|node_modules)$/;

/** Replaces the classes of deployed contracts whenever their artifacts change. */
export class Artifacts {
  readonly #chain: Chain;
  readonly #folder: string;
  readonly #debugInfos: DebugInfos;
  readonly #log: Log;
  /** Class hashes by path below the folder. */
  readonly #hashes = new Map<string, string>();
  /** Of each file that was used, by path: its size and its times. */
  readonly #versions = new Map<string, string>();
  /** Of the folder and all below it. */
  #watchers: FSWatcher[] = [];
  #isStopped = false;
  #timer: NodeJS.Timeout | undefined;
  /** The running read; `undefined` if there is none. */
  #reading: Promise<void> | undefined;
  /** Whether something changed since the running read began. */
  #isChanged = false;

  constructor(chain: Chain, folder: string, debugInfos: DebugInfos, log: Log) {
    this.#chain = chain;
    this.#folder = folder;
    this.#debugInfos = debugInfos;
    this.#log = log;
  }

  /** @throws Error if the folder cannot be read */
  static async watch(
    chain: Chain,
    folder: string,
    debugInfos: DebugInfos,
    log: Log,
  ): Promise<Artifacts> {
    const artifacts = new Artifacts(chain, folder, debugInfos, log);
    try {
      await artifacts.#read((file, hash) => void artifacts.#hashes.set(file, hash));
    } catch (error) {
      await artifacts.close();
      if (codeOf(error) !== 'ENOENT') throw error;
      throw new Error('no such folder: run scarb build first, or name another', { cause: error });
    }
    log.info(`Watching ${withNoun(artifacts.#hashes.size, 'artifact')} in ${folder}`);
    return artifacts;
  }

  stop(): void {
    this.#isStopped = true;
    this.#unwatch();
    clearTimeout(this.#timer);
  }

  async close(): Promise<void> {
    this.stop();
    await this.#reading;
  }

  #later(): void {
    if (this.#isStopped) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#isChanged = true;
      this.#reading ??= this.#readChanges().finally(() => {
        this.#reading = undefined;
      });
    }, SETTLED);
    this.#timer.unref();
  }

  /** Changes during a read are covered by one further read, however many they are. */
  async #readChanges(): Promise<void> {
    while (this.#isChanged && !this.#isStopped) {
      this.#isChanged = false;
      try {
        await this.#read((file, hash, text) => this.#addChanged(file, hash, text));
      } catch (err) {
        this.#log.error({ err }, `reading ${this.#folder} failed`);
      }
    }
  }

  /** Reads artifacts that are new or changed; one that is no class, perhaps half written, is left out. */
  async #read(
    use: (file: string, hash: string, text: string) => void | Promise<void>,
  ): Promise<void> {
    const files: string[] = [];
    // All of them anew: one of a folder that was removed and made again is idle.
    this.#unwatch();
    await this.#collect(this.#folder, files);
    for (const file of files.sort()) {
      if (this.#isStopped) return;
      try {
        const path = join(this.#folder, file);
        const { mtimeMs, ctimeMs, size, ino } = await stat(path);
        const version = [mtimeMs, ctimeMs, size, ino].join();
        if (this.#versions.get(file) === version) continue;
        const text = await readRegular(path, file);
        const hash = await Class.hashOf(text);
        this.#addDebugInfo(file, hash, text, await PackageTexts.of(path, mtimeMs));
        await use(file, hash, text);
        this.#versions.set(file, version);
      } catch (error) {
        this.#log.warn(`The artifact ${file} is not used: ${reasonOf(error)}`);
      }
    }
  }

  /** A class hash does not cover debug information, so that it may change alone. */
  #addDebugInfo(file: string, hash: string, text: string, sources?: PackageTexts): void {
    try {
      this.#debugInfos.add(hash, JSON.parse(text), () => sources);
      this.#debugInfos.addFile(hash, file);
    } catch (error) {
      this.#log.warn(`The debug information in ${file} is not used: ${reasonOf(error)}`);
    }
  }

  /** Watches a folder and all below it, and adds the paths of their artifacts. */
  async #collect(folder: string, files: string[]): Promise<void> {
    // Watched before it is read, so that no file comes unnoticed in between.
    this.#watch(folder);
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && !SKIPPED.test(entry.name)) {
        await this.#collect(path, files).catch((error: unknown) => this.#leftOut(path, error));
      } else if (ARTIFACT.test(entry.name)) {
        files.push(relative(this.#folder, path));
      }
    }
  }

  #watch(folder: string): void {
    if (this.#isStopped) return;
    const watcher = watch(folder, { persistent: false }, () => this.#later());
    watcher.on('error', (error) => this.#leftOut(folder, error));
    this.#watchers.push(watcher);
  }

  /** A folder may go while it is read, and one may not be readable. */
  #leftOut(folder: string, error: unknown): void {
    if (codeOf(error) === 'ENOENT') return;
    this.#log.warn(`The folder ${folder} is not watched: ${reasonOf(error)}`);
  }

  #unwatch(): void {
    for (const watcher of this.#watchers) watcher.close();
    this.#watchers = [];
  }

  async #addChanged(file: string, hash: string, text: string): Promise<void> {
    const old = this.#hashes.get(file);
    if (old === hash) return;
    const addresses = old === undefined ? [] : await contractsOf(this.#chain.world, old);
    if (addresses.length > 0) {
      const newClass: unknown = JSON.parse(text);
      if (!isObject(newClass)) throw new TypeError('it is not an object');
      for (const contract_address of addresses) {
        if (this.#isStopped) return;
        const params = { contract_address, contract_class: newClass };
        const cause = callCause('devnet_replaceClass', params);
        await replaceClass(this.#chain, { address: contract_address, newClass }, cause);
      }
      this.#log.info(`${file} changed: ${addresses.join(', ')} now of class ${hash}`);
    }
    this.#hashes.set(file, hash);
  }
}

/** The contracts of a class that were deployed on this chain. */
async function contractsOf(world: World, hash: string): Promise<readonly string[]> {
  const contracts: string[] = [];
  let cursor: string | undefined;
  do {
    const { rows, next } = await listContracts(world, { cursor, limit: PAGE });
    for (const row of rows) if (row.class_hash === hash) contracts.push(row.contract_address);
    cursor = next;
  } while (cursor !== undefined);
  return contracts;
}
