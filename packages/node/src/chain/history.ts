// Knows the closed blocks of a chain, by number, by hash and by what they hold: a persistent value.

import {
  allTexts,
  type Body,
  bodyOf,
  receiptsOf,
  Texts,
  type TransactionTexts,
  textsAt,
} from './body.js';
import { type Emitted, type EventFilter, EventIndex } from './event-index.js';
import type { HeaderPrices } from './gas.js';
import { Mentions, markOf } from './mentions.js';
import { List } from './persistent.js';

/** Hashes and commitments are canonical felts. */
export interface Header {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
  readonly timestamp: number;
  readonly prices: HeaderPrices;
  readonly transactionCount: number;
  readonly eventCount: number;
  readonly stateDiffLength: number;
  readonly transactionCommitment: string;
  readonly eventCommitment: string;
  readonly receiptCommitment: string;
  readonly stateDiffCommitment: string;
}

export interface TransactionRecord extends TransactionTexts {
  readonly hash: string;
}

export interface ClosedBlock {
  readonly header: Header;
  readonly transactions: readonly TransactionRecord[];
  /** JSON text, for a chain whose states forget what blocks changed. */
  readonly stateDiff?: string | undefined;
}

/** Where a transaction stands. */
export interface Position {
  readonly block: number;
  readonly index: number;
}

/** How much there is from the first block to one of them, itself included. */
export interface Totals {
  readonly transactions: number;
  readonly events: number;
}

export interface HistoryFigures extends Totals {
  readonly blocks: number;
  /** Different marks in the index of events. */
  readonly eventMarks: number;
}

/** A block as it is held: about a hundred thousand of them, so felts are bytes and texts are packed. */
interface Held {
  /** The block's hash, its four commitments, and the hashes of its transactions. */
  readonly felts: string;
  /** Unless it is the hash of the block before. */
  readonly parentHash: string | undefined;
  readonly timestamp: number;
  readonly prices: HeaderPrices;
  readonly stateDiffLength: number;
  readonly transactionsUpTo: number;
  readonly eventsUpTo: number;
  readonly body: Body;
  readonly stateDiff: Texts | undefined;
}

const FELT = 32;
const HEADER_FELTS = 5;
const ZERO = '0'.charCodeAt(0);

interface Parts {
  readonly first: number;
  readonly blocks: List<Held>;
  readonly latest: Header | undefined;
  readonly byHash: Mentions;
  readonly byTransaction: Mentions;
  readonly events: EventIndex;
}

/**
 * The closed blocks of a chain. Appending and truncating give another history; both share what they
 * have in common, and neither sees what the other does next.
 *
 * @example
 * const here = history.append(block, events);
 * const there = history.append(otherBlock, otherEvents); // a branch
 */
export class History {
  /** Number of the first block, whether it is closed already or not. */
  readonly first: number;
  readonly latest: Header | undefined;
  readonly #blocks: List<Held>;
  readonly #byHash: Mentions;
  readonly #byTransaction: Mentions;
  readonly #events: EventIndex;

  constructor(parts: Parts) {
    this.first = parts.first;
    this.latest = parts.latest;
    this.#blocks = parts.blocks;
    this.#byHash = parts.byHash;
    this.#byTransaction = parts.byTransaction;
    this.#events = parts.events;
  }

  /** A history without blocks, whose first will have this number. */
  static startingAt(first: number): History {
    return new History({
      first,
      blocks: List(),
      latest: undefined,
      byHash: Mentions.none,
      byTransaction: Mentions.none,
      events: EventIndex.empty,
    });
  }

  /** Number of the block that is closed next. */
  get next(): number {
    return this.first + this.#blocks.size;
  }

  get transactionCount(): number {
    return this.#blocks.last()?.transactionsUpTo ?? 0;
  }

  get eventCount(): number {
    return this.#blocks.last()?.eventsUpTo ?? 0;
  }

  /** @param events what each transaction emitted, in the order of the transactions */
  append(block: ClosedBlock, events: readonly (readonly Emitted[])[]): History {
    const { header, transactions } = block;
    if (header.number !== this.next || header.transactionCount !== transactions.length) {
      throw new RangeError(`block ${header.number} cannot follow block ${this.next - 1}`);
    }
    const marks = transactions.map(({ hash }) => markOf(hash));
    return new History({
      first: this.first,
      blocks: this.#blocks.push(held(block, this.latest, this.#blocks.last())),
      latest: Object.freeze({ ...header }),
      byHash: this.#byHash.with([markOf(header.hash)], header.number),
      byTransaction: this.#byTransaction.with(marks, header.number),
      events: this.#events.with(header.number, events.flat()),
    });
  }

  /** Without the blocks from `from` on. Costs what they hold. */
  truncate(from: number): History {
    if (from >= this.next) return this;
    if (from <= this.first) return History.startingAt(this.first);
    const hashes: number[] = [];
    const transactions: number[] = [];
    for (let number = from; number < this.next; number += 1) {
      const block = this.#at(number);
      if (!block) continue;
      hashes.push(markOf(feltIn(block, 0)));
      transactions.push(...transactionHashes(block).map((hash) => markOf(hash)));
    }
    return new History({
      first: this.first,
      blocks: this.#blocks.setSize(from - this.first),
      latest: this.header(from - 1),
      byHash: this.#byHash.without(hashes, from),
      byTransaction: this.#byTransaction.without(transactions, from),
      events: this.#events.truncate(from),
    });
  }

  header(number: number): Header | undefined {
    if (number === this.latest?.number) return this.latest;
    const block = this.#at(number);
    if (!block) return undefined;
    const before = this.#at(number - 1);
    const [hash = '', transactions = '', events = '', receipts = '', stateDiff = ''] = feltsIn(
      block,
      0,
      HEADER_FELTS,
    );
    return Object.freeze({
      number,
      hash,
      parentHash: block.parentHash ?? (before ? feltIn(before, 0) : '0x0'),
      timestamp: block.timestamp,
      prices: block.prices,
      transactionCount: block.transactionsUpTo - (before?.transactionsUpTo ?? 0),
      eventCount: block.eventsUpTo - (before?.eventsUpTo ?? 0),
      stateDiffLength: block.stateDiffLength,
      transactionCommitment: transactions,
      eventCommitment: events,
      receiptCommitment: receipts,
      stateDiffCommitment: stateDiff,
    });
  }

  /** The number of the block with a hash. */
  numberOf(hash: string): number | undefined {
    const bytes = bytesOf([hash]);
    return this.#byHash.find(markOf(hash), (number) => !!this.#at(number)?.felts.startsWith(bytes));
  }

  /** Where the transaction with a hash stands. */
  locate(transactionHash: string): Position | undefined {
    const bytes = bytesOf([transactionHash]);
    let index = -1;
    const block = this.#byTransaction.find(markOf(transactionHash), (number) => {
      index = transactionIndex(this.#at(number)?.felts ?? '', bytes);
      return index >= 0;
    });
    return block === undefined ? undefined : { block, index };
  }

  /** The hashes of a block's transactions. Unpacks nothing. */
  hashes(number: number): readonly string[] {
    const block = this.#at(number);
    return block ? transactionHashes(block) : [];
  }

  /** All transactions of a block. */
  transactions(number: number): readonly TransactionRecord[] {
    const block = this.#at(number);
    if (!block) return [];
    const texts = allTexts(block.body);
    return transactionHashes(block).flatMap((hash, index) => {
      const kept = texts[index];
      return kept ? [{ hash, ...kept }] : [];
    });
  }

  /** One transaction of a block. Of a large block, unpacks only a piece. */
  transaction(number: number, index: number): TransactionRecord | undefined {
    const block = this.#at(number);
    const texts = block && textsAt(block.body, index);
    return texts && { hash: feltIn(block, HEADER_FELTS + index), ...texts };
  }

  /** The receipts of a block's transactions, as JSON texts. */
  receipts(number: number): readonly string[] {
    const block = this.#at(number);
    return block ? receiptsOf(block.body) : [];
  }

  /** The state difference of a block as JSON text, if it was given. */
  stateDiff(number: number): string | undefined {
    return this.#at(number)?.stateDiff?.part(0);
  }

  /** How many transactions and events there are up to a block, itself included. */
  totals(number: number): Totals | undefined {
    const block = this.#at(number);
    return block && { transactions: block.transactionsUpTo, events: block.eventsUpTo };
  }

  /** The blocks in which an event may match a filter, ascending; whether one does, its receipts tell. */
  eventBlocks(filter: EventFilter): Iterable<number> {
    return this.#events.candidates(filter);
  }

  figures(): HistoryFigures {
    return {
      blocks: this.#blocks.size,
      transactions: this.transactionCount,
      events: this.eventCount,
      eventMarks: this.#events.size,
    };
  }

  #at(number: number): Held | undefined {
    // A list takes a negative index for one from its end.
    return number < this.first ? undefined : this.#blocks.get(number - this.first);
  }
}

function held(block: ClosedBlock, parent: Header | undefined, before: Held | undefined): Held {
  const { header, transactions, stateDiff } = block;
  return Object.freeze({
    felts: bytesOf([
      header.hash,
      header.transactionCommitment,
      header.eventCommitment,
      header.receiptCommitment,
      header.stateDiffCommitment,
      ...transactions.map(({ hash }) => hash),
    ]),
    parentHash: parent?.hash === header.parentHash ? undefined : header.parentHash,
    timestamp: header.timestamp,
    prices: before && areEqual(before.prices, header.prices) ? before.prices : header.prices,
    stateDiffLength: header.stateDiffLength,
    transactionsUpTo: (before?.transactionsUpTo ?? 0) + transactions.length,
    eventsUpTo: (before?.eventsUpTo ?? 0) + header.eventCount,
    body: bodyOf(transactions),
    stateDiff: stateDiff === undefined ? undefined : Texts.keep([stateDiff]),
  });
}

/** Blocks that were loaded from a file do not share their prices yet. */
function areEqual(one: HeaderPrices, other: HeaderPrices): boolean {
  if (one === other) return true;
  return (['l1_gas_price', 'l1_data_gas_price', 'l2_gas_price'] as const).every(
    (gas) =>
      one[gas].price_in_fri === other[gas].price_in_fri &&
      one[gas].price_in_wei === other[gas].price_in_wei,
  );
}

/** Felts as 32 bytes each, in a string of bytes: hexadecimal would take three times the memory. */
function bytesOf(felts: readonly string[]): string {
  const digits = felts.map((felt) => felt.slice(2).padStart(2 * FELT, '0')).join('');
  return Buffer.from(digits, 'hex').toString('latin1');
}

function feltsIn({ felts }: Held, first: number, end: number): readonly string[] {
  const digits = Buffer.from(felts.slice(first * FELT, end * FELT), 'latin1').toString('hex');
  const found: string[] = [];
  for (let at = 2 * FELT; at <= digits.length; at += 2 * FELT) {
    // A search for the first digit by pattern takes twice as long as all the rest.
    let start = at - 2 * FELT;
    while (start < at - 1 && digits.charCodeAt(start) === ZERO) start += 1;
    found.push(`0x${digits.slice(start, at)}`);
  }
  return found;
}

function feltIn(block: Held, index: number): string {
  return feltsIn(block, index, index + 1)[0] ?? '0x0';
}

const transactionHashes = (block: Held): readonly string[] =>
  feltsIn(block, HEADER_FELTS, block.felts.length / FELT);

function transactionIndex(felts: string, hash: string): number {
  let at = felts.indexOf(hash, HEADER_FELTS * FELT);
  while (at >= 0 && at % FELT !== 0) at = felts.indexOf(hash, at + 1);
  return at < 0 ? -1 : at / FELT - HEADER_FELTS;
}
