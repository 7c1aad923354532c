// Knows how requests and answers are written down, so that somebody else can repeat them.
import { createWriteStream, openSync } from 'node:fs';
import { JsonText, parse, stringify } from '../json.js';
import type { Dispatcher, Listener } from '../rpc/dispatch.js';

export interface Recorder {
  /** Answers as the dispatcher does, and writes down what. */
  recording(dispatcher: Pick<Dispatcher, 'handle'>): Pick<Dispatcher, 'handle'>;
  close(): Promise<void>;
}

const PRIVATE_KEY = /("private_key":\s*)"[^"]*"/g;

/**
 * Writes one line for each request, when it has been answered: reads that saw an old block then stand
 * before the change that made a new one.
 *
 * @param about what whoever repeats them has to know of this node: the first line
 */
export function openRecorder(path: string, about: object): Recorder {
  // At once, so that a path that cannot be written is told at the start; for nobody else's eyes.
  const stream = createWriteStream(path, { fd: openSync(path, 'w', 0o600) });
  const sockets = new WeakMap<Listener, number>();
  let opened = 0;
  const socketOf = (listener: Listener): number => {
    const known = sockets.get(listener);
    if (known !== undefined) return known;
    opened += 1;
    sockets.set(listener, opened);
    return opened;
  };
  stream.write(`${stringify(about)}\n`);
  return {
    recording: (dispatcher) => ({
      async handle(text, session) {
        const answer = await dispatcher.handle(text, session);
        const { listener } = session;
        stream.write(
          `${stringify({
            seconds: Math.round(process.uptime() * 1e3) / 1e3,
            socket: listener && socketOf(listener),
            ...written('request', text),
            ...(answer === undefined ? {} : written('answer', answer)),
          })}\n`,
        );
        return answer;
      },
    }),
    close: () => new Promise((resolve) => void stream.end(resolve)),
  };
}

/** As JSON where it is some, and in one line. */
function written(name: 'request' | 'answer', text: string): object {
  try {
    const value = parse(text);
    const line = /[\n\r]/.test(text) ? stringify(value) : text;
    return { [name]: new JsonText(line.replaceAll(PRIVATE_KEY, '$1"hidden"')) };
  } catch {
    return { [`${name}_text`]: text };
  }
}
