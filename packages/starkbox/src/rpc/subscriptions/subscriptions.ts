// Subscriptions of all sockets, and the sending of notifications.
import { randomBytes } from 'node:crypto';
import { notificationName, type Prefix } from '@starkbox/spec';
import { fail, reasonOf, refuse } from '../../errors.js';
import type { CallContext, Listener, NotificationForm } from '../protocol/call-context.js';

/** What subscribers are sent, by topic. A text is only written if a subscription picks it. */
export type Notification =
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

type Topic = Notification['topic'];
export type Key = Exclude<Topic, 'status'> | `status ${string}`;

export interface Subscription {
  readonly id: string;
  readonly listener: Listener;
  /** Notifications have the prefix that the subscription was made with. */
  readonly prefix: Prefix;
  /** What it is about: a topic, or the status of one transaction. */
  readonly key: Key;
  /** The text of a notification, if the subscription gets it. */
  readonly pick: (notification: Notification) => string | undefined;
  /** Subscriptions with the same key and filter pick the same; one without a filter is alone. */
  readonly filter?: string | undefined;
  /** For an older version of the specification. */
  readonly form?: NotificationForm | undefined;
}

/** Which notifications a subscription gets. */
export type Selection = Pick<Subscription, 'key' | 'pick' | 'filter'>;

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

/** Of one socket, because a program that subscribes in a loop would slow down every block. */
const MAX_SUBSCRIPTIONS = 1024;

/** Of 19 digits. */
const SMALLEST_ID = 10n ** 18n;

/** These outlive a restart of the chain, and get no reorgs. */
const OF_THE_NODE: readonly Key[] = ['sandbox', 'requests'];

type Shape = Pick<Subscription, 'pick' | 'prefix' | 'form'>;

/** Subscriptions that get the same notifications, which differ by their ids alone. */
interface Audience {
  readonly key: Key;
  /** Its place among the audiences of the key. */
  readonly filter: string;
  /** How each of them picks and writes notifications. */
  readonly shape: Shape;
  readonly members: Set<Subscription>;
}

interface Member {
  readonly subscription: Subscription;
  readonly audience: Audience;
}

/** Called with an error while notifications are sent; others are sent all the same. */
export type NotificationErrorHandler = (error: unknown) => void;

const warnOfError: NotificationErrorHandler = (error) =>
  process.emitWarning(`sending notifications failed: ${reasonOf(error)}`);

/** The subscriptions of all sockets. */
export class Subscriptions {
  readonly #onError: NotificationErrorHandler;
  readonly #byListener = new Map<Listener, Map<string, Member>>();
  readonly #byKey = new Map<Key, Map<string, Audience>>();
  /** Those whose past is still to be sent, with what is to be sent after it, oldest first. */
  readonly #held = new Map<Subscription, (() => void)[]>();
  readonly #forms = new WeakMap<NotificationForm, number>();
  #formCount = 0;
  #epoch = 0;
  #isClosed = false;
  /** Notifications that are still to be sent, oldest first. */
  #unsent: (() => void)[] = [];

  constructor(onError: NotificationErrorHandler = warnOfError) {
    this.#onError = onError;
  }

  /** Changes when all subscriptions are dropped. */
  get epoch(): number {
    return this.#epoch;
  }

  /** Whether the chain is closed. */
  get isClosed(): boolean {
    return this.#isClosed;
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
    for (const [key, audiences] of this.#byKey) {
      for (const { members } of audiences.values()) counts[topicOf(key)] += members.size;
    }
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
    for (const send of unsent) this.#sendSafely(send);
  }

  /** Nothing waits for notifications, so that an error in one of them would end the process. */
  #sendSafely(send: () => void): void {
    try {
      send();
    } catch (error) {
      this.#onError(error);
    }
  }

  /** An id for a subscription that is about to begin. */
  admit(listener: Listener): string {
    this.catchUp();
    if (this.#isClosed) refuse('The chain is closed');
    if ((this.#byListener.get(listener)?.size ?? 0) >= MAX_SUBSCRIPTIONS) {
      refuse(
        `A socket may have ${MAX_SUBSCRIPTIONS} subscriptions: end some, or open another socket`,
      );
    }
    return String(SMALLEST_ID + (randomBytes(8).readBigUInt64LE() % (9n * SMALLEST_ID)));
  }

  /** Begins one that has no past, once its id has been sent; the id. */
  begin(
    { listener, prefix }: CallContext,
    selection: Selection,
    begun: () => void = () => {},
  ): string {
    if (!listener) return fail('METHOD_NOT_FOUND');
    const subscription = { id: this.admit(listener), listener, prefix, ...selection };
    listener.afterAnswer(() => {
      if (!listener.isOpen) return undefined;
      this.add(subscription);
      begun();
      return undefined;
    });
    return subscription.id;
  }

  add(subscription: Subscription): void {
    const { listener, id } = subscription;
    const audience = this.#audienceOf(subscription);
    audience.members.add(subscription);
    const members = this.#byListener.get(listener) ?? new Map<string, Member>();
    this.#byListener.set(listener, members.set(id, { subscription, audience }));
  }

  #audienceOf(subscription: Subscription): Audience {
    const { id, key, prefix, pick, form } = subscription;
    const isAlone = subscription.filter === undefined || form?.isShared === false;
    const filter = isAlone
      ? `alone ${id}`
      : `${prefix} ${this.#numberOf(form)} ${subscription.filter}`;
    const same = this.#byKey.get(key) ?? new Map<string, Audience>();
    this.#byKey.set(key, same);
    const existing = same.get(filter);
    if (existing) return existing;
    const shape = { pick, prefix, form };
    const audience = { key, filter, shape, members: new Set<Subscription>() };
    same.set(filter, audience);
    return audience;
  }

  #numberOf(form: NotificationForm | undefined): number {
    if (!form) return 0;
    const number = this.#forms.get(form);
    if (number !== undefined) return number;
    this.#formCount += 1;
    this.#forms.set(form, this.#formCount);
    return this.#formCount;
  }

  /**
   * Begins one that has a past: its notifications are held until that has been sent.
   *
   * @returns sends both; nothing if the subscription has ended meanwhile
   */
  addHeld(subscription: Subscription, sendPast: () => void): () => void {
    this.add(subscription);
    const deferred: (() => void)[] = [];
    this.#held.set(subscription, deferred);
    return () => {
      if (this.#held.get(subscription) !== deferred) return;
      sendPast();
      this.#held.delete(subscription);
      for (const send of deferred) this.#sendSafely(send);
    };
  }

  /** Ends a subscription; false if the socket has none of that id. */
  remove(listener: Listener, id: string): boolean {
    const members = this.#byListener.get(listener);
    const member = members?.get(id);
    if (!members || !member) return false;
    members.delete(id);
    if (members.size === 0) this.#byListener.delete(listener);
    this.#leave(member);
    return true;
  }

  #leave({ subscription, audience }: Member): void {
    this.#held.delete(subscription);
    subscription.listener.endSubscription?.();
    const { key, filter, members } = audience;
    members.delete(subscription);
    if (members.size > 0) return;
    const others = this.#byKey.get(key);
    others?.delete(filter);
    if (others?.size === 0) this.#byKey.delete(key);
  }

  /** A socket is gone. */
  drop(listener: Listener): void {
    for (const id of [...(this.#byListener.get(listener)?.keys() ?? [])]) this.remove(listener, id);
  }

  /** Sends everything that happened, and ends all subscriptions; none begins afterwards. */
  close(): void {
    this.catchUp();
    this.#isClosed = true;
    for (const listener of [...this.#byListener.keys()]) this.drop(listener);
  }

  /** Ends all that are of the chain. */
  clear(): void {
    for (const [listener, members] of [...this.#byListener]) {
      for (const [id, { audience }] of [...members]) {
        if (!OF_THE_NODE.includes(audience.key)) this.remove(listener, id);
      }
    }
    this.#epoch += 1;
  }

  notify(notification: Notification): void {
    for (const audience of this.#byKey.get(keyOf(notification))?.values() ?? []) {
      this.#sendSafely(() => {
        const text = audience.shape.pick(notification);
        if (text !== undefined) this.#send(audience, notification.topic, text);
      });
    }
  }

  /** Sends something of the past of a subscription. */
  notifyOne(subscription: Subscription, notification: Notification): void {
    const text = subscription.pick(notification);
    const formatted =
      text === undefined ? undefined : shownTo(subscription, notification.topic, text);
    if (formatted === undefined) return;
    const { id, listener } = subscription;
    listener.send(opening(subscription, notification.topic) + id + closing(formatted));
  }

  /** Notifies each subscription once that blocks are gone. */
  notifyReorg(text: string): void {
    for (const [key, audiences] of this.#byKey) {
      if (OF_THE_NODE.includes(key)) continue;
      for (const audience of audiences.values()) {
        this.#sendSafely(() => this.#send(audience, 'reorg', text));
      }
    }
  }

  /** Sends the text as a reorg to each subscription that gets any of the notifications, once. */
  notifyReorgOf(all: Iterable<Notification>): void {
    const notified = new Set<Audience>();
    for (const notification of all) {
      for (const audience of this.#byKey.get(keyOf(notification))?.values() ?? []) {
        this.#sendSafely(() => {
          const text = notified.has(audience) ? undefined : audience.shape.pick(notification);
          if (text === undefined) return;
          notified.add(audience);
          this.#send(audience, 'reorg', text);
        });
      }
    }
  }

  #send(audience: Audience, topic: Topic | 'reorg', text: string): void {
    const ready: Subscription[] = [];
    for (const member of audience.members) {
      const deferred = this.#held.get(member);
      // The form of a subscription may depend on what it has shown, so the past comes first.
      if (deferred) deferred.push(() => this.#sendTo([member], audience.shape, topic, text));
      else ready.push(member);
    }
    if (ready.length > 0) this.#sendTo(ready, audience.shape, topic, text);
  }

  #sendTo(
    members: readonly Subscription[],
    shape: Shape,
    topic: Topic | 'reorg',
    text: string,
  ): void {
    const formatted = shownTo(shape, topic, text);
    if (formatted === undefined) return;
    const [before, after] = [opening(shape, topic), closing(formatted)];
    for (const { id, listener } of members) {
      this.#sendSafely(() => listener.send(before + id + after));
    }
  }
}

function keyOf(notification: Notification): Key {
  return notification.topic === 'status' ? `status ${notification.hash}` : notification.topic;
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
function shownTo({ form }: Shape, topic: Topic | 'reorg', text: string): string | undefined {
  return form === undefined ? text : form.result(NAMES[topic], text);
}

/** A notification up to the id of its subscription. */
function opening({ prefix, form }: Shape, topic: Topic | 'reorg'): string {
  const method = notificationName(prefix, form?.name(NAMES[topic]) ?? NAMES[topic]);
  return `{"jsonrpc":"2.0","method":"${method}","params":{"subscription_id":"`;
}

/** A notification after the id of its subscription. */
function closing(result: string): string {
  return `","result":${result}}}`;
}
