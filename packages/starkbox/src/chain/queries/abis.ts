// ABIs of classes that were read last, by class hash.
import type { Abi } from '@starkbox/abi';
import type { State } from '@starkbox/engine';
import { BoundedMap } from '../../bounded-map.js';

/** ABIs that are kept. */
const MOST_ABIS = 200;

/** Shared by all chains of a node: a class never changes. */
export class Abis {
  readonly #abis = new BoundedMap<string, Abi>(MOST_ABIS);

  /** @returns undefined for a class that is not found or has no functions */
  async of(hash: string, state: State): Promise<Abi | undefined> {
    const abi = this.#abis.get(hash) ?? (await read(hash, state));
    // The one that was used last is the last one to go.
    if (abi) this.#abis.set(hash, abi);
    return abi;
  }
}

async function read(hash: string, state: State): Promise<Abi | undefined> {
  const { readAbi } = await import('@starkbox/abi');
  const abi = readAbi(await (await state.class(hash).catch(() => undefined))?.abi());
  return abi.functions.size > 0 ? abi : undefined;
}
