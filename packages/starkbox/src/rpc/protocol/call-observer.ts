// Observer of calls and their answers; it costs nothing while no calls are recorded.
import type { RpcError } from '../../errors.js';
import { errorAnswer, type Id } from './envelope.js';

/** What metrics and logs call a method that does not exist. */
export const UNKNOWN_METHOD = 'unknown';

/** The caller, as far as it is known. */
export interface Caller {
  readonly transport: 'http' | 'ws' | 'in-process';
  /** The site whose script calls, if a browser said so. */
  readonly origin?: string | undefined;
  /** What it calls itself. */
  readonly agent?: string | undefined;
  /** The part of our explorer that calls. */
  readonly tag?: string | undefined;
  /** The version of the specification, if it is not the newest. */
  readonly version?: string | undefined;
  /** A socket of its own. */
  readonly listener?: object | undefined;
}

/** Observes requests from their arrival on. */
export interface RequestObserver {
  /** A request has arrived; undefined if it is not observed. */
  recordArrival(caller: Caller, text?: string): ObservedRequest | undefined;
}

/** One request under way. */
export interface ObservedRequest {
  /** A call of the request begins. */
  begin(inBatch: boolean): ObservedCall;
}

/** One call under way. */
export interface ObservedCall {
  /** There is a result, which is still to be written. */
  handled(): void;
  failed(error: RpcError): void;
  /** @param method by its canonical name; `unknown` for what is no method */
  ended(method: string, call: unknown, answer: string | undefined): void;
}

/** The answer to a request that is refused as a whole. */
export function describeRefusal(
  error: RpcError,
  request: ObservedRequest | undefined,
  what: unknown,
): string {
  const answer = errorAnswer(error);
  const call = request?.begin(false);
  call?.failed(error);
  call?.ended(UNKNOWN_METHOD, what, answer);
  return answer;
}

/** The answer to a call that failed. */
export function failed(call: ObservedCall | undefined, error: RpcError, id?: Id): string {
  call?.failed(error);
  return errorAnswer(error, id);
}
