// HTTP endpoint of an Ethereum node; every failure becomes an error of one sentence.
import {
  BaseError,
  type Client,
  createClient,
  HttpRequestError,
  http,
  ResponseBodyTooLargeError,
  TimeoutError,
} from 'viem';
import { innermostReason, shortUrl } from '../../errors.js';
import { type Shape, shownAnswer } from './answer-shapes.js';
import { L1Error } from './l1-error.js';

/** Timeout of a request. */
const ANSWER_MILLISECONDS = 10_000;

/** Size limit of an answer; larger ranges are requested in parts. */
const ANSWER_BYTES = 10 * 2 ** 20;

/** Limits of answers that cannot be split: a whole state, or all logs of one block. */
const WHOLE_MILLISECONDS = 60_000;
const WHOLE_BYTES = 256 * 2 ** 20;

/** Error messages of nodes for ranges that are too large, and an error code that some use. */
const TOO_MUCH =
  /limit|too (large|many|big)|more than|exceed|block range|response size|max results/i;
const TOO_MUCH_CODE = -32005;
const PAYLOAD_TOO_LARGE = 413;

/** The HTTP endpoint of one Ethereum node. */
export class Endpoint {
  readonly url: string;
  /** The URL in messages. */
  readonly #shown: string;
  readonly #client: Client;
  /** For answers that may be long. */
  readonly #patient: Client;

  constructor(url: string) {
    this.url = url;
    this.#shown = shortUrl(url);
    const clientFor = (timeout: number, maxResponseBodySize: number): Client =>
      createClient({
        transport: http(url, { timeout, maxResponseBodySize, retryCount: 0 }),
        cacheTime: 0,
      });
    this.#client = clientFor(ANSWER_MILLISECONDS, ANSWER_BYTES);
    this.#patient = clientFor(WHOLE_MILLISECONDS, WHOLE_BYTES);
  }

  /**
   * Sends a request and reads the answer.
   *
   * @param isWhole whether the answer cannot be split, so that higher limits apply
   */
  async ask<T>(
    method: string,
    params: readonly unknown[],
    shape: Shape<T>,
    isWhole = false,
  ): Promise<T> {
    let answer: unknown;
    try {
      const client = isWhole ? this.#patient : this.#client;
      answer = await client.request<{
        Method: string;
        Parameters: readonly unknown[];
        ReturnType: unknown;
      }>({ method, params });
    } catch (error) {
      throw this.#explain(method, error, isWhole);
    }
    const value = shape.read(answer);
    if (value === undefined) throw this.malformedAnswer(method, answer, shape.name);
    return value;
  }

  /** The error for an answer of another shape. */
  malformedAnswer(method: string, answer: unknown, expected: string): L1Error {
    const answerText = shownAnswer(answer);
    return new L1Error(
      `the L1 node at ${this.#shown} returned ${answerText} for ${method}, expected ${expected}`,
    );
  }

  /** Converts an error of viem to one sentence. */
  #explain(method: string, error: unknown, isWhole: boolean): L1Error {
    const walked = error instanceof BaseError ? error : undefined;
    const find = (kind: new (...args: never) => unknown): unknown =>
      walked?.walk((cause) => cause instanceof kind);
    const unreachable = find(HttpRequestError);
    if (unreachable instanceof HttpRequestError) {
      const { status } = unreachable;
      const reason = innermostReason(unreachable).replaceAll(this.url, this.#shown);
      const why = status === undefined ? reason : `HTTP status ${status}`;
      return new L1Error(`the L1 node at ${this.#shown} cannot be reached: ${why}`, {
        isTooMuch: status === PAYLOAD_TOO_LARGE,
      });
    }
    if (find(ResponseBodyTooLargeError)) {
      return new L1Error(`the L1 node at ${this.#shown} returned too many bytes for ${method}`, {
        isTooMuch: true,
      });
    }
    if (find(TimeoutError)) {
      const seconds = (isWhole ? WHOLE_MILLISECONDS : ANSWER_MILLISECONDS) / 1000;
      return new L1Error(`the L1 node at ${this.#shown} did not respond within ${seconds} s`);
    }
    // Not a JSON-RPC answer.
    if (!walked || find(TypeError)) {
      return new L1Error(
        `the L1 node at ${this.#shown} returned no JSON-RPC response to ${method}`,
      );
    }
    const answer = walked.walk(hasCode);
    const code = hasCode(answer) ? answer.code : undefined;
    const codeText = code === undefined ? '' : ` error code ${code}:`;
    const words = (walked.details || walked.shortMessage).replaceAll(this.url, this.#shown);
    return new L1Error(`server returned an error response:${codeText} ${words}`, {
      answer: { code },
      isTooMuch: code === TOO_MUCH_CODE || TOO_MUCH.test(words),
    });
  }
}

function hasCode(error: unknown): error is { readonly code: number } {
  return error instanceof Error && 'code' in error && typeof error.code === 'number';
}
