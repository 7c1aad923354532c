// The difference of an image from a base: the image of a new chain, which has the same large classes.

/** Chunks end where the content says so: an insertion changes only the chunks around it. */
const BOUNDARY_MASK = 0xff;
const SHORTEST = 64;
const MAX_LENGTH = 4_096;
/** Bytes before the first frame of an image, before the content of a frame, and after the state. */
const START = 9;
const FRAME_HEAD = 8;
const TAIL = 64;
/** The kind of a frame that begins a section, and the section of the state. */
const SECTION = 2;
const STATE = 'state';
/** Far more than an image whose link browsers accept; a few bytes of a link can name a chunk many times. */
export const MAX_IMAGE_LENGTH = 16 * 1024 * 1024;

/** Bytes of the difference itself, or chunks of the base from the chunk with this hash on. */
export type Part =
  | { readonly literal: number }
  | { readonly hash: string; readonly chunks: number };

export interface Difference {
  readonly parts: readonly Part[];
  readonly literals: Uint8Array<ArrayBuffer>;
  /** The hash of the whole image. */
  readonly hash: string;
}

type Bytes = Uint8Array<ArrayBuffer>;

/** Compares an image with the base. */
export function differenceOf(image: Bytes, base: Bytes): Difference {
  const { hashes, places } = dictionaryOf(base);
  const parts: ({ literal: number } | { hash: string; chunks: number })[] = [];
  const literals: Bytes[] = [];
  let next: number | undefined;
  const begin = stateStart(image);
  const chunks = [...chunksOf(image.subarray(0, begin)), ...chunksOf(image.subarray(begin))];
  for (const chunk of chunks) {
    const hash = hashOf(chunk);
    const last = parts.at(-1);
    if (next !== undefined && hashes[next] === hash && last && 'chunks' in last) {
      last.chunks += 1;
      next += 1;
      continue;
    }
    const place = places.get(hash);
    next = place === undefined ? undefined : place + 1;
    if (place !== undefined) {
      parts.push({ hash, chunks: 1 });
      continue;
    }
    literals.push(chunk);
    if (last && 'literal' in last) last.literal += chunk.length;
    else parts.push({ literal: chunk.length });
  }
  return { parts, literals: joinPieces(literals), hash: hashOf(image) };
}

/** Returns the image; undefined if the base lacks a part of it, or if it is too long. */
export function imageOf({ parts, literals, hash }: Difference, base: Bytes): Bytes | undefined {
  const { chunks, places } = dictionaryOf(base);
  const pieces: Bytes[] = [];
  let at = 0;
  let length = 0;
  for (const part of parts) {
    const added: Bytes[] = [];
    if ('literal' in part) {
      added.push(literals.subarray(at, at + part.literal));
      at += part.literal;
    } else {
      const first = places.get(part.hash);
      if (first === undefined) return undefined;
      added.push(...chunks.slice(first, first + part.chunks));
    }
    length += lengthOf(added);
    if (length > MAX_IMAGE_LENGTH) return undefined;
    pieces.push(...added);
  }
  const image = joinPieces(pieces);
  return hashOf(image) === hash ? image : undefined;
}

/** The chunks that every base has, and where each is. They begin with the state, so they depend on nothing before it. */
function dictionaryOf(base: Bytes) {
  const chunks = chunksOf(base.subarray(stateStart(base), Math.max(0, base.length - TAIL)));
  const hashes = chunks.map(hashOf);
  return { chunks, hashes, places: new Map(hashes.map((hash, at) => [hash, at])) };
}

/** Where the state begins. The header and the blocks before it have the times of one chain. */
function stateStart(image: Bytes): number {
  const view = new DataView(image.buffer, image.byteOffset, image.length);
  let at = START;
  while (at + FRAME_HEAD < image.length) {
    const content = image.subarray(at + FRAME_HEAD, at + FRAME_HEAD + view.getUint32(at, true));
    at += FRAME_HEAD + content.length;
    if (content[0] === SECTION && new TextDecoder().decode(content.subarray(1)) === STATE) {
      return at + FRAME_HEAD;
    }
  }
  return image.length;
}

function chunksOf(bytes: Bytes): readonly Bytes[] {
  const chunks: Bytes[] = [];
  let start = 0;
  let rolling = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    // Older bytes are shifted out: the value depends on the last 32 alone.
    rolling = ((rolling << 1) + Math.imul((bytes[at] ?? 0) + 1, 0x9e3779b1)) | 0;
    const length = at + 1 - start;
    const isBoundary = length >= SHORTEST && ((rolling >>> 16) & BOUNDARY_MASK) === 0;
    if (!isBoundary && length < MAX_LENGTH) continue;
    chunks.push(bytes.subarray(start, at + 1));
    start = at + 1;
  }
  if (start < bytes.length) chunks.push(bytes.subarray(start));
  return chunks;
}

/** Two hashes of 32 bits. */
function hashOf(bytes: Uint8Array): string {
  let first = 0x811c9dc5;
  let second = 0x1b873593;
  for (const byte of bytes) {
    first = Math.imul(first ^ byte, 0x01000193);
    second = Math.imul(second ^ byte, 0x85ebca6b);
    second ^= second >>> 13;
  }
  return [first, second].map((half) => (half >>> 0).toString(36)).join('.');
}

const lengthOf = (pieces: readonly Bytes[]): number =>
  pieces.reduce((sum, { length }) => sum + length, 0);

function joinPieces(pieces: readonly Bytes[]): Bytes {
  const whole = new Uint8Array(lengthOf(pieces));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
