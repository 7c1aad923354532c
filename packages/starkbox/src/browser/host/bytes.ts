// Buffers, compression and hashes in browsers: as much of `node:buffer`, `node:zlib` and `node:crypto` as a chain uses.
import { sha256 } from '@noble/hashes/sha256';
import { decompress } from 'brotli/decompress';
import { deflateSync as deflateBytes, inflateSync as inflateBytes } from 'fflate';

type Encoding = 'utf8' | 'utf-8' | 'latin1' | 'hex' | 'base64';

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
/** Characters that one call of `String.fromCharCode` takes. */
const PIECE = 8192;

function latin1Bytes(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
  return bytes;
}

function hexBytes(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length >> 1);
  for (let at = 0; at < bytes.length; at += 1) {
    const digits = text.slice(2 * at, 2 * at + 2);
    // As in Node, the rest is left out where a digit is none.
    if (!/^[0-9a-f]{2}$/i.test(digits)) return bytes.subarray(0, at);
    bytes[at] = Number.parseInt(digits, 16);
  }
  return bytes;
}

function base64Bytes(text: string): Uint8Array {
  const standard = text.replaceAll('-', '+').replaceAll('_', '/');
  const [digits = ''] = standard.replace(/[^A-Za-z0-9+/=]/g, '').split('=');
  // One digit alone is no byte.
  return latin1Bytes(atob(digits.length % 4 === 1 ? digits.slice(0, -1) : digits));
}

function bytesOf(text: string, encoding: Encoding): Uint8Array {
  if (encoding === 'latin1') return latin1Bytes(text);
  if (encoding === 'hex') return hexBytes(text);
  if (encoding === 'base64') return base64Bytes(text);
  return encoder.encode(text);
}

function latin1Text(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += PIECE) {
    text += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  }
  return text;
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

function textOf(bytes: Uint8Array, encoding: Encoding): string {
  if (encoding === 'latin1') return latin1Text(bytes);
  if (encoding === 'hex') return Array.from(bytes, (byte) => HEX[byte]).join('');
  if (encoding === 'base64') return btoa(latin1Text(bytes));
  return decoder.decode(bytes);
}

/** What a chain uses of Node's `Buffer`. */
export class Buffer extends Uint8Array {
  static override from(
    source: string | ArrayLike<number> | Iterable<number> | ArrayBuffer,
    encodingOrStart?: unknown,
    length?: unknown,
  ): Buffer {
    if (typeof source === 'string') {
      return asBuffer(bytesOf(source, isEncoding(encodingOrStart) ? encodingOrStart : 'utf8'));
    }
    if (source instanceof ArrayBuffer) {
      const start = typeof encodingOrStart === 'number' ? encodingOrStart : 0;
      return new Buffer(source, start, typeof length === 'number' ? length : undefined);
    }
    return new Buffer(source instanceof Uint8Array ? source : Array.from(source));
  }

  static override of(...bytes: number[]): Buffer {
    return Buffer.from(bytes);
  }

  static alloc(size: number): Buffer {
    return new Buffer(size);
  }

  static allocUnsafe(size: number): Buffer {
    return new Buffer(size);
  }

  static concat(pieces: readonly Uint8Array[]): Buffer {
    const whole = new Buffer(pieces.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const piece of pieces) {
      whole.set(piece, at);
      at += piece.length;
    }
    return whole;
  }

  static byteLength(text: string): number {
    return encoder.encode(text).length;
  }

  override toString(encoding: Encoding = 'utf8', start = 0, end: number = this.length): string {
    return textOf(start === 0 && end === this.length ? this : this.subarray(start, end), encoding);
  }

  write(text: string, at: number, encoding: Encoding): number {
    const bytes = bytesOf(text, encoding);
    this.set(bytes, at);
    return bytes.length;
  }

  override indexOf(searched: number | string, from = 0): number {
    const byte = typeof searched === 'string' ? searched.charCodeAt(0) : searched;
    return super.indexOf(byte, from);
  }

  readUInt32LE(at = 0): number {
    return this.#view().getUint32(at, true);
  }

  writeUInt32LE(value: number, at = 0): number {
    this.#view().setUint32(at, value, true);
    return at + 4;
  }

  readBigUInt64LE(at = 0): bigint {
    return this.#view().getBigUint64(at, true);
  }

  writeBigUInt64LE(value: bigint, at = 0): number {
    this.#view().setBigUint64(at, value, true);
    return at + 8;
  }

  #view(): DataView {
    return new DataView(this.buffer, this.byteOffset, this.byteLength);
  }
}

const ENCODINGS: readonly unknown[] = ['utf8', 'utf-8', 'latin1', 'hex', 'base64'];

function isEncoding(value: unknown): value is Encoding {
  return ENCODINGS.includes(value);
}

/** The same bytes; a copy of shared ones. */
function asBuffer(bytes: Uint8Array): Buffer {
  const { buffer, byteOffset, length } = bytes;
  return buffer instanceof ArrayBuffer
    ? new Buffer(buffer, byteOffset, length)
    : Buffer.from(bytes);
}

/** Those of `node:buffer` and of `node:zlib`. */
export const constants: Readonly<Record<string, number>> = {
  /** The limit of Firefox, which is lower than others. */
  MAX_STRING_LENGTH: 2 ** 30 - 2,
  BROTLI_PARAM_QUALITY: 1,
  BROTLI_PARAM_SIZE_HINT: 5,
};

// Compression.

interface DeflateOptions {
  readonly level?: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;
  readonly dictionary?: Uint8Array;
}

interface InflateOptions {
  readonly dictionary?: Uint8Array;
  readonly maxOutputLength?: number;
}

export function deflateRawSync(bytes: Uint8Array, options: DeflateOptions = {}): Buffer {
  const { level = 6, dictionary } = options;
  return asBuffer(deflateBytes(bytes, { level, ...(dictionary ? { dictionary } : {}) }));
}

export function inflateRawSync(bytes: Uint8Array, options: InflateOptions = {}): Buffer {
  const { dictionary, maxOutputLength = Number.POSITIVE_INFINITY } = options;
  const unpacked = inflateBytes(bytes, dictionary ? { dictionary } : {});
  if (unpacked.length > maxOutputLength) throw new RangeError('the content is too long');
  return asBuffer(unpacked);
}

/** Gives back what it gets: images then hold these frames uncompressed, which every reader takes. */
export function brotliCompress(
  bytes: Uint8Array,
  _options: unknown,
  callback: (error: null, packed: Uint8Array) => void,
): void {
  callback(null, bytes);
}

export function brotliDecompressSync(
  bytes: Uint8Array,
  { maxOutputLength }: { readonly maxOutputLength: number },
): Buffer {
  const unpacked = decompress(bytes);
  if (unpacked.length > maxOutputLength) throw new RangeError('the content is too long');
  return asBuffer(unpacked);
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = (value >>> 1) ^ (value & 1 ? 0xedb88320 : 0);
  return value;
});

export function crc32(bytes: Uint8Array, before = 0): number {
  let value = ~before;
  for (const byte of bytes) value = (value >>> 8) ^ (CRC_TABLE[(value ^ byte) & 0xff] ?? 0);
  return ~value >>> 0;
}

// Hashes and random values.

interface Hash {
  update(text: string): Hash;
  digest(encoding: 'hex' | 'base64'): string;
}

export function createHash(_algorithm: 'sha256'): Hash {
  const hash = sha256.create();
  return {
    update(text) {
      hash.update(text);
      return this;
    },
    digest: (encoding) => asBuffer(hash.digest()).toString(encoding),
  };
}

export function randomBytes(size: number): Buffer {
  return crypto.getRandomValues(new Buffer(size));
}

/** Pages that are not served over HTTPS have no `crypto.randomUUID`. */
export function randomUUID(): string {
  return randomBytes(16).toString('hex');
}
