// Data directory: the lock of one process, the identity of its two files, its errors.
import { randomUUID } from 'node:crypto';
import { accessSync, constants, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { FileLock } from '@starkbox/engine';
import { ERRORS } from '@starkbox/spec';
import { codeOf, RpcError, reasonOf } from '../../errors.js';
import { createFolder } from '../../files/create-folder.js';
import { checkReplaceable } from '../../files/regular-file.js';
import type { Log } from '../../log.js';
import { type DatabaseFormat, type FileDatabase, FileFault } from '../database/database.js';
import { ChainKeys, singleKey } from '../database/keys.js';
import { isFull } from '../database/reserve-space.js';
import type { FixedOptions } from './fixed-options.js';
import {
  draftOf,
  type Identity,
  IdentityError,
  identityFrom,
  identityText,
  OtherFormatError,
  readIdentity,
  writeIdentity,
} from './identity.js';

/** A data directory that cannot be used; the message is for the user. */
export class DirectoryError extends Error {
  override readonly name = 'DirectoryError';
}

const HEAD = new ChainKeys(0).single('head');
const LOCK = 'lock';
const DATABASE_FILE = 'chain.mdb';
const IDENTITY_FILE = 'chain.json';

const NO_SPACE = 'no space is left on the disk';
const FREE_SPACE =
  'Free more than 1 MB on it, or choose a directory on another disk with --data-dir';

const WAYS_OUT =
  'Restore the directory from a copy. Or choose another with --data-dir and load an image of the chain with devnet_load. To start a new chain here, delete the directory';

/** A directory that this process has locked. */
export class Directory {
  readonly path: string;
  readonly #lock: FileLock;
  readonly #format: DatabaseFormat;
  readonly #log: Log;
  #database: FileDatabase | undefined;
  #identity: Identity | undefined;
  #hasIdentityFile = false;
  /** The last logged fault of the file. */
  #logged: string | undefined;

  constructor(path: string, lock: FileLock, format: DatabaseFormat, log: Log) {
    this.path = path;
    this.#lock = lock;
    this.#format = format;
    this.#log = log;
  }

  /** Locks a directory, which is created if it does not exist. */
  static async acquire(path: string, format: DatabaseFormat, log: Log): Promise<Directory> {
    try {
      createFolder(path);
      accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    } catch (error) {
      const reason =
        codeOf(error) === 'ENOENT' ? 'the system creates no folder there' : messageFor(error);
      throw new DirectoryError(
        `the data directory ${path} cannot be used: ${reason}. Choose another folder with --data-dir`,
      );
    }
    const directory = new Directory(path, takeLock(path), format, log);
    try {
      directory.#inspect();
      return directory;
    } catch (error) {
      await directory.close();
      throw await directory.#unusable(error);
    }
  }

  /** Options of its chain; `undefined` if it holds none. */
  get fixedOptions(): FixedOptions | undefined {
    return this.#identity?.fixedOptions;
  }

  /** @param fixed options for a new chain */
  async open(fixed: FixedOptions): Promise<FileDatabase> {
    try {
      const database = this.#database ?? this.#format.open(this.#file(DATABASE_FILE));
      this.#database = database;
      const identity = this.#identity ?? { id: randomUUID(), fixedOptions: fixed };
      // The copy in the database is written first, so that chain.json never has an id without one.
      // An interrupted first start may have left a part of the first block.
      if (!hasChain(database)) {
        await database.replaceAll([[singleKey('identity'), Buffer.from(identityText(identity))]]);
      }
      if (!this.#hasIdentityFile) writeIdentity(this.#file(IDENTITY_FILE), identity);
      await database.compact();
      return database;
    } catch (error) {
      throw await this.#unusable(error);
    }
  }

  /** The error for the caller of a write that failed. */
  async writeError(error: unknown): Promise<RpcError> {
    const { code } = ERRORS.INTERNAL_ERROR;
    if (error instanceof FileFault) return new RpcError(code, this.#fileFaultMessage(error));
    const reason = await this.#reasonOf(error);
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

  /** Reads both files, and rejects those of different chains. */
  #inspect(): void {
    for (const name of [DATABASE_FILE, this.#format.lockPath(DATABASE_FILE), IDENTITY_FILE]) {
      checkReplaceable(this.#file(name));
    }
    rmSync(draftOf(this.#file(IDENTITY_FILE)), { force: true });
    rmSync(this.#format.compactedPath(this.#file(DATABASE_FILE)), { force: true });
    let fromFile: Identity | IdentityError | undefined;
    try {
      fromFile = readIdentity(this.#file(IDENTITY_FILE));
    } catch (error) {
      if (!(error instanceof IdentityError)) throw error;
      fromFile = error;
    }
    const size = statSync(this.#file(DATABASE_FILE), { throwIfNoEntry: false })?.size;
    // An empty file without chain.json has never held a chain.
    if (!fromFile && !size) return;
    if (!size)
      throw this.#damage(
        `${DATABASE_FILE} is ${size === 0 ? 'empty' : 'missing'}${describeBeginning(fromFile)}`,
      );
    const fault = this.#format.faultIn(this.#file(DATABASE_FILE));
    if (fault !== undefined) throw this.#damage(`${DATABASE_FILE} ${fault}`);
    const database = this.#format.open(this.#file(DATABASE_FILE));
    this.#database = database;
    const stored = this.#identityIn(database);
    if (fromFile instanceof IdentityError) throw this.#unreadable(fromFile, stored);
    this.#hasIdentityFile = fromFile !== undefined;
    this.#identity = fromFile
      ? this.#matchIdentity(fromFile, stored)
      : this.#recovered(stored, database);
  }

  #identityIn(database: FileDatabase): Identity | undefined {
    const text = database.get(singleKey('identity'))?.toString();
    try {
      return text === undefined ? undefined : identityFrom(text);
    } catch (error) {
      if (error instanceof OtherFormatError) throw error;
      throw this.#damage(`the copy of ${IDENTITY_FILE} in ${DATABASE_FILE} ${reasonOf(error)}`);
    }
  }

  /** The identity that both files agree on. */
  #matchIdentity(fromFile: Identity, stored: Identity | undefined): Identity {
    if (stored?.id === fromFile.id) return fromFile;
    throw this.#damage(
      `${IDENTITY_FILE} and ${DATABASE_FILE} belong to two different chains (${fromFile.id} and ${stored?.id ?? 'no id'})`,
      `Put the right ${DATABASE_FILE} beside ${IDENTITY_FILE}, or choose another directory with --data-dir; to continue the chain in ${DATABASE_FILE}, ${stored ? `delete ${IDENTITY_FILE}, which is then written again` : `put back the ${IDENTITY_FILE} that it had`}`,
    );
  }

  /** Without chain.json, the identity in the database; `undefined` if it holds no chain. */
  #recovered(stored: Identity | undefined, database: FileDatabase): Identity | undefined {
    if (!hasChain(database)) {
      if (stored || database.isEmpty) return undefined;
      throw this.#damage(
        `${DATABASE_FILE} does not contain a chain, and ${IDENTITY_FILE} is missing`,
      );
    }
    if (!stored) {
      throw this.#damage(
        `${DATABASE_FILE} contains a chain, but ${IDENTITY_FILE} is missing, which records its initial options`,
      );
    }
    this.#log.warn(
      `${this.#file(IDENTITY_FILE)} is missing: restoring it from the copy in ${DATABASE_FILE} (--seed ${stored.fixedOptions['seed']})`,
    );
    return stored;
  }

  #unreadable(error: IdentityError, stored: Identity | undefined): DirectoryError {
    const what = `${IDENTITY_FILE} ${error.message}`;
    if (!stored) return this.#damage(what);
    return this.#damage(
      what,
      `${DATABASE_FILE} has a copy of its content: delete ${IDENTITY_FILE} and start again to restore it (--seed ${stored.fixedOptions['seed']})`,
    );
  }

  #damage(what: string, wayOut: string = WAYS_OUT): DirectoryError {
    return new DirectoryError(`the data directory ${this.path} is damaged: ${what}. ${wayOut}`);
  }

  async #unusable(error: unknown): Promise<Error> {
    if (error instanceof DirectoryError || error instanceof RpcError) return error;
    if (error instanceof OtherFormatError) {
      return new DirectoryError(
        `the data directory ${this.path} was made by another version of Starkbox: delete it, or open it with the version that wrote it`,
      );
    }
    const reason = await this.#reasonOf(error);
    const advice = reason === NO_SPACE ? `. ${FREE_SPACE}` : '';
    return new DirectoryError(
      `the data directory ${this.path} cannot be opened: ${reason}${advice}`,
    );
  }

  /** Why a write failed. */
  async #reasonOf(error: unknown): Promise<string> {
    const cause = await causeOf(error);
    // A partial write on a full disk is reported as EIO.
    const isUnclear = codeOf(cause) === 'EIO' || MESSAGES[String(codeOf(cause))] === undefined;
    return isUnclear && isFull(this.path) ? NO_SPACE : messageFor(cause);
  }

  #fileFaultMessage({ message, isLate }: FileFault): string {
    if (this.#logged !== message) this.#log.error(`${message}: changes are rejected`);
    this.#logged = message;
    const changed = isLate
      ? 'The chain does not contain this change, and rejects further changes until the node restarts'
      : 'Nothing was changed';
    return `${message}. ${changed}. Reads still work: save the chain with devnet_dump and "format": "image", then stop the node, and load the image into a new directory with devnet_load.`;
  }

  #file(name: string): string {
    return join(this.path, name);
  }
}

const hasChain = (database: FileDatabase): boolean => database.has(HEAD);

const describeBeginning = (fromFile: Identity | IdentityError | undefined): string =>
  fromFile && 'fixedOptions' in fromFile
    ? `, although ${IDENTITY_FILE} records that a chain was started here with --seed ${fromFile.fixedOptions['seed']}`
    : '';

function takeLock(path: string): FileLock {
  let lock: FileLock | undefined;
  try {
    checkReplaceable(join(path, LOCK));
    lock = FileLock.take(join(path, LOCK));
  } catch (error) {
    throw new DirectoryError(`the data directory ${path} cannot be used: ${messageFor(error)}`);
  }
  if (lock) return lock;
  throw new DirectoryError(
    `the data directory ${path} is in use by another node: stop that node, or choose another directory with --data-dir`,
  );
}

const MESSAGES: Readonly<Record<string, string>> = {
  ENOSPC: NO_SPACE,
  EFBIG: 'the file has reached its size limit',
  EDQUOT: 'the disk quota is exhausted',
  EROFS: 'the file system is read-only',
  EACCES: 'this process has no write permission there',
  EPERM: 'this process has no write permission there',
  ENOTDIR: 'part of the path is not a directory',
  EEXIST: 'a file with that name exists',
  EIO: 'the disk reports an error',
};

/** LMDB keeps the cause in a promise that rejects with it. */
async function causeOf(error: unknown): Promise<unknown> {
  const cause = error instanceof Error && 'commitError' in error ? error.commitError : undefined;
  if (!(cause instanceof Promise)) return error;
  return cause.then(
    () => error,
    (reason: unknown) => reason,
  );
}

function messageFor(error: unknown): string {
  return MESSAGES[String(codeOf(error))] ?? reasonOf(error);
}
