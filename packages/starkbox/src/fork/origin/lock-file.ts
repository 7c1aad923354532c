// Lock file of a fork: every read of a run, sorted, to commit to a repository.

import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { deflateSync, inflateSync } from 'node:zlib';
import { membersOf } from '@starkbox/abi/basics';
import { FileLock } from '@starkbox/engine';
import { codeOf, reasonOf } from '../../errors.js';
import { replaceText } from '../../files/atomic-file.js';
import { createFolder } from '../../files/create-folder.js';
import { inflateLimit } from '../../files/inflate-limit.js';
import { FileError, fileError, readRegular, readRegularSync } from '../../files/regular-file.js';
import { JsonText, parse, stringify } from '../../json/json.js';
import { SerialQueue } from '../../scheduling/serial-queue.js';
import { writeAtomically } from './cache.js';

/** Chain and block of the answers. */
export interface LockedOrigin {
  readonly chain_id: string;
  /** The block without its transactions, in the origin's format. */
  readonly block: object;
}

/** Options that determine the accounts, and so the reads at the start. */
export interface LockedOptions {
  readonly seed: number;
  readonly accounts: number;
  /** By name; `custom` for a class from a file. */
  readonly accountClass: string;
}

const VERSION = 1;
/** Milliseconds between an answer and the write of the file. */
const GATHER = 2000;

/** Milliseconds between attempts to become the only writer, and the longest wait: writers need a fraction of it. */
const RETRY = 20;
const MAX_WAIT = 10_000;
/** The longest wait of a process that exits. */
const MAX_EXIT_WAIT = 2000;

/** Answers by name, as JSON texts. */
type Answers = Map<string, string>;

interface Content {
  readonly origin: LockedOrigin | undefined;
  readonly options?: LockedOptions | undefined;
  readonly answers: Answers;
  /** Classes by name, as they are in the file. */
  readonly packed: Map<string, string>;
}

const nothing = (): Content => ({ origin: undefined, answers: new Map(), packed: new Map() });

/** Files with answers that are not written yet; they are written when the process exits. */
const unwritten = new Set<LockFile>();
let isWritingAtExit = false;

function writeAtExit(lock: LockFile): void {
  unwritten.add(lock);
  if (isWritingAtExit) return;
  isWritingAtExit = true;
  process.on('exit', () => {
    for (const file of unwritten) file.flushNow();
  });
}

/**
 * Answers are only added, so that several suites can share one file; another block starts a new
 * one.
 *
 * @example
 * const lock = await LockFile.open('fork.lock.json');
 * lock.begin(origin);
 * lock.record('nonce 0x1', '"0x0"');
 * await lock.flush();
 */
export class LockFile {
  readonly path: string;
  #origin: LockedOrigin | undefined;
  #options: LockedOptions | undefined;
  #answers: Answers;
  #packed: Map<string, string>;
  #timer: NodeJS.Timeout | undefined;
  readonly #writes = new SerialQueue();
  readonly #maxWait: number;
  /** Whether the last flush failed, or is under way. */
  #isReported = false;

  constructor(path: string, { origin, options, answers, packed }: Content, maxWait: number) {
    this.path = path;
    this.#maxWait = maxWait;
    this.#origin = origin;
    this.#options = options;
    this.#answers = answers;
    this.#packed = packed;
  }

  /**
   * Reads the file if it exists. Throws if it is no lock file.
   *
   * @param maxWait for another process that writes lock files, in milliseconds
   */
  static async open(path: string, maxWait: number = MAX_WAIT): Promise<LockFile> {
    return new LockFile(path, await readLock(path), maxWait);
  }

  get origin(): LockedOrigin | undefined {
    return this.#origin;
  }

  /** Of the last recorded run. */
  get options(): LockedOptions | undefined {
    return this.#options;
  }

  /** Names of all answers. */
  names(): readonly string[] {
    return [...this.#answers.keys()];
  }

  answer(name: string): string | undefined {
    return this.#answers.get(name);
  }

  /** Sets the origin of the answers; those of another are dropped. */
  begin(origin: LockedOrigin, options?: LockedOptions): void {
    if (options && stringify(options) !== stringify(this.#options)) {
      this.#options = options;
      writeAtExit(this);
    }
    if (this.#origin && stringify(this.#origin) === stringify(origin)) return;
    this.#origin = origin;
    this.#answers = new Map();
    this.#packed = new Map();
    writeAtExit(this);
  }

  record(name: string, text: string): void {
    if (this.#answers.has(name)) return;
    this.#answers.set(name, text);
    writeAtExit(this);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#writes.run(() => this.#write()).catch(() => {}); // the last flush reports it
    }, GATHER).unref();
  }

  /** Drops an answer that is wrong, so that another is recorded. */
  forget(name: string): void {
    this.#answers.delete(name);
    this.#packed.delete(name);
  }

  /** Writes all answers, merged with those that other processes have written. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isReported = true;
    await this.#writes.run(() => this.#write());
    this.#isReported = false;
  }

  /** As `flush`, for a process that exits. A failure is printed: nothing could handle it, unless a flush failed before. */
  flushNow(): void {
    clearTimeout(this.#timer);
    if (!unwritten.delete(this) || !this.#origin) return;
    let writer: FileLock | undefined;
    try {
      writer = takeWriterNow(Math.min(this.#maxWait, MAX_EXIT_WAIT));
      createFolder(dirname(this.path));
      replaceText(this.path, this.#mergeWith(readLockNow(this.path)));
    } catch (error) {
      if (!this.#isReported) process.stderr.write(`${this.#unwritable(error).message}\n`);
    } finally {
      writer?.release();
    }
  }

  /** @throws FileError if the file cannot be written */
  async #write(): Promise<void> {
    if (!unwritten.has(this) || !this.#origin) return;
    // Before others have to wait for this writer.
    this.#pack();
    let writer: FileLock | undefined;
    try {
      writer = await takeWriter(this.#maxWait);
      const onDisk = await readLock(this.path).catch(nothing);
      // Answers that come while the file is written are written the next time.
      unwritten.delete(this);
      await writeAtomically(this.path, this.#mergeWith(onDisk));
    } catch (error) {
      unwritten.add(this);
      throw this.#unwritable(error);
    } finally {
      writer?.release();
    }
  }

  #unwritable(error: unknown): FileError {
    const { message } = error instanceof FileError ? error : fileError(error, this.path);
    return new FileError(`The lock file was not written: ${message}`);
  }

  /** The text of the file, with the answers that other processes have written. */
  #mergeWith(existing: Content): string {
    const isSame = existing.origin && stringify(existing.origin) === stringify(this.#origin);
    const base = isSame ? existing : nothing();
    this.#pack();
    return contentText({
      origin: this.#origin,
      options: this.#options ?? base.options,
      answers: new Map([...base.answers, ...this.#answers]),
      packed: new Map([...base.packed, ...this.#packed]),
    });
  }

  #pack(): void {
    for (const [name, text] of this.#answers) {
      if (isClass(name, text) && !this.#packed.has(name)) this.#packed.set(name, pack(text));
    }
  }
}

/**
 * Only one process at a time reads the file, adds its answers and replaces it. Lock files of all forks share it, because
 * a locked file cannot be removed safely: another process may have opened it.
 */
function writerLock(): string {
  return join(tmpdir(), `starkbox-${process.getuid?.() ?? 'user'}.lock`);
}

/** A lock; `undefined` where files cannot be locked. Throws if another process holds it for too long. */
async function takeWriter(maxWait: number): Promise<FileLock | undefined> {
  for (let waited = 0; ; waited += RETRY) {
    const lock = tryLock();
    if (lock !== 'held') return lock;
    if (waited >= maxWait) throw heldTooLong(waited);
    await delay(RETRY);
  }
}

/** As `takeWriter`, without the event loop. */
function takeWriterNow(maxWait: number): FileLock | undefined {
  const clock = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  for (let waited = 0; ; waited += RETRY) {
    const lock = tryLock();
    if (lock !== 'held') return lock;
    if (waited >= maxWait) throw heldTooLong(waited);
    Atomics.wait(clock, 0, 0, RETRY);
  }
}

function tryLock(): FileLock | 'held' | undefined {
  try {
    return FileLock.take(writerLock()) ?? 'held';
  } catch {
    return undefined;
  }
}

/** The system ends the lock of a process that ends, so its holder is stopped, or no Starkbox. */
function heldTooLong(milliseconds: number): Error {
  return new Error(
    `another process has locked ${writerLock()} for ${milliseconds / 1000} seconds: end that process, and run this again`,
  );
}

async function readLock(path: string): Promise<Content> {
  try {
    return contentOf(path, await readRegular(path));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return nothing();
    throw error;
  }
}

/** Empty for a file that cannot be read, which is replaced. */
function readLockNow(path: string): Content {
  try {
    return contentOf(path, readRegularSync(path));
  } catch {
    return nothing();
  }
}

function contentOf(path: string, text: string): Content {
  const wrong = (reason: string): never => {
    throw new Error(`${path} is not the lock file of a fork: ${reason}`);
  };
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    return wrong(reasonOf(error));
  }
  const { version, chain_id, block, options, reads, classes, answers } = membersOf(value);
  if (typeof version !== 'number') return wrong('it has no version');
  if (version !== VERSION) {
    throw new Error(
      `the lock file ${path} was made by another version of Starkbox: delete it, or open it with the version that wrote it`,
    );
  }
  if (typeof chain_id !== 'string' || typeof block !== 'object' || block === null) {
    return wrong('it does not name a chain and a block');
  }
  const recorded = readOptions(options);
  if (options !== undefined && !recorded) return wrong('its options cannot be read');
  const byName: Answers = new Map();
  for (const [name, answer] of [reads, answers].flatMap((part) =>
    Object.entries(membersOf(part)),
  )) {
    byName.set(name, stringify(answer));
  }
  const packed = new Map<string, string>();
  let unpackedLimit = inflateLimit(text.length);
  for (const [hash, base64] of Object.entries(membersOf(classes))) {
    if (typeof base64 !== 'string') continue;
    try {
      const unpackedClass = unpackText(base64, unpackedLimit);
      unpackedLimit -= unpackedClass.length;
      byName.set(`class ${hash}`, unpackedClass);
      packed.set(`class ${hash}`, base64);
    } catch (error) {
      return wrong(`its class ${hash} cannot be unpacked: ${reasonOf(error)}`);
    }
  }
  return { origin: { chain_id, block }, options: recorded, answers: byName, packed };
}

function readOptions(value: unknown): LockedOptions | undefined {
  const { seed, accounts, account_class: accountClass } = membersOf(value);
  if (typeof seed !== 'number' || typeof accounts !== 'number') return undefined;
  return typeof accountClass === 'string' ? { seed, accounts, accountClass } : undefined;
}

/** Differences between recorded and wanted options, for an error; `undefined` without any. */
export function conflict(
  recorded: LockedOptions | undefined,
  requested: LockedOptions,
): string | undefined {
  if (!recorded) return 'it does not name its --seed: pass the seed that it was recorded with';
  const differing = [
    ['--seed', recorded.seed, requested.seed, recorded.seed !== requested.seed] as const,
    ['--accounts', recorded.accounts, requested.accounts, recorded.accounts < requested.accounts],
    [
      '--account-class',
      recorded.accountClass,
      requested.accountClass,
      recorded.accountClass !== requested.accountClass,
    ],
  ].filter(([, , , differs]) => differs);
  if (differing.length === 0) return undefined;
  const was = differing.map(([flag, value]) => `${flag} ${value}`).join(' ');
  const is = differing.map(([flag, , value]) => `${flag} ${value}`).join(' ');
  return `it was recorded with ${was} but this run has ${is}: use the same value, or record again`;
}

/** One line per answer, so that a diff of two versions is readable. */
function contentText({ origin, options, answers, packed }: Content): string {
  const sorted = [...answers].toSorted(([first], [other]) => (first < other ? -1 : 1));
  const isRead = (name: string): boolean => !name.startsWith('starknet_');
  const section = (entries: readonly (readonly [string, string])[]): JsonText =>
    new JsonText(
      entries.length === 0
        ? '{}'
        : `{\n${entries.map(([name, text]) => `    ${JSON.stringify(name)}: ${text}`).join(',\n')}\n  }`,
    );
  const parts: readonly (readonly [string, unknown])[] = [
    ['version', VERSION],
    ['chain_id', origin?.chain_id],
    ['block', origin?.block],
    ...(options
      ? [
          [
            'options',
            {
              seed: options.seed,
              accounts: options.accounts,
              account_class: options.accountClass,
            },
          ] as const,
        ]
      : []),
    ['reads', section(sorted.filter(([name, text]) => isRead(name) && !isClass(name, text)))],
    [
      'classes',
      section(
        sorted
          .filter(([name, text]) => isClass(name, text))
          .map(([name]) => [name.slice('class '.length), JSON.stringify(packed.get(name))]),
      ),
    ],
    ['answers', section(sorted.filter(([name]) => !isRead(name)))],
  ];
  return `{\n${parts.map(([name, part]) => `  "${name}": ${stringify(part)}`).join(',\n')}\n}\n`;
}

function isClass(name: string, text: string): boolean {
  return name.startsWith('class ') && text !== 'null';
}

/** A class is megabytes of numbers, so it is compressed. */
function pack(text: string): string {
  return deflateSync(text, { level: 9 }).toString('base64');
}

/** @param most limit in bytes */
function unpackText(text: string, most: number): string {
  const packed = Buffer.from(text, 'base64');
  return inflateSync(packed, { maxOutputLength: Math.max(1, most) }).toString();
}
