// Subscriptions of all sockets, and the sending of notifications.
import { randomBytes } from 'node:crypto';
import { fail, refuse } from '../../errors.js';
import { notificationName, type Prefix } from '../../method-names.js';
import type { CallContext, Listener, NotificationForm } from '../protocol/call-context.js';

/** What happened, by topic. Texts are only made for those who want them. */
export type News =
  | { readonly topic: 'heads'; readonly text: () => string }
  | { readonly topic: 'status'; readonly hash: string; readonly text: () => string }
  | {
      readonly topic: 'transactions';
      readonly finality: string;
      readonly sender: () => string;
      readonly text: (proofFacts: boolean) => string;
    }
  | {
      readonly topic: 'receipts';
      readonly finality: string;
      readonly sender: () => string;
      readonly text: () => string;
    }
  | {
      readonly topic: 'events';
      readonly finality: string;
      readonly event: { readonly from_address: string; readonly keys: readonly string[] };
      readonly text: () => string;
    }
  /** Of the node rather than of its chain. */
  | { readonly topic: 'sandbox' | 'requests'; readonly text: () => string };

type Topic = News['topic'];
export type Key = Exclude<Topic, 'status'> | `status ${string}`;

export interface Subscription {
  readonly id: string;
  readonly listener: Listener;
  /** Notifications have the prefix that the subscription was made with. */
  readonly prefix: Prefix;
  /** What it is about: a topic, or the status of one transaction. */
  readonly key: Key;
  /** The text of news that it wants. */
  readonly pick: (news: News) => string | undefined;
  /** For an older version of the specification. */
  readonly form?: NotificationForm | undefined;
}

/** Names of notifications, without their prefix. */
const NAMES = {
  heads: 'subscriptionNewHeads',
  status: 'subscriptionTransactionStatus',
  transactions: 'subscriptionNewTransaction',
  receipts: 'subscriptionNewTransactionReceipts',
  events: 'subscriptionEvents',
  reorg: 'subscriptionReorg',
  sandbox: 'subscriptionSandbox',
  requests: 'subscriptionRequests',
} as const;

/** These outlive a restart of the chain, and get no reorgs. */
const OF_THE_NODE: readonly Key[] = ['sandbox', 'requests'];

/** The subscriptions of all sockets. */
export class Subscriptions {
  readonly #limit: number;
  readonly #byListener = new Map<Listener, Map<string, Subscription>>();
  /** With the beginning of each notification, which never changes. */
  readonly #byKey = new Map<Key, Map<Subscription, Buffer>>();
  /** What follows the past of subscriptions whose past is still to be sent, oldest first. */
  readonly #held = new Map<Subscription, (() => void)[]>();
  #epoch = 0;
  /** Notifications that are still to be sent, oldest first. */
  #unsent: (() => void)[] = [];
  #last: { readonly text: string; readonly bytes: Buffer } | undefined;

  /** @param limit the most that one socket may have */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Changes when all subscriptions are dropped. */
  get epoch(): number {
    return this.#epoch;
  }

  /** Whether there are no subscriptions to the chain. */
  get isEmpty(): boolean {
    return OF_THE_NODE.filter((key) => this.#byKey.has(key)).length === this.#byKey.size;
  }

  /** How many there are, by topic. */
  counts(): Readonly<Record<Topic, number>> {
    const counts = {
      heads: 0,
      status: 0,
      transactions: 0,
      receipts: 0,
      events: 0,
      sandbox: 0,
      requests: 0,
    };
    for (const [key, same] of this.#byKey) counts[topicOf(key)] += same.size;
    return counts;
  }

  has(key: Key): boolean {
    return this.#byKey.has(key);
  }

  /** Whether there are subscriptions to more of the chain than heads. */
  get wantsTransactions(): boolean {
    const others = (['heads', ...OF_THE_NODE] as const).filter((key) => this.#byKey.has(key));
    return this.#byKey.size > others.length;
  }

  /**
   * Sends notifications after the calls at hand, so that no answer waits for thousands of them.
   * Code that depends on the order calls `catchUp` first.
   */
  later(send: () => void): void {
    if (this.#unsent.push(send) === 1) setImmediate(() => this.catchUp());
  }

  /** Sends everything that happened so far. */
  catchUp(): void {
    if (this.#unsent.length === 0) return;
    const unsent = this.#unsent;
    this.#unsent = [];
    for (const send of unsent) send();
  }

  /** An id for a subscription that is about to begin. */
  admit(listener: Listener): string {
    this.catchUp();
    if ((this.#byListener.get(listener)?.size ?? 0) >= this.#limit) {
      refuse(
        `A socket may have ${this.#limit} subscriptions; --maximum-subscriptions sets the limit`,
      );
    }
    return randomBytes(8).readBigUInt64LE().toString();
  }

  /** Begins one that has no past, once its id has been sent; the id. */
  begin(
    { listener, prefix }: CallContext,
    wish: Pick<Subscription, 'key' | 'pick'>,
    begun: () => void = () => {},
  ): string {
    if (!listener) return fail('METHOD_NOT_FOUND');
    const subscription = { id: this.admit(listener), listener, prefix, ...wish };
    listener.afterAnswer(() => {
      if (!listener.isOpen) return undefined;
      this.add(subscription);
      begun();
      return undefined;
    });
    return subscription.id;
  }

  add(subscription: Subscription): void {
    const { listener, id, key } = subscription;
    const own = this.#byListener.get(listener) ?? new Map<string, Subscription>();
    this.#byListener.set(listener, own.set(id, subscription));
    const same = this.#byKey.get(key) ?? new Map<Subscription, Buffer>();
    this.#byKey.set(key, same.set(subscription, opening(subscription, topicOf(key))));
  }

  /**
   * Begins one that has a past: its notifications are held until that has been sent.
   *
   * @returns sends both; nothing if the subscription has ended meanwhile
   */
  addHeld(subscription: Subscription, sendPast: () => void): () => void {
    const held: (() => void)[] = [];
    this.add(subscription);
    this.#held.set(subscription, held);
    return () => {
      if (!this.#held.delete(subscription)) return;
      sendPast();
      for (const send of held) send();
    };
  }

  /** Ends a subscription; false if the socket has none of that id. */
  remove(listener: Listener, id: string): boolean {
    const own = this.#byListener.get(listener);
    const subscription = own?.get(id);
    if (!own || !subscription) return false;
    own.delete(id);
    this.#held.delete(subscription);
    if (own.size === 0) this.#byListener.delete(listener);
    const others = this.#byKey.get(subscription.key);
    others?.delete(subscription);
    if (others?.size === 0) this.#byKey.delete(subscription.key);
    return true;
  }

  /** A socket is gone. */
  drop(listener: Listener): void {
    for (const id of [...(this.#byListener.get(listener)?.keys() ?? [])]) this.remove(listener, id);
  }

  /** Ends all that are of the chain. */
  clear(): void {
    const kept = OF_THE_NODE.flatMap((key) => [...(this.#byKey.get(key)?.keys() ?? [])]);
    this.#byListener.clear();
    this.#byKey.clear();
    this.#held.clear();
    for (const subscription of kept) this.add(subscription);
    this.#epoch += 1;
  }

  notify(news: News): void {
    for (const [subscription, own] of this.#byKey.get(keyOf(news)) ?? []) {
      this.#send(subscription, news.topic, subscription.pick(news), own);
    }
  }

  /** Sends something of the past of a subscription. */
  notifyOne(subscription: Subscription, news: News): void {
    const text = shownTo(subscription, news.topic, subscription.pick(news));
    if (text === undefined) return;
    subscription.listener.sendShared(opening(subscription, news.topic), closing(text));
  }

  /** Notifies each subscription once that blocks are gone. */
  notifyReorg(text: string): void {
    for (const own of this.#byListener.values()) {
      for (const subscription of own.values()) {
        if (OF_THE_NODE.includes(subscription.key)) continue;
        this.#sendReorg(subscription, text);
      }
    }
  }

  /** Sends the text as a reorg to each subscription that wants any of the news, once. */
  notifyReorgOf(all: Iterable<News>): void {
    const notified = new Set<Subscription>();
    for (const news of all) {
      for (const subscription of this.#byKey.get(keyOf(news))?.keys() ?? []) {
        const text = notified.has(subscription) ? undefined : subscription.pick(news);
        if (text === undefined) continue;
        notified.add(subscription);
        this.#sendReorg(subscription, text);
      }
    }
  }

  #sendReorg(subscription: Subscription, text: string): void {
    this.#send(subscription, 'reorg', text, opening(subscription, 'reorg'));
  }

  #send(
    subscription: Subscription,
    topic: Topic | 'reorg',
    text: string | undefined,
    own: Buffer,
  ): void {
    if (text === undefined) return;
    const held = this.#held.get(subscription);
    if (held) {
      held.push(() => this.#send(subscription, topic, text, own));
      return;
    }
    const shown = shownTo(subscription, topic, text);
    if (shown !== undefined) subscription.listener.sendShared(own, this.#shared(shown));
  }

  /** One piece of news goes to all who want it, one after the other; its bytes are the same for them. */
  #shared(text: string): Buffer {
    if (this.#last?.text !== text) this.#last = { text, bytes: closing(text) };
    return this.#last.bytes;
  }
}

function keyOf(news: News): Key {
  return news.topic === 'status' ? `status ${news.hash}` : news.topic;
}

function topicOf(key: Key): Topic {
  switch (key) {
    case 'heads':
    case 'transactions':
    case 'receipts':
    case 'events':
    case 'sandbox':
    case 'requests':
      return key;
    default:
      return 'status';
  }
}

/** A result in the version of its subscriber; undefined if nothing is sent. */
function shownTo(
  { form }: Subscription,
  topic: Topic | 'reorg',
  text: string | undefined,
): string | undefined {
  return form === undefined || text === undefined ? text : form.result(NAMES[topic], text);
}

/** A notification up to its result. */
function opening({ id, prefix, form }: Subscription, topic: Topic | 'reorg'): Buffer {
  const method = notificationName(prefix, form?.name(NAMES[topic]) ?? NAMES[topic]);
  return Buffer.from(
    `{"jsonrpc":"2.0","method":"${method}","params":{"subscription_id":"${id}","result":`,
  );
}

/** A result, and the end of its notification. */
function closing(result: string): Buffer {
  return Buffer.from(`${result}}}`);
}
