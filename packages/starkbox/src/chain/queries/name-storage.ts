// Names of storage slots as the wire carries them.
import { type ClassVariables, namesOf, plainFeltText, shortAddress, slotText } from '@starkbox/abi';
import type { State } from '@starkbox/engine';
import type { NAMED_SLOT } from '@starkbox/spec';
import type { DebugInfos } from '../../debug-info/debug-infos.js';
import type { Chain } from '../chain.js';
import { MOST_HASHES, type SlotRequest, StorageNames } from '../storage-names/storage-names.js';

export class SlotNamer {
  readonly #chain: Chain;
  readonly #names: StorageNames;

  constructor(chain: Chain, infos: DebugInfos) {
    this.#chain = chain;
    this.#names = new StorageNames(infos);
  }

  /** The variables of a class; undefined for a class that cannot be read. */
  variablesOf(hash: string, state: State): Promise<ClassVariables | undefined> {
    return this.#names.variablesOf(hash, state);
  }

  /** @param requests all of one request */
  async name(requests: readonly SlotRequest[]): Promise<readonly NAMED_SLOT[]> {
    const budget = { left: MOST_HASHES };
    const slots: NAMED_SLOT[] = [];
    for (const request of requests) slots.push(...(await this.#ofContract(request, budget)));
    return slots;
  }

  async #ofContract(
    request: SlotRequest,
    budget: { left: number },
  ): Promise<readonly NAMED_SLOT[]> {
    const { world, options } = this.#chain;
    const accounts = options.genesis.accounts.map(({ address }) => address);
    const addresses = [...accounts, ...world.labels.keys(), request.contract];
    const slotNames = await this.#names.of({ world, addresses, budget }, request);
    const contractNames = namesOf(accounts, world.labels);
    const address = (felt: string): string => contractNames.get(felt) ?? felt;
    const texts = {
      address: (felt: string) => contractNames.get(felt) ?? shortAddress(felt),
      felt: (felt: string) => plainFeltText(felt, address),
    };
    return [...slotNames].map(([key, name]) => ({
      contract_address: request.contract,
      key,
      name: slotText(name, texts),
      ...name,
    }));
  }
}
