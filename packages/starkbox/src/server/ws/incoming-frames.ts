// Boundaries of the frames and messages that a WebSocket client sends. Only headers are read; `ws` checks them.

/** A frame with this bit in its first byte is not part of a message. */
const CONTROL = 0x08;
const FINAL = 0x80;
const MASKED = 0x80;
const LENGTH = 0x7f;
const LENGTH_OF_16_BITS = 126;
const LENGTH_OF_64_BITS = 127;
const LONGEST_HEADER = 14;

/** What a chunk brought. */
export interface ReadChunk {
  /** Whether nothing of what came before it is held any more. */
  readonly isBoundary: boolean;
  /** Whether it has bytes of a message or frame that is incomplete. */
  readonly isHeld: boolean;
  /** The frames that ended in it and belong to that message. */
  readonly fragments: number;
}

export class IncomingFrames {
  readonly #header = Buffer.alloc(LONGEST_HEADER);
  /** Bytes of the header so far. */
  #known = 0;
  /** Bytes of the payload that are to come. */
  #payload = 0;
  /** Whether the message has had a frame that was not its last. */
  #isFragmented = false;

  read(chunk: Buffer): ReadChunk {
    let [fragments, end, at] = [0, 0, 0];
    while (at < chunk.length) {
      at = this.#payload > 0 ? this.#skip(chunk, at) : this.#readHeader(chunk, at);
      if (this.#payload > 0 || this.#known < this.#headerLength) continue;
      this.#endFrame();
      if (this.#isFragmented) fragments += 1;
      else {
        fragments = 0;
        end = at;
      }
    }
    return { isBoundary: end > 0, isHeld: end < chunk.length, fragments };
  }

  #skip(chunk: Buffer, at: number): number {
    const skipped = Math.min(this.#payload, chunk.length - at);
    this.#payload -= skipped;
    return at + skipped;
  }

  /** Reads one byte of a header. */
  #readHeader(chunk: Buffer, at: number): number {
    this.#header[this.#known] = chunk[at] ?? 0;
    this.#known += 1;
    if (this.#known === this.#headerLength) this.#payload = this.#payloadLength;
    return at + 1;
  }

  /** Two until the second byte is known, which has the length of the rest. */
  get #headerLength(): number {
    if (this.#known < 2) return 2;
    const second = this.#header[1] ?? 0;
    const length = second & LENGTH;
    const ofLength = length === LENGTH_OF_16_BITS ? 2 : length === LENGTH_OF_64_BITS ? 8 : 0;
    return 2 + ofLength + ((second & MASKED) === 0 ? 0 : 4);
  }

  get #payloadLength(): number {
    const length = (this.#header[1] ?? 0) & LENGTH;
    if (length === LENGTH_OF_16_BITS) return this.#header.readUInt16BE(2);
    if (length === LENGTH_OF_64_BITS) return Number(this.#header.readBigUInt64BE(2));
    return length;
  }

  #endFrame(): void {
    const first = this.#header[0] ?? 0;
    // A control frame may come between the frames of a message.
    if ((first & CONTROL) === 0) this.#isFragmented = (first & FINAL) === 0;
    this.#known = 0;
  }
}
