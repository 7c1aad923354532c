// Knows WebSockets: the order of messages, and what happens to those who do not read theirs.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import type { Log } from '../log.js';
import type { Dispatcher, Listener, Session } from '../rpc/dispatch.js';

export interface SocketOptions {
  readonly dispatcher: Pick<Dispatcher, 'handle'>;
  /** The largest message that is taken, in bytes. */
  readonly messageLimit: number;
  /** What may wait for a client that does not read. */
  readonly queueLimit: { readonly messages: number; readonly bytes: number };
  /** Hears of every connection that is gone. */
  readonly onClose: (listener: Listener) => void;
  readonly log: Log;
}

export interface Sockets {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  readonly count: number;
  close(): void;
}

/** How often a client must show that it is there. */
const PING_MILLISECONDS = 30_000;
/** How long a client may take to say goodbye. */
const GOODBYE_MILLISECONDS = 1_000;
/** Calls that may wait on one socket before we stop reading it. */
const CALLS_AHEAD = 64;
/** How many sockets are written to before others get their turn: calls go first. */
const SOCKETS_A_TURN = 16;

/** Codes of RFC 6455. */
const GOING_AWAY = 1001;
const POLICY = 1008;

export function serveSockets(options: SocketOptions): Sockets {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: options.messageLimit,
    perMessageDeflate: false,
    clientTracking: false,
  });
  const outbox = new Outbox();
  const connections = new Set<Connection>();
  server.on('connection', (socket: WebSocket, request: IncomingMessage) => {
    const connection = new Connection(socket, request.headers.origin, outbox, options);
    connections.add(connection);
    socket.on('close', () => {
      connections.delete(connection);
      options.onClose(connection);
    });
  });
  const pings = setInterval(() => {
    for (const connection of connections) connection.checkPulse();
  }, PING_MILLISECONDS);
  pings.unref();

  return {
    upgrade(request, socket, head) {
      server.handleUpgrade(request, socket, head, (opened) =>
        server.emit('connection', opened, request),
      );
    },
    get count() {
      return connections.size;
    },
    close() {
      clearInterval(pings);
      for (const connection of connections) connection.end(GOING_AWAY, 'the node stops');
      server.close();
    },
  };
}

/** One client: its calls are answered in order, and everything to it goes through one queue. */
class Connection implements Listener {
  readonly #socket: WebSocket;
  readonly #session: Session;
  readonly #outbox: Outbox;
  readonly #options: SocketOptions;
  readonly #calls: string[] = [];
  #answering = false;
  #afterAnswer: (() => void)[] = [];
  #waiting: string[] = [];
  #waitingLength = 0;
  /** Messages that the system has not taken yet. */
  #unsent = 0;
  #isAlive = true;

  constructor(
    socket: WebSocket,
    origin: string | undefined,
    outbox: Outbox,
    options: SocketOptions,
  ) {
    this.#socket = socket;
    this.#outbox = outbox;
    this.#options = options;
    this.#session = {
      transport: 'ws',
      listener: this,
      ...(origin === undefined ? {} : { origin }),
    };
    socket.on('message', (data: RawData) => this.#take(textOf(data)));
    socket.on('pong', () => {
      this.#isAlive = true;
    });
    socket.on('error', (err) => options.log.debug({ err }, 'A socket failed'));
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  send(text: string): void {
    if (!this.isOpen) return;
    this.#waiting.push(text);
    this.#waitingLength += text.length;
    // Only a client that keeps the system from taking more is to blame for what waits.
    if (this.#unsent > 0 && this.#exceeds()) this.#refuse();
    else this.#outbox.add(this);
  }

  afterAnswer(action: () => void): void {
    this.#afterAnswer.push(action);
  }

  /** Hands everything that waits to the system, in one piece. */
  flush(): void {
    if (!this.isOpen || this.#unsent > 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#waitingLength = 0;
    this.#unsent = waiting.length;
    for (const text of waiting) this.#socket.send(text, this.#sent);
  }

  readonly #sent = (): void => {
    this.#unsent -= 1;
    if (this.#unsent === 0 && this.#waiting.length > 0) this.#outbox.add(this);
  };

  #exceeds(): boolean {
    const { messages, bytes } = this.#options.queueLimit;
    return this.#waiting.length > messages || this.#waitingLength > bytes;
  }

  #refuse(): void {
    const { messages, bytes } = this.#options.queueLimit;
    this.#options.log.warn(
      `A socket did not read: more than ${messages} messages or ${bytes} bytes`,
    );
    this.end(POLICY, 'messages are not read fast enough');
  }

  end(code: number, reason: string): void {
    this.#waiting = [];
    this.#socket.close(code, reason);
    setTimeout(() => this.#socket.terminate(), GOODBYE_MILLISECONDS).unref();
  }

  checkPulse(): void {
    if (this.#isAlive) this.#socket.ping();
    else this.#socket.terminate();
    this.#isAlive = false;
  }

  #take(text: string): void {
    this.#calls.push(text);
    if (this.#calls.length > CALLS_AHEAD) this.#socket.pause();
    if (!this.#answering) void this.#answerAll();
  }

  async #answerAll(): Promise<void> {
    this.#answering = true;
    for (let call = this.#calls.shift(); call !== undefined; call = this.#calls.shift()) {
      if (this.#socket.isPaused && this.#calls.length < CALLS_AHEAD / 2) this.#socket.resume();
      const answer = await this.#options.dispatcher.handle(call, this.#session);
      if (answer !== undefined) this.send(answer);
      const actions = this.#afterAnswer;
      this.#afterAnswer = [];
      for (const action of actions) action();
    }
    this.#answering = false;
  }
}

/** Those to whom something is to be written, a few each turn, so that calls are not kept waiting. */
class Outbox {
  #waiting = new Set<Connection>();
  #scheduled = false;

  add(connection: Connection): void {
    this.#waiting.add(connection);
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#scheduled = false;
    let left = SOCKETS_A_TURN;
    for (const connection of this.#waiting) {
      this.#waiting.delete(connection);
      connection.flush();
      left -= 1;
      if (left === 0) break;
    }
    if (this.#waiting.size > 0) {
      this.#scheduled = true;
      setImmediate(() => this.#turn());
    }
  }
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString('utf8');
  return Buffer.from(data instanceof ArrayBuffer ? new Uint8Array(data) : data).toString('utf8');
}
