// Report of the port to a test harness: two bytes, big-endian, on a Unix socket.
import { connect } from 'node:net';

/** Resolves when the port is sent; rejects if nothing listens on the socket. */
export function reportPort(port: number, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(path, () => {
      socket.end(Uint8Array.of(port >> 8, port & 0xff), resolve);
    });
    socket.once('error', reject);
    // A harness that keeps its end open must not keep this process alive.
    socket.unref();
  });
}
