// Watched folder of compiled contracts: when a file changes, its contracts get the new class.
import { type FSWatcher, watch } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Class } from '@starkbox/engine';
import type { Chain } from '../chain/chain.js';
import { listContracts } from '../chain/queries/list-contracts.js';
import { replaceClass } from '../chain/replace-class.js';
import { callCause } from '../chain/world/cause.js';
import type { World } from '../chain/world/world.js';
import { reasonOf } from '../errors.js';
import { isObject } from '../json/reader.js';
import type { Log } from '../log.js';

/** Names of Sierra classes as Scarb and the compiler write them. */
const ARTIFACT = /\.(contract_class|sierra)\.json$/;
/** Milliseconds after the last change of a folder: a build writes several files. */
const SETTLED = 150;
const PAGE = 100;

/** Replaces the classes of deployed contracts whenever their artifacts change. */
export class Artifacts {
  readonly #chain: Chain;
  readonly #folder: string;
  readonly #log: Log;
  /** Class hashes by file name. */
  readonly #hashes = new Map<string, string>();
  #watcher: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Resolves when every change that was noticed is applied. */
  #work: Promise<void> = Promise.resolve();

  constructor(chain: Chain, folder: string, log: Log) {
    this.#chain = chain;
    this.#folder = folder;
    this.#log = log;
  }

  /** @throws Error if the folder cannot be read */
  static async watch(chain: Chain, folder: string, log: Log): Promise<Artifacts> {
    const artifacts = new Artifacts(chain, folder, log);
    artifacts.#watcher = watch(folder, { persistent: false }, () => artifacts.#later());
    try {
      await artifacts.#read((file, hash) => void artifacts.#hashes.set(file, hash));
    } catch (error) {
      await artifacts.close();
      throw error;
    }
    log.info(`Watching ${artifacts.#hashes.size} artifacts in ${folder}`);
    return artifacts;
  }

  stop(): void {
    this.#watcher?.close();
    clearTimeout(this.#timer);
  }

  async close(): Promise<void> {
    this.stop();
    await this.#work;
  }

  #later(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#work = this.#work
        .then(() => this.#read((file, hash, text) => this.#changed(file, hash, text)))
        .catch((err: unknown) => this.#log.error({ err }, `reading ${this.#folder} failed`));
    }, SETTLED);
    this.#timer.unref();
  }

  /** Reads all artifacts; one that is no class, perhaps half written, is left out. */
  async #read(
    use: (file: string, hash: string, text: string) => void | Promise<void>,
  ): Promise<void> {
    for (const file of (await readdir(this.#folder)).filter((name) => ARTIFACT.test(name)).sort()) {
      try {
        const text = await readFile(join(this.#folder, file), 'utf8');
        await use(file, await Class.hashOf(text), text);
      } catch (error) {
        this.#log.warn(`The artifact ${file} is not used: ${reasonOf(error)}`);
      }
    }
  }

  async #changed(file: string, hash: string, text: string): Promise<void> {
    const old = this.#hashes.get(file);
    if (old === hash) return;
    const addresses = old === undefined ? [] : await contractsOf(this.#chain.world, old);
    if (addresses.length > 0) {
      const newClass: unknown = JSON.parse(text);
      if (!isObject(newClass)) throw new TypeError('it is no object');
      for (const contract_address of addresses) {
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
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    const { rows, next } = await listContracts(world, { cursor, limit: PAGE });
    for (const row of rows) if (row.class_hash === hash) found.push(row.contract_address);
    cursor = next;
  } while (cursor !== undefined);
  return found;
}
