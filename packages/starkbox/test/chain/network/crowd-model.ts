// Plain model of a congested chain: lists and loops, without indexes. Prices and the load of others are given to it.
import { ERRORS } from '@starkbox/spec';
import { randomNumbers } from '../../../src/chain/network/random.js';

export interface Sent {
  readonly hash: string;
  readonly sender: number;
  readonly nonce: number;
  readonly tip: bigint;
  readonly price: bigint;
}

interface Waiting extends Sent {
  readonly arrival: number;
  readonly since: number;
}

export type End = 'lost' | 'replaced' | 'expired';

export interface Conditions {
  readonly seed: number;
  readonly lost: number;
  readonly delayed: number;
  readonly delayBlocks: readonly [number, number];
  readonly lifetime: number;
  readonly reorgProbability: number;
  readonly reorgDepth: number;
}

/** A block that is built now. */
export interface Opening {
  readonly price: bigint;
  /** Transactions that the block has room for, if the last has this tip. */
  readonly room: (tip: bigint) => number;
}

export class CrowdModel {
  readonly #conditions: Conditions;
  readonly nonces: number[];
  readonly dropped: { readonly hash: string; readonly end: End }[] = [];
  /** Of each block that is part of the chain, its transactions. */
  blocks: Sent[][] = [];
  waiting: Waiting[] = [];
  rounds = 0;
  submissions = 0;
  /** Blocks that reorganisations removed. */
  removed = 0;
  #arrivals: [first: number, next: number] = [0, 0];

  constructor(conditions: Conditions, senders: number) {
    this.#conditions = conditions;
    this.nonces = Array.from({ length: senders }, () => 0);
  }

  nonceOf(sender: number): number {
    return this.nonces[sender] ?? 0;
  }

  /** The code of the error that sending it has, if any. */
  send(sent: Sent): number | undefined {
    if (sent.nonce < this.nonceOf(sent.sender)) return ERRORS.INVALID_TRANSACTION_NONCE.code;
    const rival = this.#find(sent.sender, sent.nonce);
    const isTenthMore = (before: bigint, after: bigint) => 10n * (after - before) >= before;
    if (rival && !(isTenthMore(rival.tip, sent.tip) && isTenthMore(rival.price, sent.price))) {
      return ERRORS.REPLACEMENT_TRANSACTION_UNDERPRICED.code;
    }
    const { seed, lost, delayed, delayBlocks } = this.#conditions;
    const random = randomNumbers(seed, 'submission', this.submissions);
    this.submissions += 1;
    const share = random();
    if (share < lost) {
      this.dropped.push({ hash: sent.hash, end: 'lost' });
      return undefined;
    }
    const [least, most] = delayBlocks;
    const delay = share < lost + delayed ? least + Math.floor(random() * (most - least + 1)) : 0;
    if (rival) this.#drop(rival, 'replaced');
    this.waiting.push({ ...sent, arrival: this.#arrivals[1]++, since: this.rounds + delay });
    return undefined;
  }

  /** Builds the next block; hashes of what it has. */
  seal(opening: Opening): readonly string[] {
    const block = this.#build(opening);
    this.blocks.push(block);
    this.rounds += 1;
    this.#expire();
    this.#reorganise();
    return block.map(({ hash }) => hash);
  }

  #build({ price, room }: Opening): Sent[] {
    const block: Sent[] = [];
    for (;;) {
      const [next] = this.waiting
        .filter(
          (sent) =>
            sent.nonce === this.nonceOf(sent.sender) &&
            sent.since <= this.rounds &&
            sent.price >= price,
        )
        .sort((a, b) => (a.tip === b.tip ? a.arrival - b.arrival : a.tip > b.tip ? -1 : 1));
      if (!next || block.length + 1 > room(next.tip)) return block;
      this.waiting = this.waiting.filter((sent) => sent !== next);
      this.nonces[next.sender] = next.nonce + 1;
      block.push(next);
    }
  }

  #expire(): void {
    const { lifetime } = this.#conditions;
    const old = this.waiting
      .filter(({ since }) => since + lifetime <= this.rounds)
      .sort((a, b) => a.since - b.since || a.arrival - b.arrival);
    for (const sent of old) this.#drop(sent, 'expired');
  }

  /** The first block stays: the account of others is made in it. */
  #reorganise(): void {
    const { seed, reorgProbability, reorgDepth } = this.#conditions;
    const random = randomNumbers(seed, 'reorg', this.rounds);
    if (random() >= reorgProbability) return;
    const depth = Math.min(1 + Math.floor(random() * reorgDepth), this.blocks.length - 1);
    const removed = this.blocks.splice(this.blocks.length - depth, depth);
    this.removed += depth;
    for (const sent of removed.flat().toReversed()) {
      this.nonces[sent.sender] = Math.min(this.nonceOf(sent.sender), sent.nonce);
      this.#arrivals[0] -= 1;
      this.waiting.unshift({ ...sent, arrival: this.#arrivals[0], since: this.rounds });
    }
  }

  #find(sender: number, nonce: number): Waiting | undefined {
    return this.waiting.find((sent) => sent.sender === sender && sent.nonce === nonce);
  }

  #drop(sent: Sent, end: End): void {
    this.waiting = this.waiting.filter(({ hash }) => hash !== sent.hash);
    this.dropped.push({ hash: sent.hash, end });
  }
}
