// Requests to a fleet, and a record of what the answers showed.
import type { Answer, Change, Life, Observation } from '../test/support/history.js';

const TIMEOUT_MILLISECONDS = 5_000;
const [ELSEWHERE, NOT_HELD, INVALID_REQUEST] = [-32010, -32011, -32600];
const NO_INSTANCE = 'No such instance';
const NOTHING_DELETED = 'There is no instance';
/** Clocks of the store and of these clients may differ by so much about the age of an instance. */
const TTL_SLACK_MILLISECONDS = 3_000;

/** The result of one request. */
export interface CallOutcome {
  readonly began: number;
  readonly ended: number;
  /** Undefined for an error. */
  readonly result: unknown;
  /** Undefined for a result, and without an answer of a node. */
  readonly code: number | undefined;
  readonly message: string;
  readonly owner: string | undefined;
}

export async function ask(
  url: string,
  method: string,
  params: object,
  timeout: number = TIMEOUT_MILLISECONDS,
): Promise<CallOutcome> {
  const began = performance.now();
  const outcome = (values: Partial<CallOutcome>): CallOutcome => ({
    ...{ began, ended: performance.now(), result: undefined, code: undefined },
    ...{ message: '', owner: undefined, ...values },
  });
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal: AbortSignal.timeout(timeout),
    });
    const { result, error } = Object(JSON.parse(await response.text()));
    if (error === undefined) return outcome({ result });
    const { code, message, data } = Object(error);
    return outcome({ code, message, owner: Object(data).owner_url });
  } catch (error) {
    return outcome({ message: String(error) });
  }
}

/** Whether an error says that nothing was changed. */
const isRefusal = ({ code, message }: CallOutcome): boolean =>
  code === ELSEWHERE ||
  (code === NOT_HELD && message.endsWith('Send the request again.')) ||
  (code !== undefined && message.startsWith('Nothing changed'));

/** Whether an error says that there is no such instance. */
export const isGone = ({ code, message }: CallOutcome): boolean =>
  code === INVALID_REQUEST && message.startsWith(NO_INSTANCE);

/** An outcome, and the node or proxy that it came from. */
export interface Exchange {
  readonly outcome: CallOutcome;
  readonly from: string;
}

/** The exchange of a batch, whose answers are taken from its text. */
export const batchExchange = (began: number, from: string): Exchange => ({
  outcome: {
    ...{ began, ended: performance.now(), result: undefined, code: undefined },
    ...{ message: '', owner: undefined },
  },
  from,
});

export class Recorder {
  readonly answers: Answer[] = [];
  readonly changes: Change[] = [];
  readonly #lives = new Map<string, Life>();
  #marks = 0;

  /** When each instance may end. */
  get lives(): ReadonlyMap<string, Life> {
    return this.#lives;
  }

  /** @param ttl seconds */
  created(instance: string, ttl?: number): void {
    this.#lives.set(instance, {
      created: performance.now(),
      deletion: undefined,
      ttl: ttl === undefined ? undefined : ttl * 1000 - TTL_SLACK_MILLISECONDS,
    });
  }

  /** A felt that no change had before. */
  newMark(): string {
    this.#marks += 1;
    return `0xfa017${this.#marks.toString(16).padStart(8, '0')}`;
  }

  show(instance: string, { outcome, from }: Exchange, observation: Observation): void {
    const { began, ended } = outcome;
    this.answers.push({ instance, began, ended, from, observation });
  }

  /** @returns whether there is no such instance, which is recorded */
  showIfGone(instance: string, exchange: Exchange): boolean {
    if (!isGone(exchange.outcome)) return false;
    this.show(instance, exchange, { kind: 'gone' });
    return true;
  }

  head(instance: string, exchange: Exchange): void {
    const { block_number: number, block_hash: hash } = Object(exchange.outcome.result);
    if (typeof number === 'number') this.show(instance, exchange, { kind: 'head', number, hash });
    else this.showIfGone(instance, exchange);
  }

  /** @param number of the latest block; undefined if it was not answered */
  latest(instance: string, exchange: Exchange, number: number | undefined): void {
    if (number === undefined) return;
    this.show(instance, exchange, { kind: 'no block', number: number + 1 });
  }

  /**
   * @param hash of the transaction; undefined if it was not acknowledged
   * @returns whether it was
   */
  change(instance: string, mark: string, exchange: Exchange, hash: unknown): boolean {
    if (typeof hash === 'string') {
      this.changes.push({ instance, mark, outcome: 'made' });
      this.show(instance, exchange, { kind: 'transaction', hash });
      return true;
    }
    const isUnchanged = this.showIfGone(instance, exchange) || isRefusal(exchange.outcome);
    this.changes.push({ instance, mark, outcome: isUnchanged ? 'refused' : 'unknown' });
    return false;
  }

  /** @returns whether the deletion was acknowledged */
  deletion(instance: string, exchange: Exchange): boolean {
    const { began, result, message } = exchange.outcome;
    const life = this.#lives.get(instance);
    const isDeleted = result !== undefined;
    // A repeated request may find that an earlier one has deleted it.
    const isMissing = message.startsWith(NOTHING_DELETED);
    if (life && !isMissing && !isRefusal(exchange.outcome)) {
      this.#lives.set(instance, { ...life, deletion: life.deletion ?? began });
    }
    if (isDeleted || isMissing) this.show(instance, exchange, { kind: 'gone' });
    return isDeleted;
  }
}
