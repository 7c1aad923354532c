// HTTP endpoint of an Ethereum node; every failure becomes an error of one sentence.
import type { PublicClient } from 'viem';
import { type Shape, shownAnswer } from './answer-shapes.js';

/** Timeout of a request. */
const ANSWER_MILLISECONDS = 10_000;

/** Size limit of an answer; larger ranges are requested in parts. */
const ANSWER_BYTES = 10 * 2 ** 20;

/** Limits of answers that cannot be split: a whole state, or all logs of one block. */
const WHOLE_MILLISECONDS = 60_000;
const WHOLE_BYTES = 256 * 2 ** 20;

export type Viem = typeof import('viem');

/** A failure of L1, with a message for the caller. */
export class L1Error extends Error {
  override readonly name = 'L1Error';
  /** Whether the node answered with an error. */
  readonly isAnswer: boolean;
  readonly code: number | undefined;
  /** Whether a smaller range might succeed. */
  readonly isTooMuch: boolean;

  constructor(
    message: string,
    {
      answer,
      isTooMuch = false,
    }: { readonly answer?: { code: number | undefined }; isTooMuch?: boolean } = {},
  ) {
    super(message);
    this.isAnswer = answer !== undefined;
    this.code = answer?.code;
    this.isTooMuch = isTooMuch;
  }
}

/** Error messages of nodes for ranges that are too large, and an error code that some use. */
const TOO_MUCH =
  /limit|too (large|many|big)|more than|exceed|block range|response size|max results/i;
const TOO_MUCH_CODE = -32005;
const TOO_MUCH_STATUS = 413;

let loaded: Promise<Viem> | undefined;

export function loadViem(): Promise<Viem> {
  loaded ??= import('viem');
  return loaded;
}

/** The HTTP endpoint of one Ethereum node. */
export class Endpoint {
  readonly url: string;
  readonly #viem: Viem;
  readonly #client: PublicClient;
  /** For answers that may be long. */
  readonly #patient: PublicClient;

  constructor(url: string, viem: Viem) {
    this.url = url;
    this.#viem = viem;
    const clientFor = (timeout: number, maxResponseBodySize: number): PublicClient =>
      viem.createPublicClient({
        transport: viem.http(url, { timeout, maxResponseBodySize, retryCount: 0 }),
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
    if (value === undefined) throw this.malformed(method, answer, shape.name);
    return value;
  }

  /** The error for an answer of another shape. */
  malformed(method: string, answer: unknown, expected: string): L1Error {
    const shown = shownAnswer(answer);
    return new L1Error(
      `the L1 node at ${this.url} answered ${shown} to ${method}, expected ${expected}`,
    );
  }

  /** Converts an error of viem to one sentence. */
  #explain(method: string, error: unknown, isWhole: boolean): L1Error {
    const { BaseError, HttpRequestError, ResponseBodyTooLargeError, TimeoutError } = this.#viem;
    const walked = error instanceof BaseError ? error : undefined;
    const find = (kind: new (...args: never) => unknown): unknown =>
      walked?.walk((one) => one instanceof kind);
    const unreachable = find(HttpRequestError);
    if (unreachable instanceof HttpRequestError) {
      const { status, details } = unreachable;
      const why = status === undefined ? details : `HTTP status ${status}`;
      return new L1Error(`the L1 node at ${this.url} cannot be reached: ${why}`, {
        isTooMuch: status === TOO_MUCH_STATUS,
      });
    }
    if (find(ResponseBodyTooLargeError)) {
      return new L1Error(`the L1 node at ${this.url} answered too many bytes to ${method}`, {
        isTooMuch: true,
      });
    }
    if (find(TimeoutError)) {
      const seconds = (isWhole ? WHOLE_MILLISECONDS : ANSWER_MILLISECONDS) / 1000;
      return new L1Error(`the L1 node at ${this.url} has not answered for ${seconds} s`);
    }
    // Not a JSON-RPC answer.
    if (!walked || find(TypeError)) {
      return new L1Error(`the L1 node at ${this.url} answered no JSON-RPC to ${method}`);
    }
    const answer = walked.walk(hasCode);
    const code = hasCode(answer) ? answer.code : undefined;
    const shown = code === undefined ? '' : ` error code ${code}:`;
    const words = walked.details || walked.shortMessage;
    return new L1Error(`server returned an error response:${shown} ${words}`, {
      answer: { code },
      isTooMuch: code === TOO_MUCH_CODE || TOO_MUCH.test(words),
    });
  }
}

function hasCode(error: unknown): error is { readonly code: number } {
  return error instanceof Error && 'code' in error && typeof error.code === 'number';
}
