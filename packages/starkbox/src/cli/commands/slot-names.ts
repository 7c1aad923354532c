// Names of storage slots and contracts: from a file, and as a node gives them.

import { namesOf, valueText } from '@starkbox/abi';
import { membersOf, nextSlot, toFelt } from '@starkbox/abi/basics';
import {
  decodeSlot,
  type SlotName as FoundName,
  plainFeltText,
  slotPartText,
  slotText,
} from '@starkbox/abi/internal';
import { storageAddress } from '@starkbox/engine';
import { Abis } from '../../chain/queries/abis.js';
import { ContractNames, type NamedChain } from '../../chain/queries/contract-names.js';
import { StorageNames } from '../../chain/storage-names/storage-names.js';
import type { World } from '../../chain/world/world.js';
import type { DebugInfos } from '../../debug-info/debug-infos.js';
import { reasonOf } from '../../errors.js';
import { FileError, readRegularSync } from '../../files/regular-file.js';

/** What is given in a file. */
export interface ChosenNames {
  readonly addresses: ReadonlyMap<string, string>;
  /** Each as `name`, `name[0x1]` or `name[address]`, where `address` stands for all that are known. */
  readonly variables: readonly string[];
}

/** What a slot is. */
export interface SlotName {
  /** As people write it: `ERC20_balances[alice]`. */
  readonly variable: string;
  /** Which half of a u256 it is. */
  readonly half?: 'low' | 'high';
  /** The Cairo type, where it is known. */
  readonly type?: string;
  /** A value as text, by that type. */
  readonly valueText?: (value: string) => string;
}

export const NO_NAMES: ChosenNames = { addresses: new Map(), variables: [] };

/** Names a file may give. Throws an error that names it for one that cannot be understood. */
export function readNames(path: string): ChosenNames {
  const wrong = (reason: string): never => {
    throw new Error(`${path}: ${reason}`);
  };
  let json: unknown;
  try {
    json = JSON.parse(readRegularSync(path));
  } catch (error) {
    if (error instanceof FileError) throw error;
    wrong(reasonOf(error));
  }
  const { addresses, variables = [] } = membersOf(json);
  if (!Array.isArray(variables) || !variables.every((variable) => typeof variable === 'string')) {
    return wrong('"variables" must be an array of strings');
  }
  const odd = variables.find((variable) => !VARIABLE.test(variable));
  if (odd !== undefined)
    wrong(`"${odd}" is not a variable: write name, name[0x1] or name[address]`);
  const names = Object.entries(membersOf(addresses)).map(([address, name]): [string, string] => {
    if (!/^0x[0-9a-f]{1,64}$/i.test(address))
      wrong(`"${address}" is not an address: write 0x and hexadecimal digits`);
    return [toFelt(BigInt(address)), String(name)];
  });
  return { addresses: new Map(names), variables };
}

const VARIABLE = /^\w+(\[(address|0x[0-9a-fA-F]{1,64})\]){0,3}$/;
/** Bound for the combinations of `[address][address]`. */
const MAX_COMBINATIONS = 100_000;

/** Hashes that are computed to find names: some seconds. */
const MAX_HASHES = 150_000;
/** Addresses that are tried as keys of every map. */
const MAX_ADDRESSES = 1_000;

export class Names {
  readonly #addresses: ReadonlyMap<string, string>;
  readonly #tried: readonly string[];
  /** Those of the file. */
  readonly #slots = new Map<string, SlotName>();
  readonly #storage: StorageNames;
  readonly #contracts: readonly ContractNames[];
  readonly #budget = { left: MAX_HASHES };

  /**
   * @param chains the one whose names count first comes first
   * @param infos of artifacts
   * @param mapKeys addresses that may be keys of variables
   */
  constructor(
    chosen: ChosenNames,
    chains: readonly NamedChain[],
    infos: DebugInfos,
    mapKeys: ReadonlySet<string>,
  ) {
    const abis = new Abis();
    this.#storage = new StorageNames(infos);
    this.#contracts = chains.map((chain) => new ContractNames(chain, infos, abis));
    // The last entry of an address counts.
    const own = [...chains].reverse().flatMap(({ world, options }) => [
      ...namesOf(
        options.genesis.accounts.map(({ address }) => address),
        world.labels,
      ),
    ]);
    this.#addresses = new Map([...own, ...chosen.addresses]);
    const addresses = [...new Set([...this.#addresses.keys(), ...mapKeys])];
    this.#tried = addresses.slice(0, MAX_ADDRESSES);
    for (const pattern of chosen.variables) this.#addPattern(pattern, addresses);
  }

  /** The name of an address, or itself. */
  address(felt: string): string {
    return this.#addresses.get(felt) ?? felt;
  }

  /** The name of a contract in the first chain that has one. */
  async contract(address: string): Promise<string | undefined> {
    const name = this.#addresses.get(address);
    if (name !== undefined) return name;
    for (const contracts of this.#contracts) {
      const [row] = await contracts.contracts([address]);
      if (row && row.name_source !== 'ADDRESS') return row.name;
    }
    return undefined;
  }

  /** The name of a class in the first chain that has one. */
  async classOf(hash: string): Promise<string | undefined> {
    for (const contracts of this.#contracts) {
      const [row] = await contracts.classes([hash]);
      if (row && row.name_source !== 'ADDRESS') return row.name;
    }
    return undefined;
  }

  /** The names by slot; those of the file count first. */
  async slots(
    worlds: readonly World[],
    contract: string,
    keys: readonly string[],
  ): Promise<ReadonlyMap<string, SlotName>> {
    const names = new Map<string, SlotName>();
    for (const key of keys) {
      const name = this.#slots.get(key);
      if (name) names.set(key, name);
    }
    for (const world of worlds) {
      const slots = keys.filter((key) => !names.has(key));
      if (slots.length === 0) break;
      const search = { world, addresses: this.#tried, budget: this.#budget };
      for (const [key, slotName] of await this.#storage.of(search, { contract, slots })) {
        names.set(key, this.#nameOf(slotName));
      }
    }
    return names;
  }

  #nameOf(slotName: FoundName): SlotName {
    const address = (felt: string): string => this.address(felt);
    const felt = (value: string): string => plainFeltText(value, address);
    const name = slotText(slotName, { address, felt });
    const { part, type } = slotName;
    if (part === 'low' || part === 'high') return { variable: name, half: part };
    const rest = slotPartText(slotName);
    return {
      variable: rest === undefined ? name : `${name} (${rest})`,
      ...(type === undefined
        ? {}
        : {
            type,
            valueText: (value) =>
              valueText(decodeSlot(slotName, value), { address, felt, classHash: (hash) => hash }),
          }),
    };
  }

  /** A variable may take more than one slot, of unknown number: the next one is shown as an offset. */
  #addPattern(pattern: string, addresses: readonly string[]): void {
    const [name = '', ...places] = pattern.split(/[[\]]+/).filter((part) => part !== '');
    let combinations: readonly (readonly string[])[] = [[]];
    for (const bracket of places) {
      const values = bracket === 'address' ? addresses : [toFelt(BigInt(bracket))];
      if (combinations.length * values.length > MAX_COMBINATIONS) {
        throw new Error(`"${pattern}" matches too many slots: replace an [address] by one address`);
      }
      combinations = combinations.flatMap((keys) => values.map((value) => [...keys, value]));
    }
    for (const keys of combinations) {
      const slot = storageAddress(name, [...keys]);
      const variable = this.#textOf(name, keys);
      const next = nextSlot(slot);
      if (!this.#slots.has(next)) this.#slots.set(next, { variable: `${variable} + 1` });
      this.#slots.set(slot, { variable });
    }
  }

  #textOf(name: string, keys: readonly string[]): string {
    return `${name}${keys.map((key) => `[${this.address(key)}]`).join('')}`;
  }
}
