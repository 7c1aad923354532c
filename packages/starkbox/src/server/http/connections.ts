// Knows what is under way on each connection, and so when it can be closed or handed over.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** How long a client may take to finish a request that it had begun to send when we stop. */
const GRACE_MILLISECONDS = 1_000;

/** Node itself would wait for connections that never asked for anything. */
export class Connections {
  readonly #requests = new Map<Duplex, Set<IncomingMessage>>();
  /** What comes after the requests that are under way. */
  readonly #waiting = new WeakMap<Duplex, () => void>();
  #draining = false;

  get size(): number {
    return this.#requests.size;
  }

  add(socket: Duplex): void {
    if (this.#requests.has(socket)) return;
    this.#requests.set(socket, new Set());
    // While a connection changes hands nobody else listens, and nobody would survive.
    socket.on('error', () => {});
    socket.once('close', () => this.delete(socket));
  }

  delete(socket: Duplex): void {
    this.#requests.delete(socket);
  }

  enter(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    this.#requests.get(socket)?.add(request);
    response.once('close', () => {
      const open = this.#requests.get(socket);
      open?.delete(request);
      if (open?.size !== 0) return;
      if (this.#draining) socket.destroySoon();
      else this.#waiting.get(socket)?.();
      this.#waiting.delete(socket);
    });
  }

  /** Runs when nothing is under way on a connection; never if it ends before. */
  whenAnswered(socket: Duplex, action: () => void): void {
    if (this.#requests.get(socket)?.size === 0) action();
    else this.#waiting.set(socket, action);
  }

  /** True if nothing comes after this request on its connection. */
  isLast({ socket }: IncomingMessage): boolean {
    return this.#draining && (this.#requests.get(socket)?.size ?? 0) <= 1;
  }

  drain(): void {
    this.#draining = true;
    for (const [socket, open] of this.#requests) if (open.size === 0) socket.destroy();
    setTimeout(() => {
      for (const [socket, open] of this.#requests) {
        if ([...open].some(({ complete }) => !complete)) socket.destroy();
      }
    }, GRACE_MILLISECONDS).unref();
  }
}
