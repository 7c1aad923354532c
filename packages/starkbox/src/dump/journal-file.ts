// Journal file, written as a whole or extended with each change of the chain.
import { closeSync, existsSync, fstatSync, ftruncateSync, rmSync, writeSync } from 'node:fs';
import type { Chain } from '../chain/chain.js';
import type { GenesisRecord } from '../chain/genesis/genesis-record.js';
import type { World } from '../chain/world/world.js';
import type { Change } from '../chain/writer.js';
import { reasonOf } from '../errors.js';
import { replaceText } from '../files/atomic-file.js';
import { FileError, fileError, openRegular } from '../files/regular-file.js';
import type { Log } from '../log.js';
import { failDump, journalFileText } from './journal.js';

/** Writes a file atomically, by a temporary file and a rename. */
export function writeWhole(path: string, text: string, displayedPath: string = path): void {
  try {
    replaceJournal(path, text, displayedPath);
  } catch (error) {
    failDump(`I/O error: ${reasonOf(error)}`);
  }
}

function replaceJournal(path: string, text: string, displayedPath: string): void {
  try {
    replaceText(path, text, displayedPath);
  } catch (error) {
    throw error instanceof FileError ? error : fileError(error, displayedPath);
  }
}

/** Mirror of the journal in a file. A failed write is logged and retried. */
export class JournalFile {
  readonly #path: string;
  readonly #genesis: () => GenesisRecord;
  readonly #log: Log;
  /** Length of the file in bytes; undefined unless it equals the last journal. */
  #length: number | undefined;

  /**
   * @param genesis the accounts that the chain began with
   * @throws RpcError if the journal cannot be written now
   */
  constructor(chain: Chain, genesis: () => GenesisRecord, path: string, log: Log) {
    this.#path = path;
    this.#genesis = genesis;
    this.#log = log;
    const { journal } = chain.world;
    if (!journal.isEmpty()) {
      const text = journalFileText(chain.world, genesis());
      writeWhole(path, text);
      this.#length = Buffer.byteLength(text);
    }
    chain.watch((change) => this.#follow(change), 'the journal of --dump-on block');
  }

  /**
   * Retries a failed write.
   *
   * @throws RpcError if it fails again
   */
  finish({ world }: Chain): void {
    if (this.#length !== undefined || world.journal.isEmpty()) return;
    writeWhole(this.#path, journalFileText(world, this.#genesis()));
  }

  #follow({ before, after }: Change): void {
    const [old, now] = [before.journal, after.journal];
    if (old === now && (this.#length !== undefined || now.isEmpty())) return;
    const isExtended =
      now.size > old.size && !old.isEmpty() && now.get(old.size - 1) === old.last();
    this.#write(after, isExtended ? now.slice(old.size).toArray() : undefined);
  }

  /** @param added the new calls, if the file holds all others */
  #write(world: World, added?: readonly string[]): void {
    const length = this.#length;
    this.#length = undefined;
    try {
      if (world.journal.isEmpty()) rmSync(this.#path, { force: true });
      else this.#length = this.#append(added, length) ?? this.#replace(world);
    } catch (error) {
      this.#log.error(
        `The journal could not be written to ${this.#path}; the next change tries again: ${reasonOf(error)}`,
      );
    }
  }

  #replace(world: World): number {
    const text = journalFileText(world, this.#genesis());
    replaceJournal(this.#path, text, this.#path);
    return Buffer.byteLength(text);
  }

  /**
   * Inserts calls before the closing bracket.
   *
   * @returns the new length; undefined if the file was changed by others
   */
  #append(calls: readonly string[] | undefined, length: number | undefined): number | undefined {
    if (!calls || length === undefined || !existsSync(this.#path)) return undefined;
    const file = openRegular(this.#path, { writable: true });
    try {
      if (fstatSync(file).size !== length) return undefined;
      // One write that replaces the closing bracket, so that the file is valid at any time.
      const bytes = Buffer.from(`,${calls.join(',')}]`);
      try {
        const count = writeSync(file, bytes, 0, bytes.length, length - 1);
        if (count < bytes.length) throw new Error('no space is left on the device');
      } catch (error) {
        // Restoring the previous content needs no new space.
        ftruncateSync(file, length);
        writeSync(file, ']', length - 1);
        throw error;
      }
      return length - 1 + bytes.length;
    } finally {
      closeSync(file);
    }
  }
}
