// Journal file, written as a whole or extended with each change of the chain.
import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import type { Chain } from '../chain/chain.js';
import type { World } from '../chain/world/world.js';
import type { Change } from '../chain/writer.js';
import { reasonOf } from '../errors.js';
import { beginDraft, endDraft, removeStaleDrafts } from '../files/atomic-file.js';
import { checkReplaceable, FileError, fileError, openRegular } from '../files/regular-file.js';
import type { Log } from '../log.js';
import { failDump, journalText } from './journal.js';

/** Writes beside and renames, so that a file is there as a whole or not at all. */
export function writeWhole(path: string, text: string, shown: string = path): void {
  try {
    replaceText(path, text, shown);
  } catch (error) {
    failDump(`I/O error: ${reasonOf(error)}`);
  }
}

function replaceText(path: string, text: string, shown: string): void {
  checkReplaceable(path, shown);
  removeStaleDrafts(path);
  const draft = beginDraft(path);
  try {
    writeFileSync(draft, text, { flag: 'wx' });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error instanceof FileError ? error : fileError(error, shown);
  } finally {
    endDraft(draft);
  }
}

/** Keeps a file equal to the journal of a chain. A write that fails is logged and tried again. */
export class JournalFile {
  readonly #path: string;
  readonly #log: Log;
  /** Bytes of the file, if it holds what the chain's journal held before the change. */
  #length: number | undefined;

  /** @throws RpcError if the journal cannot be written now */
  constructor(chain: Chain, path: string, log: Log) {
    this.#path = path;
    this.#log = log;
    const { journal } = chain.world;
    if (!journal.isEmpty()) {
      const text = journalText(chain.world);
      writeWhole(path, text);
      this.#length = Buffer.byteLength(text);
    }
    chain.watch((change) => this.#follow(change), 'the journal of --dump-on block');
  }

  /** Tries again what could not be written. */
  finish({ world }: Chain): void {
    if (this.#length === undefined && !world.journal.isEmpty()) this.#write(world);
  }

  #follow({ before, after }: Change): void {
    const [old, now] = [before.journal, after.journal];
    if (old === now && (this.#length !== undefined || now.isEmpty())) return;
    const isExtended =
      now.size > old.size && !old.isEmpty() && now.get(old.size - 1) === old.last();
    this.#write(after, isExtended ? now.slice(old.size).toArray() : undefined);
  }

  /** @param added what the file lacks, if it has all the rest */
  #write(world: World, added?: readonly string[]): void {
    const length = this.#length;
    this.#length = undefined;
    try {
      if (world.journal.isEmpty()) rmSync(this.#path, { force: true });
      else this.#length = this.#append(added, length) ?? this.#replace(world);
    } catch (err) {
      this.#log.error(
        { err },
        `The journal could not be written to ${this.#path}; the next change tries again`,
      );
    }
  }

  #replace(world: World): number {
    const text = journalText(world);
    replaceText(this.#path, text, this.#path);
    return Buffer.byteLength(text);
  }

  /** Puts calls before the closing bracket; the new length, or none if the file is not as it was left. */
  #append(calls: readonly string[] | undefined, length: number | undefined): number | undefined {
    if (!calls || length === undefined || !existsSync(this.#path)) return undefined;
    const file = openRegular(this.#path, { writable: true });
    try {
      if (fstatSync(file).size !== length) return undefined;
      // One write over the closing bracket: there is no moment without one.
      const bytes = Buffer.from(`,${calls.join(',')}]`);
      try {
        const count = writeSync(file, bytes, 0, bytes.length, length - 1);
        if (count < bytes.length) throw new Error('no space is left on the device');
      } catch (error) {
        // What was there takes no new space.
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
