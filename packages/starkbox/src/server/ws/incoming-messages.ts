// Memory of incomplete WebSocket messages.
import type { Duplex } from 'node:stream';
import type { Share } from '../../scheduling/memory-budget.js';

/** Counts bytes as they arrive, because `ws` holds them until the message is complete. */
export class IncomingBytes {
  readonly #stream: Duplex;
  readonly #share: Share;
  readonly #refuse: () => void;
  #last = 0;

  /** @param refuse called when the budget is used up */
  constructor(stream: Duplex, share: Share, refuse: () => void) {
    this.#stream = stream;
    this.#share = share;
    this.#refuse = refuse;
    // Before the listener of `ws`, which emits complete messages while it handles the same bytes.
    stream.prependListener('data', this.#count);
  }

  /** A message is complete. What remains counted arrived in the same chunk, after it. */
  completed(length: number): void {
    const left = Math.max(0, this.#share.held - length - headerLength(length));
    this.#share.give(this.#share.held - Math.min(left, this.#last));
  }

  close(): void {
    this.#stream.off('data', this.#count);
    this.#share.close();
  }

  readonly #count = (chunk: Buffer): void => {
    this.#last = chunk.length;
    if (!this.#share.take(chunk.length)) this.#refuse();
  };
}

/** Header of an unfragmented frame with the mask that clients use. */
function headerLength(length: number): number {
  return 6 + (length < 126 ? 0 : length < 2 ** 16 ? 2 : 8);
}
