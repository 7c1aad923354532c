// Names of storage slots as the wire carries them.
import { namesOf, plainFeltText, shortAddress, slotText } from '@starkbox/abi';
import type { NAMED_SLOT } from '@starkbox/spec';
import type { DebugInfos } from '../../debug-info/debug-infos.js';
import type { Chain } from '../chain.js';
import { MOST_HASHES, type SlotsWanted, StorageNames } from '../storage-names/storage-names.js';

export class SlotNamer {
  readonly #chain: Chain;
  readonly #names: StorageNames;

  constructor(chain: Chain, infos: DebugInfos) {
    this.#chain = chain;
    this.#names = new StorageNames(infos);
  }

  /** @param wanted all of one request */
  async name(wanted: readonly SlotsWanted[]): Promise<readonly NAMED_SLOT[]> {
    const budget = { left: MOST_HASHES };
    const slots: NAMED_SLOT[] = [];
    for (const one of wanted) slots.push(...(await this.#ofContract(one, budget)));
    return slots;
  }

  async #ofContract(wanted: SlotsWanted, budget: { left: number }): Promise<readonly NAMED_SLOT[]> {
    const { world, options } = this.#chain;
    const accounts = options.genesis.accounts.map(({ address }) => address);
    const addresses = [...accounts, ...world.labels.keys(), wanted.contract];
    const found = await this.#names.of({ world, addresses, budget }, wanted);
    const known = namesOf(accounts, world.labels);
    const address = (felt: string): string => known.get(felt) ?? felt;
    const texts = {
      address: (felt: string) => known.get(felt) ?? shortAddress(felt),
      felt: (felt: string) => plainFeltText(felt, address),
    };
    return [...found].map(([key, name]) => ({
      contract_address: wanted.contract,
      key,
      name: slotText(name, texts),
      ...name,
    }));
  }
}
