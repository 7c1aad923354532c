// Controls of a chain's time and storage.
import { fromU256, nextSlot, PRIME, toFelt, u256Entries } from '@starkbox/abi/basics';
import type { AllMethods, AnyMethodName, ParamsArgument } from './methods.js';

/** A typed call of a method. */
export type Request = <M extends AnyMethodName>(
  method: M,
  ...params: ParamsArgument<M>
) => Promise<AllMethods[M]['result']>;

/** A number, a bigint, or a string of decimal or hexadecimal digits. */
export type BigNumberish = bigint | number | string;

/**
 * @param name the parameter in error messages
 * @throws RangeError if the value is not a felt
 */
export function feltOf(value: BigNumberish, name: string): string {
  const number = toBigInt(value);
  if (number === undefined || number < 0n || number >= PRIME) {
    throw new RangeError(
      `${name}: expected a felt, an integer from 0 to 2^251 + 17 * 2^192; got ${display(value)}`,
    );
  }
  return toFelt(number);
}

/**
 * @param name the parameter in error messages
 * @throws RangeError if the value is a fraction, which JSON-RPC would round
 */
export function integerOf(value: bigint | number, name: string): bigint | number {
  if (typeof value === 'number' && !Number.isInteger(value)) {
    throw new RangeError(`${name}: expected an integer; got ${value}`);
  }
  return value;
}

const display = (value: unknown): string =>
  typeof value === 'string' ? JSON.stringify(value) : String(value);

function toBigInt(value: BigNumberish): bigint | undefined {
  try {
    return BigInt(value);
  } catch {
    return undefined;
  }
}

/** The time of a chain, in seconds. Every method throws an `RpcError` if the node rejects the call. */
export class TimeControls {
  readonly #request: Request;

  /** @internal */
  constructor(request: Request) {
    this.#request = request;
  }

  /**
   * Moves the time forward and closes a block.
   *
   * @throws RpcError if the time is not a whole number of seconds
   */
  async increase(seconds: number): Promise<void> {
    await this.#request('devnet_increaseTime', { time: seconds });
  }

  /**
   * Sets the time and closes a block at it. Time passes as usual from there.
   *
   * @throws RpcError if the time is not a whole number of seconds
   */
  async set(timestamp: number): Promise<void> {
    await this.#request('devnet_setTime', { time: timestamp, generate_block: true });
  }

  /**
   * Sets the time of the next block. Time passes as usual from there.
   *
   * @throws RpcError if the time is not a whole number of seconds
   */
  async setNextBlockTimestamp(timestamp: number): Promise<void> {
    await this.#request('devnet_setTime', { time: timestamp, generate_block: false });
  }

  /**
   * Returns the time of the latest block.
   *
   * @throws RpcError if the node rejects the call
   */
  async latest(): Promise<number> {
    const block = await this.#request('starknet_getBlockWithTxHashes', { block_id: 'latest' });
    return block.timestamp;
  }
}

/** The layout of a storage variable. */
export type StorageType = 'felt' | 'u256';

/** Computes the slot of a storage variable, or of a map entry by its keys. */
export type SlotHash = (variable: string, keys: readonly string[]) => string;

/** The storage of one contract, by the names of its variables and the keys of its maps. */
export class ContractStorage {
  readonly #request: Request;
  readonly #slotOf: SlotHash;
  readonly #address: string;

  /** @internal */
  constructor(request: Request, slotOf: SlotHash, address: string) {
    this.#request = request;
    this.#slotOf = slotOf;
    this.#address = address;
  }

  /**
   * Returns the slot of a variable. The keys of a map are felts; a u256 counts as two.
   *
   * @throws TypeError if the name is no name of a variable, or the keys are no list
   * @throws RangeError if a key is not a felt
   */
  slot(variable: string, keys: readonly BigNumberish[] = []): string {
    if (!/^[\x20-\x5a\x5c\x5e-\x7e]+$/.test(variable)) {
      throw new TypeError(
        `'${variable}' is no name of a variable: give its name in the source, and the keys of a map as a list`,
      );
    }
    if (!Array.isArray(keys)) {
      throw new TypeError(
        `keys: expected the keys of '${variable}' as a list, [] for none; got ${display(keys)}`,
      );
    }
    return this.#slotOf(
      variable,
      keys.map((key) => feltOf(key, 'keys')),
    );
  }

  /**
   * Reads a variable in the block under construction.
   *
   * @throws RangeError if a key is not a felt
   * @throws RpcError if there is no such contract, its code has no such variable, or the keys do not fit
   */
  async get(
    variable: string,
    keys: readonly BigNumberish[] = [],
    type: StorageType = 'felt',
  ): Promise<bigint> {
    const slot = this.slot(variable, keys);
    const low = await this.getSlot(slot);
    const high = type === 'felt' ? 0n : await this.getSlot(nextSlot(slot));
    // What was written has a variable, perhaps of a class that the contract had before.
    if (low === 0n && high === 0n) await this.#check(variable, keys);
    return type === 'felt' ? low : fromU256(toFelt(low), toFelt(high));
  }

  /**
   * Writes a variable in the block under construction. A value beyond a felt is written as a u256.
   *
   * @throws RangeError if a key or the value is out of range
   * @throws RpcError if there is no such contract, its code has no such variable, or the keys do not fit
   */
  async set(
    variable: string,
    keys: readonly BigNumberish[],
    value: BigNumberish,
    type?: StorageType,
  ): Promise<void> {
    const slot = this.slot(variable, keys);
    const number = toBigInt(value);
    const isWide = number !== undefined && (type ?? (number < PRIME ? 'felt' : 'u256')) === 'u256';
    const entries = isWide
      ? u256Entries(slot, number)
      : [{ key: slot, value: feltOf(value, 'value') }];
    // Fails for a name that is misspelt.
    await this.get(variable, keys, isWide ? 'u256' : 'felt');
    await this.#write(entries);
  }

  /**
   * Reads a slot in the block under construction.
   *
   * @throws RangeError if the slot is not a felt
   * @throws RpcError if there is no such contract
   */
  async getSlot(slot: BigNumberish): Promise<bigint> {
    const value = await this.#request('starknet_getStorageAt', {
      contract_address: this.#address,
      key: feltOf(slot, 'slot'),
      block_id: 'pre_confirmed',
    });
    return BigInt(typeof value === 'string' ? value : value.value);
  }

  /**
   * Writes a slot in the block under construction.
   *
   * @throws RangeError if the slot or the value is not a felt
   * @throws RpcError if there is no such contract
   */
  async setSlot(slot: BigNumberish, value: BigNumberish): Promise<void> {
    await this.#write([{ key: feltOf(slot, 'slot'), value: feltOf(value, 'value') }]);
  }

  /** The node rejects a variable that the code of the contract lacks, and keys that do not fit its type. */
  async #check(variable: string, keys: readonly BigNumberish[]): Promise<void> {
    await this.#request('devnet_getStorage', {
      contract_address: this.#address,
      variable,
      keys: keys.map((key) => feltOf(key, 'keys')),
      block_id: 'pre_confirmed',
    });
  }

  async #write(
    storage_entries: readonly { readonly key: string; readonly value: string }[],
  ): Promise<void> {
    await this.#request('devnet_applyStateDiff', {
      state_diff: { storage_diffs: [{ address: this.#address, storage_entries }] },
    });
  }
}
