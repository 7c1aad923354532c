// Values that executions have shown, as plain data: a round of runs draws from a fixed set of them.
import { canonicalFelt, PRIME } from '@starkbox/abi/basics';
import type { StepValue } from '../model/history.js';

/** Values seen in storage, calldata, results and events. */
export interface SeenValues {
  /** Below 2^128, or decoded as integers. The newest last. */
  readonly numbers: readonly bigint[];
  /** Felts above: hashes, identifiers, packed words. The newest last. */
  readonly felts: readonly bigint[];
  /** Decoded as addresses. The newest last. */
  readonly addresses: readonly string[];
  /** Calls that did not fail: the contract, the function and the caller, separated by spaces. */
  readonly callers: readonly string[];
}

export const NOTHING_SEEN: SeenValues = { numbers: [], felts: [], addresses: [], callers: [] };

const LARGEST_NUMBER = 1n << 128n;
const LARGEST_ADDRESS = 1n << 251n;
/** Values that every type draws anyway. */
const SMALLEST_NUMBER = 2n;

/** Values that are compared before one is added: a value may come again later, as one of the newest. */
const COMPARED = 32;

/** The newest values last. Half of them leave together, so that adding copies nothing. */
class NewestValues<T> {
  readonly #most: number;
  #list: T[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  /** Whether a value is among the newest ones. */
  has(value: T): boolean {
    return this.#list.includes(value, Math.max(0, this.#list.length - COMPARED));
  }

  add(value: T): void {
    if (this.has(value)) return;
    if (this.#list.length === this.#most) this.#list = this.#list.slice(this.#most >> 1);
    this.#list.push(value);
  }

  get list(): readonly T[] {
    return this.#list;
  }
}

/** Collects values by their kind, in the order in which they come. */
export class SeenCollector {
  readonly #numbers: NewestValues<bigint>;
  readonly #felts: NewestValues<bigint>;
  readonly #addresses: NewestValues<string>;
  /** Arguments and results by their Cairo type. */
  readonly #typed = new Map<string, NewestValues<bigint>>();
  /** By contract and function: a key of all three would be a new string for each call. */
  readonly #callers = new Map<string, Map<string, Set<string>>>();
  #callerCount = 0;
  readonly #most: number;

  /** @param most values of each kind */
  constructor(most: number) {
    this.#numbers = new NewestValues(most);
    this.#felts = new NewestValues(most);
    this.#addresses = new NewestValues(most);
    this.#most = most;
  }

  /** An argument or a result of a type: identifiers and amounts often have different ones. */
  addTyped(type: string, value: StepValue): void {
    if (typeof value !== 'bigint') return;
    let values = this.#typed.get(type);
    if (!values) {
      values = new NewestValues(this.#most);
      this.#typed.set(type, values);
    }
    values.add(value);
  }

  ofType(type: string): readonly bigint[] {
    return this.#typed.get(type)?.list ?? [];
  }

  addNumber(value: bigint): void {
    const size = value < 0n ? -value : value;
    if (size >= SMALLEST_NUMBER) this.#numbers.add(size);
  }

  /** A felt of unknown type. */
  addFelt(felt: string): void {
    // Most felts of storage and events are short: their length is compared before they are parsed.
    if (felt.length > 34) this.#felts.add(BigInt(felt));
    else this.addNumber(BigInt(felt));
  }

  addLarge(value: bigint): void {
    if (value < LARGEST_NUMBER) this.addNumber(value);
    else if (value < PRIME) this.#felts.add(value);
  }

  addAddress(text: string): void {
    if (this.#addresses.has(text)) return;
    const address = canonicalFelt(text);
    if (address !== undefined && address !== '0x0' && BigInt(address) < LARGEST_ADDRESS) {
      this.#addresses.add(address);
    }
  }

  /** A call that did not fail. */
  addCaller(contract: string, name: string, caller: string): void {
    const callers = this.#callers.get(contract)?.get(name);
    if (callers?.has(caller) || this.#callerCount === this.#most) return;
    this.#callerCount += 1;
    if (callers) {
      callers.add(caller);
      return;
    }
    const functions = this.#callers.get(contract) ?? new Map<string, Set<string>>();
    this.#callers.set(contract, functions.set(name, new Set([caller])));
  }

  /** A typed value, with its parts. Strings that are hexadecimal are addresses. */
  addValue(value: StepValue): void {
    if (typeof value === 'bigint') this.addNumber(value);
    else if (typeof value === 'string') {
      if (value.startsWith('0x')) this.addAddress(value);
    } else if (typeof value === 'object') {
      for (const part of Object.values(value)) this.addValue(part);
    }
  }

  addAll({ numbers, felts, addresses, callers }: SeenValues): void {
    for (const value of numbers) this.#numbers.add(value);
    for (const value of felts) this.#felts.add(value);
    for (const value of addresses) this.#addresses.add(value);
    for (const call of callers) {
      const [contract = '', name = '', caller = ''] = call.split(' ');
      this.addCaller(contract, name, caller);
    }
  }

  get numbers(): readonly bigint[] {
    return this.#numbers.list;
  }

  get felts(): readonly bigint[] {
    return this.#felts.list;
  }

  get addresses(): readonly string[] {
    return this.#addresses.list;
  }

  /** A copy as plain data. */
  values(): SeenValues {
    return {
      numbers: [...new Set(this.numbers)],
      felts: [...new Set(this.felts)],
      addresses: [...new Set(this.addresses)],
      callers: [...this.#callers].flatMap(([contract, functions]) =>
        [...functions].flatMap(([name, callers]) =>
          [...callers].map((caller) => `${contract} ${name} ${caller}`),
        ),
      ),
    };
  }
}
