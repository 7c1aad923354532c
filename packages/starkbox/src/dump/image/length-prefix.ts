// Codec of length-prefixed records in a stream of chunks.

import { ByteWriter } from '../../chain/history/byte-codec.js';
import { sliced } from '../../scheduling/slices.js';

export async function* addPrefixes(
  records: Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const record of sliced(records)) yield new ByteWriter().bytes(record).finish();
}

/**
 * Buffers at most one record and one chunk, whatever length a prefix states.
 *
 * @param shortest length of the shortest valid record: packed, millions of empty ones take a few bytes
 */
export function* splitByPrefixes(
  pieces: Iterable<Uint8Array>,
  shortest = 0,
): Generator<Uint8Array, void, undefined> {
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
      if (prefix.length < shortest) throw new Error('a record is too short');
      yield bytes.subarray(prefix.at, end);
      at = end;
    }
    waiting = [bytes.subarray(at)];
    length -= at;
  }
  if (length > 0) throw new Error('a record is cut');
}

/** The number at an offset, and its end; undefined if the input is incomplete. */
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
