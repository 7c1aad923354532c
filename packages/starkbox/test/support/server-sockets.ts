// The server's ends of the connections that a test opens, and their timeout without the time.
import { channel } from 'node:diagnostics_channel';
import { Socket } from 'node:net';
import { afterEach, beforeEach, expect } from 'vitest';

const ACCEPTED = channel('net.server.socket');
const sockets: Socket[] = [];

function keep(message: unknown): void {
  if (typeof message !== 'object' || message === null || !('socket' in message)) return;
  if (message.socket instanceof Socket) sockets.push(message.socket);
}

/** Keeps them in each test of the file. */
export function watchServerSockets(): void {
  beforeEach(() => ACCEPTED.subscribe(keep));
  afterEach(() => {
    ACCEPTED.unsubscribe(keep);
    sockets.length = 0;
  });
}

/** Whether a client has to read before more can be sent to it. */
export function isAnyFull(): boolean {
  return sockets.some(({ writableNeedDrain }) => writableNeedDrain);
}

/** As if nothing had been sent or received for so many seconds, where that is the timeout: not between requests. */
export function passTimeout(seconds: number): void {
  const busy = sockets.filter(({ timeout }) => timeout === seconds * 1000);
  expect(busy).not.toHaveLength(0);
  for (const socket of busy) socket.emit('timeout');
}
