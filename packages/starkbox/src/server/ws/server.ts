// Knows WebSockets: the order of messages, and what happens to those who do not read theirs or are gone.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import type { Log } from '../../log.js';
import type { Listener, Session } from '../../rpc/protocol/call-context.js';
import type { Dispatcher } from '../../rpc/protocol/dispatcher.js';
import { errorAnswer, idOf } from '../../rpc/protocol/envelope.js';
import { MemoryBudget, type Share } from '../../scheduling/memory-budget.js';
import { type Door, SOCKET_PROTOCOL } from '../access.js';
import { callerOf } from '../caller.js';
import { Outbox, type Reader } from './flush-scheduler.js';
import { Mailbox } from './frames.js';
import { Arrivals } from './incoming-messages.js';

export interface SocketOptions {
  readonly dispatcher: Pick<Dispatcher, 'handle'>;
  /** The largest message that is taken, in bytes. */
  readonly messageLimit: number;
  /** What may wait for a client that does not read. */
  readonly queueLimit: { readonly messages: number; readonly bytes: number };
  /** Sees to it that news has been sent: the caller hears what a call did before its answer. */
  readonly beforeAnswer: () => void;
  /** Hears of every connection that is gone, at once. */
  readonly onClose: (listener: Listener) => void;
  readonly log: Log;
  /** What all requests and answers may hold together; without it, as much as they like. */
  readonly budget?: MemoryBudget | undefined;
  /** Tells pages that may not steer the chain from all others. */
  readonly door?: Pick<Door, 'isForeign'>;
  /** The most clients at a time. */
  readonly maximumSockets?: number;
  /** How often a client must show that it is there: 30,000 by default. */
  readonly pulseMilliseconds?: number;
}

export interface Sockets {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  readonly count: number;
  /** What waits for clients to read it. */
  readonly queued: { readonly messages: number; readonly bytes: number };
  close(): void;
}

const PULSE_MILLISECONDS = 30_000;
/** How long a client may take to read what was sent before our goodbye, and to answer it. */
const GOODBYE_MILLISECONDS = 10_000;
/** The same when the node stops, which should not take long. */
const LAST_GOODBYE_MILLISECONDS = 1_000;
/** Calls that may wait on one socket before we stop reading it. */
const CALLS_AHEAD = 64;
/** What the system is given at a time, in bytes. */
const PIECE = 64 * 1024;
/** The longest message that `ws` can limit. */
const LONGEST = 2 ** 31 - 1;

const TOO_MANY = [
  'HTTP/1.1 503 Service Unavailable',
  'connection: close',
  'content-type: text/plain; charset=utf-8',
  '',
  'Too many WebSockets are open; --maximum-sockets sets the limit',
].join('\r\n');

/** Codes of RFC 6455. */
const GOING_AWAY = 1001;
const POLICY = 1008;
const TRY_AGAIN_LATER = 1013;

/** Longer calls are not read for the id of an error. */
const SHORT_CALL = 64 * 1024;

export function serveSockets(options: SocketOptions): Sockets {
  const settings = {
    noServer: true,
    maxPayload: Math.min(options.messageLimit, LONGEST),
    perMessageDeflate: false,
    clientTracking: false,
    closeTimeout: GOODBYE_MILLISECONDS,
    // Of what is offered, the token is for us alone.
    handleProtocols: (offered: ReadonlySet<string>) =>
      offered.has(SOCKET_PROTOCOL) ? SOCKET_PROTOCOL : false,
  };
  const server = new WebSocketServer(settings);
  const outbox = new Outbox();
  const budget = options.budget ?? new MemoryBudget();
  const connections = new Set<Connection>();
  const pulse = setInterval(() => {
    for (const connection of connections) connection.checkPulse();
  }, options.pulseMilliseconds ?? PULSE_MILLISECONDS);
  pulse.unref();

  return {
    upgrade(request, stream, head) {
      if (connections.size >= (options.maximumSockets ?? Number.POSITIVE_INFINITY)) {
        stream.end(TOO_MANY);
        return;
      }
      server.handleUpgrade(request, stream, head, (socket) => {
        const session = callerOf(request, 'ws', options.door);
        const connection = new Connection({ socket, stream, session, outbox, budget, options });
        connections.add(connection);
        socket.on('close', () => connections.delete(connection));
      });
    },
    get count() {
      return connections.size;
    },
    get queued() {
      let [messages, bytes] = [0, 0];
      for (const { waiting } of connections) {
        messages += waiting.length;
        bytes += waiting.bytes;
      }
      return { messages, bytes };
    },
    close() {
      clearInterval(pulse);
      for (const connection of connections) connection.end(GOING_AWAY, 'the node stops');
      setTimeout(() => {
        for (const connection of connections) connection.terminate();
      }, LAST_GOODBYE_MILLISECONDS).unref();
      server.close();
    },
  };
}

/** Where messages become bytes; nobody needs it for longer than a call of a function. */
let room = Buffer.allocUnsafeSlow(PIECE);

/** A call that waits for its turn, with what it holds; the answer is there if the call is refused. */
interface Waiting {
  readonly text: string;
  readonly share: Share;
  readonly refusal: string | undefined;
}

/** One client: its calls are answered in order, and everything to it goes through one queue. */
class Connection implements Listener, Reader {
  readonly #socket: WebSocket;
  /** Below the socket. We write texts to it ourselves, many at a time; the rest is left to `ws`. */
  readonly #stream: Duplex;
  readonly #session: Session;
  readonly #outbox: Outbox;
  readonly #options: SocketOptions;
  readonly #mailbox = new Mailbox();
  readonly #abandoned = new AbortController();
  /** Pieces whose fate we have not been told yet. */
  #unsettled = 0;
  /** The system takes no more, because the client does not read. */
  #isBlocked = false;
  /** The outbox will come to us. */
  #isListed = false;
  readonly #budget: MemoryBudget;
  readonly #arrivals: Arrivals;
  readonly #calls: Waiting[] = [];
  /** The call under way, and answers that have not been handed to the system, by their place in the mailbox. */
  readonly #shares = new Map<Share, number>();
  #answering = false;
  #afterAnswer: (() => void)[] = [];
  #unblocked: (() => void) | undefined;
  #isAlive = true;

  constructor(parts: {
    readonly socket: WebSocket;
    readonly stream: Duplex;
    readonly session: Session;
    readonly outbox: Outbox;
    readonly budget: MemoryBudget;
    readonly options: SocketOptions;
  }) {
    const { socket, stream, session, outbox, budget, options } = parts;
    this.#socket = socket;
    this.#stream = stream;
    this.#outbox = outbox;
    this.#options = options;
    this.#budget = budget;
    this.#arrivals = new Arrivals(stream, budget.open(), () => {
      this.end(TRY_AGAIN_LATER, 'the node holds too much; --memory-budget sets the limit');
      // Until the client has answered, what it sends is still taken.
      setTimeout(() => this.terminate(), LAST_GOODBYE_MILLISECONDS).unref();
    });
    this.#session = { ...session, listener: this, signal: this.#abandoned.signal };
    socket.on('message', (data: RawData) => this.#take(data));
    socket.on('pong', () => {
      this.#isAlive = true;
    });
    socket.on('error', (err) => {
      options.log.debug({ err }, 'A socket failed');
      this.#leave();
    });
    socket.on('close', () => this.#leave());
  }

  get waiting(): Pick<Mailbox, 'length' | 'bytes'> {
    return this.#mailbox;
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  send(text: string): void {
    if (!this.isOpen) return;
    this.#mailbox.push(Buffer.from(text));
    while (this.flush());
    this.#checkLimits();
  }

  sendShared(own: Buffer, shared: Buffer): void {
    if (!this.isOpen) {
      this.#leave();
      return;
    }
    this.#mailbox.push(own, shared);
    if (this.#isBlocked) this.#checkLimits();
    // Where it is us who are late, the chain has to wait.
    else if (this.#exceeds(1)) this.flush();
    else {
      if (this.#exceeds(0.5)) this.#outbox.hurry();
      if (this.#isListed) return;
      this.#isListed = true;
      this.#outbox.add(this);
    }
  }

  afterAnswer(action: () => void): void {
    this.#afterAnswer.push(action);
  }

  /** Gives the system one piece of what waits; whether it would take another one. */
  flush(): boolean {
    this.#isListed = false;
    if (!this.isOpen || this.#isBlocked || this.#mailbox.length === 0) return false;
    const piece = this.#mailbox.take(room);
    this.#unsettled += 1;
    this.#stream.write(piece, this.#settled);
    if (this.#stream.writableLength > 0) {
      this.#isBlocked = true;
      // The stream holds on to these bytes.
      if (piece.buffer === room.buffer) room = Buffer.allocUnsafeSlow(PIECE);
    }
    return !this.#isBlocked && this.#mailbox.length > 0;
  }

  readonly #settled = (): void => {
    this.#unsettled -= 1;
    if (this.#unsettled === 0 && this.#shares.size > 0) this.#release();
    if (this.#unsettled > 0 || !this.#isBlocked) return;
    this.#isBlocked = false;
    this.#isAlive = true;
    this.#unblocked?.();
    if (this.#mailbox.length > 0) this.#outbox.resume(this);
  };

  /** Gives back what answers held that have been handed to the system. */
  #release(): void {
    for (const [share, place] of this.#shares) {
      if (place > this.#mailbox.taken) continue;
      this.#shares.delete(share);
      share.close();
    }
  }

  #exceeds(share: number): boolean {
    const { messages, bytes } = this.#options.queueLimit;
    return this.#mailbox.length > messages * share || this.#mailbox.bytes > bytes * share;
  }

  /** Only a client that keeps the system from taking more is to blame for what waits. */
  #checkLimits(): void {
    if (!this.#isBlocked || !this.#exceeds(1)) return;
    const { messages, bytes } = this.#options.queueLimit;
    this.#options.log.warn(
      `A socket did not read: more than ${messages} messages or ${bytes} bytes`,
    );
    this.end(POLICY, 'messages are not read fast enough');
  }

  /** Sends nothing more but a reason. */
  end(code: number, reason: string): void {
    this.#leave();
    this.#socket.close(code, reason);
    // A goodbye is only heard by those who listen.
    this.#socket.resume();
  }

  /** Nobody is told anything here from now on. */
  #leave(): void {
    this.#abandoned.abort();
    this.#mailbox.clear();
    this.#arrivals.close();
    for (const { share } of this.#calls) share.close();
    this.#calls.length = 0;
    // The call under way ends by itself.
    if (this.#shares.size > 0) this.#release();
    this.#afterAnswer = [];
    this.#unblocked?.();
    this.#options.onClose(this);
  }

  checkPulse(): void {
    if (!this.isOpen) return;
    // While we do not read because a call takes long, a client cannot show that it is there.
    const isDeaf = this.#socket.isPaused && !this.#unblocked;
    if (this.#isAlive || isDeaf) this.#socket.ping();
    else this.terminate();
    this.#isAlive = false;
  }

  terminate(): void {
    this.#leave();
    this.#socket.terminate();
  }

  #take(data: RawData): void {
    if (!this.isOpen) return;
    this.#isAlive = true;
    const text = textOf(data);
    this.#arrivals.completed(Buffer.byteLength(text));
    const share = this.#budget.open();
    const refusal = share.take(text.length)
      ? undefined
      : errorAnswer(share.refusal(), text.length > SHORT_CALL ? null : idOf(text));
    this.#calls.push({ text: refusal === undefined ? text : '', share, refusal });
    if (this.#calls.length > CALLS_AHEAD) this.#socket.pause();
    if (!this.#answering) void this.#answerAll();
  }

  async #answerAll(): Promise<void> {
    this.#answering = true;
    for (let call = this.#calls.shift(); call !== undefined; call = this.#calls.shift()) {
      if (this.#socket.isPaused && this.#calls.length < CALLS_AHEAD / 2) this.#socket.resume();
      await this.#answer(call);
      // Who does not read answers gets no more of them.
      if (this.#isBlocked && this.isOpen) await this.#roomForMore();
    }
    this.#answering = false;
  }

  async #answer({ text, share, refusal }: Waiting): Promise<void> {
    const answer =
      refusal ?? (await this.#options.dispatcher.handle(text, this.#session, { share }));
    this.#options.beforeAnswer();
    if (answer === undefined || !this.isOpen) share.close();
    else {
      this.#shares.set(share, this.#mailbox.pushed + 1);
      this.send(answer);
      // What the system took at once is not held any more.
      if (this.#unsettled === 0) this.#release();
    }
    const actions = this.#afterAnswer;
    this.#afterAnswer = [];
    for (const action of actions) action();
  }

  #roomForMore(): Promise<void> {
    return new Promise((resolve) => {
      this.#unblocked = () => {
        this.#unblocked = undefined;
        resolve();
      };
    });
  }
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString('utf8');
  return Buffer.from(data instanceof ArrayBuffer ? new Uint8Array(data) : data).toString('utf8');
}
