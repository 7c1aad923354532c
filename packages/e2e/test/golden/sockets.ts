// The WebSockets of a replayed conversation: what they receive, compared with what was recorded.

import { setTimeout as delay } from 'node:timers/promises';
import { isObject } from '@starkbox/abi/basics';
import { WebSocket } from 'ws';
import { parse } from '../../../starkbox/src/json/json.js';
import { compare, type Difference } from './compare.js';
import type { Correspondence } from './correspondence.js';
import type { Entry } from './transcript.js';

/** How long recorded messages are awaited. */
const TIMEOUT_MILLISECONDS = 10_000;
/** Longer than the node delays notifications. Its timers are those of this process, and so fire before. */
const FLUSH_MILLISECONDS = 60;

type Received = Extract<Entry, { kind: 'receive' }>;

export interface Compared {
  readonly exchange: number;
  readonly what: string;
  readonly differences: readonly Difference[];
}

interface Socket {
  readonly connection: WebSocket;
  readonly inbox: unknown[];
}

export class ReplaySockets {
  readonly #url: string;
  readonly #sockets = new Map<string, Socket>();
  #settled = 0;

  constructor(url: string) {
    this.#url = url;
  }

  async send(name: string, text: string, isBinary: boolean): Promise<void> {
    const { connection } = await this.#socket(name);
    connection.send(isBinary ? Buffer.from(text) : text);
  }

  async closeOne(name: string): Promise<void> {
    const socket = this.#sockets.get(name);
    if (!socket) return;
    this.#sockets.delete(name);
    await new Promise<void>((resolve) => {
      socket.connection.once('close', () => resolve());
      socket.connection.close();
    });
  }

  close(): void {
    for (const { connection } of this.#sockets.values()) connection.terminate();
  }

  /** Waits for the recorded messages of one step, on every socket, and compares. */
  async compare(
    recorded: readonly Received[],
    exchange: number,
    pairs: Correspondence,
    request: unknown,
  ): Promise<Compared[]> {
    for (const { socket } of recorded) await this.#socket(socket);
    if (this.#sockets.size === 0) return [];
    const expected = [...this.#sockets].map(([name, socket]) => ({
      socket,
      messages: recorded.filter((message) => message.socket === name),
    }));
    const deadline = performance.now() + TIMEOUT_MILLISECONDS;
    while (expected.some(({ socket, messages }) => socket.inbox.length < messages.length)) {
      if (performance.now() > deadline) break;
      await delay(5);
    }
    await delay(FLUSH_MILLISECONDS);
    await Promise.all(expected.map(({ socket }) => this.#settle(socket)));
    return expected.flatMap(({ socket, messages }) =>
      compareInbox(socket.inbox.splice(0), messages, exchange, pairs, request),
    );
  }

  /** Waits for the answer to a call of our own: what was sent to the socket before it has arrived. */
  async #settle({ connection, inbox }: Socket): Promise<void> {
    this.#settled += 1;
    const id = `settled ${this.#settled}`;
    await new Promise<void>((resolve) => {
      const finish = (): void => {
        connection.off('message', look).off('close', finish);
        resolve();
      };
      const look = (): void => {
        const index = inbox.findIndex((message) => isObject(message) && message['id'] === id);
        if (index < 0) return;
        inbox.splice(index, 1);
        finish();
      };
      connection.on('message', look).once('close', finish);
      if (connection.readyState !== WebSocket.OPEN) finish();
      else connection.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'starknet_specVersion' }));
    });
  }

  async #socket(name: string): Promise<Socket> {
    const openSocket = this.#sockets.get(name);
    if (openSocket) return openSocket;
    const connection = new WebSocket(this.#url, { perMessageDeflate: false });
    const socket: Socket = { connection, inbox: [] };
    connection.on('message', (data) => socket.inbox.push(parse(String(data))));
    await new Promise<void>((resolve, reject) => {
      connection.once('open', () => resolve());
      connection.once('error', reject);
    });
    this.#sockets.set(name, socket);
    return socket;
  }
}

/** Replies come first, because they pair the ids of subscriptions. */
function compareInbox(
  inbox: unknown[],
  recorded: readonly Received[],
  exchange: number,
  pairs: Correspondence,
  request: unknown,
): Compared[] {
  const isReply = ({ message }: Received): boolean => subscriptionOf(message) === undefined;
  const ordered = [
    ...recorded.filter(isReply),
    ...recorded.filter((received) => !isReply(received)),
  ];
  const compared = ordered.map(({ exchange: at, message }): Compared => {
    const id = subscriptionOf(message);
    const stream = id === undefined ? undefined : (pairs.subscriptions.get(id) ?? id);
    const index = inbox.findIndex((other) => subscriptionOf(other) === stream);
    const what = id === undefined ? 'reply' : `notification of ${id}`;
    if (index < 0) return { exchange: at, what, differences: [lost('missing message', message)] };
    const [actual] = inbox.splice(index, 1);
    const call = id === undefined ? request : undefined;
    return { exchange: at, what, differences: compare(message, actual, pairs, call) };
  });
  const extra = inbox.map(
    (message): Compared => ({ exchange, what: 'message', differences: [added(message)] }),
  );
  return [...compared, ...extra];
}

function lost(kind: string, expected: unknown): Difference {
  return { path: '$', kind, expected, actual: undefined, isNote: false };
}

function added(actual: unknown): Difference {
  return { path: '$.extra', kind: 'extra message', expected: undefined, actual, isNote: false };
}

function subscriptionOf(message: unknown): string | undefined {
  const params = isObject(message) ? message['params'] : undefined;
  const id = isObject(params) ? params['subscription_id'] : undefined;
  return id === undefined ? undefined : String(id);
}
