// Data directory: the lock of one process, the identity of its two files, its errors.
import { randomUUID } from 'node:crypto';
import { accessSync, constants, mkdirSync, rmSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { FileLock } from '@starkbox/engine';
import { codeOf, RpcError, reasonOf } from '../errors.js';
import type { Log } from '../log.js';
import { ERRORS } from '../spec.js';
import { compactedPath, Database, FileFault } from './database.js';
import type { FixedOptions } from './fixed-options.js';
import {
  draftOf,
  equalFixedOptions,
  type Identity,
  IdentityError,
  identityFrom,
  identityText,
  readIdentity,
  writeIdentity,
} from './identity.js';
import { singleKey } from './keys.js';
import { faultIn } from './mdb-file.js';

/** Why a data directory cannot be used, in words for the user who started the node. */
export class DirectoryError extends Error {
  override readonly name = 'DirectoryError';
}

const LOCK = 'lock';
const DATABASE_FILE = 'chain.mdb';
const IDENTITY_FILE = 'chain.json';

/** With less than this free, a disk is full. */
const FULL_BYTES = 1024 * 1024;

const WAYS_OUT =
  'Put the directory back from a copy, or choose another one with --data-dir and load an image of the chain into it with devnet_load; to begin a new chain here, delete the directory first';

/** A directory that this process holds. */
export class Directory {
  readonly path: string;
  readonly #lock: FileLock;
  readonly #log: Log;
  #database: Database | undefined;
  #identity: Identity | undefined;
  /** What chain.json says. */
  #toldId: string | undefined;
  /** What was last logged about files that are gone. */
  #logged: string | undefined;

  constructor(path: string, lock: FileLock, log: Log) {
    this.path = path;
    this.#lock = lock;
    this.#log = log;
  }

  /** Takes hold of a directory, which is made if it is not there. */
  static async acquire(path: string, log: Log): Promise<Directory> {
    try {
      mkdirSync(path, { recursive: true });
      accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    } catch (error) {
      throw new DirectoryError(`the data directory ${path} cannot be used: ${wordsFor(error)}`);
    }
    const directory = new Directory(path, takeLock(path), log);
    try {
      directory.#look();
      return directory;
    } catch (error) {
      await directory.close();
      throw directory.#unusable(error);
    }
  }

  /** What its chain was begun with; `undefined` if it holds none. */
  get fixedOptions(): FixedOptions | undefined {
    return this.#identity?.birth;
  }

  /** @param birth what a chain that is begun now is begun with */
  async open(birth: FixedOptions): Promise<Database> {
    try {
      const database = this.#database ?? new Database(this.#file(DATABASE_FILE));
      this.#database = database;
      const identity = { birth, ...this.#identity, id: this.#identity?.id ?? randomUUID() };
      // The copy in the database is there first, so that chain.json never names another one.
      const text = Buffer.from(identityText(identity));
      const own = [[singleKey('identity'), text]] as const;
      // A first start that was cut off may have left a part of the first block.
      if (!hasChain(database)) await database.replaceAll(own);
      else if (!database.get(singleKey('identity'))?.equals(text)) await database.write(own);
      if (this.#toldId !== identity.id) writeIdentity(this.#file(IDENTITY_FILE), identity);
      await database.compact();
      return database;
    } catch (error) {
      throw this.#unusable(error);
    }
  }

  /** A write that failed, as the caller who asked for it is told. */
  async writeError(error: unknown): Promise<RpcError> {
    const { code } = ERRORS.INTERNAL_ERROR;
    if (error instanceof FileFault) return new RpcError(code, this.#whatIsGone(error));
    const cause = await causeOf(error);
    const reason = this.#isFull() ? WORDS['ENOSPC'] : wordsFor(cause);
    return new RpcError(
      code,
      `The data directory ${this.path} could not be written: ${reason}. Nothing was changed.`,
    );
  }

  async close(): Promise<void> {
    await this.#database?.close();
    this.#database = undefined;
    this.#lock.release();
  }

  /** Finds out what is there, and refuses what does not belong together. */
  #look(): void {
    rmSync(draftOf(this.#file(IDENTITY_FILE)), { force: true });
    rmSync(compactedPath(this.#file(DATABASE_FILE)), { force: true });
    let told: Identity | IdentityError | undefined;
    try {
      told = readIdentity(this.#file(IDENTITY_FILE));
    } catch (error) {
      if (!(error instanceof IdentityError)) throw error;
      told = error;
    }
    const size = statSync(this.#file(DATABASE_FILE), { throwIfNoEntry: false })?.size;
    // Nothing is lost with a file that never held anything.
    if (!told && !size) return;
    if (told instanceof IdentityError && told.isOtherVersion) throw this.#otherVersion(told);
    if (!size)
      throw this.#damage(`${DATABASE_FILE} is ${size === 0 ? 'empty' : 'missing'}${begun(told)}`);
    const fault = faultIn(this.#file(DATABASE_FILE));
    if (fault !== undefined) throw this.#damage(`${DATABASE_FILE} ${fault}`);
    const database = new Database(this.#file(DATABASE_FILE));
    this.#database = database;
    const kept = this.#identityIn(database);
    if (told instanceof IdentityError) throw this.#unreadable(told, kept);
    this.#toldId = told?.id;
    this.#identity = told ? this.#matched(told, kept, database) : this.#recovered(kept, database);
  }

  #identityIn(database: Database): Identity | undefined {
    const text = database.get(singleKey('identity'))?.toString();
    try {
      return text === undefined ? undefined : identityFrom(text);
    } catch (error) {
      throw this.#damage(`the copy of ${IDENTITY_FILE} in ${DATABASE_FILE} ${reasonOf(error)}`);
    }
  }

  /** Of two that are there, what both say. */
  #matched(told: Identity, kept: Identity | undefined, database: Database): Identity {
    if (told.id === undefined) {
      // Written by an older version, which gave out no identities.
      if (!hasChain(database)) throw this.#damage(`${DATABASE_FILE} holds no chain${begun(told)}`);
      if (!kept) return told;
      if (equalFixedOptions(told.birth, kept.birth)) return { ...told, id: kept.id };
    } else if (kept?.id === told.id) return told;
    throw this.#damage(
      `${IDENTITY_FILE} and ${DATABASE_FILE} belong to two different chains (${told.id ?? 'no id'} and ${kept?.id ?? 'no id'})`,
      `Put the right ${DATABASE_FILE} beside ${IDENTITY_FILE}, or choose another directory with --data-dir; to go on with the chain in ${DATABASE_FILE}, ${kept ? `delete ${IDENTITY_FILE}, which is then written again` : `put back the ${IDENTITY_FILE} that it had`}`,
    );
  }

  /** Without chain.json, what the database says; nothing if it holds no chain. */
  #recovered(kept: Identity | undefined, database: Database): Identity | undefined {
    if (!hasChain(database)) {
      if (kept || database.isEmpty) return undefined;
      throw this.#damage(
        `${DATABASE_FILE} holds something else than a chain, and ${IDENTITY_FILE} is missing`,
      );
    }
    if (!kept) {
      throw this.#damage(
        `${DATABASE_FILE} holds a chain, but ${IDENTITY_FILE} is missing, which says what it was begun with`,
      );
    }
    this.#log.warn(
      `${this.#file(IDENTITY_FILE)} is missing: it is written again from the copy in ${DATABASE_FILE} (--seed ${kept.birth['seed']})`,
    );
    return kept;
  }

  #otherVersion(error: IdentityError): DirectoryError {
    return this.#damage(
      `${IDENTITY_FILE} ${error.message}`,
      'Use the version of Starkbox that wrote it, or choose another directory with --data-dir',
      'cannot be used',
    );
  }

  #unreadable(error: IdentityError, kept: Identity | undefined): DirectoryError {
    const what = `${IDENTITY_FILE} ${error.message}`;
    if (!kept) return this.#damage(what);
    return this.#damage(
      what,
      `${DATABASE_FILE} has a copy of what it said: delete ${IDENTITY_FILE} and start again, and it is written again (--seed ${kept.birth['seed']})`,
    );
  }

  #damage(what: string, wayOut: string = WAYS_OUT, is = 'is damaged'): DirectoryError {
    return new DirectoryError(`the data directory ${this.path} ${is}: ${what}. ${wayOut}`);
  }

  #unusable(error: unknown): Error {
    if (error instanceof DirectoryError || error instanceof RpcError) return error;
    return new DirectoryError(
      `the data directory ${this.path} cannot be opened: ${wordsFor(error)}`,
    );
  }

  #whatIsGone({ message, isLate }: FileFault): string {
    if (this.#logged !== message) this.#log.error(`${message}: changes are refused`);
    this.#logged = message;
    const changed = isLate
      ? 'The change is not part of the chain, and no other is until the node is started again'
      : 'Nothing was changed';
    return `${message}. ${changed}. Reads go on: save the chain with devnet_dump and "format": "image", then stop the node, and load the image into a new directory with devnet_load.`;
  }

  /** A full disk is not always called so: a write that got only half through counts as an error of the disk. */
  #isFull(): boolean {
    try {
      const { bavail, bsize } = statfsSync(this.path);
      return bavail * bsize < FULL_BYTES;
    } catch {
      return false;
    }
  }

  #file(name: string): string {
    return join(this.path, name);
  }
}

const hasChain = (database: Database): boolean => database.get(singleKey('standing')) !== undefined;

const begun = (told: Identity | IdentityError | undefined): string =>
  told && 'birth' in told
    ? `, although ${IDENTITY_FILE} says that a chain was begun here with --seed ${told.birth['seed']}`
    : '';

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
