// Compact form of closed blocks in memory, and its codec for block records. Felts are latin1 strings of
// their bytes: a buffer takes 160 bytes more, and a felt as hexadecimal text twice its bytes.
import { wideBytes } from '../../felt.js';
import { STARKNET_VERSIONS, type StarknetVersion } from '../../starknet-versions.js';
import { markOf } from './block-index.js';
import { ByteReader, BytesError, ByteWriter } from './byte-codec.js';
import { type Emitted, eventMarks } from './event-index.js';
import type { ClosedBlock, Header, HeaderPrices, Price } from './header.js';
import { type PackedTexts, packedTextsFrom, packTexts, TextChunk } from './packed-texts.js';

/** A closed block. Felts are bytes and texts are compressed to hold 100,000 blocks in memory. */
export interface PackedBlock {
  /** The block hash, the four commitments and the transaction hashes. */
  readonly felts: string;
  /** `undefined` if it is the hash of the previous block. */
  readonly parentHash: string | undefined;
  readonly timestamp: number;
  readonly prices: HeaderPrices;
  /** Undefined: the usual one. */
  readonly sequencer: string | undefined;
  /** Whose constants metered it. Undefined: the newest. */
  readonly starknetVersion: StarknetVersion | undefined;
  readonly stateDiffLength: number;
  readonly transactionsUpTo: number;
  readonly eventsUpTo: number;
  readonly texts: PackedTexts;
  readonly stateDiff: TextChunk | undefined;
  /** Marks of its events and its block keys. */
  readonly indexMarks: Marks;
}

/** Marks as two characters each: an array takes twice the memory. */
type Marks = string;

const FELT = 32;
const HEADER_FELTS = 5;
const PRICE_FELTS = 6;
const ZERO = '0'.charCodeAt(0);

/**
 * The compact form of a block, and all its index marks.
 *
 * @param events the events of each transaction, in the order of the transactions
 */
export function packBlock(
  block: ClosedBlock,
  events: readonly (readonly Emitted[])[],
  parent: Header | undefined,
  before: PackedBlock | undefined,
): { readonly packed: PackedBlock; readonly marks: readonly number[] } {
  const { header, transactions, stateDiff, blockKeys = [] } = block;
  const indexMarks = [...eventMarks(events.flat()), ...blockKeys];
  const marks = [
    markOf(header.hash),
    ...transactions.map(({ hash }) => markOf(hash)),
    ...indexMarks,
  ];
  const packed = Object.freeze({
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
    prices: sharedPrices(header.prices, before),
    sequencer: header.sequencer,
    starknetVersion: header.starknetVersion,
    stateDiffLength: header.stateDiffLength,
    transactionsUpTo: (before?.transactionsUpTo ?? 0) + transactions.length,
    eventsUpTo: (before?.eventsUpTo ?? 0) + header.eventCount,
    texts: packTexts(transactions),
    stateDiff: stateDiff === undefined ? undefined : TextChunk.keep([stateDiff]),
    indexMarks: marksToText(indexMarks),
  });
  return { packed, marks };
}

export function headerOf(
  number: number,
  block: PackedBlock,
  before: PackedBlock | undefined,
): Header {
  const [hash = '', transactions = '', events = '', receipts = '', stateDiff = ''] = feltsIn(
    block,
    0,
    HEADER_FELTS,
  );
  return Object.freeze({
    number,
    hash,
    parentHash: block.parentHash ?? (before ? blockHash(before) : '0x0'),
    timestamp: block.timestamp,
    prices: block.prices,
    sequencer: block.sequencer,
    starknetVersion: block.starknetVersion,
    transactionCount: block.transactionsUpTo - (before?.transactionsUpTo ?? 0),
    eventCount: block.eventsUpTo - (before?.eventsUpTo ?? 0),
    stateDiffLength: block.stateDiffLength,
    transactionCommitment: transactions,
    eventCommitment: events,
    receiptCommitment: receipts,
    stateDiffCommitment: stateDiff,
  });
}

export const blockHash = (block: PackedBlock): string => feltsIn(block, 0, 1)[0] ?? '0x0';

export function transactionHashes(block: PackedBlock): readonly string[] {
  return feltsIn(block, HEADER_FELTS, block.felts.length / FELT);
}

export function transactionHash(block: PackedBlock, index: number): string {
  return feltsIn(block, HEADER_FELTS + index, HEADER_FELTS + index + 1)[0] ?? '0x0';
}

export function hasHash(block: PackedBlock, hash: string): boolean {
  return block.felts.startsWith(bytesOf([hash]));
}

/** Index of a transaction in its block, or −1. */
export function transactionIndex({ felts }: PackedBlock, hash: string): number {
  const bytes = bytesOf([hash]);
  let at = felts.indexOf(bytes, HEADER_FELTS * FELT);
  while (at >= 0 && at % FELT !== 0) at = felts.indexOf(bytes, at + 1);
  return at < 0 ? -1 : at / FELT - HEADER_FELTS;
}

/** Number of transaction hashes. */
export function transactionHashCount({ felts }: PackedBlock): number {
  return felts.length / FELT - HEADER_FELTS;
}

/** Index marks of its events and its block keys. */
export function storedMarks({ indexMarks }: PackedBlock): readonly number[] {
  return marksFromText(indexMarks);
}

/** All index marks: of the block hash, transaction hashes, events and block keys. */
export function marksOf(block: PackedBlock): readonly number[] {
  const hashes = [blockHash(block), ...transactionHashes(block)].map((hash) => markOf(hash));
  return [...hashes, ...marksFromText(block.indexMarks)];
}

// Records.

/** First number of a record; every change of the layout needs a new one. */
const FORMAT = 1;

export function recordOf(block: PackedBlock): Buffer {
  const writer = new ByteWriter()
    .number(FORMAT)
    .number(block.timestamp)
    .number(block.stateDiffLength)
    .number(block.transactionsUpTo)
    .number(block.eventsUpTo)
    .latin1(block.parentHash === undefined ? '' : bytesOf([block.parentHash]))
    .latin1(block.felts);
  for (const { price_in_fri, price_in_wei } of pricesOf(block.prices)) {
    writer.felt(price_in_fri).felt(price_in_wei);
  }
  const marks = marksFromText(block.indexMarks);
  writer.number(marks.length);
  for (const mark of marks) writer.number(mark);
  const texts = block.stateDiff ? [...block.texts, block.stateDiff] : block.texts;
  writer.number(block.texts.length).number(texts.length);
  for (const text of texts) writer.number(text.size).latin1(text.pack());
  return writer
    .felt(block.sequencer ?? '0x0')
    .latin1(block.starknetVersion ?? '')
    .finish();
}

/** @param before the previous block; equal prices are shared with it */
export function readPackedBlock(record: Uint8Array, before?: PackedBlock): PackedBlock {
  const reader = new ByteReader(record);
  const format = reader.number();
  if (format !== FORMAT) throw new BytesError(`a block is in the unknown format ${format}`);
  const [timestamp, stateDiffLength] = [reader.number(), reader.number()];
  const [transactionsUpTo, eventsUpTo] = [reader.number(), reader.number()];
  const [parentHash, felts] = [reader.latin1(), reader.latin1()];
  const isParent = parentHash.length === 0 || parentHash.length === FELT;
  if (felts.length % FELT !== 0 || felts.length < HEADER_FELTS * FELT || !isParent) {
    throw new BytesError('a block is incomplete');
  }
  const prices = readPrices(reader);
  let indexMarks: Marks = '';
  for (let remaining = reader.number(); remaining > 0; remaining -= 1)
    indexMarks += markText(reader.number());
  const inBody = reader.number();
  const texts = times(reader, () => {
    const size = reader.number();
    return new TextChunk(reader.latin1(), size);
  });
  const sequencer = reader.felt();
  const starknetVersion = readVersion(reader);
  if (!reader.isAtEnd) throw new BytesError('a block is followed by excess bytes');
  if (inBody > texts.length || texts.length > inBody + 1) {
    throw new BytesError('a block has a wrong number of strings');
  }
  return Object.freeze({
    felts,
    parentHash: parentHash === '' ? undefined : feltsIn({ felts: parentHash }, 0, 1)[0],
    timestamp,
    prices: sharedPrices(prices, before),
    sequencer: sequencer === '0x0' ? undefined : sequencer,
    starknetVersion,
    stateDiffLength,
    transactionsUpTo,
    eventsUpTo,
    texts: packedTextsFrom(texts.slice(0, inBody)),
    stateDiff: texts[inBody],
    indexMarks,
  });
}

/** The text of the table, which all blocks of the version share; undefined without a version. */
function readVersion(reader: ByteReader): StarknetVersion | undefined {
  const text = reader.latin1();
  if (text === '') return undefined;
  const version = STARKNET_VERSIONS.find((supported) => supported === text);
  if (version === undefined) throw new BytesError(`a block has the unknown version ${text}`);
  return version;
}

function times<T>(reader: ByteReader, read: () => T): readonly T[] {
  const values: T[] = [];
  for (let remaining = reader.number(); remaining > 0; remaining -= 1) values.push(read());
  return values;
}

// Prices.

export const pricesOf = (prices: HeaderPrices): readonly Price[] => [
  prices.l1_gas_price,
  prices.l1_data_gas_price,
  prices.l2_gas_price,
];

/** The prices that were read last, and their bytes: most blocks have those of their neighbours. */
let recentPrices: { readonly bytes: string; readonly prices: HeaderPrices } | undefined;

function readPrices(reader: ByteReader): HeaderPrices {
  const bytes = reader.values(PRICE_FELTS);
  if (recentPrices?.bytes === bytes) return recentPrices.prices;
  const felts = new ByteReader(Buffer.from(bytes, 'latin1'));
  const price = () => ({ price_in_fri: felts.felt(), price_in_wei: felts.felt() });
  const prices = { l1_gas_price: price(), l1_data_gas_price: price(), l2_gas_price: price() };
  recentPrices = { bytes, prices };
  return prices;
}

/** Blocks at equal prices share one object. */
function sharedPrices(prices: HeaderPrices, before: PackedBlock | undefined): HeaderPrices {
  return before && arePricesEqual(prices, before.prices) ? before.prices : prices;
}

export function arePricesEqual(first: HeaderPrices, second: HeaderPrices): boolean {
  if (first === second) return true;
  const others = pricesOf(second);
  return pricesOf(first).every(
    ({ price_in_fri, price_in_wei }, index) =>
      price_in_fri === others[index]?.price_in_fri && price_in_wei === others[index]?.price_in_wei,
  );
}

// Felts and marks.

/** Felts as 32 latin1 characters each: hexadecimal takes three times the memory. */
function bytesOf(felts: readonly string[]): string {
  return wideBytes(felts).toString('latin1');
}

function feltsIn(
  { felts }: Pick<PackedBlock, 'felts'>,
  first: number,
  end: number,
): readonly string[] {
  const digits = Buffer.from(felts.slice(first * FELT, end * FELT), 'latin1').toString('hex');
  const texts: string[] = [];
  for (let at = 2 * FELT; at <= digits.length; at += 2 * FELT) {
    // A regular expression for the leading zeros takes twice as long as the rest of this function.
    let start = at - 2 * FELT;
    while (start < at - 1 && digits.charCodeAt(start) === ZERO) start += 1;
    texts.push(`0x${digits.slice(start, at)}`);
  }
  return texts;
}

function marksToText(marks: readonly number[]): Marks {
  return marks.map(markText).join('');
}

const markText = (mark: number): string => String.fromCharCode(mark >>> 15, mark & 0x7fff);

function marksFromText(text: Marks): readonly number[] {
  return Array.from(
    { length: text.length / 2 },
    (_, index) => (text.charCodeAt(2 * index) << 15) | text.charCodeAt(2 * index + 1),
  );
}
