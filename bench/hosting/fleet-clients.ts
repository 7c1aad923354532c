// Clients of a fleet: they change and read instances by HAProxy and at nodes, and record all answers.
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  Answer,
  Change,
  Shown,
} from '../../packages/starkbox/test/support/hosting/history.js';
import type { Random } from './random.js';

const TIMEOUT_MILLISECONDS = 5_000;
const MOST_HOPS = 4;
/** Instances that are used most, for so long; others hibernate meanwhile. */
const [FAVOURITES, FAVOURITE_MILLISECONDS] = [4, 10_000];
const [NO_BLOCK, NO_TRANSACTION, ELSEWHERE, NOT_HELD] = [24, 29, -32010, -32011];

/** What one request came to. */
export interface Outcome {
  readonly began: number;
  readonly ended: number;
  /** Undefined for an error. */
  readonly result: unknown;
  /** Undefined for a result, and without an answer of a node. */
  readonly code: number | undefined;
  readonly message: string;
  readonly owner: string | undefined;
}

export async function ask(url: string, method: string, params: object): Promise<Outcome> {
  const began = performance.now();
  const made = (values: Partial<Outcome>): Outcome => ({
    ...{ began, ended: performance.now(), result: undefined, code: undefined },
    ...{ message: '', owner: undefined, ...values },
  });
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
    });
    const { result, error } = Object(JSON.parse(await response.text()));
    if (error === undefined) return made({ result });
    const { code, message, data } = Object(error);
    return made({ code, message, owner: Object(data).owner_url });
  } catch (error) {
    return made({ message: String(error) });
  }
}

/** Whether an error says that nothing was changed. */
const isRefusal = ({ code, message }: Outcome): boolean =>
  code === ELSEWHERE ||
  (code === NOT_HELD && message.endsWith('Send the request again.')) ||
  (code !== undefined && message.startsWith('Nothing was changed'));

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
}

export class Clients {
  readonly answers: Answer[] = [];
  readonly changes: Change[] = [];
  readonly tally: Tally = { requests: 0, answers: 0, errors: 0, sentOn: 0, unanswered: 0 };
  /** Errors by their messages, without what differs between nodes. */
  readonly errors = new Map<string, number>();
  readonly #router: string;
  readonly #nodes: readonly string[];
  readonly #instances: readonly string[];
  readonly #random: Random;
  /** Acknowledged transactions, by instance. */
  readonly #written = new Map<string, string[]>();
  readonly #heads = new Map<string, number>();
  #marks = 0;
  #isStopped = false;

  constructor(
    router: string,
    nodes: readonly string[],
    instances: readonly string[],
    random: Random,
  ) {
    this.#router = router;
    this.#nodes = nodes;
    this.#instances = instances;
    this.#random = random;
  }

  /** Sends requests, so many at a time, until it is stopped. */
  async run(count: number): Promise<void> {
    await Promise.all(Array.from({ length: count }, () => this.#loop()));
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #loop(): Promise<void> {
    const random = this.#random;
    while (!this.#isStopped) {
      const instance = this.#instance();
      const kind = random.next();
      if (kind < 0.4) await this.#change(instance);
      else if (kind < 0.7) await this.#readHead(instance);
      else if (kind < 0.85) await this.#readBlock(instance);
      else await this.#readTransaction(instance);
      await sleep(random.between(5, 60));
    }
  }

  #instance(): string {
    const random = this.#random;
    if (random.next() < 0.1) return random.pick(this.#instances);
    const turn = Math.floor(performance.now() / FAVOURITE_MILLISECONDS);
    const at = turn * FAVOURITES + Math.floor(random.next() * FAVOURITES);
    return this.#instances[at % this.#instances.length] ?? '';
  }

  /** Sends a request by HAProxy or to any node, and on to the owner that it names. */
  async #ask(instance: string, method: string, params: object) {
    const random = this.#random;
    let base = random.next() < 0.5 ? this.#router : random.pick(this.#nodes);
    for (let hop = 1; ; hop += 1) {
      const outcome = await ask(`${base}/instances/${instance}/rpc`, method, params);
      this.#count(outcome);
      if (outcome.owner === undefined || hop === MOST_HOPS) return { outcome, from: base };
      base = outcome.owner;
    }
  }

  #count({ result, code, message, owner }: Outcome): void {
    const { tally } = this;
    tally.requests += 1;
    if (owner !== undefined) tally.sentOn += 1;
    else if (result !== undefined || code === NO_BLOCK || code === NO_TRANSACTION) {
      tally.answers += 1;
    } else {
      if (code === undefined) tally.unanswered += 1;
      else tally.errors += 1;
      const text = message.replace(/[0-9a-f]{16,}|\d+/g, '…').slice(0, 300);
      this.errors.set(text, (this.errors.get(text) ?? 0) + 1);
    }
  }

  #record(instance: string, { outcome, from }: { outcome: Outcome; from: string }, shown: Shown) {
    const { began, ended } = outcome;
    this.answers.push({ instance, began, ended, from, shown });
    if (shown.kind !== 'head') return;
    this.#heads.set(instance, Math.max(shown.number, this.#heads.get(instance) ?? 0));
  }

  async #change(instance: string): Promise<void> {
    this.#marks += 1;
    const mark = `0xfa017${this.#marks.toString(16).padStart(8, '0')}`;
    const asked = await this.#ask(instance, 'devnet_mint', { address: mark, amount: 1 });
    const { tx_hash: hash } = Object(asked.outcome.result);
    if (typeof hash === 'string') {
      this.changes.push({ instance, mark, outcome: 'made' });
      this.#record(instance, asked, { kind: 'transaction', hash });
      const written = this.#written.get(instance) ?? [];
      this.#written.set(instance, written);
      written.push(hash);
    } else {
      const outcome = isRefusal(asked.outcome) ? 'refused' : 'unknown';
      this.changes.push({ instance, mark, outcome });
    }
  }

  async #readHead(instance: string): Promise<void> {
    const asked = await this.#ask(instance, 'starknet_blockHashAndNumber', {});
    const { block_number: number, block_hash: hash } = Object(asked.outcome.result);
    if (typeof number === 'number') this.#record(instance, asked, { kind: 'head', number, hash });
  }

  async #readBlock(instance: string): Promise<void> {
    const highest = this.#heads.get(instance) ?? 0;
    // Most often near the head.
    const below = Math.floor(this.#random.next() ** 3 * highest);
    const number = highest + 1 - below;
    const block_id = { block_number: number };
    const asked = await this.#ask(instance, 'starknet_getBlockWithTxHashes', { block_id });
    const { result, code } = asked.outcome;
    const { block_hash: hash } = Object(result);
    if (typeof hash === 'string') this.#record(instance, asked, { kind: 'block', number, hash });
    else if (code === NO_BLOCK) this.#record(instance, asked, { kind: 'no block', number });
  }

  async #readTransaction(instance: string): Promise<void> {
    const written = this.#written.get(instance);
    if (!written) return;
    const near = Math.floor(this.#random.next() ** 3 * written.length);
    const transaction_hash = written[written.length - 1 - near] ?? '';
    const params = { transaction_hash };
    const asked = await this.#ask(instance, 'starknet_getTransactionReceipt', params);
    const { result, code } = asked.outcome;
    const { block_number: number, block_hash: hash } = Object(result);
    if (typeof number === 'number') {
      this.#record(instance, asked, { kind: 'block', number, hash });
      this.#record(instance, asked, { kind: 'transaction', hash: transaction_hash });
    } else if (code === NO_TRANSACTION) {
      this.#record(instance, asked, { kind: 'no transaction', hash: transaction_hash });
    }
  }
}
