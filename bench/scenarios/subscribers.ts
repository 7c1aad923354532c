// WebSocket subscribers in their own process, which check completeness and order.
//
// They parse frames themselves: a general client takes several times as long, on cores that the node needs.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { frame, handshake } from '../../packages/starkbox/test/support/raw-socket.js';
import { Child, serve } from '../harness/child.js';
import { rpcBody } from '../harness/rpc-client.js';

/** The result of a round. */
export interface Received {
  /** Time when the last subscriber had all notifications of a transaction, by `now`. */
  readonly last: readonly number[];
  readonly messages: number;
  readonly bytes: number;
  /** Processor seconds of receiving and checking. */
  readonly cpu: number;
  /** Lost, repeated and reordered notifications. */
  readonly faults: readonly string[];
}

/** Milliseconds by the monotonic clock, which all processes share. */
export const now = (): number => Number(process.hrtime.bigint()) / 1e6;

const TOPICS = ['NewHeads', 'NewTransactionReceipts', 'Events'] as const;
type Topic = (typeof TOPICS)[number];
/** Events of one transfer: the transfer and its fee. */
const EVENTS = 2;
const EACH: Readonly<Record<Topic, number>> = {
  NewHeads: 1,
  NewTransactionReceipts: 1,
  Events: EVENTS,
};
/** First byte of a text message, length of the text after a result. */
const TEXT = 0x81;
const CLOSING = '}}'.length;
const PROBLEMS = 5;

/** The expected notifications, as the first subscriber received them. */
class Expected {
  readonly #next: number;
  readonly #received: Readonly<Record<Topic, Buffer[]>> = {
    NewHeads: [],
    NewTransactionReceipts: [],
    Events: [],
  };
  readonly hashes: string[] = [];
  readonly last: number[] = [];
  readonly faults: string[] = [];
  messages = 0;
  bytes = 0;
  /** Processor seconds at the start, and since then. */
  start = 0;
  cpu = 0;

  constructor(next: number) {
    this.#next = next;
  }

  /** Whether this notification is the expected one at a position. */
  matches(topic: Topic, position: number, data: Buffer, begin: number, end: number): boolean {
    const received = this.#received[topic][position];
    if (received) return received.compare(data, begin, end) === 0;
    this.#received[topic][position] = Buffer.from(data.subarray(begin, end));
    return this.#isDue(topic, position, JSON.parse(data.toString('utf8', begin, end)));
  }

  #isDue(
    topic: Topic,
    position: number,
    notification: { block_number?: number; transaction_hash?: string; event_index?: number },
  ): boolean {
    const { block_number, transaction_hash, event_index } = notification;
    const transaction = Math.floor(position / EACH[topic]);
    if (block_number !== this.#next + transaction) return false;
    if (topic === 'NewHeads') return true;
    if (topic === 'Events' && event_index !== position % EVENTS) return false;
    this.hashes[transaction] ??= transaction_hash ?? '';
    return transaction_hash === this.hashes[transaction];
  }

  fault(text: string): void {
    if (this.faults.length < PROBLEMS) this.faults.push(text);
  }
}

interface Subscription {
  readonly topic: Topic;
  readonly id: string;
  /** The constant text before the result. */
  readonly head: Buffer;
  position: number;
}

// All sockets are read into one buffer.
const readBuffer = Buffer.allocUnsafe(256 * 1024);

class Subscriber {
  readonly #socket: Socket;
  readonly #answers = new Map<number, (result: unknown) => void>();
  #subscriptions: Subscription[] = [];
  #expected: Expected | undefined;
  #rest: Buffer | undefined;
  #readAt = 0;
  /** Index of the subscription of the last notification. */
  #lastNotified = 0;
  #lastId = 0;
  #isOpen = false;
  #onOpen: () => void = () => {};
  #awaited: { readonly transactions: number; readonly resolve: () => void } | undefined;

  constructor(port: number) {
    this.#socket = connect({
      port,
      host: '127.0.0.1',
      onread: {
        buffer: readBuffer,
        callback: (length, buffer) => {
          this.#read(Buffer.from(buffer.buffer, buffer.byteOffset, length));
          return true;
        },
      },
    });
    this.#socket.on('close', () => {
      this.#isOpen = false;
      this.#expected?.fault('a connection was closed');
      this.#awaited?.resolve();
    });
    this.#socket.on('error', () => {});
  }

  async open(): Promise<void> {
    await once(this.#socket, 'connect');
    const upgrade = new Promise<void>((resolve) => {
      this.#onOpen = resolve;
    });
    this.#socket.write(handshake());
    await upgrade;
  }

  async subscribe(topics: readonly Topic[], expected: Expected): Promise<void> {
    this.#expected = expected;
    for (const topic of topics) {
      const id = await this.#call(`starknet_subscribe${topic}`, {});
      const method = `starknet_subscription${topic}`;
      const head = Buffer.from(
        `{"jsonrpc":"2.0","method":"${method}","params":{"subscription_id":"${id}","result":`,
      );
      this.#subscriptions.push({ topic, id: String(id), head, position: 0 });
    }
  }

  wait(transactions: number): Promise<void> {
    return new Promise((resolve) => {
      if (!this.#isOpen) resolve();
      this.#awaited = { transactions, resolve };
      this.#checkAwaited();
    });
  }

  /** Surplus notifications arrive before the last answer. */
  async finish(transactions: number): Promise<void> {
    for (const { id } of this.#isOpen ? this.#subscriptions : []) {
      await this.#call('starknet_unsubscribe', { subscription_id: id });
    }
    for (const { topic, position } of this.#subscriptions) {
      if (position !== transactions * EACH[topic]) {
        this.#expected?.fault(`${position} notifications of ${topic}`);
      }
    }
    this.#subscriptions = [];
    this.#expected = undefined;
    this.#awaited = undefined;
  }

  stall(): void {
    this.#socket.pause();
  }

  #call(method: string, params: object): Promise<unknown> {
    this.#lastId += 1;
    const id = this.#lastId;
    this.#socket.write(frame(rpcBody(method, params, id)));
    return new Promise((resolve) => this.#answers.set(id, resolve));
  }

  #read(chunk: Buffer): void {
    const data = this.#rest ? Buffer.concat([this.#rest, chunk]) : chunk;
    this.#readAt = now();
    let from = this.#isOpen ? 0 : this.#readHandshake(data);
    for (;;) {
      const unread = data.length - from;
      if (unread < 2) break;
      const short = (data[from + 1] ?? 0) & 0x7f;
      const header = short < 126 ? 2 : short === 126 ? 4 : 10;
      if (unread < header) break;
      const length =
        short < 126
          ? short
          : short === 126
            ? data.readUInt16BE(from + 2)
            : Number(data.readBigUInt64BE(from + 2));
      if (unread < header + length) break;
      const begin = from + header;
      from = begin + length;
      if (data[begin - header] === TEXT) this.#take(data, begin, from);
    }
    // The buffer is reused, so the remainder is copied.
    this.#rest = from === data.length ? undefined : Buffer.from(data.subarray(from));
    this.#checkAwaited();
  }

  #readHandshake(data: Buffer): number {
    const end = data.indexOf('\r\n\r\n');
    if (end < 0) return data.length;
    if (!data.toString('latin1', 0, end).startsWith('HTTP/1.1 101')) throw new Error('refused');
    this.#isOpen = true;
    this.#onOpen();
    return end + 4;
  }

  #take(data: Buffer, begin: number, end: number): void {
    const expected = this.#expected;
    const subscription = this.#subscriptionOf(data, begin, end);
    if (!subscription || !expected) {
      this.#answer(data.toString('utf8', begin, end));
      return;
    }
    const { topic, head, position } = subscription;
    subscription.position += 1;
    expected.messages += 1;
    expected.bytes += end - begin;
    if (!expected.matches(topic, position, data, begin + head.length, end - CLOSING)) {
      expected.fault(`${topic} ${position}: ${data.toString('utf8', begin, begin + 300)}`);
    }
    // Events come last, so the transaction is complete.
    if (topic === 'Events' && position % EVENTS === EVENTS - 1) {
      expected.last[(position - EVENTS + 1) / EVENTS] = this.#readAt;
    }
  }

  /** The subscription of a notification; nearly always the last one, or the next. */
  #subscriptionOf(data: Buffer, begin: number, end: number): Subscription | undefined {
    const count = this.#subscriptions.length;
    for (let step = 0; step < count; step += 1) {
      const at = (this.#lastNotified + step) % count;
      const subscription = this.#subscriptions[at];
      if (!subscription) return undefined;
      const { head } = subscription;
      const after = begin + head.length;
      if (after < end && data.compare(head, 0, head.length, begin, after) === 0) {
        this.#lastNotified = at;
        return subscription;
      }
    }
    return undefined;
  }

  #answer(text: string): void {
    const { id, result }: { id?: number; result?: unknown } = JSON.parse(text);
    const answer = id === undefined ? undefined : this.#answers.get(id);
    if (id === undefined || !answer) {
      this.#expected?.fault(`unexpected: ${text.slice(0, 300)}`);
      return;
    }
    this.#answers.delete(id);
    answer(result);
  }

  #checkAwaited(): void {
    if (!this.#awaited) return;
    const { transactions, resolve } = this.#awaited;
    if (this.#subscriptions.every(({ topic, position }) => position >= transactions * EACH[topic]))
      resolve();
  }
}

const subscribers: Subscriber[] = [];
let expected = new Expected(0);

function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

const all = async (work: (subscriber: Subscriber) => Promise<void>): Promise<void> => {
  await Promise.all(subscribers.map(work));
};

const commands = {
  async connect(port: number, sockets: number): Promise<void> {
    for (let count = 0; count < sockets; count += 1) {
      const subscriber = new Subscriber(port);
      await subscriber.open();
      subscribers.push(subscriber);
    }
  },

  /** Subscribes all sockets; the next block has this number. */
  async subscribe(next: number): Promise<void> {
    const round = new Expected(next);
    expected = round;
    await all((subscriber) => subscriber.subscribe(TOPICS, round));
    round.start = processorSeconds();
  },

  /** Opens a socket that subscribes and is never read again. */
  async stall(port: number, subscriptions: number): Promise<void> {
    const stalled = new Subscriber(port);
    await stalled.open();
    const topics = Array.from(
      { length: subscriptions },
      (_, index): Topic => TOPICS[index % TOPICS.length] ?? 'Events',
    );
    await stalled.subscribe(topics, new Expected(0));
    stalled.stall();
  },

  /** Waits until all subscribers have received this many transactions. */
  async wait(transactions: number): Promise<void> {
    await all((subscriber) => subscriber.wait(transactions));
    expected.cpu = processorSeconds() - expected.start;
  },

  /** Unsubscribes all sockets, and reports what they received. */
  async finish(hashes: readonly string[]): Promise<Received> {
    await all((subscriber) => subscriber.finish(hashes.length));
    if (hashes.some((hash, index) => expected.hashes[index] !== hash)) {
      expected.fault('notifications are in another order than their transactions');
    }
    const { last, messages, bytes, cpu, faults } = expected;
    return { last, messages, bytes, cpu, faults };
  },
};

export class Subscribers extends Child<typeof commands> {
  constructor() {
    super(new URL(import.meta.url));
  }
}

serve(import.meta.url, commands);
