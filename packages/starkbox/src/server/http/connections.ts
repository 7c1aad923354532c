// Open HTTP connections, and the requests under way on each.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { Admission } from './admission.js';

/** Time for a client to finish sending a request when the server stops. */
const GRACE_MILLISECONDS = 1_000;

/** Closes idle connections when the server stops; Node itself would wait for them. */
export class Connections {
  readonly #requests = new Map<Duplex, Set<IncomingMessage>>();
  /** Actions that wait for the requests under way. */
  readonly #waiting = new WeakMap<Duplex, () => void>();
  readonly #admission = new Admission();
  #draining = false;

  get size(): number {
    return this.#requests.size;
  }

  add(socket: Duplex): void {
    if (this.#requests.has(socket)) return;
    this.#admission.accepted();
    this.#requests.set(socket, new Set());
    // Without a listener here, a socket error during an upgrade would end the process.
    socket.on('error', () => {});
    socket.once('close', () => this.delete(socket));
  }

  delete(socket: Duplex): void {
    this.#requests.delete(socket);
  }

  /** @returns resolves when the request may be answered; undefined if it may at once */
  enter(request: IncomingMessage, response: ServerResponse): Promise<void> | undefined {
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
    return this.#admission.turn();
  }

  /** Runs the action when no request is under way on a connection; never if the connection ends first. */
  whenAnswered(socket: Duplex, action: () => void): void {
    if (this.#requests.get(socket)?.size === 0) action();
    else this.#waiting.set(socket, action);
  }

  /** Whether the connection closes after this request. */
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
