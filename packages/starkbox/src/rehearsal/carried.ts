// Slots in which a chain with the new class differs from the origin, carried from transaction to transaction.
import type { Members } from '@starkbox/abi/basics';
import type { State } from '@starkbox/engine';
import { originStateDiff } from '../json/state-diff.js';
import { slotDifferences } from './compare.js';
import { calledIn, isReverted } from './find.js';
import { type Run, type Writes, writesOf } from './run.js';

export class CarriedSlots {
  /** Values by contract and slot. */
  readonly #values = new Map<string, Map<string, string>>();

  get isEmpty(): boolean {
    return this.#values.size === 0;
  }

  /** The origin's state with the carried values. */
  on(state: State): Promise<State> {
    return state.apply({
      storage_diffs: [...this.#values].map(([address, slots]) => ({
        address,
        storage_entries: [...slots].map(([key, value]) => ({ key, value })),
      })),
    });
  }

  /** Whether a transaction may read a carried slot. The calls of a reverted one are not in its trace. */
  affects(hash: string, trace: Members): boolean {
    if (this.isEmpty) return false;
    if (isReverted({ hash, trace })) return true;
    return [...calledIn(trace)].some((contract) => this.#values.has(contract));
  }

  /**
   * Adds the outcome of a transaction that ran with both classes.
   *
   * @param before the origin's state before it
   */
  async add(old: Run, now: Run, before: State): Promise<void> {
    for (const writes of [old.writes, now.writes]) {
      for (const [contract, slots] of writes) {
        for (const key of slots.keys()) {
          if (old.writes.get(contract)?.has(key) && now.writes.get(contract)?.has(key))
            this.#delete(contract, key);
        }
      }
    }
    for (const { contract, key, ...values } of slotDifferences(old, now)) {
      const original = values.old ?? (await before.storageAt(contract, key));
      const carried = values.new ?? this.#values.get(contract)?.get(key);
      const value = carried ?? (await before.storageAt(contract, key));
      if (value === original) this.#delete(contract, key);
      else this.#set(contract, key, value);
    }
  }

  /** Adds a transaction that did not run: its fee changes a balance, whatever the balance was. */
  async pass(trace: Members, before: State): Promise<void> {
    const writes: Writes = writesOf(originStateDiff(trace['state_diff']));
    for (const [contract, slots] of writes) {
      for (const [key, value] of slots) {
        const carried = this.#values.get(contract)?.get(key);
        if (carried === undefined) continue;
        const change = BigInt(value) - BigInt(await before.storageAt(contract, key));
        const sum = BigInt.asUintN(128, BigInt(carried) + change);
        this.#set(contract, key, `0x${sum.toString(16)}`);
      }
    }
  }

  #set(contract: string, key: string, value: string): void {
    const slots = this.#values.get(contract) ?? new Map<string, string>();
    this.#values.set(contract, slots.set(key, value));
  }

  #delete(contract: string, key: string): void {
    const slots = this.#values.get(contract);
    slots?.delete(key);
    if (slots?.size === 0) this.#values.delete(contract);
  }
}
