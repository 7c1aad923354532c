// Replays one recorded conversation on a node of this process and collects what it answers otherwise.

import { mkdtempSync, rmSync } from 'node:fs';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isObject, type Members } from '@starkbox/abi/basics';
import { optionsOf } from '@starkbox/test-support/command-line';
import { createChain } from 'starkbox';
import { parse, stringify } from '../../../starkbox/src/json/json.js';
import { compare, type Difference } from './compare.js';
import { Correspondence } from './correspondence.js';
import type { IntendedDifferences } from './differences.js';
import { ReplaySockets } from './sockets.js';
import type { Entry, HttpRequest, Transcript } from './transcript.js';

export interface Replayed {
  /** Differences that are not intended. */
  readonly failures: readonly string[];
  readonly exchanges: number;
}

/** Methods after which a block number may have another block. */
const REWRITING = new Set<unknown>([
  'devnet_restart',
  'devnet_load',
  'devnet_abortBlocks',
  'devnet_revert',
]);

export async function replay(
  transcript: Transcript,
  intended: IntendedDifferences,
): Promise<Replayed> {
  const folder = mkdtempSync(join(tmpdir(), 'starkbox-golden-'));
  const judge = new Judge(transcript.theme, intended);
  try {
    const options = transcript.options.map((option) => option.replaceAll('{tmp}', folder));
    const startedAt = Math.floor(Date.now() / 1000);
    const started = await startNode(options).catch((error: unknown) => {
      judge.add(0, 'start', [stopped(error)]);
    });
    if (!started) return judge.result;
    const { recordedAt } = transcript;
    const { url, port, close } = started;
    const pairs = new Correspondence({ recordedAt, startedAt, port, folder });
    const sockets = new ReplaySockets(`${url.replace('http', 'ws')}/ws`);
    try {
      await replayEntries(transcript.entries, { url, pairs, sockets, judge });
    } finally {
      sockets.close();
      await close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return judge.result;
}

async function startNode(options: readonly string[]) {
  const node = await createChain(await optionsOf(...options, '--port', '0'));
  const { url } = await node.listen();
  return { url, port: Number(new URL(url).port), close: () => node.close() };
}

interface Run {
  readonly url: string;
  readonly pairs: Correspondence;
  readonly sockets: ReplaySockets;
  readonly judge: Judge;
}

async function replayEntries(entries: readonly Entry[], run: Run): Promise<void> {
  for (let index = 0; index < entries.length; index += 1) {
    const entry = entries[index];
    if (!entry) break;
    const methods = methodsOf(entry);
    // A revert may report old and new blocks, the other methods only old ones.
    if (methods.includes('devnet_revert')) run.pairs.beginEpoch();
    await perform(entry, run);
    const received: Extract<Entry, { kind: 'receive' }>[] = [];
    for (let next = entries[index + 1]; next?.kind === 'receive'; next = entries[index + 1]) {
      received.push(next);
      index += 1;
    }
    const request = entry.kind === 'send' ? entry.message : undefined;
    for (const { exchange, what, differences } of await run.sockets.compare(
      received,
      entry.exchange,
      run.pairs,
      request,
    )) {
      run.judge.add(exchange, what, differences);
    }
    if (methods.some((method) => REWRITING.has(method))) run.pairs.beginEpoch();
  }
}

async function perform(entry: Entry, { url, pairs, sockets, judge }: Run): Promise<void> {
  if (entry.kind === 'call') {
    const body = stringify(pairs.translate(entry.request));
    const headers = { 'content-type': 'application/json' };
    const answer = await send(url, { method: 'POST', path: '/', headers, body });
    const actual = answer.text === '' ? { empty: true } : parsed(answer.text);
    const what = methodsOf(entry).join(', ');
    judge.add(entry.exchange, what, compare(entry.response, actual, pairs, entry.request));
  } else if (entry.kind === 'http') {
    const what = `${entry.request.method} ${entry.request.path}`;
    const answer = await send(url, entry.request);
    judge.add(entry.exchange, what, compareHttp(entry.response, answer, pairs));
  } else if (entry.kind === 'send') {
    await sockets.send(entry.socket, stringify(pairs.translate(entry.message)), false);
  } else if (entry.kind === 'raw') await sockets.send(entry.socket, entry.text, entry.isBinary);
  else if (entry.kind === 'close') await sockets.closeOne(entry.socket);
}

function compareHttp(
  { json, headers, ...recorded }: Members,
  answer: HttpAnswer,
  pairs: Correspondence,
): Difference[] {
  const names = isObject(headers) ? Object.keys(headers) : [];
  const actual = {
    status: answer.status,
    ...('text' in recorded && { text: answer.text }),
    ...(names.length > 0 && {
      headers: Object.fromEntries(names.map((name) => [name, answer.headers[name]])),
    }),
  };
  const expected = { ...recorded, ...(names.length > 0 && { headers }) };
  const differences = compare(expected, actual, pairs);
  return json === undefined
    ? differences
    : [...differences, ...compare(json, parsed(answer.text), pairs)];
}

interface HttpAnswer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

function send(url: string, { method, path, headers, body }: HttpRequest): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    const options = { method, agent: false, headers: { ...headers, ...length } };
    const outgoing = httpRequest(new URL(url), { ...options, path }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('end', () => {
        const text = Buffer.concat(pieces).toString();
        resolve({ status: response.statusCode, headers: response.headers, text });
      });
    });
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}

class Judge {
  readonly #theme: string;
  readonly #intended: IntendedDifferences;
  readonly #failures: string[] = [];
  #exchanges = 0;

  constructor(theme: string, intended: IntendedDifferences) {
    this.#theme = theme;
    this.#intended = intended;
  }

  get result(): Replayed {
    return { failures: this.#failures, exchanges: this.#exchanges };
  }

  add(exchange: number, what: string, differences: readonly Difference[]): void {
    this.#exchanges += 1;
    for (const difference of differences) {
      if (difference.isNote || this.#intended.has(this.#theme, exchange, difference)) continue;
      const { path, kind, expected, actual, reason } = difference;
      this.#failures.push(
        [
          `exchange ${exchange} (${what}) ${path}: ${reason ?? kind}`,
          `  recorded ${brief(expected)}`,
          `  answered ${brief(actual)}`,
        ].join('\n'),
      );
    }
  }
}

function methodsOf(entry: Entry): readonly unknown[] {
  const message =
    entry.kind === 'call' ? entry.request : entry.kind === 'send' ? entry.message : undefined;
  return [message].flat().map((call) => (isObject(call) ? call['method'] : undefined));
}

function parsed(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return { text };
  }
}

function stopped(error: unknown): Difference {
  const actual = error instanceof Error ? error.message : String(error);
  return { path: '$', kind: 'stopped', expected: undefined, actual, isNote: false };
}

function brief(value: unknown): string {
  const text = value === undefined ? 'nothing' : stringify(value);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
