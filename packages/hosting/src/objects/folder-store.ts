// Object store in a folder of this machine, for one process at a time.

import { randomBytes } from 'node:crypto';
import { open, readdir, rmdir, stat, unlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { FileLock } from '@starkbox/engine';
import {
  codeOf,
  makeFolder,
  milliseconds,
  reasonOf,
  replaceBytes,
  syncFolder,
} from 'starkbox/registry';
import { checkKey } from './object-key.js';
import {
  type Condition,
  type ObjectStore,
  type StoredObject,
  UncertainError,
} from './object-store.js';

/**
 * A file begins with a line that holds its tag, which is random: two writes of equal content have different tags, and
 * times of files are too coarse to tell writes apart.
 */
const TAG_BYTES = 16;
const TAG_LENGTH = 2 * TAG_BYTES;
const HEAD_LENGTH = TAG_LENGTH + 1;

const MOST_ATTEMPTS = 5;
const [LOCK, OBJECTS, DRAFTS] = ['lock', 'objects', 'drafts'];
/** Written to read the time of the file system. */
const CLOCK = '0';
/** Names of files in `drafts`. */
const DRAFT = /^\d+$/;

/** `objects` holds a file for each object, `drafts` what is being written, `lock` the lock of the process. */
export class FolderStore implements ObjectStore {
  readonly displayName: string;
  readonly isExclusive = true;
  readonly #lock: FileLock;
  readonly #objects: string;
  readonly #drafts: string;
  /** The last change of each key that is being changed. */
  readonly #changes = new Map<string, Promise<unknown>>();
  /** The time of the file system when the store was opened, minus that of a clock that is never set. */
  #timeOffset = 0;
  #requests = 0;
  #draftCount = 0;

  constructor(folder: string, lock: FileLock) {
    this.displayName = folder;
    this.#lock = lock;
    this.#objects = join(folder, OBJECTS);
    this.#drafts = join(folder, DRAFTS);
  }

  /**
   * Opens a folder and locks it.
   *
   * @param mustExist whether to reject a folder that is not a store yet; by default it becomes one
   */
  static async open(path: string, mustExist = false): Promise<FolderStore> {
    const folder = resolve(path);
    if (mustExist) await checkStore(folder);
    let lock: FileLock | undefined;
    try {
      await makeFolder(folder);
      lock = FileLock.take(join(folder, LOCK));
    } catch (error) {
      throw new Error(`The folder ${folder} cannot hold objects: ${reasonOf(error)}`);
    }
    if (!lock) {
      throw new Error(
        `The folder ${folder} is in use by another process: stop that process, choose another folder, or use a store with the API of S3, which several nodes can share`,
      );
    }
    const store = new FolderStore(folder, lock);
    try {
      await makeFolder(store.#drafts);
      await makeFolder(store.#objects);
      await store.#removeDrafts();
      await store.#readClock();
      return store;
    } catch (error) {
      lock.release();
      throw new Error(`The folder ${folder} cannot hold objects: ${reasonOf(error)}`);
    }
  }

  get requests(): number {
    return this.#requests;
  }

  async get(key: string): Promise<StoredObject | undefined> {
    const path = this.#begin(key);
    const file = await open(path, 'r').catch(unlessMissing);
    if (!file) return undefined;
    try {
      const stat = await file.stat();
      // Other keys have this one as a prefix.
      if (stat.isDirectory()) return undefined;
      const bytes = await file.readFile();
      return {
        bytes: bytes.subarray(HEAD_LENGTH),
        tag: this.#tagIn(bytes, path),
        age: Math.max(0, (this.#now - stat.mtimeMs) / 1000),
      };
    } finally {
      await file.close();
    }
  }

  async put(key: string, bytes: Uint8Array, condition?: Condition): Promise<string | undefined> {
    const path = this.#begin(key);
    return this.#changing(key, async () => {
      if (condition !== undefined) {
        const current = await this.#tagOf(path);
        if (current !== (condition === 'absent' ? undefined : condition.tag)) return undefined;
      }
      const tag = randomBytes(TAG_BYTES).toString('hex');
      await this.#write(path, [Buffer.from(`${tag}\n`), bytes]);
      return tag;
    });
  }

  async delete(key: string): Promise<void> {
    const path = this.#begin(key);
    await this.#changing(key, async () => {
      const isMissing = await unlink(path).catch((error: unknown) => unlessMissing(error) ?? true);
      if (isMissing) return;
      await syncFolder(dirname(path)).catch(unlessMissing);
      for (let folder = dirname(path); folder !== this.#objects; folder = dirname(folder)) {
        const isKept = await rmdir(folder).then(
          () => false,
          () => true, // it holds other objects
        );
        if (isKept) break;
      }
    });
  }

  async list(prefix: string, after: string | undefined, limit: number): Promise<readonly string[]> {
    this.#requests += 1;
    const keys: string[] = [];
    const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1);
    if (folder !== '') checkKey(folder.slice(0, -1));
    await this.#collect(folder, { prefix, after, limit }, keys);
    return keys;
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#changes.values());
    this.#lock.release();
  }

  /** Milliseconds since 1970. A change of the system's clock while the store is open makes no object older. */
  get #now(): number {
    return milliseconds() + this.#timeOffset;
  }

  /** The clock of another machine counts where that holds the files. */
  async #readClock(): Promise<void> {
    const path = join(this.#drafts, CLOCK);
    await writeFile(path, '');
    const { mtimeMs } = await stat(path);
    this.#timeOffset = mtimeMs - milliseconds();
    await unlink(path);
  }

  /** What a process that was killed was writing. */
  async #removeDrafts(): Promise<void> {
    for (const name of await readdir(this.#drafts)) {
      if (DRAFT.test(name)) await unlink(join(this.#drafts, name));
    }
  }

  #begin(key: string): string {
    checkKey(key);
    this.#requests += 1;
    return join(this.#objects, key);
  }

  /** Changes of a key run one after the other. */
  async #changing<T>(key: string, change: () => Promise<T>): Promise<T> {
    const last = this.#changes.get(key);
    const turn = last === undefined ? change() : last.then(change, change);
    this.#changes.set(key, turn);
    try {
      return await turn;
    } finally {
      if (this.#changes.get(key) === turn) this.#changes.delete(key);
    }
  }

  async #write(path: string, pieces: readonly Uint8Array[]): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      this.#draftCount += 1;
      const draft = join(this.#drafts, String(this.#draftCount));
      try {
        await makeFolder(dirname(path));
        await replaceBytes(path, pieces, draft, new Date(this.#now));
        break;
      } catch (error) {
        // A delete may have removed the empty folder meanwhile.
        if (codeOf(error) === 'ENOENT' && attempt < MOST_ATTEMPTS) continue;
        throw new Error(`The folder ${this.displayName} could not be written: ${reasonOf(error)}`);
      }
    }
    await syncFolder(dirname(path)).catch((error: unknown) => {
      throw new UncertainError(
        `The folder ${this.displayName} could not be synced: ${reasonOf(error)}`,
      );
    });
  }

  async #tagOf(path: string): Promise<string | undefined> {
    const file = await open(path, 'r').catch(unlessMissing);
    if (!file) return undefined;
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_LENGTH), 0, HEAD_LENGTH, 0);
      return this.#tagIn(buffer.subarray(0, bytesRead), path);
    } finally {
      await file.close();
    }
  }

  #tagIn(bytes: Buffer, path: string): string {
    const head = bytes.toString('latin1', 0, HEAD_LENGTH);
    if (/^[0-9a-f]{32}\n$/.test(head)) return head.slice(0, TAG_LENGTH);
    throw new Error(
      `${path} is not an object of this store: its first line is not a tag. Restore it from a copy, or delete it`,
    );
  }

  /** Adds the keys below a folder in their order. */
  async #collect(folder: string, range: KeyRange, keys: string[]): Promise<void> {
    const entries = await readdir(join(this.#objects, folder), { withFileTypes: true }).catch(
      unlessMissing,
    );
    // A slash takes part in the order of keys.
    const names = (entries ?? []).map((entry) =>
      entry.isDirectory() ? `${folder}${entry.name}/` : `${folder}${entry.name}`,
    );
    for (const name of names.sort()) {
      if (keys.length >= range.limit) return;
      if (name.endsWith('/')) {
        if (mayHold(name, range)) await this.#collect(name, range, keys);
      } else if (name.startsWith(range.prefix) && name > (range.after ?? '')) {
        keys.push(name);
      }
    }
  }
}

/** @throws unless a node has used the folder as its store */
async function checkStore(folder: string): Promise<void> {
  for (const name of [LOCK, OBJECTS]) {
    const stats = await stat(join(folder, name)).catch(unlessMissing);
    if (stats) continue;
    throw new Error(
      `The folder ${folder} is not an instance store: it has no "${name}". Pass the folder that your nodes use as --instance-store`,
    );
  }
}

interface KeyRange {
  readonly prefix: string;
  readonly after: string | undefined;
  readonly limit: number;
}

/** Whether keys below a folder can be wanted. */
function mayHold(folder: string, { prefix, after }: KeyRange): boolean {
  const isPast = after !== undefined && folder < after && !after.startsWith(folder);
  return !isPast && (folder.startsWith(prefix) || prefix.startsWith(folder));
}

/** Rethrows an error unless it says that there is no such file, or a folder. */
function unlessMissing(error: unknown): undefined {
  const code = codeOf(error);
  if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return undefined;
  throw error;
}
