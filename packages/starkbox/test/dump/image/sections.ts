// An image taken apart into its sections, to be put together again with something else in them.
import { crc32 } from 'node:zlib';
import {
  type PackedBlock,
  readPackedBlock,
  recordOf,
} from '../../../src/chain/history/packed-block.js';
import { TextChunk } from '../../../src/chain/history/packed-texts.js';
import { ImageReader } from '../../../src/dump/image/format.js';
import { addPrefixes, splitByPrefixes } from '../../../src/dump/image/length-prefix.js';
import { sourceOfBytes } from '../../../src/dump/image/source.js';
import { forged, type Section } from './small.js';

export type Json = Record<string, unknown>;

export interface Parts {
  readonly header: Json;
  readonly moment: Json;
  readonly blocks: readonly PackedBlock[];
  readonly others: ReadonlyMap<string, Buffer>;
  readonly journal: readonly string[];
}

export async function partsOf(image: Uint8Array): Promise<Parts> {
  const reader = new ImageReader(sourceOfBytes(image));
  const header: Json = Object(JSON.parse(reader.begin()));
  const others = new Map<string, Buffer>();
  for (let name = reader.next(); name !== undefined; name = reader.next()) {
    others.set(name, Buffer.concat([...reader.pieces(Number.POSITIVE_INFINITY)]));
  }
  const take = (name: string): Buffer => {
    const content = others.get(name) ?? Buffer.of();
    others.delete(name);
    return content;
  };
  const moment: Json = Object(JSON.parse(take('moment').toString()));
  const blocks: PackedBlock[] = [];
  for (const record of splitByPrefixes([take('blocks')]))
    blocks.push(readPackedBlock(record, blocks.at(-1)));
  const journal = [...splitByPrefixes([take('journal')])].map((call) =>
    Buffer.from(call).toString(),
  );
  return { header, moment, blocks, others, journal };
}

export interface Change {
  readonly header?: Json;
  readonly moment?: Json | string;
  readonly blocks?: readonly PackedBlock[];
  /** Instead of the records of blocks. */
  readonly records?: readonly Uint8Array[];
  readonly state?: Uint8Array;
  readonly journal?: readonly string[];
}

/** The same image but for a change, under right checksums. */
export async function changed(parts: Parts, change: Change): Promise<Buffer> {
  const { header = parts.header, moment = parts.moment, blocks = parts.blocks } = change;
  const { journal = parts.journal, records = blocks.map(recordOf), state } = change;
  const text = typeof moment === 'string' ? moment : JSON.stringify(moment);
  const sections: Section[] = [
    ['moment', Buffer.from(text)],
    ['blocks', await joined(records)],
  ];
  for (const [name, content] of parts.others) {
    sections.push([name, name === 'state' && state ? state : content, 'fast']);
  }
  sections.push(['journal', await joined(journal.map((call) => Buffer.from(call)))]);
  return forged(header, sections);
}

/** Records as a section holds them. */
export async function joined(records: readonly Uint8Array[]): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of addPrefixes(records)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** A block with other texts of its transactions, one list of four after another. */
export function withTexts(
  block: PackedBlock,
  texts: readonly string[],
  size = texts.length,
): PackedBlock {
  return { ...block, texts: [new TextChunk(new TextChunk(texts).pack(), size)] };
}

/** The texts of a block's transactions. */
export function textsIn(block: PackedBlock): string[] {
  return block.texts.flatMap((piece) =>
    Array.from({ length: piece.size }, (_, index) => piece.part(index)),
  );
}

/** Where the magic and the format of a state end. */
const STATE_START = 9;

/** A state whose frames have right checksums again. */
export function withChecksums(state: Buffer): Buffer {
  const edited = Buffer.from(state);
  let checksum = 0;
  for (let at = STATE_START; at + 8 <= edited.length; ) {
    const length = Buffer.alloc(8);
    edited.copy(length, 0, at, at + 4);
    const end = at + 8 + length.readUInt32LE();
    checksum = crc32(edited.subarray(at + 8, end), crc32(length, checksum));
    edited.writeUInt32LE(checksum, at + 4);
    at = end;
  }
  return edited;
}
