// Knows a data directory: who may open it, what is in it, and what to say when the disk refuses.
import {
  accessSync,
  constants,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { FileLock } from '@starkbox/engine';
import { open, type RootDatabase } from 'lmdb';
import { codeOf, RpcError, reasonOf } from '../errors.js';
import { ERRORS } from '../spec.js';
import type { Birth } from './birth.js';

export type Database = RootDatabase<Buffer, Buffer>;

/** Why a data directory cannot be used, in words for whoever started the node. */
export class DirectoryError extends Error {
  override readonly name = 'DirectoryError';
}

const LOCK = 'lock';
const BLOCKS = 'chain.mdb';
const BIRTH = 'chain.json';

/** Whoever changes what is on disk so that this version cannot read it counts on. */
const FORMAT = 1;

/** With less than this free, a disk is full. */
const FULL_BYTES = 1024 * 1024;

/** With more than this in the file, and most of it unused, it is written anew when it is opened. */
const COMPACT_BYTES = 64 * 1024 * 1024;

/** A directory that this process holds. */
export class Directory {
  readonly path: string;
  /** What its chain was begun with; `undefined` if it holds none. */
  readonly birth: Birth | undefined;
  readonly #lock: FileLock;
  #database: Database | undefined;

  constructor(path: string, lock: FileLock, birth: Birth | undefined) {
    this.path = path;
    this.#lock = lock;
    this.birth = birth;
  }

  /** Takes hold of a directory, which is made if it is not there. */
  static take(path: string): Directory {
    try {
      mkdirSync(path, { recursive: true });
      accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    } catch (error) {
      throw new DirectoryError(`the data directory ${path} cannot be used: ${wordsFor(error)}`);
    }
    const lock = takeLock(path);
    try {
      return new Directory(path, lock, readBirth(path));
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /** @param birth what a chain that is begun now is begun with */
  async open(birth: Birth): Promise<Database> {
    try {
      if (!this.birth) writeBirth(this.path, birth);
      this.#database = openDatabase(join(this.path, BLOCKS));
      if (isMostlyUnused(this.#database, join(this.path, BLOCKS))) {
        this.#database = await compacted(this.#database, join(this.path, BLOCKS));
      }
      return this.#database;
    } catch (error) {
      throw new DirectoryError(
        `the data directory ${this.path} cannot be opened: ${wordsFor(error)}`,
      );
    }
  }

  /** A write that failed, as whoever asked for it is told. */
  async unwritten(error: unknown): Promise<RpcError> {
    const cause = await causeOf(error);
    const reason = this.#isFull() ? WORDS['ENOSPC'] : wordsFor(cause);
    return new RpcError(
      ERRORS.INTERNAL_ERROR.code,
      `The data directory ${this.path} could not be written: ${reason}. Nothing was changed.`,
    );
  }

  /** A full disk is not always called so: a write that got only half through counts as an error of the disk. */
  #isFull(): boolean {
    const { bavail, bsize } = statfsSync(this.path);
    return bavail * bsize < FULL_BYTES;
  }

  async close(): Promise<void> {
    await this.#database?.close();
    this.#database = undefined;
    this.#lock.release();
  }
}

function takeLock(path: string): FileLock {
  let lock: FileLock | undefined;
  try {
    lock = FileLock.take(join(path, LOCK));
  } catch (error) {
    throw new DirectoryError(`the data directory ${path} cannot be used: ${wordsFor(error)}`);
  }
  if (lock) return lock;
  throw new DirectoryError(
    `the data directory ${path} is in use by another node: stop that one first, or choose another directory with --data-dir`,
  );
}

function openDatabase(path: string): Database {
  // Plain commits: one that has resolved is on disk. Nothing is compressed twice.
  return open<Buffer, Buffer>({
    path,
    noSubdir: true,
    encoding: 'binary',
    keyEncoding: 'binary',
    overlappingSync: false,
    // What belongs together is told by `batch`; turns of the event loop mean nothing.
    eventTurnBatching: false,
    cache: false,
  });
}

function readBirth(path: string): Birth | undefined {
  let text: string;
  try {
    text = readFileSync(join(path, BIRTH), 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new DirectoryError(`the data directory ${path} cannot be read: ${wordsFor(error)}`);
  }
  const { format, birth }: { readonly format: number; readonly birth: Birth } = JSON.parse(text);
  if (format === FORMAT) return birth;
  throw new DirectoryError(
    `the data directory ${path} is written in format ${format}; this version reads format ${FORMAT}`,
  );
}

function writeBirth(path: string, birth: Birth): void {
  const draft = join(path, `${BIRTH}.draft`);
  writeFileSync(draft, `${JSON.stringify({ format: FORMAT, birth }, null, 2)}\n`, { flush: true });
  renameSync(draft, join(path, BIRTH));
}

/** Whether more than half of a large file is left over from what is gone. */
function isMostlyUnused(database: Database, file: string): boolean {
  const { size } = statSync(file);
  if (size < COMPACT_BYTES) return false;
  const stats: { readonly [name: string]: unknown } = { ...database.getStats() };
  const pages = (name: string): number => Number(stats[name] ?? 0);
  const used = pages('treeBranchPageCount') + pages('treeLeafPageCount') + pages('overflowPages');
  return used * pages('pageSize') < size / 2;
}

async function compacted(database: Database, file: string): Promise<Database> {
  const copy = `${file}.compact`;
  rmSync(copy, { force: true });
  await database.backup(copy, true);
  await database.close();
  renameSync(copy, file);
  return openDatabase(file);
}

const WORDS: Readonly<Record<string, string>> = {
  ENOSPC: 'there is no space left on the disk',
  EFBIG: 'the file may not become larger',
  EDQUOT: 'the quota of the disk is used up',
  EROFS: 'the file system is read-only',
  EACCES: 'this process lacks the right to write there',
  EPERM: 'this process lacks the right to write there',
  ENOTDIR: 'a part of the path is no directory',
  EEXIST: 'there is a file of that name',
  EIO: 'the disk reports an error',
};

/** The database keeps the cause in a promise that fails with it. */
async function causeOf(error: unknown): Promise<unknown> {
  const cause = error instanceof Error && 'commitError' in error ? error.commitError : undefined;
  if (!(cause instanceof Promise)) return error;
  return cause.then(
    () => error,
    (reason: unknown) => reason,
  );
}

function wordsFor(error: unknown): string {
  return WORDS[String(codeOf(error))] ?? reasonOf(error);
}
