// Names of storage slots as the wire carries them.
import type { Names } from '@starkbox/abi';
import { shortAddress } from '@starkbox/abi/basics';
import {
  type ClassVariables,
  type FoundSlot,
  isAddressType,
  plainFeltText,
  type SlotName,
  slotText,
  type ValueLayout,
  withItems,
} from '@starkbox/abi/internal';
import type { State } from '@starkbox/engine';
import type { NAMED_SLOT, STORED_VALUE } from '@starkbox/spec';
import type { DebugInfos } from '../../debug-info/debug-infos.js';
import type { Chain } from '../chain.js';
import { HASHES } from '../storage-names/class-variables.js';
import { MAX_HASHES, type SlotRequest, StorageNames } from '../storage-names/storage-names.js';
import type { ContractNames } from './contract-names.js';

/** Contracts among the keys of one contract's slots that are named: on a fork, each may be a request. */
const MAX_KEYS = 100;

/** The answer of `devnet_nameStorage`. */
export interface NamedStorage {
  readonly slots: readonly NAMED_SLOT[];
  readonly values: readonly STORED_VALUE[];
}

export class SlotNamer {
  readonly #chain: Chain;
  readonly #names: StorageNames;
  readonly #contractNames: () => Promise<ContractNames>;

  /** @param contractNames of the chain */
  constructor(chain: Chain, infos: DebugInfos, contractNames: () => Promise<ContractNames>) {
    this.#chain = chain;
    this.#names = new StorageNames(infos);
    this.#contractNames = contractNames;
  }

  /** The variables of a class; undefined for a class that cannot be read. */
  variablesOf(hash: string, state: State): Promise<ClassVariables | undefined> {
    return this.#names.variablesOf(hash, state);
  }

  /** @param requests all of one request */
  async name(requests: readonly SlotRequest[]): Promise<NamedStorage> {
    const budget = { left: MAX_HASHES };
    const slots: NAMED_SLOT[] = [];
    const values: STORED_VALUE[] = [];
    for (const request of requests) {
      const named = await this.#ofContract(request, budget);
      slots.push(...named.slots);
      values.push(...named.values);
    }
    return { slots, values };
  }

  async #ofContract(request: SlotRequest, budget: { left: number }): Promise<NamedStorage> {
    const { world, options } = this.#chain;
    const accounts = options.genesis.accounts.map(({ address }) => address);
    const addresses = [...accounts, ...world.labels.keys(), request.contract];
    const slotNames = await this.#names.of({ world, addresses, budget }, request);
    const contractNames = await this.#namesOfKeys([...slotNames.values()]);
    const address = (felt: string): string => contractNames.get(felt) ?? felt;
    const texts = {
      address: (felt: string) => contractNames.get(felt) ?? shortAddress(felt),
      felt: (felt: string) => plainFeltText(felt, address),
    };
    const layouts = await this.#layoutsIn(request.contract, slotNames.values());
    const contract_address = request.contract;
    const slots = [...slotNames].map(([key, { layout, ...name }]) => ({
      contract_address,
      key,
      name: slotText(name, texts),
      ...name,
      ...(layout && layouts.has(layout.key) ? { value_key: layout.key } : {}),
    }));
    const values = [...layouts.values()].map(({ vector: _, type, ...layout }) => ({
      contract_address,
      name: slotText(layout, texts),
      ...layout,
      ...(type === undefined ? {} : { type }),
    }));
    return { slots, values };
  }

  /** The values that the slots are parts of, by their first slot; a long vector is left out. */
  async #layoutsIn(
    contract: string,
    names: Iterable<FoundSlot>,
  ): Promise<ReadonlyMap<string, ValueLayout>> {
    const state = this.#chain.world.pendingState;
    const layouts = new Map<string, ValueLayout>();
    const seen = new Set<string>();
    for (const { layout } of names) {
      if (!layout || seen.has(layout.key)) continue;
      seen.add(layout.key);
      const length = layout.vector
        ? await state.storageAt(contract, layout.key).catch(() => '0x0')
        : '0x0';
      const whole = withItems(layout, length, HASHES.pedersen);
      if (whole) layouts.set(whole.key, whole);
    }
    return layouts;
  }

  /** Own names, and the names of the contracts that are keys. */
  async #namesOfKeys(slotNames: readonly Pick<SlotName, 'path'>[]): Promise<Names> {
    const names = await this.#contractNames();
    const { own } = names;
    const addresses = new Set<string>();
    for (const { keys = [] } of slotNames.flatMap(({ path }) => path)) {
      for (const { type, felts } of keys) {
        const [felt] = felts;
        if (felt !== undefined && isAddressType(type) && !own.has(felt)) addresses.add(felt);
      }
    }
    const rows = await names.contracts([...addresses].slice(0, MAX_KEYS));
    const named = rows.filter(({ name_source }) => name_source !== 'ADDRESS');
    return new Map([
      ...named.map(({ contract_address, name }): [string, string] => [contract_address, name]),
      ...own,
    ]);
  }
}
