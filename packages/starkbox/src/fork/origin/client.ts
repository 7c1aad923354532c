// Client of the origin: answers about the chain up to the fork point.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { OriginQuestion } from '@starkbox/engine';
import { fail, RpcError } from '../../errors.js';
import { type JsonText, parse, stringify } from '../../json/json.js';
import type { Log } from '../../log.js';
import type { Probe } from '../../probe.js';
import { Answers, type Params } from './answers.js';
import { Cache, type WarningLog, warnOnce } from './cache.js';
import { OriginFailure } from './failure.js';
import { lockedHash, lockedPoint, lookUp } from './fork-point.js';
import { type ForkBlock, membersOf, readForkBlock } from './header.js';
import { conflict, type LockedOptions, LockFile } from './lock-file.js';
import { prefetch, ReadLog } from './prefetch.js';
import { canonical, isFelt, nameOf } from './reads.js';
import { Remote, type RequestPolicy } from './remote.js';
import { type OriginFigures, OriginUsage, type Sources } from './sources.js';
import { StateReads } from './state-reads.js';

export interface OriginClientOptions {
  /** Addresses of the same chain; the next is asked where one fails. */
  readonly urls: readonly string[];
  /** A number, a hash, or below zero how many blocks before the latest. Default: the latest. */
  readonly block?: number | string | undefined;
  /** Where answers are kept for later runs. */
  readonly cacheDirectory?: string | undefined;
  /** The file that everything asked is recorded in. Unless `block` says another, its block is forked. */
  readonly lockFile?: string | undefined;
  /** Kept in the lock file, and compared with what it was recorded with. */
  readonly run?: LockedOptions | undefined;
  /** Answer from the lock file alone. */
  readonly offline?: boolean;
  /** Whose earlier reads are asked for ahead of need. */
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
  readonly ledger: OriginUsage;
  readonly log: Log;
  readonly complaints: WarningLog;
  /** What the names of reads in the lock file begin with; the fork point's with nothing. */
  readonly scope: string;
}

/**
 * The origin as it was when its last block was the one that is forked.
 *
 * @example
 * const client = await Upstream.connect({ urls: ['https://…'], block: -10, log });
 * const state = State.create({ version: client.block.number + 1, origin: new Origin(client.ask) });
 */
export class OriginClient {
  readonly chainId: string;
  readonly block: ForkBlock;
  /** Of the origin's RPC, where it says so. */
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
    const { ledger } = parts;
    const sources: Sources = {
      ...parts,
      looked: (method, isKept) => ledger.looked(method, isKept),
      missing: (name) => ledger.missing(name),
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
      const found = remote
        ? await lookUp(remote, options.block ?? lockedHash(lock), urls)
        : lockedPoint(lock, options.block);
      const wantedBefore = lock?.names() ?? [];
      const hint = run && lock && offline ? conflict(lock.options, run) : undefined;
      lock?.begin({ chain_id: found.chainId, block: found.header }, offline ? undefined : run);
      const directory = offline ? undefined : cacheDirectory;
      const complaints = warnOnce(log);
      const cache = await openCache(directory, found.chainId, found.header, complaints);
      const { chainFolder } = cache;
      const readLog = await ReadLog.open(
        chainFolder && join(chainFolder, 'runs', digest(suite).slice(0, 16)),
      );
      const ledger = new OriginUsage(lock, log, probe, hint);
      const shared = { remote, cacheDirectory: directory, cache, lock, readLog, ledger };
      const client = new OriginClient({ ...found, ...shared, log, complaints, scope: '' });
      client.prefetch([...wantedBefore, ...readLog.earlier()]);
      return client;
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
  prefetchReads(questions: readonly OriginQuestion[]): void {
    // Classes are kept on disk only: without one they would be fetched twice.
    const keepsClasses = this.#parts.cacheDirectory !== undefined;
    const useful = questions.filter(({ kind }) => kind !== 'class' || keepsClasses);
    this.prefetch(useful.map(nameOf));
  }

  /** The same chain as it was when an earlier block was its last; it ends with this one. */
  async at(number: number): Promise<OriginClient> {
    const header = await this.header(number);
    const { cacheDirectory, complaints } = this.#parts;
    const earlier = new OriginClient({
      ...this.#parts,
      header,
      cache: await openCache(cacheDirectory, this.chainId, header, complaints),
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
    await this.#checkBeforeForkPoint(params['block_id']);
    const { from_block, to_block } = membersOf(params['filter']);
    await Promise.all([from_block, to_block].map((id) => this.#checkBeforeForkPoint(id)));
    const { transaction_hash: hash } = params;
    if (typeof hash !== 'string' || method === 'starknet_getMessagesStatus') {
      return this.#answers.ask(method, params);
    }
    const [answer] = await Promise.all([this.#answers.ask(method, params), this.blockOf(hash)]);
    return answer;
  }

  /** The number of the block with a hash. */
  async numberOf(blockHash: string): Promise<number> {
    if (blockHash === this.block.hash) return this.block.number;
    const method = 'starknet_getBlockWithTxHashes';
    const params = { block_id: { block_hash: blockHash } };
    const name = `block_number ${blockHash}`;
    const number = await this.#answers.number(name, method, params, ({ block_number: found }) => {
      if (typeof found !== 'number' || found > this.block.number) fail('BLOCK_NOT_FOUND');
      return found;
    });
    return number > this.block.number ? fail('BLOCK_NOT_FOUND') : number;
  }

  /** A block without what may change (its status) and what is long (its transactions). */
  async header(number: number): Promise<object> {
    if (number > this.block.number) fail('BLOCK_NOT_FOUND');
    return this.#answers.header(number);
  }

  async hashOf(number: number): Promise<string> {
    if (number === this.block.number) return this.block.hash;
    const { block_hash: hash } = membersOf(await this.header(number));
    if (!isFelt(hash)) throw new OriginFailure('malformed', '', `block ${number} has no hash`);
    return canonical(hash);
  }

  /** The newest block up to the fork point that L1 has accepted; asked for every time. */
  async l1Accepted(): Promise<number | undefined> {
    try {
      const params = { block_id: 'l1_accepted' };
      const answer = await this.#answers.ask('starknet_getBlockWithTxHashes', params);
      const { block_number: number } = membersOf(parse(answer.text));
      return typeof number === 'number' ? Math.min(number, this.block.number) : undefined;
    } catch (error) {
      // Either there is none, or the origin is of an older specification without the tag.
      if (error instanceof RpcError && NO_SUCH_BLOCK.has(error.code)) return undefined;
      throw error;
    }
  }

  /** The number of the block that holds a transaction. */
  async blockOf(transactionHash: string): Promise<number> {
    const params = { transaction_hash: transactionHash };
    const method = 'starknet_getTransactionReceipt';
    const name = `block_of ${transactionHash}`;
    const number = await this.#answers.number(name, method, params, (receipt) => {
      const { block_number: holder, block_hash: hash } = receipt;
      // A transaction that waits has a number but no hash yet.
      if (typeof holder !== 'number' || hash === undefined || holder > this.block.number) {
        fail('TXN_HASH_NOT_FOUND');
      }
      return holder;
    });
    return number > this.block.number ? fail('TXN_HASH_NOT_FOUND') : number;
  }

  // All of it.

  figures(): OriginFigures {
    const { cache, ledger, remote } = this.#parts;
    return { ...ledger.figures(remote), held: cache.size + this.#answers.held };
  }

  /** The first thing that was asked offline and is not in the lock file. */
  get firstMissing(): string | undefined {
    return this.#parts.ledger.firstMissing;
  }

  /** Writes what is to outlive this process. */
  async flush(): Promise<void> {
    const { cache, lock, readLog } = this.#parts;
    await Promise.all([cache.flush(), ...this.#earlier.map((earlier) => earlier.flush())]);
    await cache.write(() => readLog.write());
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

  async #checkBeforeForkPoint(id: unknown): Promise<void> {
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
  log: WarningLog,
): Promise<Cache> {
  const { number, hash, parentHash, timestamp } = readForkBlock(header);
  return Cache.open(directory, { chainId, number, hash, marks: [parentHash, timestamp] }, log);
}

const EARLIER = 32;
/** Block not found, and what servers say to a tag that they cannot read. */
const NO_SUCH_BLOCK: ReadonlySet<number> = new Set([24, -32600, -32602]);

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
