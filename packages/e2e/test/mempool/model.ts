// Plain model of a chain with a mempool: lists and loops, without indexes.
import { poseidon } from '@starkbox/engine';

export type Order = 'fifo' | 'tip' | 'random';

export interface Sent {
  readonly hash: string;
  readonly sender: number;
  readonly nonce: number;
  readonly tip: number;
  readonly type: 'INVOKE' | 'DEPLOY_ACCOUNT';
  /** Whether its signature is right. */
  readonly isValid: boolean;
}

interface Entry extends Sent {
  arrival: number;
  position: number | undefined;
}

/** The sender that is not deployed at the start. */
export const NEW_ACCOUNT = 3;

/** Nonces at the start, by sender: two of them gain a hexadecimal digit within a history. */
export const FIRST_NONCES: readonly number[] = [0xe, 0xfe, 0, 0];

interface Content {
  nonces: number[];
  pool: Entry[];
  pending: Sent[];
  blocks: Sent[][];
  arrivals: [first: number, next: number];
  nextPosition: number;
}

export class Model {
  readonly #order: Order;
  readonly #seed: number;
  #content: Content = {
    nonces: [...FIRST_NONCES],
    pool: [],
    pending: [],
    blocks: [],
    arrivals: [0, 0],
    nextPosition: 0,
  };

  constructor(order: Order, seed: number) {
    this.#order = order;
    this.#seed = seed;
  }

  get content(): Readonly<Content> {
    return this.#content;
  }

  copy(): Content {
    return structuredClone(this.#content);
  }

  restore(content: Content): void {
    this.#content = structuredClone(content);
  }

  nonceOf(sender: number): number {
    return this.#content.nonces[sender] ?? 0;
  }

  /** The code of the error that sending it has, if any. */
  send(transaction: Sent): number | undefined {
    const { sender, nonce, tip, type } = transaction;
    const { arrivals } = this.#content;
    const rival = this.#find(sender, nonce);
    if (nonce < this.nonceOf(sender) || rival?.position !== undefined) return 52;
    const exists = sender !== NEW_ACCOUNT || type === 'DEPLOY_ACCOUNT' || this.nonceOf(sender) > 0;
    if (!exists && this.#find(sender, 0)?.type !== 'DEPLOY_ACCOUNT') return 55;
    if (rival && rival.tip >= tip) return 64;
    if (rival) this.remove(rival.hash);
    this.#content.pool.push({ ...transaction, arrival: arrivals[1], position: undefined });
    arrivals[1] += 1;
    return undefined;
  }

  remove(hash: string): void {
    const gone = this.#content.pool.find((transaction) => transaction.hash === hash);
    if (!gone) throw new Error('there is no such transaction');
    this.#content.pool = this.#content.pool.filter((transaction) => transaction !== gone);
    for (const transaction of this.#content.pool) {
      if (transaction.sender === gone.sender && transaction.nonce > gone.nonce)
        transaction.position = undefined;
    }
  }

  clear(): void {
    this.#content.pool = [];
  }

  select(count: number): readonly string[] {
    const hashes: string[] = [];
    while (hashes.length < count) {
      const transaction = this.#ready()[0];
      if (!transaction) break;
      transaction.position = this.#content.nextPosition++;
      hashes.push(transaction.hash);
    }
    return hashes;
  }

  /** Hashes that are included, and those that are dropped. */
  preConfirm(count: number): { included: readonly string[]; dropped: readonly string[] } {
    const included: string[] = [];
    const dropped: string[] = [];
    while (included.length < count) {
      if (this.#selected().length === 0) this.select(1);
      const transaction = this.#selected()[0];
      if (!transaction) break;
      if (transaction.isValid) {
        this.#content.pool = this.#content.pool.filter((other) => other !== transaction);
        this.#content.nonces[transaction.sender] = transaction.nonce + 1;
        const { arrival: _arrival, position: _position, ...includedTransaction } = transaction;
        this.#content.pending.push(includedTransaction);
        included.push(transaction.hash);
      } else {
        this.remove(transaction.hash);
        dropped.push(transaction.hash);
      }
    }
    return { included, dropped };
  }

  close(): void {
    this.#content.blocks.push(this.#content.pending);
    this.#content.pending = [];
  }

  /** @param from index of the first block to remove; that of the pending one is the last */
  abort(from: number, returns: boolean): void {
    const { blocks, pending, arrivals } = this.#content;
    const gone = [...blocks.slice(from).flat(), ...pending];
    this.#content.blocks = blocks.slice(0, from);
    this.#content.pending = [];
    for (const { sender } of gone) {
      this.#content.nonces[sender] = this.nonceOf(sender) - 1;
      for (const transaction of this.#content.pool)
        if (transaction.sender === sender) transaction.position = undefined;
    }
    for (const transaction of returns ? gone.toReversed() : []) {
      arrivals[0] -= 1;
      this.#content.pool.unshift({ ...transaction, arrival: arrivals[0], position: undefined });
    }
  }

  /** All that can be executed, in order. */
  upcoming(): readonly string[] {
    const before = this.copy();
    const first = this.#selected().map(({ hash }) => hash);
    const hashes = [...first, ...this.select(Number.POSITIVE_INFINITY)];
    this.#content = before;
    return hashes;
  }

  lacksNonce({ sender, nonce }: Sent): boolean {
    for (let needed = this.nonceOf(sender); needed < nonce; needed += 1) {
      if (!this.#find(sender, needed)) return true;
    }
    return false;
  }

  #find(sender: number, nonce: number): Entry | undefined {
    return this.#content.pool.find(
      (transaction) => transaction.sender === sender && transaction.nonce === nonce,
    );
  }

  #selected(): readonly Entry[] {
    return this.#content.pool
      .filter(({ position }) => position !== undefined)
      .sort((a, b) => (a.position ?? 0) - (b.position ?? 0));
  }

  #ready(): readonly Entry[] {
    const heads = this.#content.pool.filter((transaction) => {
      if (transaction.position !== undefined) return false;
      for (let nonce = this.nonceOf(transaction.sender); nonce < transaction.nonce; nonce += 1) {
        if (this.#find(transaction.sender, nonce)?.position === undefined) return false;
      }
      return true;
    });
    return heads.sort((a, b) => this.#compare(a, b) || a.arrival - b.arrival);
  }

  #compare(a: Entry, b: Entry): number {
    if (this.#order === 'fifo') return 0;
    if (this.#order === 'tip') return b.tip - a.tip;
    const key = ({ hash }: Entry) => BigInt(poseidon([`0x${this.#seed.toString(16)}`, hash]));
    return key(a) < key(b) ? -1 : 1;
  }
}
