// Binary codec for numbers, felts and texts in block records.
import { feltBytes } from '../../felt.js';

/** The bytes were not written by a `ByteWriter`. */
export class BytesError extends Error {
  override readonly name = 'BytesError';
}

/** Growing buffer of encoded values. */
export class ByteWriter {
  #bytes = Buffer.allocUnsafe(512);
  #length = 0;

  /** An unsigned integer below 2^53 as a varint (LEB128). */
  number(value: number): this {
    let rest = value;
    this.#reserve(8);
    while (rest >= 0x80) {
      this.#bytes[this.#length++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#bytes[this.#length++] = rest;
    return this;
  }

  bytes(value: Uint8Array): this {
    this.number(value.length).#reserve(value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
    return this;
  }

  /** A string whose characters are all below 256. */
  latin1(value: string): this {
    this.number(value.length).#reserve(value.length);
    this.#length += this.#bytes.write(value, this.#length, 'latin1');
    return this;
  }

  text(value: string): this {
    return this.bytes(Buffer.from(value));
  }

  /** A hexadecimal number without leading zeros: a felt or a price. */
  felt(value: string): this {
    return this.bytes(feltBytes(value));
  }

  finish(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.#bytes.length));
    larger.set(this.finish());
    this.#bytes = larger;
  }
}

/** Reads the values of a `ByteWriter`; throws a `BytesError` for invalid bytes. */
export class ByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  number(): number {
    let value = 0;
    for (let scale = 1; scale <= 2 ** 49; scale *= 0x80) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) break;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
    throw new BytesError('a number is not terminated');
  }

  bytes(): Buffer {
    const start = this.#take();
    return this.#bytes.subarray(start, this.#at);
  }

  latin1(): string {
    const start = this.#take();
    return this.#bytes.toString('latin1', start, this.#at);
  }

  text(): string {
    const start = this.#take();
    return this.#bytes.toString('utf8', start, this.#at);
  }

  felt(): string {
    const start = this.#take();
    return `0x${this.#bytes.toString('hex', start, this.#at).replace(/^0(?=.)/, '')}`;
  }

  /** The bytes of several length-prefixed values, for another reader. */
  values(count: number): string {
    const start = this.#at;
    for (let remaining = count; remaining > 0; remaining -= 1) this.#take();
    return this.#bytes.toString('latin1', start, this.#at);
  }

  /** Skips a length-prefixed value and returns its start. */
  #take(): number {
    const length = this.number();
    const start = this.#at;
    if (length > this.#bytes.length - start) throw new BytesError('the data ends too early');
    this.#at += length;
    return start;
  }
}
