// A subscription as an async iterable of its notifications, which wait to be read.

import { parse } from '../json/json.js';
import { object, string } from '../json/reader.js';
import { SerialQueue } from '../scheduling/serial-queue.js';
import type { Notification, SubscribeMethodName } from './methods.js';

/** Notifications in order. It ends after the last one when the chain is closed, restarted or loaded. */
export interface ChainSubscription<M extends SubscribeMethodName>
  extends AsyncIterableIterator<Notification<M>>,
    AsyncDisposable {
  /** Resolves when the subscription has begun; rejects with the error of the call. */
  readonly ready: Promise<void>;
  /** Ends the subscription and drops unread notifications. */
  close(): Promise<void>;
}

/** Notifications that may wait to be read: enough for a reader that is busy for minutes. */
export const MAX_UNREAD_NOTIFICATIONS = 10_000;

/** Notifications that have not been read, in order. */
export class Inbox {
  readonly #limit: number;
  readonly #texts: string[] = [];
  #arrived: (() => void) | undefined;
  /** Texts go to readers in the order of their calls. */
  readonly #reads = new SerialQueue();
  /** Thrown to the reader after the last text. */
  #failure: Error | undefined;
  isOpen = true;

  /** @param limit notifications that may wait to be read */
  constructor(limit: number) {
    this.#limit = limit;
  }

  send(text: string): void {
    if (!this.isOpen) return;
    if (this.#texts.length >= this.#limit) {
      this.close(
        new Error(
          `More than ${this.#limit} notifications waited to be read: read them as they arrive`,
        ),
      );
      return;
    }
    this.#texts.push(text);
    this.#arrived?.();
  }

  /** Returns the next text; undefined once it is closed and everything has been read. */
  take(): Promise<string | undefined> {
    return this.#reads.run(() => this.#shift());
  }

  async #shift(): Promise<string | undefined> {
    while (this.#texts.length === 0 && this.isOpen) {
      await new Promise<void>((resolve) => {
        this.#arrived = resolve;
      });
    }
    const text = this.#texts.shift();
    if (text !== undefined || !this.#failure) return text;
    const failure = this.#failure;
    this.#failure = undefined;
    throw failure;
  }

  close(failure?: Error): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.#failure = failure;
    this.#arrived?.();
  }

  clear(): void {
    this.#texts.length = 0;
    this.#failure = undefined;
  }
}

/** The source of a subscription's notifications. */
export interface SubscriptionSource {
  readonly inbox: Inbox;
  readonly ready: Promise<void>;
  /** Ends the sending of notifications. */
  end(): Promise<void>;
}

export function subscriptionOf<M extends SubscribeMethodName>({
  inbox,
  ready,
  end,
}: SubscriptionSource): ChainSubscription<M> {
  // The first read throws it too.
  ready.catch(() => inbox.close());
  const close = async (): Promise<void> => {
    inbox.close();
    inbox.clear();
    await end();
  };
  const next = async (): Promise<IteratorResult<Notification<M>, undefined>> => {
    await ready;
    try {
      const text = await inbox.take();
      if (text !== undefined) return { done: false, value: notificationIn<M>(text) };
    } catch (error) {
      await end();
      throw error;
    }
    await end();
    return { done: true, value: undefined };
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
