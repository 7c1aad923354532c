// Open HTTP connections, and the requests under way on each.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Time for a client to finish sending a request when the server stops. */
const GRACE_MILLISECONDS = 1_000;

/** Work on a request. */
export interface RequestWork {
  /** Called once, when the response is sent or dropped. */
  recordEnd(end: 'answered' | 'client gone'): void;
  /** Nothing was sent or received for as long as a request may take. */
  expire(): void;
}

/** A request until its response is sent or dropped. */
export interface OpenRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** With a function in its place, V8 keeps most requests until the next full collection. */
  work: RequestWork | undefined;
}

/** Closes idle connections when the server stops; Node itself would wait for them. */
export class Connections {
  readonly #requests = new Map<Duplex, Set<OpenRequest>>();
  /** Actions that wait for the requests under way. */
  readonly #waiting = new WeakMap<Duplex, () => void>();
  #draining = false;

  get size(): number {
    return this.#requests.size;
  }

  add(socket: Duplex): void {
    if (this.#requests.has(socket)) return;
    const requests = new Set<OpenRequest>();
    this.#requests.set(socket, requests);
    // Without a listener here, a socket error during an upgrade would end the process.
    socket.on('error', () => {});
    // One listener for all requests. Node gives a pipelined response no event of its own before its turn.
    socket.once('close', () => {
      this.delete(socket);
      for (const { work } of requests) work?.recordEnd('client gone');
    });
  }

  delete(socket: Duplex): void {
    this.#requests.delete(socket);
  }

  enter(request: IncomingMessage, response: ServerResponse): OpenRequest {
    const open: OpenRequest = { request, response, work: undefined };
    this.#requests.get(request.socket)?.add(open);
    response.on('close', () => this.#leave(open));
    return open;
  }

  #leave(open: OpenRequest): void {
    const { socket } = open.request;
    const requests = this.#requests.get(socket);
    if (!requests?.delete(open)) return;
    open.work?.recordEnd('answered');
    if (requests.size !== 0) return;
    if (this.#draining) socket.destroySoon();
    else this.#waiting.get(socket)?.();
    this.#waiting.delete(socket);
  }

  /** Nothing was sent or received on a connection for as long as a request, or a connection without one, may last. */
  expire(socket: Socket): void {
    const requests = [...(this.#requests.get(socket) ?? [])];
    if (requests.length === 0) socket.destroy();
    for (const { work, response } of requests) {
      if (work) work.expire();
      else response.destroy();
    }
  }

  /** Runs the action when no request is under way on a connection; never if the connection ends first. */
  whenAnswered(socket: Duplex, action: () => void): void {
    if (this.#requests.get(socket)?.size === 0) action();
    else this.#waiting.set(socket, action);
  }

  /** Whether the connection closes after this request. */
  isLast({ request: { socket } }: OpenRequest): boolean {
    return this.#draining && (this.#requests.get(socket)?.size ?? 0) <= 1;
  }

  drain(): void {
    this.#draining = true;
    for (const [socket, open] of this.#requests) if (open.size === 0) socket.destroy();
    setTimeout(() => {
      for (const [socket, open] of this.#requests) {
        if ([...open].some(({ request }) => !request.complete)) socket.destroy();
      }
    }, GRACE_MILLISECONDS).unref();
  }
}
