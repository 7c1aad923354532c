// Call with parameters as typed, and its duration.
import { parseJson, writeJson } from '../format/json.js';
import { isAnswer, postText } from './client.js';

export interface TimedAnswer {
  readonly text: string;
  /** The result, or the error. */
  readonly value: unknown;
  readonly isError: boolean;
  readonly milliseconds: number;
  readonly bytes: number;
}

/** @throws if the node could not be reached */
export async function ask(
  method: string,
  params: unknown,
  signal?: AbortSignal,
): Promise<TimedAnswer> {
  const begin = performance.now();
  const body = writeJson({ jsonrpc: '2.0', id: 1, method, params });
  const text = await postText(body, 'console', { signal });
  const milliseconds = performance.now() - begin;
  const answer = parseJson(text);
  const isError = !isAnswer(answer) || answer.error !== undefined;
  return {
    text,
    value: isAnswer(answer) ? (answer.error ?? answer.result) : answer,
    isError,
    milliseconds,
    bytes: text.length,
  };
}

export function millisecondsText(milliseconds: number): string {
  return milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds).toString();
}

export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
