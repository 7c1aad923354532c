// The answer to a batch: its size, and the pieces in which it is sent.

import { answerTooLarge, RpcError } from '../../errors.js';
import { endSharedSlice } from '../../scheduling/slices.js';
import { errorAnswer, type Id, idIn } from './envelope.js';

/** Sends a piece of a batch's answer; another may follow when it resolves. */
export type Delivery = (piece: string) => Promise<void>;

/** Characters that are gathered before they are sent. */
const PIECE = 64 * 1024;

export interface Batch {
  readonly calls: readonly unknown[];
  /** How long the answer may be, in bytes. */
  readonly limit: number;
  readonly delivery: Delivery | undefined;
  /** Aborted when there is nothing more to answer; with an error as the reason, calls are answered with it. */
  readonly signal: AbortSignal | undefined;
  readonly make: (call: unknown) => string | undefined | Promise<string | undefined>;
  /** The answer to a call that is not made. */
  readonly skip: (call: unknown, reason: RpcError) => string | undefined;
}

/** Makes calls one after the other, so that each sees what the ones before it did. */
export async function answerBatch(batch: Batch): Promise<string | undefined> {
  const { calls, delivery, signal, make, skip } = batch;
  const answers = new BatchAnswer(batch.limit, delivery);
  for (const call of calls) {
    const pause = endSharedSlice();
    if (pause) await pause;
    let answer: string | undefined;
    if (!answers.refusal && !signal?.aborted) {
      const making = make(call);
      const canAbort = making instanceof Promise && answers.hasBegun && signal;
      answer = await (canAbort ? unlessAborted(making, signal) : making);
    }
    if (signal?.aborted) {
      // Where nothing was sent yet, the client is gone or has its answer: the timeout.
      if (!answers.hasBegun || !(signal.reason instanceof RpcError)) return undefined;
      answers.refusal ??= signal.reason;
    }
    if (answers.refusal) answer ??= skip(call, answers.refusal);
    if (answer !== undefined) await answers.add(answer, idIn(call));
  }
  return answers.end();
}

/** Undefined as soon as there is nothing more to wait for. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const end = (): void => resolve(undefined);
    signal.addEventListener('abort', end, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', end));
  });
}

/** Answers of calls, one after the other. */
class BatchAnswer {
  readonly #limit: number;
  readonly #delivery: Delivery | undefined;
  #gathered: string[] = [];
  /** Characters of them. */
  #waiting = 0;
  /** Characters of all answers. */
  #size = 0;
  #hasBegun = false;
  /** Why the calls that follow are not made; they are answered with it. */
  refusal: RpcError | undefined;

  constructor(limit: number, delivery: Delivery | undefined) {
    this.#limit = limit;
    this.#delivery = delivery;
  }

  /** Whether a part has been sent, so that the rest has to follow. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Adds the answer to a call, or the reason why it is too much. */
  async add(answer: string, id: Id): Promise<void> {
    // Errors that say why there is no more are few and short, so that they are always added.
    const isExcess = !this.refusal && this.#size + answer.length > this.#limit;
    const excess = isExcess ? answerTooLarge(this.#limit) : undefined;
    this.refusal ??= excess;
    const text = excess ? errorAnswer(excess, id) : answer;
    this.#gathered.push(text);
    this.#waiting += text.length;
    this.#size += text.length;
    if (this.#waiting >= PIECE && this.#delivery) await this.#send(this.#delivery);
  }

  /** What has not been sent; undefined if there is no answer at all. */
  end(): string | undefined {
    if (!this.#hasBegun && this.#gathered.length === 0) return undefined;
    return `${this.#takeText()}]`;
  }

  async #send(deliver: Delivery): Promise<void> {
    // Many batches whose calls end together take turns in writing.
    await endSharedSlice();
    const piece = this.#takeText();
    this.#hasBegun = true;
    await deliver(piece);
  }

  #takeText(): string {
    const before = this.#hasBegun ? (this.#gathered.length > 0 ? ',' : '') : '[';
    const piece = before + this.#gathered.join();
    this.#gathered = [];
    this.#waiting = 0;
    return piece;
  }
}
