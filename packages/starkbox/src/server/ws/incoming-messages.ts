// Memory of incomplete WebSocket messages.
import type { Duplex } from 'node:stream';
import type { Share } from '../../scheduling/memory-budget.js';
import { IncomingFrames } from './incoming-frames.js';

/** What Node holds for a chunk besides its bytes, measured: a buffer, its memory and their objects. */
const CHUNK_BYTES = 512;
/** What `ws` holds for a fragment besides its bytes, measured: a view of a chunk. */
const FRAGMENT_BYTES = 192;

/** Counts what `ws` holds of a message until it is complete, or until the connection is gone. */
export class IncomingBytes {
  readonly #stream: Duplex;
  readonly #share: Share;
  readonly #refuse: () => void;
  readonly #frames = new IncomingFrames();
  #isDiscarding = false;

  /** @param refuse called when the budget is used up */
  constructor(stream: Duplex, share: Share, refuse: () => void) {
    this.#stream = stream;
    this.#share = share;
    this.#refuse = refuse;
    // Before the listener of `ws`, which emits complete messages while it handles the same bytes.
    stream.prependListener('data', this.#count);
  }

  /** Reads on and keeps nothing more. What `ws` holds by now stays counted until the connection is gone. */
  discard(): void {
    this.#isDiscarding = true;
    this.#stream.removeAllListeners('data');
    this.#stream.on('data', () => {});
    this.#stream.resume();
  }

  /** The connection is gone, and what `ws` held with it. */
  close(): void {
    this.#stream.off('data', this.#count);
    this.#share.close();
  }

  readonly #count = (chunk: Buffer): void => {
    if (this.#isDiscarding) return;
    const { isBoundary, isHeld, fragments } = this.#frames.read(chunk);
    // The complete messages of the chunk are handled while it is read.
    if (isBoundary) this.#share.give(this.#share.held);
    // The whole chunk stays in memory while a part of it is needed.
    const bytes = isHeld ? chunk.length + CHUNK_BYTES + fragments * FRAGMENT_BYTES : 0;
    if (!this.#share.take(bytes)) this.#refuse();
  };
}
