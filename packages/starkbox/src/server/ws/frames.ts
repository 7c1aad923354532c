// Knows what waits for one WebSocket client, and how many messages become one piece of bytes.

/** RFC 6455: the whole of a text message, from a server, which masks nothing. */
const WHOLE_TEXT = 0x81;
const TWO_BYTES = 126;
const EIGHT_BYTES = 127;

const NOTHING = Buffer.alloc(0);

/**
 * Messages in the order they are to be sent. Each is kept as two parts, because the second is the same
 * for many clients: what waits for a client is little more than a reference.
 */
export class Mailbox {
  #own: Buffer[] = [];
  #shared: Buffer[] = [];
  /** Messages before this position have been taken. */
  #first = 0;
  #bytes = 0;
  #pushed = 0;

  /** How many messages were ever put in. */
  get pushed(): number {
    return this.#pushed;
  }

  /** How many of them are not here any more. */
  get taken(): number {
    return this.#pushed - this.length;
  }

  get length(): number {
    return this.#shared.length - this.#first;
  }

  /** Of the messages, as the client would receive them. */
  get bytes(): number {
    return this.#bytes;
  }

  push(own: Buffer, shared: Buffer = NOTHING): void {
    this.#pushed += 1;
    this.#own.push(own);
    this.#shared.push(shared);
    this.#bytes += own.length + shared.length;
  }

  /**
   * Takes as many messages as there is room for, as frames; one in any case.
   *
   * @returns the beginning of `room`, or other bytes where not even the first message fits
   */
  take(room: Buffer): Buffer {
    const [own = NOTHING, shared = NOTHING] = [this.#own[this.#first], this.#shared[this.#first]];
    const least = frameLength(own.length + shared.length);
    const piece = least > room.length ? Buffer.allocUnsafeSlow(least) : room;
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
      const own = this.#own[next] ?? NOTHING;
      const shared = this.#shared[next] ?? NOTHING;
      const length = own.length + shared.length;
      if (end + frameLength(length) > piece.length) break;
      end = writeHeader(piece, end, length);
      piece.set(own, end);
      piece.set(shared, end + own.length);
      end += length;
      this.#bytes -= length;
    }
    this.#first = next;
    return end;
  }
}

function frameLength(length: number): number {
  return length + (length < TWO_BYTES ? 2 : length < 2 ** 16 ? 4 : 10);
}

/** The position after it. */
function writeHeader(piece: Buffer, at: number, length: number): number {
  piece[at] = WHOLE_TEXT;
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
