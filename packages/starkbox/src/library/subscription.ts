// A subscription in this process, as an async iterable of its notifications.

import { parse } from '../json/json.js';
import { object, string } from '../json/reader.js';
import { type Amount, type Follower, type Reading, Readings } from '../notification-feed.js';
import type { Listener } from '../rpc/protocol/call-context.js';
import type { Dispatcher } from '../rpc/protocol/dispatcher.js';
import type { Subscriptions } from '../rpc/subscriptions/subscriptions.js';
import { SerialQueue } from '../scheduling/serial-queue.js';
import type { Notification, SubscribeMethodName } from '../client/methods.js';

/** It ends after its last notification when the chain is closed, restarted or loaded. */
export interface ChainSubscription<M extends SubscribeMethodName>
  extends AsyncIterableIterator<Notification<M>>,
    AsyncDisposable {
  /** Resolves when the subscription has begun; rejects with the error of the call. */
  readonly ready: Promise<void>;
  /** Ends it; notifications that were not read are dropped. */
  close(): Promise<void>;
}

/** @internal */
export interface SubscribedChain {
  readonly dispatcher: Dispatcher;
  readonly subscriptions: Subscriptions;
}

/** Notifications that have not been read, in order. */
class Inbox implements Listener, Follower {
  readonly #limit: number;
  readonly #texts: string[] = [];
  readonly #readings = new Readings(this);
  #afterAnswer: Parameters<Listener['afterAnswer']>[0][] = [];
  #arrived: (() => void) | undefined;
  /** Texts go to readers in the order of their calls. */
  readonly #reads = new SerialQueue();
  isOpen = true;
  isOverflown = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  send(text: string): void {
    if (!this.isOpen) return;
    if (this.#texts.length >= this.#limit) {
      this.isOverflown = true;
      this.close();
      return;
    }
    this.#texts.push(text);
    this.#arrived?.();
  }

  sendShared(prefix: Buffer, shared: Buffer): void {
    this.send(prefix.toString() + shared.toString());
  }

  follow(reading: Reading): void {
    this.#readings.add(reading);
    this.added();
  }

  unfollow(reading: Reading): void {
    this.#readings.remove(reading);
  }

  added(): Amount {
    this.#readings.takeAll((prefix, shared) => this.sendShared(prefix, shared));
    return { messages: 0, bytes: 0 };
  }

  afterAnswer(action: () => (() => void) | undefined): void {
    this.#afterAnswer.push(action);
  }

  answered(): void {
    const actions = this.#afterAnswer;
    this.#afterAnswer = [];
    // The reader has the iterator already, so the past need not wait for it.
    for (const action of actions) action()?.();
  }

  /** The subscription has ended: the chain was closed, restarted or loaded. */
  ended(): void {
    this.close();
  }

  /** The next text; undefined once it is closed and everything has been read. */
  take(): Promise<string | undefined> {
    return this.#reads.run(() => this.#shift());
  }

  async #shift(): Promise<string | undefined> {
    while (this.#texts.length === 0 && this.isOpen) {
      await new Promise<void>((resolve) => {
        this.#arrived = resolve;
      });
    }
    return this.#texts.shift();
  }

  close(): void {
    this.isOpen = false;
    this.#arrived?.();
  }

  clear(): void {
    this.#texts.length = 0;
  }
}

/**
 * Subscribes at once: what happens after the call is not missed.
 *
 * @param limit notifications that may wait to be read
 * @internal
 */
export function subscribeInProcess<M extends SubscribeMethodName>(
  { dispatcher, subscriptions }: SubscribedChain,
  method: M,
  params: unknown,
  limit: number,
): ChainSubscription<M> {
  const inbox = new Inbox(limit);
  const ready = dispatcher
    .call(method, params, { transport: 'in-process', listener: inbox })
    .then(() => {
      subscriptions.catchUp();
      // The chain may have been closed while the call was under way.
      if (subscriptions.isClosed) inbox.close();
      else inbox.answered();
    });
  // Its error is that of the first read, or of `ready`.
  ready.catch(() => inbox.close());
  const close = async (): Promise<void> => {
    inbox.close();
    inbox.clear();
    subscriptions.drop(inbox);
  };
  const next = async (): Promise<IteratorResult<Notification<M>, undefined>> => {
    await ready;
    const text = await inbox.take();
    if (text !== undefined) return { done: false, value: notificationIn<M>(text) };
    subscriptions.drop(inbox);
    if (!inbox.isOverflown) return { done: true, value: undefined };
    inbox.isOverflown = false;
    throw new Error(
      `More than ${limit} notifications waited to be read; --maximum-queued-messages sets the limit`,
    );
  };
  const subscription: ChainSubscription<M> = {
    ready,
    close,
    next,
    return: async () => {
      await close();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => subscription,
    [Symbol.asyncDispose]: close,
  };
  return subscription;
}

function notificationIn<M extends SubscribeMethodName>(text: string): Notification<M> {
  const { method, params } = object(parse(text), 'notification');
  const { result } = object(params, 'notification.params');
  const notification = { name: string(method, 'notification.method'), result };
  if (!isNotification<M>(notification)) throw new TypeError('A notification has no result');
  return notification;
}

/** A subscription gets no notifications but its own, which are typed by the documents. */
function isNotification<M extends SubscribeMethodName>(notification: {
  readonly name: string;
  readonly result: unknown;
}): notification is Notification<M> {
  return notification.result !== undefined;
}
