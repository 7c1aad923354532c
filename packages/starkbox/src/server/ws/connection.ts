// One WebSocket client: its queue of calls, its queue of frames and its limits.
import { setMaxListeners } from 'node:events';
import type { Duplex } from 'node:stream';
import { ERRORS } from '@starkbox/spec';
import type { RawData, WebSocket } from 'ws';
import { RpcError } from '../../errors.js';
import type { Log } from '../../log.js';
import { type Amount, type Follower, type Reading, Readings } from '../../notification-feed.js';
import type { Listener, Session } from '../../rpc/protocol/call-context.js';
import type { Dispatcher } from '../../rpc/protocol/dispatcher.js';
import { errorAnswer, idOf } from '../../rpc/protocol/envelope.js';
import type { MemoryBudget, Share } from '../../scheduling/memory-budget.js';
import type { Flushable, FlushScheduler } from './flush-scheduler.js';
import { FrameQueue } from './frames.js';
import { IncomingBytes } from './incoming-messages.js';
import type { SharedFrames } from './shared-frames.js';

export interface ConnectionOptions {
  readonly dispatcher: Pick<Dispatcher, 'handle'>;
  /** What may be queued for a client that does not read. */
  readonly queueLimit: Amount;
  /** Sends pending notifications, so that they precede the answer of the call that caused them. */
  readonly beforeAnswer: () => void;
  /** Called as soon as a connection is gone. */
  readonly onClose: (listener: Listener) => void;
  readonly log: Log;
}

/** How long a client may take to answer a close frame when the node stops or has no memory left. */
export const SHUTDOWN_MILLISECONDS = 1_000;
/** Calls that may wait on one socket before it is paused. */
const CALLS_AHEAD = 64;
/**
 * Clients such as starknet.js register a subscription one turn after they have read its id, and drop notifications that
 * they read before.
 */
const REGISTRATION_MILLISECONDS = 5;
/** Bytes that are written at a time. */
const PIECE = 64 * 1024;

/** Close codes of RFC 6455. */
export const GOING_AWAY = 1001;
const POLICY = 1008;
const TRY_AGAIN_LATER = 1013;

/** Scratch buffer for frames, reused within one call. */
let scratch = Buffer.allocUnsafeSlow(PIECE);

/** A call in the queue of its socket. */
interface QueuedCall {
  readonly text: string;
  readonly share: Share;
  /** The answer, if the call is refused. */
  readonly refusal: string | undefined;
}

export interface ConnectionParts {
  readonly socket: WebSocket;
  /** The TCP stream of the socket. Text frames are written to it in batches; `ws` writes the others. */
  readonly stream: Duplex;
  readonly session: Session;
  readonly dispatcher: ConnectionOptions['dispatcher'];
  readonly scheduler: FlushScheduler;
  readonly shared: SharedFrames;
  readonly budget: MemoryBudget;
  readonly options: ConnectionOptions;
}

/** One client. Its calls are answered in order, and everything sent to it goes through one queue. */
export class Connection implements Listener, Follower, Flushable {
  readonly #parts: ConnectionParts;
  readonly #session: Session;
  /** What is sent next; then follows what was not read of the feeds. */
  readonly #frames = new FrameQueue();
  readonly #readings = new Readings(this);
  readonly #abandoned = new AbortController();
  /** Writes whose callback has not come yet. */
  #unsettled = 0;
  /** The send buffer is full, because the client does not read. */
  #isBlocked = false;
  /** Whether a flush is scheduled. */
  #isScheduled = false;
  readonly #incoming: IncomingBytes;
  readonly #calls: QueuedCall[] = [];
  /** Memory shares of answers that have not been written, by the position of the answer in the queue. */
  readonly #shares = new Map<Share, number>();
  #answering = false;
  #afterAnswer: Parameters<Listener['afterAnswer']>[0][] = [];
  #endRegistration: (() => void) | undefined;
  #unblocked: (() => void) | undefined;
  #isAlive = true;

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
    const { socket, stream, session, budget, options } = parts;
    this.#incoming = new IncomingBytes(stream, budget.open(), () => this.#refuseMessage());
    // Each call under way may listen.
    setMaxListeners(0, this.#abandoned.signal);
    this.#session = { ...session, listener: this, signal: this.#abandoned.signal };
    socket.on('message', (data: RawData) => this.#receive(data));
    socket.on('pong', () => {
      this.#isAlive = true;
    });
    socket.on('error', (err) => {
      options.log.debug({ err }, 'a WebSocket failed');
      this.#detach();
    });
    socket.on('close', () => {
      this.#detach();
      this.#incoming.close();
    });
  }

  get waiting(): Amount {
    const { messages, bytes } = this.#readings.unread;
    return { messages: messages + this.#frames.length, bytes: bytes + this.#frames.bytes };
  }

  get isOpen(): boolean {
    return this.#parts.socket.readyState === this.#parts.socket.OPEN;
  }

  send(text: string): void {
    if (!this.isOpen) return;
    this.#takeUnread();
    this.#frames.push(Buffer.from(text));
    while (this.flush());
    this.#checkLimits();
  }

  sendShared(header: Buffer, shared: Buffer): void {
    if (!this.isOpen) {
      this.#detach();
      return;
    }
    this.#takeUnread();
    this.#frames.push(header, shared);
    this.#writeSoon(this.waiting);
  }

  follow(reading: Reading): void {
    this.#readings.add(reading);
    if (this.#readings.hasUnread) this.#writeSoon(this.waiting);
  }

  unfollow(reading: Reading): void {
    this.#takeUnread();
    this.#readings.remove(reading);
  }

  added(): Amount {
    if (!this.isOpen) {
      this.#detach();
      return this.#parts.options.queueLimit;
    }
    const { messages, bytes } = this.waiting;
    this.#writeSoon({ messages, bytes });
    const { queueLimit } = this.#parts.options;
    // All feeds together may add as much as is missing to the limit, or to the half at which writing begins.
    const share = this.#isBlocked || messages * 2 > queueLimit.messages ? 1 : 0.5;
    const feeds = Math.max(1, this.#readings.all.length);
    return {
      messages: Math.max(0, Math.floor((queueLimit.messages * share - messages) / feeds)),
      bytes: Math.max(0, (queueLimit.bytes * share - bytes) / feeds),
    };
  }

  /** What was added to feeds precedes what is sent now. */
  #takeUnread(): void {
    this.#readings.takeAll((header, shared) => this.#frames.push(header, shared));
  }

  #writeSoon(waiting: Amount): void {
    if (this.#isBlocked) this.#checkLimits();
    // The queue is full but the client reads: write now, so that the queue stays bounded.
    else if (this.#exceeds(1, waiting)) {
      while (this.flush() && this.#exceeds(1));
      this.#schedule();
    } else {
      if (this.#exceeds(0.5, waiting)) this.#parts.scheduler.flushSoon();
      this.#schedule();
    }
  }

  #schedule(): void {
    if (this.#isScheduled || this.#isBlocked || !this.#hasUnsent) return;
    this.#isScheduled = true;
    this.#parts.scheduler.add(this);
  }

  get #hasUnsent(): boolean {
    return this.#frames.length > 0 || this.#readings.hasUnread;
  }

  afterAnswer(action: () => (() => void) | undefined): void {
    this.#afterAnswer.push(action);
  }

  /** Writes one batch of frames; true if another one can be written. */
  flush(): boolean {
    this.#isScheduled = false;
    if (!this.isOpen || this.#isBlocked) return false;
    const piece =
      this.#frames.length > 0
        ? this.#frames.take(scratch)
        : this.#parts.shared.take(this.#readings);
    if (piece === undefined) return false;
    this.#unsettled += 1;
    this.#parts.stream.write(piece, this.#settled);
    if (this.#parts.stream.writableLength > 0) {
      this.#isBlocked = true;
      // The stream keeps these bytes.
      if (piece.buffer === scratch.buffer) scratch = Buffer.allocUnsafeSlow(PIECE);
      else this.#parts.shared.give(piece);
    }
    return !this.#isBlocked && this.#hasUnsent;
  }

  readonly #settled = (): void => {
    this.#unsettled -= 1;
    if (this.#unsettled === 0 && this.#shares.size > 0) this.#release();
    if (this.#unsettled > 0 || !this.#isBlocked) return;
    this.#isBlocked = false;
    this.#isAlive = true;
    this.#unblocked?.();
    if (this.#hasUnsent) this.#parts.scheduler.resume(this);
  };

  /** Releases the shares of answers that have been written. */
  #release(): void {
    for (const [share, frame] of this.#shares) {
      if (frame > this.#frames.taken) continue;
      this.#shares.delete(share);
      share.close();
    }
  }

  #exceeds(share: number, waiting: Amount = this.waiting): boolean {
    const { messages, bytes } = this.#parts.options.queueLimit;
    return waiting.messages > messages * share || waiting.bytes > bytes * share;
  }

  /** Closes the socket if the queue is too long because the client does not read. */
  #checkLimits(): void {
    if (!this.#isBlocked || !this.#exceeds(1)) return;
    const { messages, bytes } = this.#parts.options.queueLimit;
    this.#parts.options.log.warn(
      `closing a WebSocket that does not read: more than ${messages} messages or ${bytes} bytes are queued`,
    );
    this.end(POLICY, 'the client reads messages too slowly');
  }

  /** Sends a close frame, and nothing after it. */
  end(code: number, reason: string): void {
    this.#detach();
    this.#parts.socket.close(code, reason);
    // The answer to a close frame is only read while the socket is not paused.
    this.#parts.socket.resume();
  }

  /** Ends a connection whose message the budget does not allow. */
  #refuseMessage(): void {
    if (this.isOpen) {
      this.end(
        TRY_AGAIN_LATER,
        'the node has reached its memory budget; --memory-budget sets the limit',
      );
    }
    // The client sends on until it has read the close frame.
    this.#incoming.discard();
    setTimeout(() => this.terminate(), SHUTDOWN_MILLISECONDS).unref();
  }

  /** Drops what is queued, and ends the subscriptions. */
  #detach(): void {
    this.#abandoned.abort();
    this.#frames.clear();
    this.#readings.clear();
    for (const { share } of this.#calls) share.close();
    this.#calls.length = 0;
    // The call under way ends by itself.
    if (this.#shares.size > 0) this.#release();
    this.#afterAnswer = [];
    this.#unblocked?.();
    this.#endRegistration?.();
    this.#parts.options.onClose(this);
  }

  checkHeartbeat(): void {
    if (!this.isOpen) return;
    // While the socket is paused because a call takes long, no pong can be read.
    const isPaused = this.#parts.socket.isPaused && !this.#unblocked;
    if (this.#isAlive || isPaused) this.#parts.socket.ping();
    else this.terminate();
    this.#isAlive = false;
  }

  terminate(): void {
    this.#detach();
    this.#parts.socket.terminate();
  }

  #receive(data: RawData): void {
    if (!this.isOpen) return;
    this.#isAlive = true;
    const bytes = bytesOf(data);
    const text = bytes.toString('utf8');
    const share = this.#parts.budget.open();
    // A string with other characters than those of ASCII may take two bytes for each.
    const refusal = share.take(bytes.length === text.length ? text.length : 2 * text.length)
      ? undefined
      : errorAnswer(share.refusal(), idOf(text));
    this.#calls.push({ text: refusal === undefined ? text : '', share, refusal });
    if (this.#calls.length > CALLS_AHEAD) this.#parts.socket.pause();
    if (!this.#answering) void this.#answerAll();
  }

  /** An error of one call ends neither the connection nor the process. */
  async #answerAll(): Promise<void> {
    this.#answering = true;
    for (let call = this.#calls.shift(); call !== undefined; call = this.#calls.shift()) {
      if (this.#parts.socket.isPaused && this.#calls.length < CALLS_AHEAD / 2)
        this.#parts.socket.resume();
      try {
        await this.#answer(call);
      } catch (err) {
        this.#parts.options.log.error({ err }, 'a WebSocket could not be served after a call');
      }
      // The next call waits until the client reads its answers.
      if (this.#isBlocked && this.isOpen) await this.#whenUnblocked();
    }
    this.#answering = false;
  }

  async #answerTo({ text, share, refusal }: QueuedCall): Promise<string | undefined> {
    if (refusal !== undefined) return refusal;
    try {
      return await this.#parts.dispatcher.handle(text, this.#session, { share });
    } catch (err) {
      this.#parts.options.log.error({ err }, 'a call over a WebSocket failed unexpectedly');
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
      this.#parts.options.beforeAnswer();
    } catch (err) {
      this.#parts.options.log.error({ err }, 'notifications could not be sent before a response');
    }
  }

  async #answer(call: QueuedCall): Promise<void> {
    const { share } = call;
    const answer = await this.#answerTo(call);
    this.#catchUp();
    if (answer === undefined || !this.isOpen) share.close();
    else {
      this.#shares.set(share, this.#frames.pushed + 1);
      this.send(answer);
      // Written at once: nothing is held any more.
      if (this.#unsettled === 0) this.#release();
    }
    const actions = this.#afterAnswer;
    this.#afterAnswer = [];
    const later = actions.map((action) => action()).filter((action) => action !== undefined);
    if (later.length === 0) return;
    await this.#registration();
    for (const action of later) action();
  }

  /** The time in which the client registers a subscription; it ends with the connection. */
  #registration(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#endRegistration?.(), REGISTRATION_MILLISECONDS).unref();
      this.#endRegistration = () => {
        clearTimeout(timer);
        this.#endRegistration = undefined;
        resolve();
      };
    });
  }

  #whenUnblocked(): Promise<void> {
    return new Promise((resolve) => {
      this.#unblocked = () => {
        this.#unblocked = undefined;
        resolve();
      };
    });
  }
}

function bytesOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return Buffer.isBuffer(data) ? data : Buffer.from(data);
}
