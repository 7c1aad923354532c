// The difference of an image from the image of a new chain, which has the same large classes.

/** Chunks end where the content says so: an insertion changes only the chunks around it. */
const BOUNDARY_MASK = 0x7ff;
const SHORTEST = 512;
const LONGEST = 16_384;
/** The header and the blocks differ in every chain, even in a new one. */
const HEAD = 4_096;

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
  const baseHashes = chunksOf(base).map(hashOf);
  const places = new Map(baseHashes.map((hash, at) => [hash, at]));
  const parts: ({ literal: number } | { hash: string; chunks: number })[] = [];
  const literals: Bytes[] = [];
  let next: number | undefined;
  for (const chunk of chunksOf(image)) {
    const isHead = chunk.byteOffset - image.byteOffset < HEAD;
    const hash = hashOf(chunk);
    const last = parts.at(-1);
    if (next !== undefined && baseHashes[next] === hash && last && 'chunks' in last) {
      last.chunks += 1;
      next += 1;
      continue;
    }
    const place = isHead ? undefined : places.get(hash);
    next = place === undefined ? undefined : place + 1;
    if (place !== undefined) {
      parts.push({ hash, chunks: 1 });
      continue;
    }
    literals.push(chunk);
    if (last && 'literal' in last) last.literal += chunk.length;
    else parts.push({ literal: chunk.length });
  }
  return { parts, literals: joined(literals), hash: hashOf(image) };
}

/** Returns the image; undefined if the base lacks a part of it. */
export function imageOf({ parts, literals, hash }: Difference, base: Bytes): Bytes | undefined {
  const chunks = chunksOf(base);
  const places = new Map(chunks.map((chunk, at) => [hashOf(chunk), at]));
  const pieces: Bytes[] = [];
  let at = 0;
  for (const part of parts) {
    if ('literal' in part) {
      pieces.push(literals.subarray(at, at + part.literal));
      at += part.literal;
    } else {
      const first = places.get(part.hash);
      if (first === undefined) return undefined;
      pieces.push(...chunks.slice(first, first + part.chunks));
    }
  }
  const image = joined(pieces);
  return hashOf(image) === hash ? image : undefined;
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
    if (!isBoundary && length < LONGEST) continue;
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

function joined(pieces: readonly Bytes[]): Bytes {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
