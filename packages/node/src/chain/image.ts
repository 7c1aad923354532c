// Knows what an image holds of a world, and how the same world is made of it again, executing nothing.
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Origin, State } from '@starkbox/engine';
import { Writer } from './bytes.js';
import { History } from './history.js';
import {
  ImageError,
  ImageReader,
  ImageWriter,
  type Progress,
  type Sink,
  type Source,
} from './image-file.js';
import { momentText, readMoment } from './moment.js';
import { List } from './persistent.js';
import { wholeWorld } from './whole.js';
import type { World } from './world.js';

/** What an image says of itself before anything else. Every number is held against what follows. */
export interface ImageHeader {
  /** Name and version of the program that wrote it. */
  readonly written_by: string;
  readonly chain_id: string;
  readonly first_block: number;
  readonly last_block: number;
  readonly last_block_hash: string;
  /** Of the first block and of the last. */
  readonly first_timestamp: number;
  readonly last_timestamp: number;
  readonly transactions: number;
  readonly events: number;
  /** In the block under construction. */
  readonly pending_transactions: number;
  readonly contracts: number;
  readonly classes: number;
  readonly slots: number;
  /** Whether the states of older blocks can be read. */
  readonly keeps_history: boolean;
  /** The calls that made the chain; `null` if they were not kept. */
  readonly journal_calls: number | null;
}

/** What the one who writes knows beside the world. */
export interface Writing {
  readonly chainId: string;
  readonly writtenBy: string;
  /** Whether the journal holds every call that made the world. */
  readonly keepsJournal: boolean;
  readonly tell?: ((progress: Progress) => void) | undefined;
}

export interface Written {
  readonly header: ImageHeader;
  /** How many. */
  readonly bytes: number;
}

export function imageHeader(
  world: World,
  { chainId, writtenBy, keepsJournal }: Writing,
): ImageHeader {
  const { history, state, pending, journal, keepsHistory } = world;
  const { slots, contracts, classes } = state.figures();
  return {
    written_by: writtenBy,
    chain_id: chainId,
    first_block: history.first,
    last_block: history.next - 1,
    last_block_hash: history.latest?.hash ?? '0x0',
    first_timestamp: history.header(history.first)?.timestamp ?? 0,
    last_timestamp: history.latest?.timestamp ?? 0,
    transactions: history.transactionCount,
    events: history.eventCount,
    pending_transactions: pending.transactions.size,
    contracts,
    classes,
    slots,
    keeps_history: keepsHistory,
    journal_calls: keepsJournal ? journal.size : null,
  };
}

/** The chain may go on meanwhile: a world never changes. The same world gives the same bytes. */
export async function writeImage(given: World, writing: Writing, sink: Sink): Promise<Written> {
  const world = await wholeWorld(given);
  const header = imageHeader(world, writing);
  const writer = new ImageWriter(sink, writing.tell);
  await writer.begin(JSON.stringify(header));
  // Images are handed on, and the way to L1 includes a private key: whoever loads one opens it again.
  const moment = { ...world, messages: { ...world.messages, l1: undefined } };
  await writer.section('moment', [Buffer.from(momentText(moment))], 'small');
  // Their texts are packed already, and the rest is hashes.
  await writer.section('blocks', prefixed(recordsOf(world.history)), 'none');
  await writer.section('state', world.state.export(), 'fast');
  // A state that forgets the past cannot be taken back to the end of the last block.
  if (!world.keepsHistory) await writer.section('latest', world.latest.export(), 'fast');
  if (writing.keepsJournal) {
    const calls = world.journal.toSeq().map((call) => Buffer.from(call));
    await writer.section('journal', prefixed(calls), 'small');
  }
  return { header, bytes: await writer.end() };
}

let drafts = 0;

/** Writes beside, makes it durable and renames: the file is there as a whole or not at all. */
export async function writeImageFile(
  path: string,
  world: World,
  writing: Writing,
): Promise<Written> {
  drafts += 1;
  const draft = `${path}.${process.pid}-${drafts}.draft`;
  const file = await open(draft, 'wx');
  try {
    const written = await writeImage(world, writing, {
      async write(bytes) {
        for (let at = 0; at < bytes.length; ) {
          at += (await file.write(bytes, at)).bytesWritten;
        }
      },
    });
    await file.sync();
    await file.close();
    await rename(draft, path);
    await syncFolder(dirname(path));
    return written;
  } catch (error) {
    await file.close().catch(() => {});
    await rm(draft, { force: true });
    throw error;
  }
}

/** A new name is durable when its folder is. Not every system can do that. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined);
  await folder?.sync().catch(() => {});
  await folder?.close();
}

/** An image in memory. Refuses, without making the rest of it, one that gets longer than `limit`. */
export async function imageBytes(
  world: World,
  writing: Writing,
  limit: number,
): Promise<Written & { readonly image: Buffer }> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  const written = await writeImage(world, writing, {
    async write(bytes) {
      length += bytes.length;
      if (length > limit) throw new ImageError(`the image has more than ${limit} bytes`);
      pieces.push(bytes);
    },
  });
  return { ...written, image: Buffer.concat(pieces) };
}

// Reading.

/** What the chain is like that an image is read for. What is left out may be anything. */
export interface Reading {
  readonly chainId?: string;
  /** Number of its first block: not zero on a fork. */
  readonly first?: number;
  /** Whether it lets the states of older blocks be read. */
  readonly keepsHistory?: boolean;
  /** Where a fork reads what it has not written. */
  readonly origin?: Origin | undefined;
  readonly tell?: ((progress: Progress) => void) | undefined;
}

export interface Loaded {
  readonly header: ImageHeader;
  readonly world: World;
}

/** Throws an `ImageError` for what is not an image, or damaged, or does not fit. */
export async function readImage(source: Source, reading: Reading = {}): Promise<Loaded> {
  // Checking takes a tenth of the time of reading, and then nothing is begun that cannot be finished.
  surveyImage(source);
  const reader = new ImageReader(source, reading.tell);
  try {
    const header = readHeader(reader.begin());
    mustFit(header, reading);
    const world = await readWorld(reader, header, reading);
    return { header, world };
  } catch (error) {
    throw reader.explain(error);
  }
}

async function readWorld(
  reader: ImageReader,
  header: ImageHeader,
  { origin, keepsHistory = true }: Reading,
): Promise<World> {
  must(reader.next() === 'moment', 'the section "moment" is missing');
  const moment = readMoment(Buffer.concat([...reader.pieces()]).toString());
  must(reader.next() === 'blocks', 'the section "blocks" is missing');
  const history = History.restore(header.first_block, unprefixed(reader.pieces()));
  must(reader.next() === 'state', 'the section "state" is missing');
  const state = await State.import(reader.pieces(), origin);
  let next = reader.next();
  let latest: State | undefined;
  if (next === 'latest') {
    latest = await State.import(reader.pieces(), origin);
    next = reader.next();
  }
  let journal = List<string>();
  if (next === 'journal') {
    const calls = unprefixed(reader.pieces());
    journal = List([...calls].map((call) => Buffer.from(call).toString()));
    next = reader.next();
  }
  must(next === undefined, `the section "${next}" is unknown`);
  must(state.version === history.next, 'blocks and state are not of the same moment');
  latest ??= await state.rewind(state.version - 1);
  must(latest.version === state.version, 'its two states are not of the same moment');
  must((moment.acceptedOnL1 ?? 0) < history.next, 'a block was accepted that is not there');
  const world: World = Object.freeze({
    ...moment,
    keepsHistory: moment.keepsHistory && keepsHistory,
    state,
    latest,
    history,
    past: undefined,
    journal,
  });
  const keepsJournal = header.journal_calls !== null;
  const { written_by: writtenBy, chain_id: chainId, keeps_history } = header;
  const found = imageHeader(world, { writtenBy, chainId, keepsJournal });
  must(
    JSON.stringify({ ...found, keeps_history }) === JSON.stringify(header),
    'it does not hold what its header says',
  );
  return world;
}

function mustFit(header: ImageHeader, { chainId, first }: Reading): void {
  if (chainId !== undefined && header.chain_id !== chainId) {
    throw new ImageError(
      `the image is of the chain ${header.chain_id}, and this one is ${chainId}: start with --chain-id ${header.chain_id}`,
    );
  }
  if (first !== undefined && header.first_block !== first) {
    throw new ImageError(
      `the image begins at block ${header.first_block}, and this chain at block ${first}: they are not forks of the same block`,
    );
  }
}

/** What an image says of itself, and the sizes of its sections. Checks all and unpacks nothing. */
export function surveyImage(source: Source): {
  readonly header: ImageHeader;
  readonly sections: ImageReader['sizes'];
} {
  const reader = new ImageReader(source);
  try {
    const header = readHeader(reader.begin());
    while (reader.next() !== undefined) reader.skip();
    return { header, sections: reader.sizes };
  } catch (error) {
    throw reader.explain(error);
  }
}

/** A header whose members are of the right kind; what they say is checked by what follows. */
function readHeader(text: string): ImageHeader {
  const given: Partial<ImageHeader> = JSON.parse(text);
  const header: ImageHeader = {
    written_by: words(given.written_by),
    chain_id: words(given.chain_id),
    first_block: count(given.first_block),
    last_block: count(given.last_block),
    last_block_hash: words(given.last_block_hash),
    first_timestamp: count(given.first_timestamp),
    last_timestamp: count(given.last_timestamp),
    transactions: count(given.transactions),
    events: count(given.events),
    pending_transactions: count(given.pending_transactions),
    contracts: count(given.contracts),
    classes: count(given.classes),
    slots: count(given.slots),
    keeps_history: given.keeps_history === true,
    journal_calls: given.journal_calls === null ? null : count(given.journal_calls),
  };
  return header;
}

function words(value: unknown): string {
  must(typeof value === 'string', 'the header lacks a text');
  return String(value);
}

function count(value: unknown): number {
  must(Number.isSafeInteger(value) && Number(value) >= 0, 'the header lacks a number');
  return Number(value);
}

/** `readImage` adds where it happened. */
function must(condition: boolean, otherwise: string): void {
  if (!condition) throw new Error(otherwise);
}

// Records of any length in a stream of pieces: the length of each stands before it.

function* recordsOf(history: History): Generator<Uint8Array, void, undefined> {
  for (let number = history.first; number < history.next; number += 1) {
    yield history.record(number);
  }
}

function* prefixed(records: Iterable<Uint8Array>): Generator<Uint8Array, void, undefined> {
  for (const record of records) yield new Writer().bytes(record).done();
}

/** Holds no more than one record and one piece, whatever lengths they claim. */
function* unprefixed(pieces: Iterable<Uint8Array>): Generator<Uint8Array, void, undefined> {
  let waiting: Uint8Array[] = [];
  let length = 0;
  let needed = 1;
  for (const piece of pieces) {
    waiting.push(piece);
    length += piece.length;
    if (length < needed) continue;
    const bytes = Buffer.concat(waiting);
    let at = 0;
    for (;;) {
      const prefix = prefixAt(bytes, at);
      const end = prefix ? prefix.at + prefix.length : undefined;
      if (!prefix || end === undefined || end > length) {
        needed = end === undefined ? length - at + 1 : end - at;
        break;
      }
      yield bytes.subarray(prefix.at, end);
      at = end;
    }
    waiting = [bytes.subarray(at)];
    length -= at;
  }
  must(length === 0, 'a record is cut');
}

/** The number that stands at a place, and where it ends; nothing if there is more to come. */
function prefixAt(bytes: Uint8Array, start: number): { at: number; length: number } | undefined {
  let length = 0;
  let at = start;
  for (let scale = 1; scale <= 2 ** 49; scale *= 0x80) {
    const byte = bytes[at];
    if (byte === undefined) return undefined;
    at += 1;
    length += (byte & 0x7f) * scale;
    if (byte < 0x80) return { at, length };
  }
  throw new Error('a length is impossible');
}
