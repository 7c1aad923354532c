// A subscription in this process.

import type { SubscribeMethodName } from '../client/methods.js';
import { withReason } from '../client/rpc-failure.js';
import { type ChainSubscription, Inbox, subscriptionOf } from '../client/subscription.js';
import type { Listener } from '../rpc/protocol/call-context.js';
import type { Dispatcher } from '../rpc/protocol/dispatcher.js';
import type { Subscriptions } from '../rpc/subscriptions/subscriptions.js';

/** @internal */
export interface SubscribedChain {
  readonly dispatcher: Dispatcher;
  readonly subscriptions: Subscriptions;
}

/** Puts the notifications of a subscription into an inbox. */
class InboxListener implements Listener {
  readonly #inbox: Inbox;
  #afterAnswer: Parameters<Listener['afterAnswer']>[0][] = [];

  constructor(inbox: Inbox) {
    this.#inbox = inbox;
  }

  get isOpen(): boolean {
    return this.#inbox.isOpen;
  }

  send(text: string): void {
    this.#inbox.send(text);
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
  endSubscription(): void {
    this.#inbox.close();
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
  const listener = new InboxListener(inbox);
  const ready = dispatcher.call(method, params, { transport: 'in-process', listener }).then(
    () => {
      subscriptions.catchUp();
      // The chain may have been closed while the call was under way.
      if (subscriptions.isClosed) inbox.close();
      else listener.answered();
    },
    (error: unknown) => {
      throw withReason(error);
    },
  );
  return subscriptionOf<M>({ inbox, ready, end: async () => subscriptions.drop(listener) });
}
