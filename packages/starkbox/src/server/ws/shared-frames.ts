// Frames of notifications for many clients, built once; only the ids of subscriptions are written for each client.
import type { Reading, Readings } from '../../notification-feed.js';
import { frameLength, writeHeader } from './frames.js';

type Position = Reading['last'];

/** Bytes that are written at a time. */
const PIECE = 128 * 1024;
/** Clients that have read up to different positions, or have other subscriptions. */
const KEPT = 16;

/** What is sent to all clients that have the same subscriptions and have read up to the same items. */
interface Piece {
  /** By subscription: where it begins, what was the end of its feed, where the piece ends. */
  readonly begin: readonly Position[];
  readonly newest: readonly Position[];
  readonly end: readonly Position[];
  readonly idLengths: readonly number[];
  /** Where ids stand, and the subscription of each. */
  readonly places: readonly number[];
  readonly owners: readonly number[];
  bytes: Buffer;
}

export class SharedFrames {
  /** The newest first. */
  #pieces: Piece[] = [];

  /**
   * The next frames of a client, which counts them as read. The bytes are valid until the next call.
   *
   * @returns undefined if there is nothing to read
   */
  take(readings: Readings): Buffer | undefined {
    if (!readings.hasUnread) return undefined;
    const { all } = readings;
    const piece = this.#pieces.find((candidate) => fits(candidate, all)) ?? this.#build(readings);
    const { bytes, places, owners, end } = piece;
    for (let at = 0; at < places.length; at += 1) {
      const id = all[owners[at] ?? 0]?.id;
      if (id) bytes.set(id, places[at]);
    }
    for (const [index, reading] of all.entries()) reading.last = end[index] ?? reading.last;
    readings.rest();
    return bytes;
  }

  /** Another holds these bytes: they may not change any more. */
  give(bytes: Buffer): void {
    for (const piece of this.#pieces) {
      if (piece.bytes === bytes) piece.bytes = Buffer.from(bytes);
    }
  }

  #build(readings: Readings): Piece {
    const { all } = readings;
    const begin = all.map(({ last }) => last);
    const newest = all.map(({ feed }) => feed.last);
    const owners: number[] = [];
    const items: Position[] = [];
    let length = 0;
    for (let reading = readings.next(); reading; reading = readings.next()) {
      const item = reading.last.next;
      if (!item) break;
      const more = frameLength(item.before.length + reading.id.length + item.after.length);
      if (length > 0 && length + more > PIECE) break;
      length += more;
      reading.last = item;
      items.push(item);
      owners.push(all.indexOf(reading));
    }
    const bytes = Buffer.allocUnsafeSlow(length);
    const places: number[] = [];
    let end = 0;
    for (const [at, { before, after }] of items.entries()) {
      const { length: digits } = all[owners[at] ?? 0]?.id ?? before;
      end = writeHeader(bytes, end, before.length + digits + after.length);
      bytes.set(before, end);
      places.push(end + before.length);
      bytes.set(after, end + before.length + digits);
      end += before.length + digits + after.length;
    }
    const piece = {
      begin,
      newest,
      end: all.map(({ last }) => last),
      idLengths: all.map(({ id }) => id.length),
      places,
      owners,
      bytes,
    };
    this.#pieces = [piece, ...this.#pieces.slice(0, KEPT - 1)];
    return piece;
  }
}

function fits({ begin, newest, idLengths }: Piece, all: readonly Reading[]): boolean {
  if (begin.length !== all.length) return false;
  for (let at = 0; at < begin.length; at += 1) {
    const reading = all[at];
    if (reading?.last !== begin[at] || reading?.feed.last !== newest[at]) return false;
    if (reading?.id.length !== idLengths[at]) return false;
  }
  return true;
}
