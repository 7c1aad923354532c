// Knows how a call can be watched from its arrival to its answer, which takes nothing while nobody does.
import type { RpcError } from '../../errors.js';
import { errorAnswer, type Id } from './envelope.js';

/** Who calls, as far as it is known. */
export interface Caller {
  readonly transport: 'http' | 'ws' | 'in-process';
  /** The site whose script calls, if a browser said so. */
  readonly origin?: string;
  /** What it calls itself. */
  readonly agent?: string;
  /** The part of our explorer that calls. */
  readonly tag?: string;
  /** A socket of its own. */
  readonly listener?: object | undefined;
}

/** Sees calls with their answers, while somebody wants to know them. */
export interface Witness {
  /** A request has come; undefined where nobody looks. */
  came(caller: Caller, text?: string): Sighting | undefined;
}

/** One request under way. */
export interface Sighting {
  /** The turn of a call in it has come. */
  turn(inBatch: boolean): Turn;
}

/** One call under way. */
export interface Turn {
  /** There is a result, which is still to be written. */
  ran(): void;
  failed(error: RpcError): void;
  /** @param method by its canonical name; `unknown` for what is no method */
  ended(method: string, call: unknown, answer: string | undefined): void;
}

/** The answer to what is not even a call, or too many. */
export function refused(error: RpcError, sighting: Sighting | undefined, what: unknown): string {
  const answer = errorAnswer(error);
  const turn = sighting?.turn(false);
  turn?.failed(error);
  turn?.ended('unknown', what, answer);
  return answer;
}

export function failed(turn: Turn | undefined, error: RpcError, id?: Id): string {
  turn?.failed(error);
  return errorAnswer(error, id);
}
