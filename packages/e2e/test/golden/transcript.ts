// A recorded conversation: the options of the node, then requests, sockets and what was answered.

import { readFileSync } from 'node:fs';
import { isObject, type Members } from '@starkbox/abi/basics';
import { parse } from '../../../starkbox/src/json/json.js';

export interface Transcript {
  readonly theme: string;
  readonly options: readonly string[];
  readonly recordedAt: number;
  readonly entries: readonly Entry[];
}

interface Numbered {
  /** Its place in the conversation, from 1 on. */
  readonly exchange: number;
}

export type Entry = Numbered &
  (
    | { readonly kind: 'call'; readonly request: unknown; readonly response: unknown }
    | { readonly kind: 'http'; readonly request: HttpRequest; readonly response: Members }
    | SocketEntry
  );

export type SocketEntry = { readonly socket: string } & (
  | { readonly kind: 'send'; readonly message: unknown }
  | { readonly kind: 'raw'; readonly text: string; readonly isBinary: boolean }
  | { readonly kind: 'receive'; readonly message: unknown }
  | { readonly kind: 'close' }
);

export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

export function readTranscript(file: string | URL): Transcript {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  const [header, ...entries] = lines.map((line) => parse(line)).filter(isObject);
  if (!header) throw new TypeError(`${file} is empty`);
  const { theme, options, recorded_at: recordedAt } = header;
  return {
    theme: String(theme),
    options: Array.isArray(options) ? options.map(String) : [],
    recordedAt: Number(recordedAt),
    entries: entries.map((entry, index) => ({ exchange: index + 1, ...readEntry(entry) })),
  };
}

type Unnumbered<E> = E extends Numbered ? Omit<E, keyof Numbered> : never;

function readEntry(entry: Members): Unnumbered<Entry> {
  const { request, response } = entry;
  if ('request' in entry) return { kind: 'call', request, response };
  const { http } = entry;
  if (isObject(http) && isObject(response)) {
    return { kind: 'http', request: readHttp(http), response };
  }
  const socket = String(entry['socket']);
  if ('send' in entry) return { kind: 'send', socket, message: entry['send'] };
  if ('receive' in entry) return { kind: 'receive', socket, message: entry['receive'] };
  if ('close' in entry) return { kind: 'close', socket };
  if (typeof entry['raw'] === 'string') {
    return { kind: 'raw', socket, text: entry['raw'], isBinary: entry['binary'] === true };
  }
  throw new TypeError(`not an exchange: ${JSON.stringify(Object.keys(entry))}`);
}

function readHttp(http: Members): HttpRequest {
  const { method = 'POST', path = '/', headers = {}, body } = http;
  return {
    method: String(method),
    path: String(path),
    headers: isObject(headers)
      ? Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
      : {},
    body: typeof body === 'string' ? body : undefined,
  };
}
