// Clients of a fleet: they create, change, read and delete instances by HAProxy and at nodes, and record all answers.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../../bench/harness/rounds.js';
import { invokeValues, STRK } from '../../engine/test/fixtures/chain.js';
import type { Violation } from '../test/support/history.js';
import { ask, batchExchange, type CallOutcome, type Exchange, Recorder } from './recorder.js';
import { LONG_CALL, OpenBatch, SIGNER } from './schedules/open-batch.js';

const MOST_HOPS = 4;
/** Instances that are used most, for so long; others hibernate meanwhile. */
const [FAVOURITES, FAVOURITE_MILLISECONDS] = [4, 10_000];
/** Some instances have a time to live, in seconds, and are read more often than that. */
const [MORTALS, TTL_SECONDS, READ_EVERY_MILLISECONDS] = [4, 15, 2_000];
const [NO_BLOCK, NO_TRANSACTION] = [24, 29];
/** Of the instances that have ended, so many are asked for again. */
const MOST_ENDED = 20;

export interface Tally {
  requests: number;
  /** Answers with a result, or that something is not there. */
  answers: number;
  /** Errors of nodes, except those that name the owner. */
  errors: number;
  /** Requests that a node sent to another. */
  sentOn: number;
  /** Timeouts, closed connections and answers of HAProxy. */
  unanswered: number;
  signed: number;
  batches: number;
  deletions: number;
}

/** Where instances are asked for. */
export interface Addresses {
  readonly router: string;
  readonly nodes: readonly string[];
}

export class Clients {
  readonly recorder = new Recorder();
  readonly tally: Tally = {
    ...{ requests: 0, answers: 0, errors: 0, sentOn: 0, unanswered: 0 },
    ...{ signed: 0, batches: 0, deletions: 0 },
  };
  /** Errors by their messages, without what differs between nodes. */
  readonly errors = new Map<string, number>();
  /** What the clients themselves see. */
  readonly violations: Violation[] = [];
  /** The instances in use; each place has another one when its instance was deleted. */
  readonly instances: string[] = [];
  readonly #addresses: Addresses;
  readonly #random: Random;
  readonly #ended: string[] = [];
  /** Acknowledged transactions, by instance. */
  readonly #written = new Map<string, string[]>();
  readonly #heads = new Map<string, number>();
  /** Instances for which a transaction is being signed. */
  readonly #signing = new Set<string>();
  #isStopped = false;

  constructor(addresses: Addresses, random: Random) {
    this.#addresses = addresses;
    this.#random = random;
  }

  /** Creates the instances that are used. */
  async create(count: number): Promise<void> {
    while (this.instances.length < count) {
      const id = await this.#created(this.instances.length);
      if (id === undefined) await sleep(100);
      else this.instances.push(id);
    }
  }

  /** Sends requests, so many at a time, until it is stopped. */
  async run(count: number): Promise<void> {
    const mortals = Array.from({ length: MORTALS }, (_, slot) => this.#keepInUse(slot));
    await Promise.all([...Array.from({ length: count }, () => this.#loop()), ...mortals]);
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #loop(): Promise<void> {
    const random = this.#random;
    while (!this.#isStopped) {
      const slot = this.#pickSlot();
      const instance = this.instances[slot] ?? '';
      const kind = random.next();
      if (kind < 0.25) await this.#mint(instance);
      else if (kind < 0.4) await this.#invoke(instance);
      else if (kind < 0.65) await this.#readInUse(slot, instance);
      else if (kind < 0.78) await this.#readBlock(instance);
      else if (kind < 0.9) await this.#readTransaction(instance);
      else if (kind < 0.95) await this.#batch(instance);
      else if (kind < 0.98) await this.#readEnded();
      else await this.#replace(Math.floor(random.next() * this.instances.length));
      await sleep(random.between(5, 60));
    }
  }

  /** Reads an instance with a time to live so often that it does not expire. */
  async #keepInUse(slot: number): Promise<void> {
    while (!this.#isStopped) {
      await this.#readInUse(slot, this.instances[slot] ?? '');
      await sleep(READ_EVERY_MILLISECONDS);
    }
  }

  /** Reads an instance, and replaces it if it is gone: it was deleted, or out of reach for its time to live. */
  async #readInUse(slot: number, instance: string): Promise<void> {
    const { outcome } = await this.#readHead(instance);
    if (isMissing(outcome)) await this.#replace(slot, instance);
  }

  #pickSlot(): number {
    const random = this.#random;
    const { length } = this.instances;
    if (random.next() < 0.1) return Math.floor(random.next() * length);
    const turn = Math.floor(performance.now() / FAVOURITE_MILLISECONDS);
    return (turn * FAVOURITES + Math.floor(random.next() * FAVOURITES)) % length;
  }

  #base(): string {
    const random = this.#random;
    const { router, nodes } = this.#addresses;
    return random.next() < 0.5 ? router : random.pick(nodes);
  }

  /** Sends a request by HAProxy or to any node, and on to the owner that it names. */
  async #ask(instance: string, method: string, params: object): Promise<Exchange> {
    let base = this.#base();
    for (let hop = 1; ; hop += 1) {
      const outcome = await ask(`${base}/instances/${instance}/rpc`, method, params);
      this.#count(outcome);
      if (outcome.owner === undefined || hop === MOST_HOPS) return { outcome, from: base };
      base = outcome.owner;
    }
  }

  #count(outcome: CallOutcome): void {
    const { tally } = this;
    const { result, code, message, owner } = outcome;
    tally.requests += 1;
    if (owner !== undefined) tally.sentOn += 1;
    else if (result !== undefined || isMissing(outcome)) tally.answers += 1;
    else {
      if (code === undefined) tally.unanswered += 1;
      else tally.errors += 1;
      const text = message.replace(/[0-9a-f]{16,}|\d+/g, '…').slice(0, 300);
      this.errors.set(text, (this.errors.get(text) ?? 0) + 1);
    }
  }

  // Creation and deletion.

  async #created(slot: number): Promise<string | undefined> {
    const ttl = slot < MORTALS ? TTL_SECONDS : undefined;
    const wish = { name: `slot-${slot}`, ...(ttl !== undefined && { ttl }) };
    const base = this.#base();
    const began = performance.now();
    const { result } = await ask(base, 'devnet_createInstance', wish);
    const { instance_id: id } = Object(result);
    if (typeof id !== 'string') return undefined;
    this.recorder.created(id, ttl);
    const request = await this.#readHead(id);
    const { block_number: number } = Object(request.outcome.result);
    if (typeof number === 'number' && number > 0) {
      const text = `it was created at ${began.toFixed(0)} ms, and begins with block ${number}`;
      this.violations.push({ kind: 'new instance has a past', instance: id, text });
    }
    return id;
  }

  /** Deletes the instance of a slot, and creates another one for it. */
  async #replace(slot: number, instance: string = this.instances[slot] ?? ''): Promise<void> {
    this.tally.deletions += 1;
    const base = this.#base();
    const outcome = await ask(base, 'devnet_deleteInstance', { instance_id: instance });
    const isDeleted = this.recorder.deletion(instance, { outcome, from: base });
    if (!isDeleted && !isMissing(outcome)) return;
    const id = await this.#created(slot);
    if (id === undefined || this.instances[slot] !== instance) return;
    this.instances[slot] = id;
    this.#ended.push(instance);
    if (this.#ended.length > MOST_ENDED) this.#ended.shift();
  }

  async #readEnded(): Promise<void> {
    if (this.#ended.length > 0) await this.#readHead(this.#random.pick(this.#ended));
  }

  // Changes.

  async #mint(instance: string): Promise<void> {
    const mark = this.recorder.newMark();
    const exchange = await this.#ask(instance, 'devnet_mint', { address: mark, amount: 1 });
    this.#changed(instance, mark, exchange, Object(exchange.outcome.result).tx_hash);
  }

  /** A signed transfer, with the next nonce of the account. */
  async #invoke(instance: string): Promise<void> {
    if (!SIGNER || this.#signing.has(instance)) return;
    this.#signing.add(instance);
    try {
      const params = { block_id: 'latest', contract_address: SIGNER.address };
      const read = await this.#ask(instance, 'starknet_getNonce', params);
      const { result } = read.outcome;
      if (typeof result !== 'string') return;
      const nonce = Number(result);
      this.recorder.show(instance, read, { kind: 'nonce', nonce });
      const mark = this.recorder.newMark();
      const call = { to: STRK, name: 'transfer', calldata: [mark, '0x1', '0x0'] };
      const invoke_transaction = invokeValues(SIGNER, [call], nonce);
      const request = await this.#ask(instance, 'starknet_addInvokeTransaction', {
        invoke_transaction,
      });
      this.tally.signed += 1;
      const { transaction_hash: hash } = Object(request.outcome.result);
      this.#changed(instance, mark, request, hash);
    } finally {
      this.#signing.delete(instance);
    }
  }

  #changed(instance: string, mark: string, exchange: Exchange, hash: unknown): void {
    if (!this.recorder.change(instance, mark, exchange, hash)) return;
    const written = this.#written.get(instance) ?? [];
    this.#written.set(instance, written);
    written.push(String(hash));
  }

  /** A batch whose answer is sent in pieces. */
  async #batch(instance: string): Promise<void> {
    const base = this.#base();
    const mark = this.recorder.newMark();
    const began = performance.now();
    const batch = new OpenBatch(`${base}/instances/${instance}/rpc`, [
      { method: 'devnet_mint', params: { address: mark, amount: 1 } },
      LONG_CALL,
      { method: 'starknet_blockNumber', params: {} },
    ]);
    await batch.ended;
    this.tally.batches += 1;
    const exchange = batchExchange(began, base);
    this.#changed(instance, mark, exchange, batch.transactionOf(0));
    this.recorder.latest(instance, exchange, batch.numberOf(2));
  }

  // Reads.

  async #readHead(instance: string): Promise<Exchange> {
    const exchange = await this.#ask(instance, 'starknet_blockHashAndNumber', {});
    this.recorder.head(instance, exchange);
    const { block_number: number } = Object(exchange.outcome.result);
    if (typeof number === 'number') {
      this.#heads.set(instance, Math.max(number, this.#heads.get(instance) ?? 0));
    }
    return exchange;
  }

  async #readBlock(instance: string): Promise<void> {
    const highest = this.#heads.get(instance) ?? 0;
    // Most often near the head.
    const below = Math.floor(this.#random.next() ** 3 * highest);
    const number = highest + 1 - below;
    const block_id = { block_number: number };
    const exchange = await this.#ask(instance, 'starknet_getBlockWithTxHashes', { block_id });
    const { result, code } = exchange.outcome;
    const { block_hash: hash } = Object(result);
    const { recorder } = this;
    if (typeof hash === 'string')
      recorder.show(instance, exchange, { kind: 'block', number, hash });
    else if (code === NO_BLOCK) recorder.show(instance, exchange, { kind: 'no block', number });
    else recorder.showIfGone(instance, exchange);
  }

  async #readTransaction(instance: string): Promise<void> {
    const written = this.#written.get(instance);
    if (!written) return;
    const near = Math.floor(this.#random.next() ** 3 * written.length);
    const transaction_hash = written[written.length - 1 - near] ?? '';
    const params = { transaction_hash };
    const exchange = await this.#ask(instance, 'starknet_getTransactionReceipt', params);
    const { result, code } = exchange.outcome;
    const { block_number: number, block_hash: hash } = Object(result);
    const { recorder } = this;
    if (typeof number === 'number') {
      recorder.show(instance, exchange, { kind: 'block', number, hash });
      recorder.show(instance, exchange, { kind: 'transaction', hash: transaction_hash });
    } else if (code === NO_TRANSACTION) {
      recorder.show(instance, exchange, { kind: 'no transaction', hash: transaction_hash });
    } else recorder.showIfGone(instance, exchange);
  }
}

/** Whether a block, a transaction or an instance is not there. */
function isMissing(outcome: CallOutcome): boolean {
  const { code, message } = outcome;
  if (code === NO_BLOCK || code === NO_TRANSACTION) return true;
  return code !== undefined && /^(No such|There is no) instance/.test(message);
}
