// Knows the chain below a fork: one question at a time goes in, and only what the chain was at the fork point comes out.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { OriginQuestion } from '@starkbox/engine';
import { fail, RpcError } from '../errors.js';
import { JsonText, parse, stringify } from '../json.js';
import type { Log } from '../log.js';
import type { Probe } from '../probe.js';
import { Cache } from './cache.js';
import { UpstreamError } from './failure.js';
import { lockedHash, lockedPoint, lookUp } from './fork-point.js';
import { type ForkBlock, headerOf, membersOf, readForkBlock } from './header.js';
import { LockFile } from './lock-file.js';
import { prefetch, ReadLog } from './prefetch.js';
import { canonical, isFelt, nameOf } from './reads.js';
import { type Manners, Remote } from './remote.js';
import { Ledger, type Sources, type UpstreamFigures } from './sources.js';
import { StateReads } from './state-reads.js';

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
  readonly probe?: Probe | undefined;
}

type Params = Readonly<Record<string, unknown>>;

interface Parts extends Pick<Sources, 'cache' | 'lock' | 'remote'> {
  readonly chainId: string;
  readonly header: object;
  readonly specVersion: string | undefined;
  readonly cacheDirectory: string | undefined;
  readonly readLog: ReadLog;
  readonly ledger: Ledger;
  readonly log: Log;
  /** What the names of reads in the lock file begin with; the fork point's with nothing. */
  readonly scope: string;
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
  readonly #earlier: Upstream[] = [];
  readonly #state: StateReads;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.chainId = parts.chainId;
    this.block = readForkBlock(parts.header);
    this.specVersion = parts.specVersion;
    const { ledger } = parts;
    const sources: Sources = {
      ...parts,
      looked: (method, isKept) => ledger.looked(method, isKept),
      missing: (name) => ledger.missing(name),
    };
    this.#state = new StateReads(sources, this.block.hash, parts.scope);
  }

  static async connect(options: UpstreamOptions): Promise<Upstream> {
    const { urls, cacheDirectory, lockFile, offline = false, suite = '', log, probe } = options;
    const lock = lockFile === undefined ? undefined : await LockFile.open(lockFile);
    const remote = offline ? undefined : new Remote(urls, options);
    try {
      const found = remote
        ? await lookUp(remote, options.block ?? lockedHash(lock), urls)
        : lockedPoint(lock, options.block);
      const wantedBefore = lock?.names() ?? [];
      lock?.begin({ chain_id: found.chainId, block: found.header });
      const directory = offline ? undefined : cacheDirectory;
      const cache = await openCache(directory, found.chainId, found.header, log);
      const { chainFolder } = cache;
      const readLog = await ReadLog.open(
        chainFolder && join(chainFolder, 'runs', digest(suite).slice(0, 16)),
      );
      const ledger = new Ledger(lock, log, probe);
      const shared = { remote, cacheDirectory: directory, cache, lock, readLog, ledger, log };
      const upstream = new Upstream({ ...found, ...shared, scope: '' });
      upstream.prefetch([...wantedBefore, ...readLog.earlier()]);
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
    const { ledger, log, remote } = this.#parts;
    if (!remote) return;
    const isKnown = (name: string): boolean => this.#state.isKnown(name);
    prefetch(names, isKnown, (question) => this.#state.read(question)).then(
      (count) => ledger.prefetched(count),
      (err: unknown) => log.debug({ err }, 'reads of earlier runs could not be fetched'),
    );
  }

  /** Asks for what an execution will read, in one go and not one after the other. */
  foresee(questions: readonly OriginQuestion[]): void {
    // Classes are kept on disk only: without one they would be fetched twice.
    const keepsClasses = this.#parts.cacheDirectory !== undefined;
    const useful = questions.filter(({ kind }) => kind !== 'class' || keepsClasses);
    this.prefetch(useful.map(nameOf));
  }

  /** The same chain as it was when an earlier block was its last; it ends with this one. */
  async at(number: number): Promise<Upstream> {
    const params = { block_id: { block_number: number } };
    const { text } = await this.forward('starknet_getBlockWithTxHashes', params);
    const header = headerOf(parse(text));
    const { cacheDirectory, log } = this.#parts;
    const earlier = new Upstream({
      ...this.#parts,
      header,
      cache: await openCache(cacheDirectory, this.chainId, header, log),
      readLog: await ReadLog.open(undefined),
      scope: `@${readForkBlock(header).hash} `,
    });
    this.#earlier.push(earlier);
    // Their caches write by themselves; the last ones are seen to at the end.
    if (this.#earlier.length > EARLIER) this.#earlier.shift();
    return earlier;
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
    const { cache, ledger, remote } = this.#parts;
    return { ...ledger.figures(remote), held: cache.size + this.#recent.size };
  }

  /** The first thing that was asked offline and is not in the lock file. */
  get firstMissing(): string | undefined {
    return this.#parts.ledger.firstMissing;
  }

  /** Writes what is to outlive this process. */
  async flush(): Promise<void> {
    const { cache, lock, readLog, log } = this.#parts;
    await Promise.all([cache.flush(), ...this.#earlier.map((earlier) => earlier.flush())]);
    await readLog.write().catch((err: unknown) => log.debug({ err }, 'reads are not remembered'));
    if (this.#parts.remote) await lock?.flush();
  }

  async close(): Promise<void> {
    // Whoever looks at an earlier block only borrows the connection.
    if (this.#parts.scope === '') this.#parts.remote?.close();
    await this.flush();
  }

  #read(question: OriginQuestion): Promise<string | null> {
    this.#parts.readLog.note(nameOf(question));
    return this.#state.read(question);
  }

  async #answer(method: string, params: Params): Promise<JsonText> {
    const { cache, lock, remote, ledger } = this.#parts;
    const name = `${method} ${stringify(sorted(params))}`;
    const known = lock?.answer(name) ?? this.#recent.get(name) ?? (await cache.document(name));
    if (known !== undefined) {
      ledger.looked(method, true);
      lock?.record(name, known);
      this.#remember(name, known);
      return told(known);
    }
    if (!remote) return ledger.missing(name);
    ledger.looked(method, false);
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
}

function openCache(
  directory: string | undefined,
  chainId: string,
  header: object,
  log: Log,
): Promise<Cache> {
  const { number, hash, parentHash, timestamp } = readForkBlock(header);
  return Cache.open(directory, { chainId, number, hash, marks: [parentHash, timestamp] }, log);
}

const EARLIER = 32;
const RECENT = 512;
const RECENT_LENGTH = 1 << 18;

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
