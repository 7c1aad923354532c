// The file that --record-requests writes: one line for each request and its answer, for `starkbox replay`.
import { createWriteStream } from 'node:fs';
import { canonicalName } from '@starkbox/spec';
import { reasonOf } from '../errors.js';
import { openOutput } from '../files/regular-file.js';
import { JsonText, parseIfJson, stringify } from '../json/json.js';
import type { Log } from '../log.js';
import type { Listener } from '../rpc/protocol/call-context.js';
import type { Dispatcher } from '../rpc/protocol/dispatcher.js';
import { externalMethodIn } from '../rpc/protocol/envelope.js';
import {
  HIDDEN,
  hidesResult,
  Redaction,
  type RedactionOptions,
} from '../rpc/request-log/redaction.js';

export interface Recorder {
  /** Wraps a dispatcher so that requests and answers are recorded. */
  recording(dispatcher: Pick<Dispatcher, 'handle'>): Pick<Dispatcher, 'handle'>;
  close(): Promise<void>;
}

export interface RecorderOptions {
  readonly path: string;
  /** The first line: what a replay has to start with. */
  readonly about: object;
  /** What must not be written; read with each request, since an L1 key can be added later. */
  readonly secrets: () => { readonly keys: Iterable<string>; readonly words: readonly string[] };
  readonly log: Log;
  /** Bytes that may wait to be written; further requests are left out and counted. */
  readonly mostWaiting?: number;
}

const MOST_WAITING = 64 * 1024 * 1024;

/**
 * Writes a line when a request has been answered, so that reads of an old block precede the change that
 * made a new one. If the file cannot be written, recording stops and the node continues.
 */
export function openRecorder(options: RecorderOptions): Recorder {
  const { path, about, secrets, log, mostWaiting = MOST_WAITING } = options;
  // Opened at once, so that a path that cannot be written fails the start; readable by its owner only.
  const stream = createWriteStream(path, { fd: openOutput(path, 0o600) });
  let hasFailed = false;
  let missing = 0;
  stream.on('error', (error) => {
    if (!hasFailed) log.error(`recording requests in ${path} has stopped: ${reasonOf(error)}`);
    hasFailed = true;
  });
  const write = (value: object): void => void stream.write(`${stringify(value)}\n`);
  const record = (line: () => object): void => {
    if (hasFailed) return;
    if (stream.writableLength > mostWaiting) {
      if (missing === 0) log.warn(`${path} is written too slowly: the recording omits requests`);
      missing += 1;
      return;
    }
    if (missing > 0) write({ missing });
    missing = 0;
    write(line());
  };
  const sockets = new WeakMap<Listener, number>();
  let opened = 0;
  const socketOf = (listener: Listener): number => {
    const number = sockets.get(listener);
    if (number !== undefined) return number;
    opened += 1;
    sockets.set(listener, opened);
    return opened;
  };
  write(about);
  return {
    recording: (dispatcher) => ({
      async handle(text, session) {
        // The answer is recorded as a whole, and so not sent in pieces.
        const answer = await dispatcher.handle(text, session);
        const { listener, version } = session;
        record(() => {
          const { keys, words } = secrets();
          const safe = safeRequest(new Redaction(keys, words), text);
          const seconds = Math.round(process.uptime() * 1e3) / 1e3;
          if (safe.external !== undefined) return { seconds, missing: 1, method: safe.external };
          return {
            seconds,
            socket: listener && socketOf(listener),
            version,
            [safe.isJson ? 'request' : 'request_text']: new JsonText(safe.text),
            answer: answer === undefined ? undefined : new JsonText(safe.answer(answer)),
          };
        });
        return answer;
      },
    }),
    close: () =>
      new Promise((resolve) => {
        if (missing > 0 && !hasFailed) write({ missing });
        if (hasFailed || stream.closed) resolve();
        else stream.once('close', resolve).end();
      }),
  };
}

/** A request without secrets, on one line, and what hides the same in its answer. */
export interface SafeRequest {
  /** JSON: what is not JSON is a string in it. */
  readonly text: string;
  readonly isJson: boolean;
  /** The first method that reaches a file or another host, which a replay rejects. */
  readonly external: string | undefined;
  answer(text: string): string;
}

/** @param longest characters of the texts that are returned; all by default */
export function safeRequest(redaction: Redaction, request: string, longest?: number): SafeRequest {
  const call = parseIfJson(request);
  if (call === undefined) {
    const { text } = redaction.call('unknown', request, longest);
    const answer = (answer: string): string => redaction.text(answer, { longest }).text;
    return { text, isJson: false, external: undefined, answer };
  }
  const calls = Array.isArray(call) ? call : [call];
  const safe = calls.map((call) => redaction.call(methodOf(call), call, longest));
  const texts = safe.map(({ text }) => text).join();
  const options = { secrets: new Set(safe.flatMap(({ secrets }) => secrets)), longest };
  return {
    text: Array.isArray(call) ? `[${texts}]` : texts,
    isJson: true,
    external: externalMethodIn(call),
    answer: (answer) => safeAnswer(redaction, calls.map(methodOf), answer, options),
  };
}

function safeAnswer(
  redaction: Redaction,
  methods: readonly string[],
  answer: string,
  options: RedactionOptions,
): string {
  const [first, ...others] = methods;
  if (others.length === 0) return redaction.answer(first ?? 'unknown', answer, options).text;
  // Answers of a batch stand in any order: with a whole chain among them, none is kept.
  const recorded = methods.some(hidesResult) ? `"${HIDDEN}"` : answer;
  return redaction.text(recorded, options).text;
}

/** The method by its canonical name. */
function methodOf(call: unknown): string {
  const method =
    typeof call === 'object' && call !== null && 'method' in call ? call.method : undefined;
  return typeof method === 'string' ? canonicalName(method) : 'unknown';
}
