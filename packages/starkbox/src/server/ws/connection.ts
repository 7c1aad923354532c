// One WebSocket client: its queue of calls, its notifications and its limit of unread bytes.
import { setMaxListeners } from 'node:events';
import { ERRORS } from '@starkbox/spec';
import type { RawData, WebSocket } from 'ws';
import { RpcError } from '../../errors.js';
import type { Log } from '../../log.js';
import type { Listener, Session } from '../../rpc/protocol/call-context.js';
import type { Dispatcher } from '../../rpc/protocol/dispatcher.js';
import { errorAnswer, idOf } from '../../rpc/protocol/envelope.js';

export interface ConnectionOptions {
  readonly dispatcher: Pick<Dispatcher, 'handle'>;
  /** Bytes that may wait for a client that does not read; 64 MiB by default. */
  readonly unreadLimit?: number | undefined;
  /** Sends pending notifications, so that they precede the answer of the call that caused them. */
  readonly beforeAnswer: () => void;
  /** Called as soon as a connection is gone. */
  readonly onClose: (listener: Listener) => void;
  readonly log: Log;
}

/** As long as the longest response, so that a client that reads is never too slow. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;
/** Calls that may wait on one socket before it is paused. */
const CALLS_AHEAD = 64;
/**
 * Clients such as starknet.js register a subscription one turn after they have read its id, and drop notifications that
 * they read before. The pong of this ping shows that the id was read.
 */
const REGISTRATION = Buffer.from('registered');
/** For a client that does not answer a ping. */
const MAX_REGISTRATION_MILLISECONDS = 500;
/** For a socket whose pong cannot be read, because it is paused. */
const PAUSED_REGISTRATION_MILLISECONDS = 5;

/** Close codes of RFC 6455. */
export const GOING_AWAY = 1001;
const POLICY = 1008;

/** One client. Its calls are answered in order. */
export class Connection implements Listener {
  readonly #socket: WebSocket;
  readonly #session: Session;
  readonly #options: ConnectionOptions;
  readonly #abandoned = new AbortController();
  #calls: string[] = [];
  #isAnswering = false;
  /** An answer waits until the client reads. */
  #isWriting = false;
  #afterAnswer: Parameters<Listener['afterAnswer']>[0][] = [];
  #endRegistration: (() => void) | undefined;
  #isAlive = true;

  constructor(socket: WebSocket, session: Session, options: ConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    // Each call under way may listen.
    setMaxListeners(0, this.#abandoned.signal);
    this.#session = { ...session, listener: this, signal: this.#abandoned.signal };
    socket.on('message', (data: RawData) => this.#receive(data));
    socket.on('pong', (payload: Buffer) => {
      this.#showLife();
      if (payload.equals(REGISTRATION)) this.#endRegistration?.();
    });
    socket.on('error', (err) => {
      options.log.debug({ err }, 'a WebSocket failed');
      this.#detach();
    });
    socket.on('close', () => this.#detach());
  }

  /** Bytes that the client has not read. */
  get unread(): number {
    return this.#socket.bufferedAmount;
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  send(text: string): void {
    if (!this.isOpen) {
      this.#detach();
      return;
    }
    const { unreadLimit = MAX_UNREAD_BYTES, log } = this.#options;
    if (this.unread > unreadLimit) {
      log.warn(
        `closing a WebSocket that does not read: more than ${unreadLimit} bytes wait for it`,
      );
      this.end(POLICY, 'the client reads messages too slowly');
      return;
    }
    // Only a write that had to wait shows that the client reads.
    this.#socket.send(text, this.unread > 0 ? this.#showLife : undefined);
  }

  afterAnswer(action: () => (() => void) | undefined): void {
    this.#afterAnswer.push(action);
  }

  /** Sends a close frame, and nothing after it. */
  end(code: number, reason: string): void {
    this.#detach();
    this.#socket.close(code, reason);
    // The answer to a close frame is only read while the socket is not paused.
    this.#socket.resume();
  }

  terminate(): void {
    this.#detach();
    this.#socket.terminate();
  }

  checkHeartbeat(): void {
    if (!this.isOpen) return;
    // While the socket is paused because a call takes long, no pong can be read.
    const isPaused = this.#socket.isPaused && !this.#isWriting;
    if (this.#isAlive || isPaused) this.#socket.ping();
    else this.terminate();
    this.#isAlive = false;
  }

  readonly #showLife = (): void => {
    this.#isAlive = true;
  };

  /** Drops what is queued, and ends the subscriptions. */
  #detach(): void {
    this.#abandoned.abort();
    this.#calls = [];
    this.#afterAnswer = [];
    this.#endRegistration?.();
    this.#options.onClose(this);
  }

  #receive(data: RawData): void {
    if (!this.isOpen) return;
    this.#isAlive = true;
    this.#calls.push(data.toString());
    if (this.#calls.length > CALLS_AHEAD) this.#socket.pause();
    if (!this.#isAnswering) void this.#answerAll();
  }

  /** An error of one call ends neither the connection nor the process. */
  async #answerAll(): Promise<void> {
    this.#isAnswering = true;
    for (let text = this.#calls.shift(); text !== undefined; text = this.#calls.shift()) {
      if (this.#socket.isPaused && this.#calls.length < CALLS_AHEAD / 2) this.#socket.resume();
      try {
        await this.#answer(text);
      } catch (err) {
        this.#options.log.error({ err }, 'a WebSocket could not be served after a call');
      }
    }
    this.#isAnswering = false;
  }

  async #answerTo(text: string): Promise<string | undefined> {
    try {
      return await this.#options.dispatcher.handle(text, this.#session);
    } catch (err) {
      this.#options.log.error({ err }, 'a call over a WebSocket failed unexpectedly');
      const internal = new RpcError(
        ERRORS.INTERNAL_ERROR.code,
        'Internal error; see the log of the node for the cause',
      );
      return errorAnswer(err instanceof RpcError ? err : internal, idOf(text));
    }
  }

  /** The call is done: its answer is sent although notifications could not be. */
  #catchUp(): void {
    try {
      this.#options.beforeAnswer();
    } catch (err) {
      this.#options.log.error({ err }, 'notifications could not be sent before a response');
    }
  }

  async #answer(text: string): Promise<void> {
    const answer = await this.#answerTo(text);
    this.#catchUp();
    const isWritten = answer === undefined || !this.isOpen ? undefined : this.#write(answer);
    const actions = this.#afterAnswer;
    this.#afterAnswer = [];
    const later = actions.map((action) => action()).filter((action) => action !== undefined);
    // The next call waits until the client has read this answer.
    await isWritten;
    if (later.length === 0) return;
    await this.#registration();
    for (const action of later) action();
  }

  /** Resolves when the system has taken the text, or the connection is gone; undefined if it took it at once. */
  #write(text: string): Promise<void> | undefined {
    let isTaken = false;
    let resolveTaken = (): void => {};
    this.#socket.send(text, () => {
      isTaken = true;
      resolveTaken();
    });
    if (isTaken || this.unread === 0) return undefined;
    this.#isWriting = true;
    return new Promise((resolve) => {
      resolveTaken = () => {
        this.#isWriting = false;
        this.#isAlive = true;
        resolve();
      };
    });
  }

  /** Resolves when the client has registered a subscription, or the connection is gone. */
  #registration(): Promise<void> {
    return new Promise((resolve) => {
      const milliseconds = this.#socket.isPaused
        ? PAUSED_REGISTRATION_MILLISECONDS
        : MAX_REGISTRATION_MILLISECONDS;
      const timer = setTimeout(() => this.#endRegistration?.(), milliseconds).unref();
      this.#endRegistration = () => {
        clearTimeout(timer);
        this.#endRegistration = undefined;
        resolve();
      };
      this.#socket.ping(REGISTRATION);
    });
  }
}
