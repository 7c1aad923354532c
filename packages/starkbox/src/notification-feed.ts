// Notifications that many listeners read, each from a position of its own.

/** Numbers of messages and of bytes. */
export interface Amount {
  readonly messages: number;
  readonly bytes: number;
}

export interface Follower {
  /** Something was added that it can read. @returns what may be added before the next call */
  added(): Amount;
}

/** One notification; only the id between its parts differs between subscriptions. */
interface Item {
  readonly before: Buffer;
  readonly after: Buffer;
  /** Its place among the items of all feeds. */
  readonly order: number;
  /** What the feed had with it. */
  readonly total: Amount;
  next: Item | undefined;
}

const NOTHING = Buffer.alloc(0);
/** Digits of most ids. */
const ID_BYTES = 19;

let items = 0;

/** Items in their order. One that every reader has read is no longer referred to. */
export class Feed {
  #last: Item = {
    before: NOTHING,
    after: NOTHING,
    order: 0,
    total: { messages: 0, bytes: 0 },
    next: undefined,
  };
  /** Each with the number of its subscriptions. */
  readonly #followers = new Map<Follower, number>();
  /** Those that have read everything; the others are called when the totals are above `#room`. */
  #resting = new Set<Follower>();
  #room: Amount = { messages: 0, bytes: 0 };

  get last(): Item {
    return this.#last;
  }

  /** @throws the error of a follower, which is no longer called; the others were */
  add(before: Buffer, after: Buffer): void {
    const { messages, bytes } = this.#last.total;
    const length = before.length + ID_BYTES + after.length;
    const total = { messages: messages + 1, bytes: bytes + length };
    items += 1;
    const item: Item = { before, after, order: items, total, next: undefined };
    this.#last.next = item;
    this.#last = item;
    const isFull = total.messages > this.#room.messages || total.bytes > this.#room.bytes;
    if (!isFull && this.#resting.size === 0) return;
    const called = isFull ? [...this.#followers.keys()] : this.#resting;
    if (isFull) {
      this.#room = { messages: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY };
    }
    this.#resting = new Set();
    const errors: unknown[] = [];
    for (const follower of called) {
      try {
        this.#call(follower, total);
      } catch (error) {
        this.#followers.delete(follower);
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }

  #call(follower: Follower, total: Amount): void {
    const { messages, bytes } = follower.added();
    this.#room = {
      messages: Math.min(this.#room.messages, total.messages + messages),
      bytes: Math.min(this.#room.bytes, total.bytes + bytes),
    };
  }

  join(follower: Follower): void {
    this.#followers.set(follower, (this.#followers.get(follower) ?? 0) + 1);
    this.#resting.add(follower);
  }

  leave(follower: Follower): void {
    const remaining = (this.#followers.get(follower) ?? 0) - 1;
    if (remaining > 0) {
      this.#followers.set(follower, remaining);
      return;
    }
    this.#followers.delete(follower);
    this.#resting.delete(follower);
  }

  /** The follower has read everything. */
  rest(follower: Follower): void {
    this.#resting.add(follower);
  }
}

/** How far a subscription has read its feed; it begins with what is added next. */
export class Reading {
  readonly feed: Feed;
  readonly id: Buffer;
  /** The item that was read last. */
  last: Item;

  constructor(feed: Feed, id: string) {
    this.feed = feed;
    this.id = Buffer.from(id);
    this.last = feed.last;
  }
}

/** What one follower reads: the items of several feeds in one order. */
export class Readings {
  readonly #follower: Follower;
  #all: Reading[] = [];

  constructor(follower: Follower) {
    this.#follower = follower;
  }

  get all(): readonly Reading[] {
    return this.#all;
  }

  get hasUnread(): boolean {
    for (const { last } of this.#all) if (last.next) return true;
    return false;
  }

  get unread(): Amount {
    let [messages, bytes] = [0, 0];
    for (const { feed, last } of this.#all) {
      messages += feed.last.total.messages - last.total.messages;
      bytes += feed.last.total.bytes - last.total.bytes;
    }
    return { messages, bytes };
  }

  add(reading: Reading): void {
    this.#all.push(reading);
    reading.feed.join(this.#follower);
  }

  remove(reading: Reading): void {
    const at = this.#all.indexOf(reading);
    if (at < 0) return;
    this.#all.splice(at, 1);
    reading.feed.leave(this.#follower);
  }

  clear(): void {
    for (const { feed } of this.#all) feed.leave(this.#follower);
    this.#all = [];
  }

  /** The subscription with the oldest item that was not read. */
  next(): Reading | undefined {
    let oldest: Reading | undefined;
    let first = Number.POSITIVE_INFINITY;
    for (const reading of this.#all) {
      const order = reading.last.next?.order ?? Number.POSITIVE_INFINITY;
      if (order >= first) continue;
      oldest = reading;
      first = order;
    }
    return oldest;
  }

  /** Called after reading: feeds call the follower again where it has read everything. */
  rest(): void {
    for (const { feed, last } of this.#all) if (!last.next) feed.rest(this.#follower);
  }

  /** Reads everything, oldest first. */
  takeAll(send: (header: Buffer, shared: Buffer) => void): void {
    if (!this.hasUnread) return;
    for (let reading = this.next(); reading; reading = this.next()) {
      const item = reading.last.next;
      if (!item) break;
      reading.last = item;
      send(Buffer.concat([item.before, reading.id]), item.after);
    }
    this.rest();
  }
}
