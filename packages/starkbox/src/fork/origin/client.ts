// Client of the origin: answers about the chain up to the fork point.

import { join } from 'node:path';
import { membersOf } from '@starkbox/abi/basics';
import type { SourceQuestion } from '@starkbox/engine';
import { ERRORS } from '@starkbox/spec';
import { fail, RpcError } from '../../errors.js';
import { type JsonText, parse, stringify } from '../../json/json.js';
import type { Log } from '../../log.js';
import type { Probe } from '../../probe.js';
import { Answers, type Params } from './answers.js';
import { Cache, digest, type WarningLog, warnOnce } from './cache.js';
import { OriginFailure } from './failure.js';
import { lockedPoint, lookUpLocked } from './fork-point.js';
import { type ForkBlock, readForkBlock } from './header.js';
import { conflict, type LockedOptions, LockFile } from './lock-file.js';
import { prefetch, ReadLog } from './prefetch.js';
import type { Proxies } from './proxies.js';
import { canonical, isFelt, nameOf } from './reads.js';
import { Remote, type RequestPolicy } from './remote.js';
import { type OriginFigures, OriginUsage, type Sources } from './sources.js';
import { StateReads } from './state-reads.js';

export interface OriginClientOptions {
  /** Addresses of the same chain; the next is used where one fails. */
  readonly urls: readonly string[];
  /** HTTP headers of every request, as `Name: value`. */
  readonly headers?: readonly string[] | undefined;
  /** Default: none. */
  readonly proxies?: Proxies | undefined;
  /** A number, a hash, or a negative offset from the latest. Default: the latest. */
  readonly block?: number | string | undefined;
  /** Directory of the cache. */
  readonly cacheDirectory?: string | undefined;
  /** Records every answer. Its block is the fork point unless `block` is given. */
  readonly lockFile?: string | undefined;
  /** Written to the lock file, and compared with those that it was recorded with. */
  readonly run?: LockedOptions | undefined;
  /** Answer from the lock file alone. */
  readonly offline?: boolean;
  /** Name of the suite whose earlier reads are prefetched. */
  readonly suite?: string | undefined;
  readonly log: Log;
  readonly policy?: Partial<RequestPolicy>;
  readonly probe?: Probe | undefined;
}

interface Parts extends Pick<Sources, 'cache' | 'lock' | 'remote'> {
  readonly chainId: string;
  readonly header: object;
  readonly specVersion: string | undefined;
  readonly cacheDirectory: string | undefined;
  readonly readLog: ReadLog;
  readonly usage: OriginUsage;
  readonly log: Log;
  readonly warnings: WarningLog;
  /** Prefix of the names of reads in the lock file; empty for the fork point. */
  readonly scope: string;
}

/**
 * The origin at the fork point.
 *
 * @example
 * const client = await OriginClient.connect({ urls: ['https://…'], block: -10, log });
 * const state = State.create({ version: client.block.number + 1, source: new StateSource(client.ask) });
 */
export class OriginClient {
  readonly chainId: string;
  readonly block: ForkBlock;
  /** Version of the origin's JSON-RPC API; `undefined` if unknown. */
  readonly specVersion: string | undefined;
  readonly #parts: Parts;
  readonly #answers: Answers;
  readonly #earlier: OriginClient[] = [];
  readonly #state: StateReads;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.chainId = parts.chainId;
    this.block = readForkBlock(parts.header);
    this.specVersion = parts.specVersion;
    const { usage } = parts;
    const sources: Sources = {
      ...parts,
      looked: (method, isKept) => usage.looked(method, isKept),
      missing: (name) => usage.missing(name),
    };
    this.#answers = new Answers(sources);
    this.#state = new StateReads(sources, this.block.hash, parts.scope);
  }

  static async connect(options: OriginClientOptions): Promise<OriginClient> {
    const {
      urls,
      cacheDirectory,
      lockFile,
      offline = false,
      suite = '',
      run,
      log,
      probe,
    } = options;
    const lock = lockFile === undefined ? undefined : await LockFile.open(lockFile);
    const remote = offline ? undefined : new Remote(urls, options);
    try {
      const located = remote
        ? await lookUpLocked(remote, lock, options.block, urls)
        : lockedPoint(lock, options.block);
      const recorded = lock?.names() ?? [];
      const hint = run && lock && offline ? conflict(lock.options, run) : undefined;
      lock?.begin({ chain_id: located.chainId, block: located.header }, offline ? undefined : run);
      const directory = offline ? undefined : cacheDirectory;
      const warnings = warnOnce(log);
      const cache = await openCache(directory, located.chainId, located.header, warnings);
      const { chainFolder } = cache;
      const readLog = await ReadLog.open(
        chainFolder && join(chainFolder, 'runs', digest(suite).slice(0, 16)),
      );
      const usage = new OriginUsage(lock, log, probe, hint);
      const shared = { remote, cacheDirectory: directory, cache, lock, readLog, usage };
      const client = new OriginClient({ ...located, ...shared, log, warnings, scope: '' });
      client.prefetch([...recorded, ...readLog.earlier()]);
      return client;
    } catch (error) {
      remote?.close();
      throw error;
    }
  }

  // State at the fork point.

  /** Answers a question of the engine: a felt, or a class as JSON text; null if there is none. */
  readonly ask: (question: SourceQuestion) => Promise<string | null> = (question) => {
    this.#parts.readLog.note(nameOf(question));
    return this.#state.read(question);
  };

  /** Reads in the background; a failure is only logged. */
  prefetch(names: readonly string[]): void {
    const { usage, log, remote } = this.#parts;
    if (!remote) return;
    const isKnown = (name: string): boolean => this.#state.isKnown(name);
    prefetch(names, isKnown, (question) => this.#state.read(question)).then(
      (count) => usage.prefetched(count),
      (err: unknown) => log.debug({ err }, 'reads of earlier runs could not be prefetched'),
    );
  }

  /** Prefetches the reads of an execution in one batch. */
  prefetchReads(questions: readonly SourceQuestion[]): void {
    // Classes are cached on disk only: without it they would be fetched twice.
    const keepsClasses = this.#parts.cacheDirectory !== undefined;
    const useful = questions.filter(({ kind }) => kind !== 'class' || keepsClasses);
    this.prefetch(useful.map(nameOf));
  }

  /** A client at an earlier block, valid until this one is closed. */
  async at(number: number): Promise<OriginClient> {
    const header = await this.header(number);
    const { cacheDirectory, warnings } = this.#parts;
    const earlier = new OriginClient({
      ...this.#parts,
      header,
      cache: await openCache(cacheDirectory, this.chainId, header, warnings),
      readLog: await ReadLog.open(undefined),
      scope: `@${readForkBlock(header).hash} `,
    });
    this.#earlier.push(earlier);
    // Their caches are written by timer; only the last ones need a flush at the end.
    if (this.#earlier.length > EARLIER) this.#earlier.shift();
    return earlier;
  }

  // History up to the fork point.

  /**
   * The origin's answer to a method about its history. Blocks are given by number or hash, not by
   * tag. Blocks and transactions after the fork point are not found.
   *
   * @param signal ends the questions to the origin when their caller has gone
   */
  async forward(method: string, params: Params, signal?: AbortSignal): Promise<JsonText> {
    await this.#checkBeforeForkPoint(params['block_id'], signal);
    const { from_block, to_block } = membersOf(params['filter']);
    await Promise.all([from_block, to_block].map((id) => this.#checkBeforeForkPoint(id, signal)));
    const { transaction_hash: hash } = params;
    if (typeof hash !== 'string' || method === 'starknet_getMessagesStatus') {
      return this.#answers.ask(method, params, signal);
    }
    const [answer] = await Promise.all([
      this.#answers.ask(method, params, signal),
      this.blockOf(hash, signal),
    ]);
    return answer;
  }

  /** Number of the block with a hash. */
  async numberOf(blockHash: string, signal?: AbortSignal): Promise<number> {
    if (blockHash === this.block.hash) return this.block.number;
    const method = 'starknet_getBlockWithTxHashes';
    const params = { block_id: { block_hash: blockHash } };
    const name = `block_number ${blockHash}`;
    const read = ({ block_number: blockNumber }: Params): number => {
      if (typeof blockNumber !== 'number' || blockNumber > this.block.number)
        fail('BLOCK_NOT_FOUND');
      return blockNumber;
    };
    const number = await this.#answers.number(name, method, params, read, signal);
    return number > this.block.number ? fail('BLOCK_NOT_FOUND') : number;
  }

  /** A block without its status, which may change, and its transactions. */
  async header(number: number, signal?: AbortSignal): Promise<object> {
    if (number > this.block.number) fail('BLOCK_NOT_FOUND');
    return this.#answers.header(number, signal);
  }

  async hashOf(number: number): Promise<string> {
    if (number === this.block.number) return this.block.hash;
    const { block_hash: hash } = membersOf(await this.header(number));
    if (!isFelt(hash)) throw new OriginFailure('malformed', '', `block ${number} has no hash`);
    return canonical(hash);
  }

  /** The newest block up to the fork point that is accepted on L1; not cached. */
  async l1Accepted(signal?: AbortSignal): Promise<number | undefined> {
    try {
      const params = { block_id: 'l1_accepted' };
      const answer = await this.#answers.ask('starknet_getBlockWithTxHashes', params, signal);
      const { block_number: number } = membersOf(parse(answer.text));
      return typeof number === 'number' ? Math.min(number, this.block.number) : undefined;
    } catch (error) {
      // There is none, or the origin's version of the specification lacks the tag.
      if (error instanceof RpcError && NO_SUCH_BLOCK.has(error.code)) return undefined;
      throw error;
    }
  }

  /** Number of the block of a transaction. */
  async blockOf(transactionHash: string, signal?: AbortSignal): Promise<number> {
    const params = { transaction_hash: transactionHash };
    const method = 'starknet_getTransactionReceipt';
    const name = `block_of ${transactionHash}`;
    const read = ({ block_number: holder, block_hash: hash }: Params): number => {
      // A transaction in the pending block has a block number but no block hash.
      if (typeof holder !== 'number' || hash === undefined || holder > this.block.number) {
        fail('TXN_HASH_NOT_FOUND');
      }
      return holder;
    };
    const number = await this.#answers.number(name, method, params, read, signal);
    return number > this.block.number ? fail('TXN_HASH_NOT_FOUND') : number;
  }

  // Statistics and shutdown.

  figures(): OriginFigures {
    const { cache, usage, remote } = this.#parts;
    return { ...usage.figures(remote), held: cache.size + this.#answers.held };
  }

  /** Name of the first answer that was missing in the lock file when offline. */
  get firstMissing(): string | undefined {
    return this.#parts.usage.firstMissing;
  }

  /** Writes the cache, the log of reads and the lock file. */
  async flush(): Promise<void> {
    const { cache, readLog } = this.#parts;
    await Promise.all([cache.flush(), ...this.#earlier.map((earlier) => earlier.flush())]);
    await cache.write(() => readLog.write());
    await this.writeLock();
  }

  /** Writes the answers that the lock file does not have yet. */
  async writeLock(): Promise<void> {
    const { lock, remote } = this.#parts;
    if (remote) await lock?.flush();
  }

  async close(): Promise<void> {
    // Clients at earlier blocks share the connection of the fork point's.
    if (this.#parts.scope === '') this.#parts.remote?.close();
    await this.flush();
  }

  async #checkBeforeForkPoint(id: unknown, signal: AbortSignal | undefined): Promise<void> {
    if (id === undefined || id === null) return;
    const { block_number: number, block_hash: hash } = membersOf(id);
    if (typeof number === 'number' || typeof number === 'bigint') {
      if (number > this.block.number) fail('BLOCK_NOT_FOUND');
    } else if (typeof hash === 'string') {
      await this.numberOf(hash, signal);
    } else {
      throw new Error(`${stringify(id)} is not a block of the origin`);
    }
  }
}

function openCache(
  directory: string | undefined,
  chainId: string,
  header: object,
  log: WarningLog,
): Promise<Cache> {
  const { number, hash, parentHash, timestamp } = readForkBlock(header);
  return Cache.open(directory, { chainId, number, hash, marks: [parentHash, timestamp] }, log);
}

/** Clients at earlier blocks that are flushed at the end. */
const EARLIER = 32;
/** Block not found, and errors of servers for an unknown tag. */
const NO_SUCH_BLOCK: ReadonlySet<number> = new Set([ERRORS.BLOCK_NOT_FOUND.code, -32600, -32602]);
