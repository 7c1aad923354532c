// Answers about the origin's past: cached once they are final.
import { membersOf } from '@starkbox/abi/basics';
import { ERRORS, methodFacts } from '@starkbox/spec';
import { BoundedMap } from '../../bounded-map.js';
import { RpcError } from '../../errors.js';
import { JsonText, parse, stringify } from '../../json/json.js';
import { OriginError } from './failure.js';
import { headerOf, readForkBlock } from './header.js';
import { hasClassHash } from './shapes.js';
import type { Sources } from './sources.js';

export type Params = Readonly<Record<string, unknown>>;

/** Answers in memory, and the longest of them. */
const RECENT = 512;
const RECENT_LENGTH = 1 << 18;

export class Answers {
  readonly #sources: Sources;
  /** Final answers that were used last. */
  readonly #recent = new BoundedMap<string, string>(RECENT);

  /** Names of classes from files whose hash is right. */
  readonly #checked = new BoundedMap<string, true>(RECENT);

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  /** Answers in memory. */
  get held(): number {
    return this.#recent.size;
  }

  /** @param signal ends the question to the origin when its caller has gone */
  async ask(method: string, params: Params, signal?: AbortSignal): Promise<JsonText> {
    const { cache, lock, remote, looked, missing } = this.#sources;
    const name = nameOf(method, params);
    const stored = await this.#readKnown(name, method, params);
    if (stored !== undefined) {
      looked(method, true);
      lock?.record(name, stored);
      this.#remember(name, stored);
      return resultOf(stored);
    }
    if (!remote) return missing(name);
    looked(method, false);
    const text = await remote.ask(method, params, { signal }).then(
      (result) => stringify({ result }),
      (error: unknown) => {
        // Any other error may pass.
        if (!(error instanceof OriginError) || !error.isAboutTheChain) throw error;
        const { code, message, data } = error;
        return stringify({ error: { code, message, data } });
      },
    );
    if (isFinal(method, params, text)) {
      this.#remember(name, text);
      await cache.keepDocument(name, text);
    }
    lock?.record(name, text);
    return resultOf(text);
  }

  async #readKnown(name: string, method: string, params: Params): Promise<string | undefined> {
    const { cache, lock } = this.#sources;
    const recent = this.#recent.get(name);
    if (recent !== undefined) return recent;
    const text = lock?.answer(name) ?? (await cache.document(name));
    if (text === undefined || (await this.#isRightClass(name, method, params, text))) return text;
    lock?.forget(name);
    return undefined;
  }

  /** Files may hold classes that were not checked. True for answers about anything else. */
  async #isRightClass(
    name: string,
    method: string,
    { class_hash: hash }: Params,
    text: string,
  ): Promise<boolean> {
    if (method !== 'starknet_getClass' || !text.startsWith(RESULT)) return true;
    if (typeof hash !== 'string' || this.#checked.get(name)) return true;
    const isRight = await hasClassHash(resultOf(text).text, hash);
    if (isRight) this.#checked.set(name, true);
    return isRight;
  }

  /** A block without its status, which may change, and its transactions. */
  async header(number: number, signal?: AbortSignal): Promise<object> {
    const method = 'starknet_getBlockWithTxHashes';
    const params = { block_id: { block_number: number } };
    const { cache, lock, looked } = this.#sources;
    const name = `header ${number}`;
    const isLocked = lock?.answer(nameOf(method, params)) !== undefined;
    const cached =
      lock?.answer(name) ??
      (isLocked ? undefined : (this.#recent.get(name) ?? (await cache.document(name))));
    if (cached !== undefined) {
      looked(method, true);
      lock?.record(name, cached);
      this.#remember(name, cached);
      return membersOf(parse(cached));
    }
    const header = headerOf(parse((await this.ask(method, params, signal)).text));
    readForkBlock(header); // throws if it is not a closed block
    const text = stringify(header);
    this.#remember(name, text);
    await cache.keepDocument(name, text);
    return header;
  }

  /**
   * A number in an answer that never changes, though the answer may.
   *
   * @param name key in the cache
   * @param read takes it from the answer; if it throws, nothing is cached
   */
  async number(
    name: string,
    method: string,
    params: Params,
    read: (members: Readonly<Record<string, unknown>>) => number,
    signal?: AbortSignal,
  ): Promise<number> {
    const { cache, lock } = this.#sources;
    const isLocked = lock?.answer(nameOf(method, params)) !== undefined;
    const cached = lock?.answer(name) ?? (isLocked ? undefined : cache.line(name));
    if (cached !== undefined) {
      lock?.record(name, cached);
      return Number(cached);
    }
    const value = read(membersOf(parse((await this.ask(method, params, signal)).text)));
    cache.keepLine(name, String(value));
    return value;
  }

  #remember(name: string, text: string): void {
    if (text.length <= RECENT_LENGTH) this.#recent.set(name, text);
  }
}

/** Codes of permanent absence: after any other, an origin that lags may answer later. */
const LASTING: ReadonlySet<unknown> = new Set([
  ERRORS.CONTRACT_NOT_FOUND.code,
  ERRORS.INVALID_TXN_INDEX.code,
  ERRORS.CLASS_HASH_NOT_FOUND.code,
]);

/** True for an answer that the origin will never change. */
function isFinal(method: string, { block_id }: Params, text: string): boolean {
  if (!text.startsWith(RESULT)) {
    return LASTING.has(membersOf(membersOf(parse(text))['error'])['code']);
  }
  // The block of a tag changes.
  if (typeof block_id === 'string') return false;
  if (!methodFacts(method)?.finality) return true;
  const statuses = text.match(/"(?:finality_)?status":"\w+"/g) ?? [];
  return statuses.length > 0 && statuses.every((status) => status.endsWith(':"ACCEPTED_ON_L1"'));
}

/** Cached answers are `{"result":…}` or `{"error":…}`; results are not parsed. */
function resultOf(text: string): JsonText {
  if (text.startsWith(RESULT)) return new JsonText(text.slice(RESULT.length, -1));
  const { code, message, data } = membersOf(membersOf(parse(text))['error']);
  throw new RpcError(Number(code), String(message), data);
}

const RESULT = '{"result":';

function nameOf(method: string, params: Params): string {
  return `${method} ${stringify(sortMembers(params))}`;
}

/** Sorts members, so that equal questions have equal names. */
function sortMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortMembers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .toSorted(([first], [other]) => (first < other ? -1 : 1))
      .map(([name, member]) => [name, sortMembers(member)]),
  );
}
