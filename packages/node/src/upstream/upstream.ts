// Knows the chain below a fork: one question at a time goes in, and only what the chain was at the fork point comes out.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { OriginQuestion } from '@starkbox/engine';
import { fail, RpcError } from '../errors.js';
import { JsonText, parse, stringify } from '../json.js';
import type { Log } from '../log.js';
import { Cache } from './cache.js';
import { UpstreamError } from './failure.js';
import { lockedHash, lockedPoint, lookUp } from './fork-point.js';
import { type ForkBlock, membersOf, readForkBlock } from './header.js';
import { LockFile } from './lock-file.js';
import { prefetch, ReadLog } from './prefetch.js';
import { canonical, isFelt, nameOf, wireQuestion } from './reads.js';
import { type Manners, Remote, type RemoteFigures } from './remote.js';

export interface UpstreamOptions {
  /** Addresses of the same chain; the next is asked where one fails. */
  readonly urls: readonly string[];
  /** A number, a hash, or below zero how many blocks before the latest. Default: the latest. */
  readonly block?: number | string | undefined;
  /** Where answers are kept for later runs. */
  readonly cacheDirectory?: string | undefined;
  /** The file that everything asked is recorded in. Unless `block` says another, its block is forked. */
  readonly lockFile?: string | undefined;
  /** Answer from the lock file alone. */
  readonly offline?: boolean;
  /** Whose earlier reads are asked for ahead of need. */
  readonly suite?: string | undefined;
  readonly log: Log;
  readonly manners?: Partial<Manners>;
}

export interface UpstreamFigures extends RemoteFigures {
  /** Answers that were kept. */
  readonly hits: number;
  /** Answers that had to be asked for. */
  readonly misses: number;
  readonly prefetched: number;
}

type Params = Readonly<Record<string, unknown>>;

interface Parts {
  readonly chainId: string;
  readonly header: object;
  readonly specVersion: string | undefined;
  /** None when offline. */
  readonly remote: Remote | undefined;
  readonly cache: Cache;
  readonly lock: LockFile | undefined;
  readonly readLog: ReadLog;
  readonly log: Log;
}

/**
 * The origin as it was when its last block was the one that is forked.
 *
 * @example
 * const upstream = await Upstream.connect({ urls: ['https://…'], block: -10, log });
 * const state = State.create({ version: upstream.block.number + 1, origin: new Origin(upstream.ask) });
 */
export class Upstream {
  readonly chainId: string;
  readonly block: ForkBlock;
  /** Of the origin's RPC, where it says so. */
  readonly specVersion: string | undefined;
  readonly #parts: Parts;
  /** Large answers that were wanted lately. */
  readonly #recent = new Map<string, string>();
  readonly #figures = { hits: 0, misses: 0, prefetched: 0 };
  #firstMissing: string | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.chainId = parts.chainId;
    this.block = readForkBlock(parts.header);
    this.specVersion = parts.specVersion;
  }

  static async connect(options: UpstreamOptions): Promise<Upstream> {
    const { urls, cacheDirectory, lockFile, offline = false, suite = '', log, manners } = options;
    const lock = lockFile === undefined ? undefined : await LockFile.open(lockFile);
    const remote = offline ? undefined : new Remote(urls, { log, ...(manners ? { manners } : {}) });
    try {
      const found = remote
        ? await lookUp(remote, options.block ?? lockedHash(lock), urls)
        : lockedPoint(lock, options.block);
      const { number, hash, parentHash, timestamp } = readForkBlock(found.header);
      const wantedBefore = lock?.names() ?? [];
      lock?.begin({ chain_id: found.chainId, block: found.header });
      const origin = { chainId: found.chainId, number, hash, marks: [parentHash, timestamp] };
      const cache = await Cache.open(offline ? undefined : cacheDirectory, origin, log);
      const { chainFolder } = cache;
      const readLog = await ReadLog.open(
        chainFolder && join(chainFolder, 'runs', digest(suite).slice(0, 16)),
      );
      const upstream = new Upstream({ ...found, remote, cache, lock, readLog, log });
      if (remote) upstream.prefetch([...wantedBefore, ...readLog.earlier()]);
      return upstream;
    } catch (error) {
      remote?.close();
      throw error;
    }
  }

  // The state at the fork point.

  async storage(address: string, key: string): Promise<string> {
    return (await this.#read({ kind: 'storage', address, key })) ?? '0x0';
  }

  async nonce(address: string): Promise<string> {
    return (await this.#read({ kind: 'nonce', address })) ?? '0x0';
  }

  /** `0x0` where nothing is deployed. */
  async classHash(address: string): Promise<string> {
    return (await this.#read({ kind: 'class_hash', address })) ?? '0x0';
  }

  /** As JSON text. */
  classText(hash: string): Promise<string | null> {
    return this.#read({ kind: 'class', class_hash: hash });
  }

  /** For the engine. */
  readonly ask: (question: OriginQuestion) => Promise<string | null> = (question) =>
    this.#read(question);

  /** Asks for reads ahead of need, and tells nobody if that fails. */
  prefetch(names: readonly string[]): void {
    const { cache, lock, log } = this.#parts;
    const isKnown = (name: string): boolean =>
      cache.line(name) !== undefined || lock?.answer(name) !== undefined;
    prefetch(names, isKnown, (question) => this.#fetch(question)).then(
      (count) => {
        this.#figures.prefetched += count;
      },
      (err: unknown) => log.debug({ err }, 'reads of earlier runs could not be fetched'),
    );
  }

  // The chain up to the fork point.

  /**
   * What the origin answers to a method that is about its past. Blocks are given by number or hash, not by
   * tag. What came after the fork point is not found.
   */
  async forward(method: string, params: Params): Promise<JsonText> {
    await this.#mustBeBefore(params['block_id']);
    const { from_block, to_block } = membersOf(params['filter']);
    await Promise.all([from_block, to_block].map((id) => this.#mustBeBefore(id)));
    const { transaction_hash: hash } = params;
    if (typeof hash !== 'string' || method === 'starknet_getMessagesStatus') {
      return this.#answer(method, params);
    }
    const [answer] = await Promise.all([this.#answer(method, params), this.blockOf(hash)]);
    return answer;
  }

  /** The number of the block with a hash. */
  async numberOf(blockHash: string): Promise<number> {
    if (blockHash === this.block.hash) return this.block.number;
    const block_id = { block_hash: blockHash };
    const answer = await this.#answer('starknet_getBlockWithTxHashes', { block_id });
    const { block_number: number } = membersOf(parse(answer.text));
    if (typeof number !== 'number' || number > this.block.number) fail('BLOCK_NOT_FOUND');
    return number;
  }

  async hashOf(number: number): Promise<string> {
    if (number === this.block.number) return this.block.hash;
    const block_id = { block_number: number };
    const answer = await this.forward('starknet_getBlockWithTxHashes', { block_id });
    const { block_hash: hash } = membersOf(parse(answer.text));
    if (!isFelt(hash)) throw new UpstreamError('malformed', '', `block ${number} has no hash`);
    return canonical(hash);
  }

  /** The newest block up to the fork point that L1 had accepted when it was first asked for. */
  async l1Accepted(): Promise<number | undefined> {
    try {
      const params = { block_id: 'l1_accepted' };
      const answer = await this.#answer('starknet_getBlockWithTxHashes', params);
      const { block_number: number } = membersOf(parse(answer.text));
      return typeof number === 'number' ? Math.min(number, this.block.number) : undefined;
    } catch (error) {
      // Origins of an older specification do not know the tag.
      const isRefused = error instanceof UpstreamError && error.kind === 'rpc';
      if (isRefused || (error instanceof RpcError && error.code === 24)) return undefined;
      throw error;
    }
  }

  /** The number of the block that holds a transaction. */
  async blockOf(transactionHash: string): Promise<number> {
    const params = { transaction_hash: transactionHash };
    const answer = await this.#answer('starknet_getTransactionReceipt', params);
    const { block_number: number, block_hash: hash } = membersOf(parse(answer.text));
    // A transaction that waits has a number but no hash yet.
    if (typeof number !== 'number' || hash === undefined || number > this.block.number) {
      fail('TXN_HASH_NOT_FOUND');
    }
    return number;
  }

  // All of it.

  figures(): UpstreamFigures {
    const remote = this.#parts.remote?.figures();
    return { ...this.#figures, ...(remote ?? { questions: 0, requests: 0, retries: 0 }) };
  }

  /** The first thing that was asked offline and is not in the lock file. */
  get firstMissing(): string | undefined {
    return this.#firstMissing;
  }

  /** Writes what is to outlive this process. */
  async flush(): Promise<void> {
    const { cache, lock, readLog, log } = this.#parts;
    await cache.flush();
    await readLog.write().catch((err: unknown) => log.debug({ err }, 'reads are not remembered'));
    if (this.#parts.remote) await lock?.flush();
  }

  async close(): Promise<void> {
    this.#parts.remote?.close();
    await this.flush();
  }

  async #read(question: OriginQuestion): Promise<string | null> {
    this.#parts.readLog.note(nameOf(question));
    const text = await this.#fetch(question);
    if (text === 'null') return null;
    return question.kind === 'class' ? text : text.slice(1, -1);
  }

  /** A read as JSON text: `null`, a felt in quotes, or a class. */
  async #fetch(question: OriginQuestion): Promise<string> {
    const { cache, lock, remote } = this.#parts;
    const name = nameOf(question);
    const isClass = question.kind === 'class';
    const known =
      lock?.answer(name) ??
      cache.line(name) ??
      (isClass ? await cache.classText(question.class_hash) : undefined);
    if (known !== undefined) {
      this.#figures.hits += 1;
      lock?.record(name, known);
      return known;
    }
    if (!remote) return this.#missing(name);
    this.#figures.misses += 1;
    const { method, params, nothing } = wireQuestion(question, this.block.hash);
    let text = 'null';
    try {
      text = written(question, await remote.ask(method, params));
    } catch (error) {
      if (!(error instanceof RpcError) || error instanceof UpstreamError) throw error;
      // Any other error means that the block itself is gone.
      if (error.code !== nothing) {
        throw new UpstreamError('rpc', '', `${method} fails with ${error.code}: ${error.message}`);
      }
    }
    if (isClass && text !== 'null') await cache.keepClass(question.class_hash, text);
    else cache.keepLine(name, text);
    lock?.record(name, text);
    return text;
  }

  async #answer(method: string, params: Params): Promise<JsonText> {
    const { cache, lock, remote } = this.#parts;
    const name = `${method} ${stringify(sorted(params))}`;
    const known = lock?.answer(name) ?? this.#recent.get(name) ?? (await cache.document(name));
    if (known !== undefined) {
      this.#figures.hits += 1;
      lock?.record(name, known);
      this.#remember(name, known);
      return told(known);
    }
    if (!remote) return this.#missing(name);
    this.#figures.misses += 1;
    let text: string;
    let isFinal = true;
    try {
      text = stringify({ result: await remote.ask(method, params) });
      isFinal = !/"(finality_)?status":"(RECEIVED|CANDIDATE|PRE_CONFIRMED)"/.test(text);
    } catch (error) {
      if (!(error instanceof RpcError) || error instanceof UpstreamError) throw error;
      const { code, message, data } = error;
      text = stringify({ error: { code, message, data } });
      isFinal = code === 20 || code === 27 || code === 28; // an origin that lags may yet find the others
    }
    if (isFinal) {
      this.#remember(name, text);
      await cache.keepDocument(name, text);
    }
    lock?.record(name, text);
    return told(text);
  }

  #remember(name: string, text: string): void {
    if (text.length > RECENT_LENGTH) return;
    this.#recent.delete(name);
    this.#recent.set(name, text);
    for (const oldest of this.#recent.keys()) {
      if (this.#recent.size <= RECENT) break;
      this.#recent.delete(oldest);
    }
  }

  async #mustBeBefore(id: unknown): Promise<void> {
    if (id === undefined || id === null) return;
    const { block_number: number, block_hash: hash } = membersOf(id);
    if (typeof number === 'number' || typeof number === 'bigint') {
      if (number > this.block.number) fail('BLOCK_NOT_FOUND');
    } else if (typeof hash === 'string') {
      await this.numberOf(hash);
    } else {
      throw new Error(`${stringify(id)} is no block of the origin`);
    }
  }

  #missing(name: string): never {
    const { lock, log } = this.#parts;
    const reason = `offline, and ${lock?.path} does not have ${name}`;
    if (this.#firstMissing === undefined) log.error(`The lock file does not suffice: ${reason}`);
    this.#firstMissing ??= name;
    throw new UpstreamError('missing', '', reason);
  }
}

const RECENT = 512;
const RECENT_LENGTH = 1 << 18;

/** What the origin said to a read, checked. */
function written(question: OriginQuestion, result: unknown): string {
  if (question.kind === 'class') {
    if (typeof result === 'object' && result !== null) return stringify(result);
  } else if (isFelt(result)) {
    return `"${canonical(result)}"`;
  }
  throw new UpstreamError('malformed', '', `it answers ${nameOf(question)} with something else`);
}

/** Kept answers are `{"result":…}` or `{"error":…}`; the first goes out as it is. */
function told(text: string): JsonText {
  if (text.startsWith(RESULT)) return new JsonText(text.slice(RESULT.length, -1));
  const { code, message, data } = membersOf(membersOf(parse(text))['error']);
  throw new RpcError(Number(code), String(message), data);
}

const RESULT = '{"result":';

/** The same question has the same name, whatever the order of its members. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  );
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
