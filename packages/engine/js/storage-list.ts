// The storage of a state difference, read from JSON by a worker thread.

import type * as binding from '../binding.js';
import { addon } from './addon.js';
import { callWorker } from './call.js';
import { parseReport } from './error.js';
import type { StateDiff } from './state-values.js';

/** Slots of contracts to be written; they never become values of JavaScript. */
export class StorageList {
  /** @internal */
  readonly native: binding.StorageList;
  /** Its JSON. */
  readonly text: string;

  /** @internal */
  constructor(native: binding.StorageList, text: string) {
    this.native = native;
    this.text = text;
  }

  /**
   * Reads the `storage_diffs` at the beginning of a text; `undefined` if the list has white space, felts that are not
   * in canonical form, members in another order, a slot or contract twice, or anything that is wrong.
   */
  static async read(text: string): Promise<StorageList | undefined> {
    const native = await callWorker(() => addon.StorageList.read(text));
    return native ? new StorageList(native, text.slice(0, native.length)) : undefined;
  }

  /** The contracts, without a certain order. */
  get addresses(): readonly string[] {
    return this.native.addresses;
  }

  get slotCount(): number {
    return this.native.slotCount;
  }

  /** The list as values. */
  parse(): StateDiff['storage_diffs'] {
    return parseReport<StateDiff['storage_diffs']>(this.text);
  }
}
