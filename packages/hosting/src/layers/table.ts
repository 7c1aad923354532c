// Table: an immutable run of entries in one piece of bytes, as it is stored.

import type { Entry } from 'starkbox/registry';
import { firstNotBefore, type Run } from './run.js';

// Entries: length of the key (2 bytes), length of the value plus one (4 bytes, 0 for a deletion), key,
// value. Then the offsets of every 16th entry (4 bytes each), the number of entries (4 bytes) and the
// magic number. All numbers are little-endian.

const MAGIC = 0x3142_5453;
const GROUP = 16;
const HEAD = 6;
const FOOT = 8;
/** Offsets have 32 bits. */
const LARGEST = 2 ** 31;

export class Table implements Run {
  readonly data: Buffer;
  readonly count: number;
  /** Where the offsets begin, and the entries end. */
  readonly #offsets: number;

  /** @throws Error if the bytes are no table */
  constructor(data: Buffer) {
    if (data.length < FOOT || data.readUInt32LE(data.length - 4) !== MAGIC) {
      throw new Error('it is no table of entries');
    }
    this.data = data;
    this.count = data.readUInt32LE(data.length - FOOT);
    this.#offsets = data.length - FOOT - 4 * Math.ceil(this.count / GROUP);
    if (this.#offsets < 0) throw new Error('it is cut');
  }

  get bytes(): number {
    return this.data.length;
  }

  /** @param entries in the order of their keys */
  static of(entries: Iterable<Entry>): Table {
    const pieces: Buffer[] = [];
    const offsets: number[] = [];
    let [length, count] = [0, 0];
    for (const [key, value] of entries) {
      if (count % GROUP === 0) offsets.push(length);
      const head = Buffer.allocUnsafe(HEAD);
      head.writeUInt16LE(key.length, 0);
      head.writeUInt32LE(value ? value.length + 1 : 0, 2);
      pieces.push(head, key);
      if (value) pieces.push(value);
      length += HEAD + key.length + (value?.length ?? 0);
      count += 1;
      if (length > LARGEST) throw new Error('a table of entries may have 2 GB');
    }
    const foot = Buffer.allocUnsafe(4 * offsets.length + FOOT);
    for (const [index, offset] of offsets.entries()) foot.writeUInt32LE(offset, 4 * index);
    foot.writeUInt32LE(count, foot.length - FOOT);
    foot.writeUInt32LE(MAGIC, foot.length - 4);
    return new Table(Buffer.concat([...pieces, foot]));
  }

  keyAt(index: number): Buffer {
    const at = this.#placeOf(index);
    return this.data.subarray(at + HEAD, at + HEAD + this.data.readUInt16LE(at));
  }

  valueAt(index: number): Buffer | undefined {
    const at = this.#placeOf(index);
    const length = this.data.readUInt32LE(at + 2);
    const start = at + HEAD + this.data.readUInt16LE(at);
    return length === 0 ? undefined : this.data.subarray(start, start + length - 1);
  }

  lowerBound(key: Buffer): number {
    const groups = Math.ceil(this.count / GROUP);
    const after = firstNotBefore(groups, (group) => this.keyAt(group * GROUP), key);
    // The first key of the group after it is not before; the key may be in the group before that.
    const from = Math.max(0, after - 1) * GROUP;
    const upTo = Math.min(this.count, after * GROUP);
    return from + firstNotBefore(upTo - from, (index) => this.keyAt(from + index), key);
  }

  #placeOf(index: number): number {
    if (index < 0 || index >= this.count) throw new RangeError(`a table has no entry ${index}`);
    let at = this.data.readUInt32LE(this.#offsets + 4 * Math.floor(index / GROUP));
    for (let remaining = index % GROUP; remaining > 0; remaining -= 1) {
      const length = this.data.readUInt32LE(at + 2);
      at += HEAD + this.data.readUInt16LE(at) + Math.max(0, length - 1);
    }
    return at;
  }
}
