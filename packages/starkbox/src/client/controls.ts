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

/** Class hash and name of variables that are known to exist, so that a class is not fetched for every zero that is read. */
const declaredVariables = new Set<string>();
const MAX_DECLARED_VARIABLES = 1_000;

/** The words from which a name differs by one letter: one more, one less, another one, or two that changed places. */
function misspellings(name: string): readonly string[] {
  const letters = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_'];
  return Array.from({ length: name.length + 1 }, (_, at) => {
    const [before, letter = '', next = ''] = [name.slice(0, at), name[at], name[at + 1]];
    const after = name.slice(at + 1);
    const swapped = before + next + letter + name.slice(at + 2);
    const changed = letters.flatMap((other) => [
      before + other + after,
      before + other + letter + after,
    ]);
    return [before + after, swapped, ...changed];
  })
    .flat()
    .filter((word) => word !== '');
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
   * @throws RangeError if a key is not a felt, or if the code of the contract has no such variable
   * @throws RpcError if there is no such contract
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
    if (low === 0n && high === 0n) await this.#assertDeclared(variable);
    return type === 'felt' ? low : fromU256(toFelt(low), toFelt(high));
  }

  /** Throws if the name is misspelt: a Sierra program contains the hashes of its variables. */
  async #assertDeclared(variable: string): Promise<void> {
    const hash = await this.#request('starknet_getClassHashAt', {
      block_id: 'pre_confirmed',
      contract_address: this.#address,
    });
    const name = `${hash} ${variable}`;
    if (declaredVariables.has(name)) return;
    const contractClass = await this.#request('starknet_getClassAt', {
      block_id: 'pre_confirmed',
      contract_address: this.#address,
    });
    const constants =
      'sierra_program' in contractClass
        ? new Set(contractClass.sierra_program.map(BigInt))
        : undefined;
    const isVariable = (word: string): boolean => constants?.has(BigInt(this.slot(word))) ?? true;
    if (isVariable(variable)) {
      if (declaredVariables.size >= MAX_DECLARED_VARIABLES) declaredVariables.clear();
      declaredVariables.add(name);
      return;
    }
    const meant = misspellings(variable).find(isVariable);
    const words = new Set(String(contractClass.abi).match(/\b[A-Za-z_]\w*/g));
    const names = meant === undefined ? [...words].filter(isVariable) : [meant];
    const hint = names.length === 0 ? '' : `. It has ${names.join(', ')}`;
    throw new RangeError(
      `The code of contract ${this.#address} has no variable '${variable}'${hint}. For a slot of other code, call getSlot or setSlot`,
    );
  }

  /**
   * Writes a variable in the block under construction. A value beyond a felt is written as a u256.
   *
   * @throws RangeError if a key or the value is out of range, or if the code of the contract has no such variable
   * @throws RpcError if there is no such contract
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

  async #write(
    storage_entries: readonly { readonly key: string; readonly value: string }[],
  ): Promise<void> {
    await this.#request('devnet_applyStateDiff', {
      state_diff: { storage_diffs: [{ address: this.#address, storage_entries }] },
    });
  }
}
