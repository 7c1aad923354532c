// Reader of request bodies, with limits of size and memory.
import type { IncomingMessage } from 'node:http';
import type { Share } from '../../scheduling/memory-budget.js';

/** Shorter chunks are copied into one buffer, because each would take far more memory than its bytes. */
const SHORT = 4 * 1024;
const ROOM = 16 * 1024;

/** Why a body is not read to its end. */
export type BodyRefusal = 'too long' | 'no memory' | 'too late';

export interface Body {
  readonly text: string;
}

export interface Reading {
  readonly body: Promise<Body | BodyRefusal>;
  /** Stops waiting for the rest of the body. */
  stop(): void;
}

/** The rest of a refused body is read and dropped. */
export function readBody(request: IncomingMessage, limit: number, share: Share): Reading {
  let stop = (): void => {};
  const body = new Promise<Body | BodyRefusal>((resolve, reject) => {
    const pieces = new Pieces();
    const refuse = (refusal: BodyRefusal): void => {
      pieces.clear();
      request.off('data', take).resume();
      share.give(share.held);
      resolve(refusal);
    };
    const take = (chunk: Buffer): void => {
      if (pieces.length + chunk.length > limit) refuse('too long');
      else if (!share.take(chunk.length)) refuse('no memory');
      else pieces.add(chunk);
    };
    request.on('error', (error) => {
      pieces.clear();
      reject(error);
    });
    if (declaredLength(request) > limit) return refuse('too long');
    stop = () => refuse('too late');
    request.on('data', take);
    request.on('end', () => {
      stop = () => {};
      resolve({ text: pieces.text() });
    });
  });
  return { body, stop: () => stop() };
}

export function declaredLength({ headers }: IncomingMessage): number {
  return Number(headers['content-length'] ?? 0);
}

class Pieces {
  #whole: Buffer[] = [];
  #room: Buffer | undefined;
  #used = 0;
  length = 0;

  add(chunk: Buffer): void {
    this.length += chunk.length;
    if (chunk.length >= SHORT || this.length === chunk.length) {
      this.#settle();
      this.#whole.push(chunk);
      return;
    }
    if (this.#used + chunk.length > ROOM) this.#settle();
    this.#room ??= Buffer.allocUnsafeSlow(ROOM);
    this.#used += chunk.copy(this.#room, this.#used);
  }

  text(): string {
    this.#settle();
    const [first] = this.#whole;
    const bytes = first && this.#whole.length === 1 ? first : Buffer.concat(this.#whole);
    this.clear();
    return bytes.toString('utf8');
  }

  clear(): void {
    this.#whole = [];
    this.#room = undefined;
    this.#used = 0;
  }

  #settle(): void {
    if (!this.#room) return;
    const isFull = this.#used > ROOM / 2;
    const part = this.#room.subarray(0, this.#used);
    this.#whole.push(isFull ? part : Buffer.from(part));
    this.#room = undefined;
    this.#used = 0;
  }
}
