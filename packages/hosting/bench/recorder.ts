// Requests to a fleet, and a record of what the answers showed.
import type { Answer, Change, Life, Shown } from '../test/support/history.js';

const TIMEOUT_MILLISECONDS = 5_000;
const [ELSEWHERE, NOT_HELD, INVALID_REQUEST] = [-32010, -32011, -32600];
const NO_INSTANCE = 'There is no such instance';
const NOTHING_DELETED = 'There is no instance';
/** Clocks of the store and of these clients may differ by so much about the age of an instance. */
const TTL_SLACK_MILLISECONDS = 3_000;

/** The result of one request. */
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

export async function ask(
  url: string,
  method: string,
  params: object,
  timeout: number = TIMEOUT_MILLISECONDS,
): Promise<Outcome> {
  const began = performance.now();
  const outcome = (values: Partial<Outcome>): Outcome => ({
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
const isRefusal = ({ code, message }: Outcome): boolean =>
  code === ELSEWHERE ||
  (code === NOT_HELD && message.endsWith('Send the request again.')) ||
  (code !== undefined && message.startsWith('Nothing was changed'));

/** Whether an error says that there is no such instance. */
export const isGone = ({ code, message }: Outcome): boolean =>
  code === INVALID_REQUEST && message.startsWith(NO_INSTANCE);

/** An outcome, and the node or proxy that it came from. */
export interface Asked {
  readonly outcome: Outcome;
  readonly from: string;
}

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

  show(instance: string, { outcome, from }: Asked, shown: Shown): void {
    const { began, ended } = outcome;
    this.answers.push({ instance, began, ended, from, shown });
  }

  /** @returns whether there is no such instance, which is recorded */
  showIfGone(instance: string, asked: Asked): boolean {
    if (!isGone(asked.outcome)) return false;
    this.show(instance, asked, { kind: 'gone' });
    return true;
  }

  head(instance: string, asked: Asked): void {
    const { block_number: number, block_hash: hash } = Object(asked.outcome.result);
    if (typeof number === 'number') this.show(instance, asked, { kind: 'head', number, hash });
    else this.showIfGone(instance, asked);
  }

  /**
   * @param hash of the transaction; undefined if it was not acknowledged
   * @returns whether it was
   */
  change(instance: string, mark: string, asked: Asked, hash: unknown): boolean {
    if (typeof hash === 'string') {
      this.changes.push({ instance, mark, outcome: 'made' });
      this.show(instance, asked, { kind: 'transaction', hash });
      return true;
    }
    const isUnchanged = this.showIfGone(instance, asked) || isRefusal(asked.outcome);
    this.changes.push({ instance, mark, outcome: isUnchanged ? 'refused' : 'unknown' });
    return false;
  }

  /** @returns whether the deletion was acknowledged */
  deletion(instance: string, asked: Asked): boolean {
    const { began, result, message } = asked.outcome;
    const life = this.#lives.get(instance);
    const isDeleted = result !== undefined;
    // A repeated request may find that an earlier one has deleted it.
    const isMissing = message.startsWith(NOTHING_DELETED);
    if (life && !isMissing && !isRefusal(asked.outcome)) {
      this.#lives.set(instance, { ...life, deletion: life.deletion ?? began });
    }
    if (isDeleted || isMissing) this.show(instance, asked, { kind: 'gone' });
    return isDeleted;
  }
}
