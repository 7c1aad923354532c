// Queue of text frames for one WebSocket client.

/** RFC 6455: first byte of an unfragmented text frame. */
const TEXT_FRAME = 0x81;
/** Length codes: the length follows in two or in eight bytes. */
const TWO_BYTES = 126;
const EIGHT_BYTES = 127;

const NOTHING = Buffer.alloc(0);

/**
 * Messages in the order in which they are sent. Each has two parts: the second one is shared by all
 * clients that get the same notification.
 */
export class FrameQueue {
  #own: Buffer[] = [];
  #shared: Buffer[] = [];
  /** Messages before this position have been taken. */
  #first = 0;
  #bytes = 0;
  #pushed = 0;

  /** Messages that were ever pushed. */
  get pushed(): number {
    return this.#pushed;
  }

  /** Messages that were taken or cleared. */
  get taken(): number {
    return this.#pushed - this.length;
  }

  get length(): number {
    return this.#shared.length - this.#first;
  }

  /** Length of all queued messages. */
  get bytes(): number {
    return this.#bytes;
  }

  push(header: Buffer, shared: Buffer = NOTHING): void {
    this.#pushed += 1;
    this.#own.push(header);
    this.#shared.push(shared);
    this.#bytes += header.length + shared.length;
  }

  /**
   * Takes as many messages as fit into the buffer, as frames; at least one.
   *
   * @returns the beginning of `buffer`, or a new one if the first message does not fit
   */
  take(buffer: Buffer): Buffer {
    const [header = NOTHING, shared = NOTHING] = [
      this.#own[this.#first],
      this.#shared[this.#first],
    ];
    const least = frameLength(header.length + shared.length);
    const piece = least > buffer.length ? Buffer.allocUnsafeSlow(least) : buffer;
    const end = this.#fill(piece);
    if (this.#first === this.#shared.length) this.clear();
    return piece.subarray(0, end);
  }

  clear(): void {
    this.#own = [];
    this.#shared = [];
    this.#first = 0;
    this.#bytes = 0;
  }

  #fill(piece: Buffer): number {
    let end = 0;
    let next = this.#first;
    for (; next < this.#shared.length; next += 1) {
      const header = this.#own[next] ?? NOTHING;
      const shared = this.#shared[next] ?? NOTHING;
      const length = header.length + shared.length;
      if (end + frameLength(length) > piece.length) break;
      end = writeHeader(piece, end, length);
      piece.set(header, end);
      piece.set(shared, end + header.length);
      end += length;
      this.#bytes -= length;
    }
    this.#first = next;
    return end;
  }
}

export function frameLength(length: number): number {
  return length + (length < TWO_BYTES ? 2 : length < 2 ** 16 ? 4 : 10);
}

/** Returns the position after the header. */
export function writeHeader(piece: Buffer, at: number, length: number): number {
  piece[at] = TEXT_FRAME;
  if (length < TWO_BYTES) {
    piece[at + 1] = length;
    return at + 2;
  }
  if (length < 2 ** 16) {
    piece[at + 1] = TWO_BYTES;
    return piece.writeUInt16BE(length, at + 2);
  }
  piece[at + 1] = EIGHT_BYTES;
  return piece.writeBigUInt64BE(BigInt(length), at + 2);
}
