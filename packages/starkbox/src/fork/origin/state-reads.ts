// State of the origin at one block: each slot, nonce and class is read once.
import type { SourceQuestion } from '@starkbox/engine';
import { stringify } from '../../json/json.js';
import { OriginError, OriginFailure } from './failure.js';
import { canonical, isFelt, METHODS, nameOf, wireQuestion } from './reads.js';
import { hasClassHash } from './shapes.js';
import type { Sources } from './sources.js';

/** Stored for a class that exists: its text is stored once for all blocks. */
const PRESENT = 'true';
const ABSENT = 'null';

export class StateReads {
  readonly #sources: Sources;
  readonly #blockHash: string;
  /** Prefix of the names of its reads in the lock file. */
  readonly #scope: string;
  /** Classes of contracts at this block, which are therefore declared. */
  readonly #declared = new Set<string>();

  constructor(sources: Sources, blockHash: string, scope: string) {
    this.#sources = sources;
    this.#blockHash = blockHash;
    this.#scope = scope;
  }

  isKnown(name: string): boolean {
    const { cache, lock } = this.#sources;
    return cache.line(name) !== undefined || lock?.answer(`${this.#scope}${name}`) !== undefined;
  }

  /** A felt, or a class as JSON text; `null` if it does not exist. */
  async read(question: SourceQuestion): Promise<string | null> {
    const text =
      question.kind === 'class'
        ? await this.#classText(question.class_hash)
        : await this.#felt(question);
    if (text === ABSENT) return null;
    if (question.kind === 'class') return text;
    const felt = text.slice(1, -1);
    if (question.kind === 'class_hash') this.#declared.add(felt);
    return felt;
  }

  async #felt(question: SourceQuestion): Promise<string> {
    const { cache, lock } = this.#sources;
    const name = nameOf(question);
    const storedFelt = this.#knownFelt(name);
    this.#sources.looked(METHODS[question.kind], storedFelt !== undefined);
    const text = storedFelt ?? (await this.#ask(question));
    cache.keepLine(name, text);
    lock?.record(`${this.#scope}${name}`, text);
    return text;
  }

  /** Files may hold answers that were not checked. */
  #knownFelt(name: string): string | undefined {
    const { cache, lock } = this.#sources;
    const scoped = `${this.#scope}${name}`;
    const text = lock?.answer(scoped) ?? cache.line(name);
    if (text === undefined || isFeltText(text)) return text;
    lock?.forget(scoped);
    return undefined;
  }

  async #classText(hash: string): Promise<string> {
    const { cache, lock } = this.#sources;
    const name = `class ${hash}`;
    const cachedClass = await this.#knownClass(hash, name);
    this.#sources.looked(METHODS.class, cachedClass !== undefined);
    const text = cachedClass ?? (await this.#ask({ kind: 'class', class_hash: hash }));
    if (text === ABSENT) {
      cache.keepLine(name, ABSENT);
      lock?.record(`${this.#scope}${name}`, ABSENT);
      return text;
    }
    if (cachedClass === undefined) await cache.keepClass(hash, text);
    cache.keepLine(name, PRESENT);
    // A class of an earlier block exists at the fork point as well.
    lock?.record(name, text);
    if (this.#scope !== '') lock?.record(`${this.#scope}${name}`, PRESENT);
    return text;
  }

  async #knownClass(hash: string, name: string): Promise<string | undefined> {
    const { cache, lock } = this.#sources;
    const fact =
      lock?.answer(`${this.#scope}${name}`) ??
      cache.line(name) ??
      (this.#declared.has(hash) ? PRESENT : undefined);
    if (fact === undefined || fact === ABSENT) return fact;
    const text = fact === PRESENT ? (lock?.answer(name) ?? (await cache.classText(hash))) : fact;
    // Files may hold classes that were not checked.
    if (text === undefined || (await hasClassHash(text, hash))) return text;
    lock?.forget(name);
    return undefined;
  }

  async #ask(question: SourceQuestion): Promise<string> {
    const { remote, missing } = this.#sources;
    if (!remote) return missing(`${this.#scope}${nameOf(question)}`);
    const { method, params, nothing } = wireQuestion(question, this.#blockHash);
    try {
      return answerText(question, await remote.ask(method, params, { insists: true }));
    } catch (error) {
      if (error instanceof OriginFailure) throw error.ofStateRead();
      if (!(error instanceof OriginError)) throw error;
      if (error.code === nothing) return ABSENT;
      // Any other error means that the origin no longer has the block.
      throw error.asFailure(method);
    }
  }
}

function isFeltText(text: string): boolean {
  return text === ABSENT || (text.startsWith('"') && isFelt(text.slice(1, -1)));
}

/** The origin's answer to a read, checked, as JSON text. */
function answerText(question: SourceQuestion, result: unknown): string {
  if (question.kind === 'class') {
    if (typeof result === 'object' && result !== null) return stringify(result);
  } else if (isFelt(result)) {
    return `"${canonical(result)}"`;
  }
  throw new OriginFailure(
    'malformed',
    '',
    `it returned an unexpected value for ${nameOf(question)}`,
  );
}
