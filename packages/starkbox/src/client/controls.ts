// Controls of a chain's time and storage.
import { storageAddress } from '@starkbox/engine';
import { fromU256, hex, nextSlot, PRIME, u256Entries } from '../felt.js';
import type { AllMethods, AnyMethodName, ParamsArgument } from './methods.js';

/** A typed call of a method. */
export type Request = <M extends AnyMethodName>(
  method: M,
  ...params: ParamsArgument<M>
) => Promise<AllMethods[M]['result']>;

/** A number as JavaScript or a wire writes it. */
export type BigNumberish = bigint | number | string;

export function feltOf(value: BigNumberish): string {
  const number = BigInt(value);
  if (number < 0n || number >= PRIME) throw new RangeError(`${value} is no felt`);
  return hex(number);
}

/** The time of a chain; all times are in seconds. */
export class TimeControls {
  readonly #request: Request;

  /** @internal */
  constructor(request: Request) {
    this.#request = request;
  }

  /** Moves the time forward and closes a block. */
  async increase(seconds: number): Promise<void> {
    await this.#request('devnet_increaseTime', { time: seconds });
  }

  /** Sets the time and closes a block at it; from there it passes as it really does. */
  async set(timestamp: number): Promise<void> {
    await this.#request('devnet_setTime', { time: timestamp, generate_block: true });
  }

  /** Sets the time of the next block; from there it passes as it really does. */
  async setNextBlockTimestamp(timestamp: number): Promise<void> {
    await this.#request('devnet_setTime', { time: timestamp });
  }

  /** The time of the latest block. */
  async latest(): Promise<number> {
    const block = await this.#request('starknet_getBlockWithTxHashes', { block_id: 'latest' });
    return block.timestamp;
  }
}

/** How a storage variable is laid out. */
export type StorageType = 'felt' | 'u256';

/** Storage of one contract, by the names of its variables and the keys of its maps. */
export class ContractStorage {
  readonly #request: Request;
  readonly #address: string;

  /** @internal */
  constructor(request: Request, address: string) {
    this.#request = request;
    this.#address = address;
  }

  /** The slot of a variable; keys of a map are felts, a u256 counts as two. */
  slot(variable: string, keys: readonly BigNumberish[] = []): string {
    return storageAddress(variable, keys.map(feltOf));
  }

  async get(
    variable: string,
    keys: readonly BigNumberish[] = [],
    type: StorageType = 'felt',
  ): Promise<bigint> {
    const slot = this.slot(variable, keys);
    const low = await this.getSlot(slot);
    if (type === 'felt') return low;
    return fromU256(hex(low), hex(await this.getSlot(nextSlot(slot))));
  }

  /** Writes a variable in the block under construction; a value that is no felt is written as a u256. */
  async set(
    variable: string,
    keys: readonly BigNumberish[],
    value: BigNumberish,
    type: StorageType = BigInt(value) < PRIME ? 'felt' : 'u256',
  ): Promise<void> {
    const slot = this.slot(variable, keys);
    const entries =
      type === 'felt' ? [{ key: slot, value: feltOf(value) }] : u256Entries(slot, BigInt(value));
    await this.#write(entries);
  }

  async getSlot(slot: BigNumberish): Promise<bigint> {
    const value = await this.#request('starknet_getStorageAt', {
      contract_address: this.#address,
      key: feltOf(slot),
      block_id: 'pre_confirmed',
    });
    return BigInt(typeof value === 'string' ? value : value.value);
  }

  async setSlot(slot: BigNumberish, value: BigNumberish): Promise<void> {
    await this.#write([{ key: feltOf(slot), value: feltOf(value) }]);
  }

  async #write(
    storage_entries: readonly { readonly key: string; readonly value: string }[],
  ): Promise<void> {
    await this.#request('devnet_applyStateDiff', {
      state_diff: { storage_diffs: [{ address: this.#address, storage_entries }] },
    });
  }
}
