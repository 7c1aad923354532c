// Knows how a test harness learns our port: two bytes, high one first, on a Unix socket of its own.
import { connect } from 'node:net';

/** Resolves when the socket has been told; rejects if nobody listens there. */
export function reportPort(port: number, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(path, () => {
      socket.end(Uint8Array.of(port >> 8, port & 0xff), resolve);
    });
    socket.once('error', reject);
    // A harness that keeps its end open must not keep us alive.
    socket.unref();
  });
}
