// Lock file of a fork: every read of a run, sorted, to commit to a repository.

import { deflateSync, inflateSync } from 'node:zlib';
import { codeOf, reasonOf } from '../../errors.js';
import { inflateLimit } from '../../files/inflate-limit.js';
import { readRegular } from '../../files/regular-file.js';
import { JsonText, parse, stringify } from '../../json/json.js';
import { membersOf } from '../../json/reader.js';
import { replaceFile } from './cache.js';

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

/** Answers by name, as JSON texts. */
type Answers = Map<string, string>;

interface Content {
  readonly origin: LockedOrigin | undefined;
  readonly options?: LockedOptions | undefined;
  readonly answers: Answers;
}

const nothing = (): Content => ({ origin: undefined, answers: new Map() });

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
  #isChanged = false;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(path: string, { origin, options, answers }: Content = nothing()) {
    this.path = path;
    this.#origin = origin;
    this.#options = options;
    this.#answers = answers;
  }

  /** Reads the file if it exists. Throws if it is no lock file. */
  static async open(path: string): Promise<LockFile> {
    return new LockFile(path, await readLock(path));
  }

  get origin(): LockedOrigin | undefined {
    return this.#origin;
  }

  /** Of the last recorded run; absent in files of older versions. */
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
      this.#isChanged = true;
    }
    if (this.#origin && stringify(this.#origin) === stringify(origin)) return;
    this.#origin = origin;
    this.#answers = new Map();
    this.#isChanged = true;
  }

  record(name: string, text: string): void {
    if (this.#answers.has(name)) return;
    this.#answers.set(name, text);
    this.#isChanged = true;
    this.#timer ??= setTimeout(() => {
      this.flush().catch(() => {}); // the last flush reports it
    }, GATHER).unref();
  }

  /** Drops an answer that is wrong, so that another is recorded. */
  forget(name: string): void {
    this.#answers.delete(name);
  }

  /** Writes all answers, merged with those that other processes have written. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const run = this.#writing.then(async () => {
      if (!this.#isChanged || !this.#origin) return;
      this.#isChanged = false;
      try {
        const there = await readLock(this.path).catch(nothing);
        const isSame = there.origin && stringify(there.origin) === stringify(this.#origin);
        const answers = new Map([...(isSame ? there.answers : []), ...this.#answers]);
        const options = this.#options ?? (isSame ? there.options : undefined);
        await replaceFile(this.path, written({ origin: this.#origin, options, answers }));
      } catch (error) {
        this.#isChanged = true;
        throw error;
      }
    });
    this.#writing = run.catch(() => {});
    return run;
  }
}

async function readLock(path: string): Promise<Content> {
  let text: string;
  try {
    text = await readRegular(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return nothing();
    throw error;
  }
  const wrong = (reason: string): never => {
    throw new Error(`${path} is no lock file of a fork: ${reason}`);
  };
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    return wrong(reasonOf(error));
  }
  const { version, chain_id, block, options, reads, classes, answers } = membersOf(value);
  if (version !== VERSION) return wrong(`its version is ${stringify(version)}, not ${VERSION}`);
  if (typeof chain_id !== 'string' || typeof block !== 'object' || block === null) {
    return wrong('it names no chain and block');
  }
  const recorded = readOptions(options);
  if (options !== undefined && !recorded) return wrong('its options cannot be read');
  const found: Answers = new Map();
  for (const [name, answer] of [reads, answers].flatMap((part) =>
    Object.entries(membersOf(part)),
  )) {
    found.set(name, stringify(answer));
  }
  let left = inflateLimit(text.length);
  for (const [hash, packed] of Object.entries(membersOf(classes))) {
    if (typeof packed !== 'string') continue;
    try {
      const unpackedClass = unpacked(packed, left);
      left -= unpackedClass.length;
      found.set(`class ${hash}`, unpackedClass);
    } catch (error) {
      return wrong(`its class ${hash} cannot be unpacked: ${reasonOf(error)}`);
    }
  }
  return { origin: { chain_id, block }, options: recorded, answers: found };
}

function readOptions(value: unknown): LockedOptions | undefined {
  const { seed, accounts, account_class: accountClass } = membersOf(value);
  if (typeof seed !== 'number' || typeof accounts !== 'number') return undefined;
  return typeof accountClass === 'string' ? { seed, accounts, accountClass } : undefined;
}

/** Differences between recorded and wanted options, for an error; `undefined` without any. */
export function conflict(
  recorded: LockedOptions | undefined,
  wanted: LockedOptions,
): string | undefined {
  if (!recorded) return 'it does not name the --seed that it was recorded with: give that one';
  const differing = [
    ['--seed', recorded.seed, wanted.seed, recorded.seed !== wanted.seed] as const,
    ['--accounts', recorded.accounts, wanted.accounts, recorded.accounts < wanted.accounts],
    [
      '--account-class',
      recorded.accountClass,
      wanted.accountClass,
      recorded.accountClass !== wanted.accountClass,
    ],
  ].filter(([, , , differs]) => differs);
  if (differing.length === 0) return undefined;
  const was = differing.map(([flag, value]) => `${flag} ${value}`).join(' ');
  const is = differing.map(([flag, , value]) => `${flag} ${value}`).join(' ');
  return `it was recorded with ${was} and this run has ${is}: use the same, or record again`;
}

/** One line per answer, so that a diff of two versions is readable. */
function written({ origin, options, answers }: Content): string {
  const sorted = [...answers].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const isClass = (name: string, text: string): boolean =>
    name.startsWith('class ') && text !== 'null';
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
          .map(([name, text]) => [name.slice('class '.length), JSON.stringify(packed(text))]),
      ),
    ],
    ['answers', section(sorted.filter(([name]) => !isRead(name)))],
  ];
  return `{\n${parts.map(([name, part]) => `  "${name}": ${stringify(part)}`).join(',\n')}\n}\n`;
}

/** A class is megabytes of numbers, so it is compressed. */
function packed(text: string): string {
  return deflateSync(text, { level: 9 }).toString('base64');
}

/** @param most limit in bytes */
function unpacked(text: string, most: number): string {
  const packed = Buffer.from(text, 'base64');
  return inflateSync(packed, { maxOutputLength: Math.max(1, most) }).toString();
}
