// What a WebSocket client has sent of a message that is not complete.
import type { Duplex } from 'node:stream';
import type { Share } from '../../scheduling/memory-budget.js';

/** Counts bytes as they come: `ws` keeps them until the message is whole. */
export class Arrivals {
  readonly #stream: Duplex;
  readonly #share: Share;
  readonly #refuse: () => void;
  #last = 0;

  /** @param refuse what happens when the budget allows no more */
  constructor(stream: Duplex, share: Share, refuse: () => void) {
    this.#stream = stream;
    this.#share = share;
    this.#refuse = refuse;
    // Before `ws`, which announces complete messages while it takes the same bytes.
    stream.prependListener('data', this.#count);
  }

  /** A message is whole. What is left after it came with the last bytes. */
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

/** Of a message in one frame, with the mask that clients use. */
function headerLength(length: number): number {
  return 6 + (length < 126 ? 0 : length < 2 ** 16 ? 2 : 8);
}
