// Writer of HTTP responses: headers, and bodies in pieces with back-pressure.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Reply } from './reply.js';

const EVERY_ANSWER = {
  'access-control-allow-origin': '*',
  vary: 'origin, access-control-request-method, access-control-request-headers',
  'x-content-type-options': 'nosniff',
};

export function send(
  reply: Reply,
  request: IncomingMessage,
  response: ServerResponse,
  isLast: boolean,
): void {
  const { status, headers, body = '', isPage = false } = reply;
  if (response.destroyed) return;
  if (response.headersSent) {
    // Part of another answer was sent: the client must not take it for a complete one.
    response.destroy();
    return;
  }
  // After a refused `Expect: 100-continue`, the body may follow or not.
  const unsettled = request.headers.expect !== undefined && !request.complete;
  response.writeHead(status, {
    ...(isPage ? {} : EVERY_ANSWER),
    ...headers,
    ...(status !== 204 && { 'content-length': Buffer.byteLength(body) }),
    ...((isLast || unsettled) && { connection: 'close' }),
  });
  response.end(body);
}

/** Begins an answer of unknown length. */
export function beginStream(response: ServerResponse, isLast: boolean): void {
  response.writeHead(200, {
    ...EVERY_ANSWER,
    'content-type': 'application/json',
    ...(isLast && { connection: 'close' }),
  });
}

/** Resolves when more can be written, or the connection is gone. */
export async function writePiece(response: ServerResponse, text: string): Promise<void> {
  if (response.destroyed || response.socket?.destroyed || response.write(text)) return;
  await new Promise<void>((resolve) => {
    const end = (): void => {
      response.off('drain', end).off('close', end);
      resolve();
    };
    response.on('drain', end).on('close', end);
  });
}
