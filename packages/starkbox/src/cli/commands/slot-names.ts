// Names of storage slots and addresses: well-known ones, and those of a file.

import { hades, storageAddress } from '@starkbox/engine';
import { MINTER, SEQUENCER } from '../../chain/genesis/accounts.js';
import { ETH, STRK } from '../../chain/genesis/genesis.js';
import { reasonOf } from '../../errors.js';
import { ADDRESS_BOUND, hex, nextSlot, shortString } from '../../felt.js';
import { FileError, readRegularSync } from '../../files/regular-file.js';
import { HASH_CONTRACT } from '../../fork/block-hashes.js';

/** What is given in a file. */
export interface GivenNames {
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
}

export const NO_NAMES: GivenNames = { addresses: new Map(), variables: [] };

const WELL_KNOWN_ADDRESSES: readonly (readonly [string, string])[] = [
  [STRK, 'STRK'],
  [ETH, 'ETH'],
  [SEQUENCER, 'sequencer'],
  [MINTER.address, 'minter'],
];

const PLAIN = [
  'ERC20_decimals',
  'permitted_minter',
  'Account_public_key',
  'Ownable_owner',
  'Ownable_pending_owner',
  '_signer',
  '_guardian',
  '_implementation',
];
const TEXTS = ['ERC20_name', 'ERC20_symbol'];
const WIDE = ['ERC20_total_supply'];
const WIDE_BY_ADDRESS = ['ERC20_balances'];
const WIDE_BY_PAIR = ['ERC20_allowances'];
/** By the interfaces of accounts, and of those that others may call for them. */
const INTERFACES: readonly (readonly [string, string])[] = [
  ['0x2ceccef7f994940b3962a6c67e0ba4fcd37df7d131417c604f91e03caecc1cd', 'account'],
  ['0x1d1144bb2138366ff28d8e9ab57456b1d332ac42196230c3a602003c89872', 'outside execution'],
  ['0x3f918d17e5ee77373b56385708f855659a07f75997f365cf87748628532a055', 'SRC5'],
];

/** Names a file may give. Throws an error that names it for one that cannot be understood. */
export function readNames(path: string): GivenNames {
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
  const { addresses = {}, variables = [] }: { addresses?: unknown; variables?: unknown } =
    Object(json);
  if (!Array.isArray(variables) || !variables.every((one) => typeof one === 'string')) {
    return wrong('"variables" is a list of texts');
  }
  const odd = variables.find((one) => !VARIABLE.test(one));
  if (odd !== undefined) wrong(`"${odd}" is no variable: write name, name[0x1] or name[address]`);
  const named = Object.entries(Object(addresses)).map(([address, name]): [string, string] => {
    if (!/^0x[0-9a-f]{1,64}$/i.test(address)) wrong(`"${address}" is no address`);
    return [hex(BigInt(address)), String(name)];
  });
  return { addresses: new Map(named), variables };
}

const VARIABLE = /^\w+(\[(address|0x[0-9a-fA-F]{1,64})\]){0,3}$/;
/** Bound for the combinations of `[address][address]`. */
const MOST_COMBINATIONS = 100_000;

export class Names {
  readonly #addresses: ReadonlyMap<string, string>;
  readonly #slots = new Map<string, SlotName>();

  /**
   * @param known addresses that may be keys of variables
   * @param pairs of owners and spenders
   */
  constructor(
    given: GivenNames,
    known: ReadonlySet<string>,
    pairs: readonly (readonly [string, string])[],
  ) {
    this.#addresses = new Map([...WELL_KNOWN_ADDRESSES, ...given.addresses]);
    for (const name of PLAIN) this.#plain(name, []);
    for (const name of TEXTS) this.#text(name);
    for (const name of WIDE) this.#wide(name, []);
    for (const [id, shown] of INTERFACES) {
      const variable = `SRC5_supported_interfaces[${shown}]`;
      this.#slots.set(storageAddress('SRC5_supported_interfaces', [id]), { variable });
    }
    const addresses = [...new Set([...known, ...this.#addresses.keys()])];
    for (const name of WIDE_BY_ADDRESS) for (const key of addresses) this.#wide(name, [key]);
    for (const name of WIDE_BY_PAIR) for (const pair of pairs) this.#wide(name, pair);
    for (const pattern of given.variables) this.#given(pattern, addresses);
  }

  /** The name of an address, or itself. */
  address(felt: string): string {
    return this.#addresses.get(felt) ?? felt;
  }

  slot(contract: string, key: string): SlotName | undefined {
    if (contract === HASH_CONTRACT) return { variable: `block ${BigInt(key)}` };
    return this.#slots.get(key);
  }

  #plain(name: string, keys: readonly string[]): void {
    this.#slots.set(storageAddress(name, [...keys]), { variable: this.#shown(name, keys) });
  }

  #wide(name: string, keys: readonly string[]): void {
    const slot = storageAddress(name, [...keys]);
    const variable = this.#shown(name, keys);
    this.#slots.set(slot, { variable, half: 'low' });
    this.#slots.set(nextSlot(slot), { variable, half: 'high' });
  }

  /** A ByteArray: its length, and its first bytes at an address derived from the slot. */
  #text(name: string): void {
    const slot = storageAddress(name);
    const [word = '0x0'] = hades([slot, '0x0', shortString('ByteArray')]);
    this.#slots.set(slot, { variable: `${name} (length)` });
    this.#slots.set(hex(BigInt(word) % ADDRESS_BOUND), { variable: `${name} (text)` });
  }

  /** A variable may take more than one slot, of unknown number: the next one is shown as an offset. */
  #given(pattern: string, addresses: readonly string[]): void {
    const [name = '', ...places] = pattern.split(/[[\]]+/).filter((part) => part !== '');
    let combinations: readonly (readonly string[])[] = [[]];
    for (const place of places) {
      const values = place === 'address' ? addresses : [hex(BigInt(place))];
      if (combinations.length * values.length > MOST_COMBINATIONS) {
        throw new Error(`"${pattern}" stands for more slots than can be tried`);
      }
      combinations = combinations.flatMap((keys) => values.map((value) => [...keys, value]));
    }
    for (const keys of combinations) {
      const slot = storageAddress(name, [...keys]);
      const variable = this.#shown(name, keys);
      const next = nextSlot(slot);
      if (!this.#slots.has(next)) this.#slots.set(next, { variable: `${variable} + 1` });
      this.#slots.set(slot, { variable });
    }
  }

  #shown(name: string, keys: readonly string[]): string {
    return `${name}${keys.map((key) => `[${this.address(key)}]`).join('')}`;
  }
}
