// Writer of HTTP responses: headers, and long bodies with back-pressure.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Reply } from './reply.js';

const EVERY_ANSWER = {
  'access-control-allow-origin': '*',
  vary: 'origin, access-control-request-method, access-control-request-headers',
  'x-content-type-options': 'nosniff',
};

/** Longer answers are written in pieces of this many characters. */
const PIECE = 64 * 1024;
/** How long a client may leave a piece unread before its connection is closed. */
const UNREAD_MILLISECONDS = 30_000;
/** How long a refused client may go on sending, so that it can read the refusal. */
const LINGER_MILLISECONDS = 2_000;

/** A promise only for a long answer. */
export function send(
  reply: Reply,
  request: IncomingMessage,
  response: ServerResponse,
  isLast: boolean,
): Promise<void> | undefined {
  const { status, headers, body = '', isPage = false } = reply;
  if (response.destroyed) return undefined;
  if (response.headersSent) {
    // Part of another answer was sent: the client must not take it for a complete one.
    response.destroy();
    return undefined;
  }
  // After a refused `Expect: 100-continue`, the body may follow or not.
  const unsettled = request.headers.expect !== undefined && !request.complete;
  const lingers = reply.lingers && !request.complete;
  response.writeHead(status, {
    ...(isPage ? {} : EVERY_ANSWER),
    ...headers,
    ...(status !== 204 && { 'content-length': Buffer.byteLength(body) }),
    ...((isLast || unsettled) && { connection: 'close' }),
  });
  if (typeof body === 'string' && body.length > PIECE && request.method !== 'HEAD' && !lingers) {
    return new PacedWriter(response).write(body).then(() => void response.end());
  }
  if (lingers) linger(body, request, response);
  else response.end(body);
  return undefined;
}

/** Closes after a moment: if it closed at once, incoming data would make the system discard the answer. */
function linger(
  body: string | Uint8Array,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const end = (): void => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, LINGER_MILLISECONDS);
  request.once('end', end).once('close', end).resume();
  response.write(body);
}

/** Begins an answer of unknown length. */
export function beginStream(response: ServerResponse, isLast: boolean): PacedWriter {
  response.writeHead(200, {
    ...EVERY_ANSWER,
    'content-type': 'application/json',
    ...(isLast && { connection: 'close' }),
  });
  return new PacedWriter(response);
}

/** Writes text as fast as the client reads it. */
export class PacedWriter {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  /** Resolves when the system has taken the text, or the connection is gone. */
  async write(text: string): Promise<void> {
    const response = this.#response;
    for (let at = 0; at < text.length; ) {
      if (response.destroyed || response.socket?.destroyed) return;
      const end = endOfPiece(text, at);
      const isTaken = response.write(Buffer.from(text.slice(at, end)));
      at = end;
      if (!isTaken) await this.#drained();
    }
  }

  #drained(): Promise<void> {
    const response = this.#response;
    return new Promise((resolve) => {
      const timer = setInterval(() => {
        // Without a socket, an earlier pipelined answer is still being written.
        if (response.socket) response.destroy();
      }, UNREAD_MILLISECONDS);
      const end = (): void => {
        clearInterval(timer);
        response.off('drain', end).off('close', end);
        resolve();
      };
      response.on('drain', end).on('close', end);
    });
  }
}

/** Does not split a surrogate pair. */
function endOfPiece(text: string, at: number): number {
  const end = at + PIECE;
  if (end >= text.length) return text.length;
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end + 1 : end;
}
