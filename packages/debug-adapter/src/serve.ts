// Entry of the bundle that `starkbox debug` loads: the adapter on stdio or a port, and the console.
import { createServer, type Server, type Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { Adapter } from './adapter.js';
import { startConsole, type Terminal } from './console.js';
import type { Host, LaunchArguments } from './launch.js';

/** Serves one editor until it disconnects. */
export function serveStreams(
  host: Host,
  commandLine: LaunchArguments,
  input: Readable,
  output: Writable,
): Promise<void> {
  return new Promise((resolve) => {
    const adapter = new Adapter(host, commandLine, resolve);
    adapter.setRunAsServer(true);
    adapter.start(input, output);
    input.once('end', () => adapter.shutdown());
  });
}

/** A message of the protocol starts with this header. A request of HTTP, which any web page can send, does not. */
const FIRST_HEADER = 'content-';

/** Serves each editor that connects to a port of this machine. */
export async function listen(
  host: Host,
  commandLine: LaunchArguments,
  port: number,
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => sockets.delete(socket));
    socket.once('data', (first: Buffer) => {
      const start = first.toString('latin1', 0, FIRST_HEADER.length).toLowerCase();
      if (!FIRST_HEADER.startsWith(start)) {
        socket.destroy();
        return;
      }
      socket.pause();
      socket.unshift(first);
      void serveStreams(host, commandLine, socket, socket).then(() => socket.end());
    });
  });
  await listening(server, port);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    port: address.port,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}

function listening(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
}

/** Debugs on a terminal until its input ends. */
export function debugOnTerminal(
  host: Host,
  commandLine: LaunchArguments,
  terminal: Terminal,
  isInteractive: boolean,
): Promise<void> {
  return startConsole(host, commandLine, terminal, isInteractive);
}
