// Cache of answers on disk, by chain, block and key, shared by concurrent processes.

import { createHash } from 'node:crypto';
import { appendFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { codeOf, reasonOf } from '../../errors.js';
import { replaceFile } from '../../files/atomic-file.js';
import { createFolder } from '../../files/create-folder.js';
import { checkReplaceable, readRegular } from '../../files/regular-file.js';
import type { Log } from '../../log.js';
import { SerialQueue } from '../../scheduling/serial-queue.js';

/** Chain and block of the answers. */
export interface CachedOrigin {
  readonly chainId: string;
  readonly number: number;
  readonly hash: string;
  /** Further values of the block: on development chains, blocks may share a hash. */
  readonly marks: readonly unknown[];
}

export type WarningLog = Pick<Log, 'warn'>;

/** Logs only the first warning of several caches on one disk. */
export function warnOnce(log: WarningLog): WarningLog {
  let hasWarned = false;
  return {
    warn(fields, message) {
      if (!hasWarned) log.warn(fields, message);
      hasWarned = true;
    },
  };
}

/** Milliseconds between a line and its write. */
const GATHER = 25;

/**
 * Small answers (slots, nonces, class hashes) are lines of one append-only file, each with a
 * checksum; all of them are in memory. Large ones (classes, blocks, receipts) are a file each.
 * Incomplete lines and files are ignored. The cache never fails a read: after an error of the disk,
 * it logs one warning and uses memory only.
 */
export class Cache {
  readonly #lines = new Map<string, string>();
  readonly #unwritten: string[] = [];
  readonly #directory: string | undefined;
  readonly #folders: { readonly chain: string; readonly block: string } | undefined;
  readonly #log: WarningLog;
  readonly #writes = new SerialQueue();
  #timer: NodeJS.Timeout | undefined;
  #hasWarned = false;

  constructor(directory: string | undefined, origin: CachedOrigin, log: WarningLog) {
    this.#log = log;
    this.#directory = directory;
    if (directory === undefined) return;
    const chain = join(directory, chainFolder(origin.chainId));
    const mark = digest(JSON.stringify(origin.marks)).slice(0, 8);
    this.#folders = { chain, block: join(chain, `${origin.number}-${origin.hash}-${mark}`) };
  }

  static async open(
    directory: string | undefined,
    origin: CachedOrigin,
    log: WarningLog,
  ): Promise<Cache> {
    const cache = new Cache(directory, origin, log);
    await cache.#load();
    return cache;
  }

  /** Folder for data of the whole chain; `undefined` without a directory. */
  get chainFolder(): string | undefined {
    return this.#folders?.chain;
  }

  /** Number of small answers. */
  get size(): number {
    return this.#lines.size;
  }

  /** A small answer, as JSON text. */
  line(name: string): string | undefined {
    return this.#lines.get(name);
  }

  /** Replaces another answer of the same name. */
  keepLine(name: string, text: string): void {
    if (this.#lines.get(name) === text) return;
    this.#lines.set(name, text);
    if (!this.#folders) return;
    this.#unwritten.push(`${lineOf(name, text)}\n`);
    this.#timer ??= setTimeout(() => void this.flush(), GATHER).unref();
  }

  /** A class, as JSON text. It is the same at every block. */
  classText(hash: string): Promise<string | undefined> {
    return this.#readWhole(this.#classFile(hash));
  }

  keepClass(hash: string, text: string): Promise<void> {
    return this.#writeWhole(this.#classFile(hash), text);
  }

  /** A large answer, as JSON text. */
  document(name: string): Promise<string | undefined> {
    return this.#readWhole(this.#documentFile(name));
  }

  keepDocument(name: string, text: string): Promise<void> {
    return this.#writeWhole(this.#documentFile(name), text);
  }

  /** Writes pending lines. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    return this.#writes.run(async () => {
      const lines = this.#unwritten.splice(0).join('');
      if (lines === '' || !this.#folders) return;
      await this.write(async () => {
        const file = this.#linesFile() ?? '';
        createFolder(dirname(file));
        // One append, so that processes do not interleave; on a new line, after a possibly
        // incomplete one.
        checkReplaceable(file);
        await appendFile(file, `\n${lines}`);
      });
    });
  }

  async #load(): Promise<void> {
    const file = this.#linesFile();
    if (file === undefined) return;
    const text = await this.#attempt(() => readRegular(file));
    for (const line of text?.split('\n') ?? []) {
      const answer = readLine(line);
      if (answer) this.#lines.set(answer.name, answer.text);
    }
  }

  #linesFile(): string | undefined {
    return this.#folders && join(this.#folders.block, 'reads');
  }

  #classFile(hash: string): string | undefined {
    return this.#folders && join(this.#folders.chain, 'classes', hash);
  }

  #documentFile(name: string): string | undefined {
    return this.#folders && join(this.#folders.block, 'documents', digest(name));
  }

  async #readWhole(file: string | undefined): Promise<string | undefined> {
    if (file === undefined) return undefined;
    const content = await this.#attempt(() => readRegular(file));
    if (content === undefined) return undefined;
    const text = content.slice(CHECKSUM + 1);
    return content.slice(0, CHECKSUM) === checksum(text) ? text : undefined;
  }

  async #writeWhole(file: string | undefined, text: string): Promise<void> {
    if (file !== undefined) {
      await this.write(() => writeAtomically(file, `${checksum(text)}\n${text}`));
    }
  }

  /** `undefined` for a file that does not exist or cannot be read. */
  async #attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') this.#warn('read', error);
      return undefined;
    }
  }

  /** Runs a write into the cache; the first failure is logged. */
  async write(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#warn('written', error);
    }
  }

  #warn(action: 'read' | 'written', error: unknown): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.#log.warn(
      `The fork cache ${this.#directory} cannot be ${action} (${reasonOf(error)}): responses of the network stay in memory only, and the next run requests them again. Make the folder writable, choose another with --fork-cache-dir, or turn the cache off with --fork-upstream-caching false.`,
    );
  }
}

/** Makes the folder too, if it does not exist yet. */
export async function writeAtomically(file: string, text: string): Promise<void> {
  createFolder(dirname(file));
  await replaceFile(file, (draft) => draft.writeFile(text));
}

const CHECKSUM = 8;

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(CHECKSUM, '0');
}

function lineOf(name: string, text: string): string {
  const content = `${name}\t${text}`;
  return `${checksum(content)}\t${content}`;
}

function readLine(line: string): { readonly name: string; readonly text: string } | undefined {
  const content = line.slice(CHECKSUM + 1);
  const tab = content.indexOf('\t');
  if (tab < 0 || line.slice(0, CHECKSUM) !== checksum(content)) return undefined;
  return { name: content.slice(0, tab), text: content.slice(tab + 1) };
}

/** A name of fixed length for a file. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The chain id as text if it is a valid name, else as hex. */
function chainFolder(chainId: string): string {
  const name = Buffer.from(chainId.slice(2), 'hex').toString('latin1');
  return /^[\w-]{1,31}$/.test(name) ? name : chainId;
}
