// Bodies of JSON-RPC requests and responses in the log, without secrets.
import type { Dispatcher } from '../rpc/protocol/dispatcher.js';
import { Redaction } from '../rpc/request-log/redaction.js';
import { shortened } from '../terminal.js';
import { type RecorderOptions, safeRequest } from './recorder.js';

export interface BodyLogOptions extends Pick<RecorderOptions, 'secrets' | 'log'> {
  readonly which: 'request' | 'response' | 'both';
}

/** Characters of one line; a declared class has millions. */
const LONGEST = 64 * 1024;

/** Wraps a dispatcher so that bodies are logged as they come and go. */
export function loggingBodies(
  dispatcher: Pick<Dispatcher, 'handle'>,
  { which, secrets, log }: BodyLogOptions,
): Pick<Dispatcher, 'handle'> {
  return {
    async handle(text, session, delivery) {
      const { keys, words } = secrets();
      const safe = safeRequest(new Redaction(keys, words), text, LONGEST);
      if (which !== 'response') log.info(`request ${shortened(safe.text, LONGEST, text.length)}`);
      if (which === 'request') return dispatcher.handle(text, session, delivery);
      // The answer is logged as a whole, and so not sent in pieces.
      const answer = await dispatcher.handle(text, session);
      if (answer !== undefined)
        log.info(`response ${shortened(safe.answer(answer), LONGEST, answer.length)}`);
      return answer;
    },
  };
}
