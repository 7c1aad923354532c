// Bodies of JSON-RPC requests and responses in the log, without secrets.
import { canonicalName } from '@starkbox/spec';
import { parseIfJson } from '../json/json.js';
import type { Log } from '../log.js';
import type { Dispatcher } from '../rpc/protocol/dispatcher.js';
import { HIDDEN, hidesResult, Redaction } from '../rpc/request-log/redaction.js';
import { shortenText } from '../terminal.js';

/** Wraps a dispatcher so that bodies are logged as they come and go. */
export type BodyLog = (dispatcher: Pick<Dispatcher, 'handle'>) => Pick<Dispatcher, 'handle'>;

export interface BodyLogOptions {
  readonly which: 'request' | 'response' | 'both';
  /** Read with each request, because an L1 key can be added later. */
  readonly secrets: () => { readonly keys: Iterable<string>; readonly words: readonly string[] };
  readonly log: Log;
}

/** Characters of one line; a declared class has millions. */
const MAX_LINE = 64 * 1024;

export function bodyLog({ which, secrets, log }: BodyLogOptions): BodyLog {
  return (dispatcher) => ({
    async handle(text, session, delivery) {
      const { keys, words } = secrets();
      const request = redactRequest(new Redaction(keys, words), text);
      if (which !== 'response')
        log.info(`request ${shortenText(request.text, MAX_LINE, text.length)}`);
      if (which === 'request') return dispatcher.handle(text, session, delivery);
      // The answer is logged as a whole, and so not sent in pieces.
      const answer = await dispatcher.handle(text, session);
      if (answer !== undefined)
        log.info(`response ${shortenText(request.redactAnswer(answer), MAX_LINE, answer.length)}`);
      return answer;
    },
  });
}

interface RedactedRequest {
  /** JSON on one line: what is not JSON is a string in it. */
  readonly text: string;
  /** Hides the same in the answer. */
  redactAnswer(answer: string): string;
}

function redactRequest(redaction: Redaction, request: string): RedactedRequest {
  const parsed = parseIfJson(request);
  if (parsed === undefined) {
    const { text } = redaction.call('unknown', request, MAX_LINE);
    return { text, redactAnswer: (answer) => redaction.text(answer, { longest: MAX_LINE }).text };
  }
  const calls: readonly unknown[] = Array.isArray(parsed) ? parsed : [parsed];
  const methods = calls.map(methodOf);
  const redacted = calls.map((call, at) =>
    redaction.call(methods[at] ?? 'unknown', call, MAX_LINE),
  );
  const texts = redacted.map(({ text }) => text).join();
  const secrets = new Set(redacted.flatMap((call) => call.secrets));
  return {
    text: Array.isArray(parsed) ? `[${texts}]` : texts,
    redactAnswer: (answer) => {
      const options = { secrets, longest: MAX_LINE };
      const [method = 'unknown', ...others] = methods;
      if (others.length === 0) return redaction.answer(method, answer, options).text;
      // Answers of a batch stand in any order: with a whole chain among them, none is shown.
      return redaction.text(methods.some(hidesResult) ? `"${HIDDEN}"` : answer, options).text;
    },
  };
}

/** The method by its canonical name. */
function methodOf(call: unknown): string {
  const method =
    typeof call === 'object' && call !== null && 'method' in call ? call.method : undefined;
  return typeof method === 'string' ? canonicalName(method) : 'unknown';
}
